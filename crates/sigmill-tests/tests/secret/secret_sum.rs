//! Sums of secret multiples: every pair of scalars and points on tiny curves, including exceptional
//! cases.

use num_bigint::BigInt;
use sigmill::hazmat::curve::{
    AffinePoint, BaseField, CompressedPoint, Curve, Group, JacobianPoint, Operation, PointForm,
    ScalarField, ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
use sigmill::hazmat::field::{Field as _, Limbs as _, PrimeField};
use sigmill::hazmat::multiply::{
    OddMultipleRows, SecretTerm, blinded_secret_sum, secret_sum, start_doublings,
};

use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::tiny::{Element, Plain, Tiny};
use sigmill_tests::{THOROUGH, rounds, tiny_curve};

tiny_curve!(MINUS_THREE_19, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(MINUS_THREE_23, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_23, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);

/// A scalar, its number of bits, and a point.
type Term<C> = (
    <C as Curve>::Integer,
    u32,
    AffinePoint<<C as Curve>::BaseElement>,
);

/// The odd multiples of the terms' points. The last point is compressed, as in a hint.
fn rows_of<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    terms: &[Term<C>],
) -> OddMultipleRows<C::BaseElement> {
    let forms = terms.iter().enumerate().map(|(i, (_, _, point))| {
        if i + 1 < terms.len() {
            return PointForm::Affine(*point);
        }
        let y_is_odd = group.field().is_odd(&point.y);
        PointForm::Compressed(CompressedPoint {
            x: point.x,
            y_is_odd,
        })
    });
    OddMultipleRows::new_vartime(group, order, &forms.collect::<Vec<_>>()).unwrap()
}

fn secret_terms<'a, C: Curve>(
    terms: &'a [Term<C>],
    rows: &'a OddMultipleRows<C::BaseElement>,
) -> Vec<SecretTerm<'a, C>> {
    let terms = terms.iter().zip(rows.iter());
    let terms = terms.map(|((k, bits, _), multiples)| SecretTerm {
        k,
        bits: *bits,
        multiples,
    });
    terms.collect()
}

/// The sum of terms, affine; `None` for infinity.
struct Sum<'a, C: Curve>(&'a [Term<C>]);

impl<C: Curve> Operation<C> for Sum<'_, C> {
    type Output = Option<AffinePoint<C::BaseElement>>;

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let group = Group::new(curve, base);
        let rows = rows_of(&group, order, self.0);
        let terms = secret_terms(self.0, &rows);
        let sum = secret_sum(&group, order, &terms);
        group.to_affine_vartime(&sum)
    }
}

/// The sum of terms, of a multiple of the generator, and of 2^m times a start: affine, or `None`
/// for infinity. The outer `None` means that an addition may have been exceptional.
struct Blinded<'a, C: Curve> {
    start: AffinePoint<C::BaseElement>,
    terms: &'a [Term<C>],
    of_generator: C::Integer,
}

impl<C: Curve> SecretLanesOperation<C> for Blinded<'_, C> {
    /// The sum and m.
    type Output = (Option<Option<AffinePoint<C::BaseElement>>>, u32);

    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        let (wide, group) = (Group::wide(curve, lanes), Group::new(curve, lanes.single()));
        let order = order.single();
        let start = group.from_affine(&self.start);
        let rows = rows_of(&group, order, self.terms);
        let terms = secret_terms(self.terms, &rows);
        let k = &self.of_generator;
        let sum = blinded_secret_sum(&wide, &group, order, &start, &terms, k);
        let sum = sum.map(|sum| group.to_affine_vartime(&sum));
        (sum, start_doublings(order))
    }
}

