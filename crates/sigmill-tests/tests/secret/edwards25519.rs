//! edwards25519 against big integers: the formulas on points of every order, the table of the base
//! point, and its multiples, on every kernel.

use num_bigint::BigUint;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Adx;
use sigmill::hazmat::curve::{EDWARDS_ORDER, Edwards25519, EdwardsAddend, EdwardsPoint};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::c25519::C25519Adx;
use sigmill::hazmat::field::c25519::{C25519Field, C25519Portable, FieldElement, FoldKernel};
use sigmill::hazmat::field::{Field as _, PrimeField as _};
use sigmill::hazmat::multiply::edwards_base_mul;
use sigmill::hazmat::table::{
    EDWARDS_DIGITS, EDWARDS_POINTS, EDWARDS_ROWS, EDWARDS_WINDOW, edwards_base_table,
    masked_edwards_multiple,
};

use crate::c25519::prime;
use sigmill_tests::numbers::{
    big, from_hex, from_limbs, invert, nasty_below, random_below, rng, to_limbs,
};
use sigmill_tests::rounds;

/// A point as big integers.
type Point = (BigUint, BigUint);

/// The curve over big integers: p and d.
struct Curve {
    p: BigUint,
    d: BigUint,
}

impl Curve {
    fn new() -> Self {
        let p = prime();
        let d = (&p - big(121_665)) * invert(&big(121_666), &p) % &p;
        Self { p, d }
    }

    fn has(&self, (x, y): &Point) -> bool {
        let (xx, yy) = (x * x, y * y);
        (&yy + &self.p * &self.p - &xx) % &self.p == (&self.d * xx * yy + 1u32) % &self.p
    }

    /// The group law, with two divisions.
    fn add(&self, (x1, y1): &Point, (x2, y2): &Point) -> Point {
        let p = &self.p;
        let product = &self.d * x1 * x2 * y1 * y2 % p;
        let x = (x1 * y2 + y1 * x2) * invert(&(&product + 1u32), p) % p;
        let y = (y1 * y2 + x1 * x2) * invert(&(p + 1u32 - &product), p) % p;
        (x, y)
    }

    fn negate(&self, (x, y): &Point) -> Point {
        ((&self.p - x) % &self.p, y.clone())
    }

    fn multiple(&self, k: &BigUint, point: &Point) -> Point {
        (0..k.bits()).rev().fold((big(0), big(1)), |sum, i| {
            let double = self.add(&sum, &sum);
            if k.bit(i) {
                self.add(&double, point)
            } else {
                double
            }
        })
    }

    /// The base point: y is 4/5, with the even x (RFC 7748 §4.1, both coordinates as decimal
    /// numbers).
    fn base(&self) -> Point {
        let decimal = |digits: &str| digits.parse().unwrap();
        let base = (
            decimal(
                "15112221349535400772501151409588531511454012693041857206046113283949847762202",
            ),
            decimal(
                "46316835694926478169428394003475163141307993866256225615783033603165251855960",
            ),
        );
        assert_eq!(&base.1 * 5u32 % &self.p, big(4));
        base
    }

    /// The points of order 1, 2, 4, 4 and two of order 8.
    fn of_small_order(&self) -> Vec<Point> {
        let p = &self.p;
        let root_of_minus_1 = big(2).modpow(&((p - 1u32) >> 2), p);
        let y = from_hex("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7");
        // x² = (y² - 1) / (d y² + 1).
        let xx = (&y * &y + p - 1u32) * invert(&(&self.d * &y * &y + 1u32), p) % p;
        let root = xx.modpow(&((p + 3u32) >> 3), p);
        let other = &root * &root_of_minus_1 % p;
        let x = if &root * &root % p == xx { root } else { other };
        vec![
            (big(0), big(1)),
            (big(0), p - 1u32),
            (root_of_minus_1.clone(), big(0)),
            (p - root_of_minus_1, big(0)),
            (x.clone(), y.clone()),
            (p - x, p - y),
        ]
    }
}