/// All pairs of points, scalars and starts that are multiples of each other, so that digits' points
/// meet constantly: equal, opposite, and with sums that are infinity.
#[test]
fn blinded_sums_on_tiny_curves() {
    for tiny in [&MINUS_THREE_19, &GENERAL_23, &ZERO_31] {
        let (n, multiples) = (tiny.n as usize, tiny.multiples());
        let point = |d: usize| tiny.affine(multiples[d].unwrap());
        let step = rounds(5, 1);
        let (mut right, mut lost) = (0, 0);
        for seed in 0..n * n {
            let [d0, d1] = [1 + seed % (n - 1), 1 + seed / n % (n - 1)];
            for i in (0..n * n).skip(seed % step).step_by(step) {
                let (k0, k1, of_generator) = (i % n, i / n, (i + seed) % n);
                // The last one is short and odd.
                let short = (2 * seed + 1) % 8;
                let d2 = 1 + (i + 3 * seed) % (n - 1);
                let terms = [
                    ([k0 as u64], 5, point(d0)),
                    ([k1 as u64], 5, point(d1)),
                    ([short as u64], 3, point(d2)),
                ];
                let begin = 1 + (i + 5 * seed) % (n - 1);
                let (sum, doublings) = tiny.curve.dispatch_secret_lanes(Blinded {
                    start: point(begin),
                    terms: &terms,
                    of_generator: [of_generator as u64],
                });
                let all = (begin << doublings) + k0 * d0 + k1 * d1 + short * d2 + of_generator;
                match sum {
                    Some(sum) => {
                        let sum = sum.and_then(|sum| tiny.plain_point(&sum));
                        assert_eq!(sum, multiples[all % n], "{seed} {i}");
                        right += 1;
                    }
                    None => lost += 1,
                }
            }
        }
        // With so few points more than half of the calls in one lane meet an exception.
        assert!(3 * right > lost && lost > 0, "{right} {lost}");
    }
}

/// All pairs of scalars, including zeros, and of points.
fn every_pair(tiny: &Tiny) {
    let multiples = tiny.multiples();
    let points: Vec<AffinePoint<Element>> = multiples[1..]
        .iter()
        .map(|point| tiny.affine(point.unwrap()))
        .collect();
    let n = tiny.n as usize;
    let step = rounds(3, 1);
    let check = |k: [usize; 2], bits: [u32; 2], d: [usize; 2]| {
        let term = |i: usize| ([k[i] as u64], bits[i], points[d[i] - 1]);
        let sum = tiny.curve.dispatch(Sum(&[term(0), term(1)]));
        let expected: Plain = multiples[(k[0] * d[0] + k[1] * d[1]) % n];
        let sum = sum.and_then(|sum| tiny.plain_point(&sum));
        assert_eq!(sum, expected, "{k:?} {d:?}");
    };
    for k0 in 0..n {
        for k1 in 0..n {
            for d0 in 1..n {
                for d1 in (1 + (k0 + k1 + d0) % step..n).step_by(step) {
                    check([k0, k1], [5, 5], [d0, d1]);
                    // A short one is odd.
                    if k1 % 2 == 1 && k1 < 8 {
                        check([k0, k1], [5, 3], [d0, d1]);
                    }
                }
            }
        }
    }
}

#[test]
fn every_pair_on_tiny_curves() {
    every_pair(&MINUS_THREE_19);
    every_pair(&GENERAL_23);
    if THOROUGH {
        every_pair(&MINUS_THREE_23);
        every_pair(&ZERO_31);
    }
}

#[test]
fn no_terms_and_one() {
    let tiny = &MINUS_THREE_23;
    assert_eq!(tiny.curve.dispatch(Sum(&[])), None);
    let multiples = tiny.multiples();
    for k in 0..tiny.n {
        for d in 1..tiny.n {
            let point = tiny.affine(multiples[d as usize].unwrap());
            let sum = tiny.curve.dispatch(Sum(&[([k as u64], 5, point)]));
            let expected = multiples[(k * d % tiny.n) as usize];
            assert_eq!(sum.and_then(|sum| tiny.plain_point(&sum)), expected);
        }
    }
}

/// Three multiples of one point on a real curve, which meet at every step, against a single
/// multiple.
fn of_one_point<C: Curve>(curve: C) {
    let generator = *curve.generator();
    let order = curve.scalar_field();
    let mut k = C::Integer::ZERO;
    for (i, limb) in k.as_mut().iter_mut().enumerate() {
        *limb = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i as u64 + 3);
    }
    let last = k.as_ref().len() - 1;
    k.as_mut()[last] >>= 64 * (last as u32 + 1) - order.bits() + 4;
    let bits = order.bits();
    let add = |a: &C::Integer, b: &C::Integer| {
        let mut sum = C::Integer::ZERO;
        let mut carry = 0;
        for i in 0..=last {
            let wide = u128::from(a.as_ref()[i]) + u128::from(b.as_ref()[i]) + carry;
            sum.as_mut()[i] = wide as u64;
            carry = wide >> 64;
        }
        sum
    };
    let twice = add(&k, &k);
    let thrice = add(&twice, &k);
    let of = |terms: &[C::Integer]| {
        let terms: Vec<_> = terms.iter().map(|&k| (k, bits, generator)).collect();
        curve.dispatch(Sum(&terms)).unwrap()
    };
    assert_eq!(of(&[k, k, k]), of(&[thrice]));
    assert_eq!(of(&[twice, k]), of(&[thrice]));
    assert_eq!(of(&[k, k]), of(&[twice]));
    // The same with the opposite point.
    let opposite = Group::new(curve, curve.base_field()).negate_affine_if(&generator, true);
    let terms = [(k, bits, generator), (k, bits, opposite)];
    assert_eq!(curve.dispatch(Sum(&terms)), None);
    let terms = [(thrice, bits, generator), (k, bits, opposite)];
    assert_eq!(curve.dispatch(Sum(&terms)).unwrap(), of(&[twice]));
}