fn on_every_kernel(check: impl Fn(&dyn Subject)) {
    check(&Edwards25519::new(C25519Field::new(C25519Portable)));
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        let field = C25519Field::new(C25519Adx::new(proof));
        check(&Edwards25519::new(field));
    }
}

/// The checks of a group.
trait Subject {
    fn sums(&self, curve: &Curve, p: &Point, q: &Point);
    fn addend_of_table(&self, addend: &EdwardsAddend) -> [BigUint; 3];
    fn table(&self) -> &'static [EdwardsAddend];
    /// The y of 8 k B.
    fn multiple_of_base(&self, k: &BigUint) -> BigUint;
    fn u(&self, k: &BigUint) -> BigUint;
}

/// A point's coordinates, after checking X Y = Z T.
fn affine<K: FoldKernel>(group: &Edwards25519<K>, point: &EdwardsPoint) -> Point {
    let (f, p) = (group.field(), prime());
    let [x, y, z, t] = [&point.x, &point.y, &point.z, &point.t].map(|coordinate| {
        // The coordinates are products: their bound is the one for which sums of two are folded
        // once.
        assert!(coordinate.limbs()[3] < (1 << 63) + (1 << 7), "{point:?}");
        from_limbs(&f.to_integer(coordinate))
    });
    assert_eq!(&x * &y % &p, &z * t % &p);
    let z_inverse = invert(&z, &p);
    (x * &z_inverse % &p, y * z_inverse % p)
}

impl<K: FoldKernel> Subject for Edwards25519<K> {
    fn sums(&self, curve: &Curve, p: &Point, q: &Point) {
        let f = self.field();
        let element = |value: &BigUint| FieldElement::from_limbs(to_limbs(value));
        let [a, b] = [p, q].map(|(x, y)| self.from_affine(&element(x), &element(y)));
        // With a Z other than one.
        let scale = element(&from_hex(
            "123456789abcdef0fedcba98765432100123456789abcdef",
        ));
        let scaled = |point: &EdwardsPoint| EdwardsPoint {
            x: f.mul(&point.x, &scale),
            y: f.mul(&point.y, &scale),
            z: f.mul(&point.z, &scale),
            t: f.mul(&point.t, &scale),
        };
        let (sum, difference) = (curve.add(p, q), curve.add(p, &curve.negate(q)));
        let addend = self.addend(&scaled(&b), &f.invert(&scale));
        for a in [a, scaled(&a)] {
            assert_eq!(affine(self, &self.double(&a)), curve.add(p, p));
            for b in [b, scaled(&b)] {
                assert_eq!(affine(self, &self.add(&a, &b)), sum);
            }
            let plus = self.add_addends(&[a, b], &[(addend, 0), (addend, u64::MAX)]);
            assert_eq!(affine(self, &plus[0]), sum);
            assert_eq!(affine(self, &plus[1]), (big(0), big(1)));
            let both = self.add_addends(&[a, b], &[(addend, u64::MAX), (addend, 0)]);
            assert_eq!(affine(self, &both[0]), difference);
            assert_eq!(affine(self, &both[1]), curve.add(q, q));
        }
        assert_eq!(affine(self, &self.from_addend(&addend, 0)), *q);
        let negative = self.from_addend(&addend, u64::MAX);
        assert_eq!(affine(self, &negative), curve.negate(q));
    }

    fn addend_of_table(&self, addend: &EdwardsAddend) -> [BigUint; 3] {
        [&addend.plus, &addend.minus, &addend.product]
            .map(|element| from_limbs(&self.field().to_integer(element)))
    }

    fn table(&self) -> &'static [EdwardsAddend] {
        edwards_base_table(*self)
    }

    fn multiple_of_base(&self, k: &BigUint) -> BigUint {
        affine(self, &edwards_base_mul(*self, &to_limbs(k))).1
    }

    fn u(&self, k: &BigUint) -> BigUint {
        let f = self.field();
        let [numerator, denominator] = self.montgomery_u(&edwards_base_mul(*self, &to_limbs(k)));
        let u = f.mul(&numerator, &f.invert(&denominator));
        from_limbs(&f.to_integer(&u))
    }
}