#[test]
fn multiples_of_one_point() {
    use sigmill::hazmat::curve::{BrainpoolP256r1, Domain as _, P256, P384, P521, Secp256k1};
    of_one_point(P256);
    of_one_point(P384.curve());
    of_one_point(P521.curve());
    of_one_point(Secp256k1);
    of_one_point(BrainpoolP256r1.curve());
}

/// The rows of 0 to 9 points against additions, in lanes and singly, with any of the points
/// compressed.
struct Rows;

impl<C: Curve> SecretLanesOperation<C> for Rows {
    type Output = ();

    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, lanes: L, order: S) {
        let (wide, group) = (Group::wide(curve, lanes), Group::new(curve, lanes.single()));
        let (field, order) = (group.field(), order.single());
        let affine = |point: &JacobianPoint<_>| group.to_affine_vartime(point).unwrap();
        // G, -2G, 3G and so on, and finally the first ones again and their opposites.
        let generator = group.from_affine(curve.generator());
        let mut point = generator;
        let mut points = vec![];
        for i in 0..9 {
            points.push(group.negate_affine_if(&affine(&point), i % 3 == 1));
            point = match i {
                5 => generator,
                _ => group.add_vartime(&point, &generator),
            };
        }
        let compress = |point: &AffinePoint<_>| {
            let y_is_odd = field.is_odd(&point.y);
            PointForm::Compressed(CompressedPoint {
                x: point.x,
                y_is_odd,
            })
        };
        let x_of_none = (1..).map(|x| small(field, x));
        let mut x_of_none = x_of_none.filter(|x| group.lift_x_vartime(x, false).is_none());
        let none = PointForm::Compressed(CompressedPoint {
            x: x_of_none.next().unwrap(),
            y_is_odd: false,
        });
        for count in 0..=points.len() {
            let mut forms: Vec<_> = points[..count]
                .iter()
                .map(|p| PointForm::Affine(*p))
                .collect();
            for compressed in 0..=count {
                if compressed < count {
                    forms[compressed] = compress(&points[compressed]);
                }
                let rows = OddMultipleRows::new_vartime(&wide, order, &forms).unwrap();
                let rows_of_one = OddMultipleRows::new_vartime(&group, order, &forms).unwrap();
                assert_eq!(rows.iter().count(), count);
                assert_eq!(rows_of_one.iter().count(), count);
                for (i, (row, row_of_one)) in rows.iter().zip(rows_of_one.iter()).enumerate() {
                    assert_eq!(row.len(), 16);
                    let mut multiple = group.from_affine(&points[i]);
                    let twice = group.double(&multiple);
                    for (multiple_of_row, of_one) in row.iter().zip(row_of_one) {
                        let expected = affine(&multiple);
                        for found in [multiple_of_row, of_one] {
                            let is_same = field.equal(&found.x, &expected.x)
                                && field.equal(&found.y, &expected.y);
                            assert!(is_same, "{count} {compressed} {i}");
                        }
                        multiple = group.add_vartime(&multiple, &twice);
                    }
                }
                if compressed < count {
                    forms[compressed] = none;
                    assert!(OddMultipleRows::new_vartime(&wide, order, &forms).is_none());
                    assert!(OddMultipleRows::new_vartime(&group, order, &forms).is_none());
                    forms[compressed] = PointForm::Affine(points[compressed]);
                }
            }
        }
    }
}

fn small<F: PrimeField>(field: F, value: u64) -> F::Element {
    let mut integer = F::Integer::ZERO;
    integer.as_mut()[0] = value;
    field.from_integer(&integer).unwrap()
}

#[test]
fn rows_of_multiples() {
    use sigmill::hazmat::curve::{BrainpoolP256r1, Domain as _, P256, P384, P521, Secp256k1};
    P256.dispatch_secret_lanes(Rows);
    P384.curve().dispatch_secret_lanes(Rows);
    P521.curve().dispatch_secret_lanes(Rows);
    Secp256k1.dispatch_secret_lanes(Rows);
    BrainpoolP256r1.curve().dispatch_secret_lanes(Rows);
}

/// The number of pairs (w, z) with w 2^m = z 2^t modulo n, |w| < 2^129 and |z| < n / 2^t. They form
/// a two-dimensional lattice, whose basis is reduced (Lagrange) in the norm of that box.
fn close_starts(n: &BigInt, m: u32, t: u32) -> usize {
    let (most_w, most_z) = (BigInt::from(1) << 129, n >> t);
    let dot = |a: &[BigInt; 2], b: &[BigInt; 2]| {
        let of = |i: usize, other: &BigInt| &a[i] * other * (&b[i] * other);
        of(0, &most_z) + of(1, &most_w)
    };
    let two = BigInt::from(2);
    let ratio = if m >= t {
        two.modpow(&(m - t).into(), n)
    } else {
        two.modpow(&(t - m).into(), n).modinv(n).unwrap()
    };
    let mut a = [BigInt::from(1), ratio];
    let mut b = [BigInt::ZERO, n.clone()];
    loop {
        if dot(&a, &a) > dot(&b, &b) {
            std::mem::swap(&mut a, &mut b);
        }
        // The nearest integer to (a, b) / (a, a).
        let aa = dot(&a, &a);
        let half = dot(&a, &b) * 2u32 + &aa;
        let times = (&half - half.modpow(&1u32.into(), &(&aa * 2u32))) / (&aa * 2u32);
        if times == BigInt::ZERO {
            break;
        }
        b = [&b[0] - &times * &a[0], &b[1] - &times * &a[1]];
    }
    // In a reduced basis x a + y b is at least as long as sqrt(3)/2 of x a and of y b; the box's
    // corners have length sqrt(2) in its norm.
    let most = |v: &[BigInt; 2]| {
        let squared: BigInt = &most_w * &most_z * (&most_w * &most_z) * 8u32 / (dot(v, v) * 3u32);
        i64::try_from(squared.sqrt()).expect("a short box")
    };
    let (most_x, most_y) = (most(&a), most(&b));
    let mut count = 0;
    for x in -most_x..=most_x {
        for y in -most_y..=most_y {
            let [w, z] = [0, 1].map(|i| &a[i] * x + &b[i] * y);
            count += usize::from(
                w.magnitude() < most_w.magnitude() && z.magnitude() <= most_z.magnitude(),
            );
        }
    }
    count
}

/// The bound of docs/constant-time.md, "Sums", on starts that leave the same lowest bits of the
/// multiple of the generator, from 130 bits on.
fn few_starts<C: Curve>(curve: C, most: usize) {
    let order = curve.scalar_field();
    let limbs = order.modulus().as_ref().to_vec();
    let shifted = |n: BigInt, &limb: &u64| (n << 64) + limb;
    let n = limbs.iter().rev().fold(BigInt::ZERO, shifted);
    let m = start_doublings(order);
    let worst = (130..m + 5).step_by(5).map(|t| close_starts(&n, m, t));
    assert_eq!(worst.max(), Some(most), "{n:x}");
}

#[test]
fn few_starts_leave_the_same_low_bits() {
    use sigmill::hazmat::curve::{BrainpoolP256r1, Domain as _, P256, P384, P521, Secp256k1};
    few_starts(P256, 3);
    few_starts(Secp256k1, 3);
    few_starts(BrainpoolP256r1.curve(), 3);
    few_starts(P384.curve(), 31);
    few_starts(P521.curve(), 3);
}

#[test]
fn every_backend() {
    let of_one_point = "secret_sum::multiples_of_one_point";
    on_every_backend_without_doubles(of_one_point, of_one_point);
    let rows = "secret_sum::rows_of_multiples";
    on_every_backend_without_doubles(rows, rows);
    let blinded = "secret_sum::blinded_sums_on_tiny_curves";
    on_every_backend_without_doubles(blinded, blinded);
}