#[test]
fn sums_of_points_of_every_order() {
    let curve = Curve::new();
    let base = curve.base();
    let mut rng = rng(25519);
    let mut points = curve.of_small_order();
    points.push(base.clone());
    points.push(curve.negate(&base));
    for i in 0..rounds(3, 30) {
        let multiple = curve.multiple(&random_below(&mut rng, &prime()), &base);
        points.push(curve.add(&multiple, &points[i % 6]));
        points.push(multiple);
    }
    assert!(points.iter().all(|point| curve.has(point)));
    for order_8 in &points[4..6] {
        let order_4 = curve.add(order_8, order_8);
        assert_eq!(curve.add(&order_4, &order_4), points[1]);
    }
    on_every_kernel(|subject| {
        for p in &points {
            for q in &points {
                subject.sums(&curve, p, q);
            }
        }
    });
}

#[test]
fn the_table_has_the_multiples_that_it_claims() {
    let curve = Curve::new();
    let p = &curve.p;
    let mut head = curve.multiple(&big(8), &curve.base());
    let mut expected = vec![];
    for _ in 0..EDWARDS_ROWS {
        let step = curve.add(&head, &head);
        let mut point = head.clone();
        for _ in 0..EDWARDS_POINTS {
            let next = curve.add(&point, &step);
            expected.push(std::mem::replace(&mut point, next));
        }
        head = curve.multiple(&(big(1) << (2 * EDWARDS_WINDOW)), &head);
    }
    on_every_kernel(|subject| {
        let table = subject.table();
        assert_eq!(size_of_val(table), 39_936);
        assert_eq!(table.as_ptr().addr() % 64, 0);
        assert_eq!(table.len(), expected.len());
        for (addend, point) in table.iter().zip(&expected) {
            assert!(curve.has(point));
            let [plus, minus, product] = subject.addend_of_table(addend);
            let (x, y) = ((&plus + p - &minus) % p, (plus + minus) % p);
            assert_eq!(product, &curve.d * &x * &y % p);
            assert_eq!((x, y), *point);
        }
    });
}

#[test]
fn rows_are_read_for_every_digit() {
    on_every_kernel(|subject| {
        let row = &subject.table()[..EDWARDS_POINTS];
        for digit in (-31..=31).step_by(2) {
            let (addend, negative) = masked_edwards_multiple(row, digit);
            let expected = &row[digit.unsigned_abs() as usize / 2];
            assert_eq!(addend.plus.limbs(), expected.plus.limbs());
            assert_eq!(addend.minus.limbs(), expected.minus.limbs());
            assert_eq!(addend.product.limbs(), expected.product.limbs());
            assert_eq!(negative, if digit < 0 { u64::MAX } else { 0 });
        }
    });
}

#[test]
fn multiples_of_the_base_point() {
    let curve = Curve::new();
    let order = from_limbs(&EDWARDS_ORDER);
    let decimal: BigUint = "27742317777372353535851937790883648493".parse().unwrap();
    assert_eq!(order, (big(1) << 252) + decimal);
    let eight = curve.multiple(&big(8), &curve.base());
    assert_eq!(curve.multiple(&order, &eight), (big(0), big(1)));
    assert_eq!(EDWARDS_DIGITS, 51);

    let mut rng = rng(7748);
    let mut scalars: Vec<_> = (1..70).map(big).collect();
    scalars.extend((1..70u32).map(|k| &order - k));
    let nasty: Vec<_> = nasty_below(&order)
        .into_iter()
        .filter(|k| *k != big(0))
        .collect();
    scalars.extend(nasty.into_iter().step_by(rounds(29, 1)));
    scalars.extend((0..rounds(10, 500)).map(|_| random_below(&mut rng, &order)));
    for k in &scalars {
        let (_, y) = curve.multiple(k, &eight);
        let u = (&y + 1u32) * invert(&(&curve.p + 1u32 - &y), &curve.p) % &curve.p;
        on_every_kernel(|subject| {
            assert_eq!(subject.multiple_of_base(k), y, "{k:x}");
            assert_eq!(subject.u(k), u, "{k:x}");
        });
    }
}
