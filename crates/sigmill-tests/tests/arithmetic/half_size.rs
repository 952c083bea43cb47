//! The split into halves, and the sum with a known point, against plain integers.

use num_bigint::{BigInt, BigUint, Sign};
use rand_chacha::ChaCha8Rng;
use sigmill::hazmat::curve::{
    BaseField, BrainpoolP256r1, CompressedPoint, Curve, Domain, Group, Operation, P256, P384, P521,
    PointForm, ScalarField, Secp256k1,
};
use sigmill::hazmat::field::Modulus;
use sigmill::hazmat::multiply::is_double_base_sum_vartime;
use sigmill::hazmat::scalar::{Halves, halves_vartime};
use sigmill::hazmat::table::OddMultiples;
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::tiny::{Tiny, TinyCurve};
use sigmill_tests::{moduli, rounds, tiny_curve};

/// Euclid's algorithm, step by step, up to the first short remainder.
fn euclid(n: &BigUint, u: &BigUint) -> (BigUint, BigInt) {
    let short = big(1) << n.bits().div_ceil(2);
    let (mut a, mut b) = (n.clone(), u.clone());
    let (mut a_factor, mut b_factor) = (BigInt::ZERO, BigInt::from(1));
    while b >= short {
        let (quotient, rest) = (&a / &b, &a % &b);
        (a, b) = (b, rest);
        let next = a_factor - BigInt::from(quotient) * &b_factor;
        (a_factor, b_factor) = (b_factor, next);
    }
    (b, b_factor)
}

fn plain<const N: usize>(halves: &Halves<[u64; N]>) -> (BigUint, BigInt) {
    let sign = if halves.mu.negative == 0 {
        Sign::Plus
    } else {
        assert_eq!(halves.mu.negative, u64::MAX);
        Sign::Minus
    };
    let mu = BigInt::from_biguint(sign, from_limbs(&halves.mu.magnitude));
    (from_limbs(&halves.lambda), mu)
}

fn check<const N: usize>(n: &BigUint, u: &BigUint) {
    let halves = plain(&halves_vartime::<[u64; N]>(&to_limbs(n), &to_limbs(u)));
    assert_eq!(halves, euclid(n, u), "n {n:x}, u {u:x}");
    // Properties that the twin must also satisfy.
    let (lambda, mu) = halves;
    let bits = n.bits();
    assert!(lambda.bits() <= bits.div_ceil(2) && mu.bits() <= bits / 2 && mu != BigInt::ZERO);
    let difference = mu * BigInt::from(u.clone()) - BigInt::from(lambda);
    assert_eq!(difference % BigInt::from(n.clone()), BigInt::ZERO);
}

/// Integers whose quotients are long, early or late, or all one, or such that a remainder is next
/// to the bound.
fn with_uneven_quotients(n: &BigUint) -> Vec<BigUint> {
    let bits = n.bits();
    let mut integers = vec![];
    for i in 1..bits {
        let divisor = big(1) << i;
        for near in [n / &divisor, n / (&divisor + 1u32), n / (&divisor * 3u32)] {
            integers.extend([&near + 1u32, near]);
        }
    }
    // b / 2^i and b / F with F near the golden ratio times 2^i: a short b, as quotients n / u.
    let mut golden = (big(1), big(1));
    while golden.1 < *n {
        golden = (golden.1.clone(), golden.0 + golden.1);
        integers.push(n * &golden.0 / &golden.1);
        integers.push(n - &golden.1 % n);
    }
    integers.retain(|u| u < n);
    integers
}

fn every_kind<const N: usize>(modulus: &Modulus<N>) {
    let n = from_limbs(modulus.prime());
    for u in nasty_below(&n).iter().chain(&with_uneven_quotients(&n)) {
        check::<N>(&n, u);
    }
    let mut rng = rng(150);
    for i in 0..rounds(500, 20_000) as u64 {
        let u = random_below(&mut rng, &n) >> (i % 7 * 17 % n.bits());
        check::<N>(&n, &u);
        // lambda / mu with parts much shorter than necessary: the split finds both, or a multiple
        // of them.
        let half = n.bits() / 2;
        let [lambda, mu] = [(); 2].map(|()| random_below(&mut rng, &n) >> (half + i % half));
        if mu != BigUint::ZERO {
            let u = lambda * mu.modinv(&n).unwrap() % &n;
            check::<N>(&n, &u);
        }
    }
}

#[test]
fn halves_are_those_of_euclid() {
    every_kind(&moduli::P256_ORDER);
    every_kind(&moduli::SECP256K1_ORDER);
    every_kind(&moduli::P384_ORDER);
    every_kind(&moduli::P521_ORDER);
    // Other numbers of limbs, and lengths that do not fill them.
    every_kind(&moduli::P256);
    every_kind(&moduli::P521);
}

#[test]
fn halves_of_every_integer_modulo_small_ones() {
    for n in (3..rounds(300, 1200) as u64).step_by(2) {
        for u in 0..n {
            check::<1>(&big(n), &big(u));
        }
    }
    let mut rng = rng(151);
    for bits in 2..64 {
        for _ in 0..rounds(20, 1000) {
            let n = (big(1) << bits) + random_below(&mut rng, &(big(1) << bits));
            let n = n | big(1);
            check::<1>(&n, &random_below(&mut rng, &n));
            check::<2>(&n, &random_below(&mut rng, &n));
        }
    }
}

/// Reports whether u1 G + u2 Q = R, for Q and R as multiples of G, all at once.
struct IsSum<'a, C: TinyCurve> {
    tiny: &'a Tiny<C>,
    step: usize,
}

impl<C: TinyCurve> Operation<C> for IsSum<'_, C> {
    type Output = ();

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) {
        let group = Group::new(curve, base);
        let (tiny, n) = (self.tiny, self.tiny.n);
        let multiples = tiny.multiples();
        let point = |k: i64| tiny.affine(multiples[k as usize].unwrap());
        let (mut tried, mut right) = (0, 0);
        for case_number in (0..n.pow(4)).step_by(self.step) {
            let [u1, u2, q, r] = [n.pow(3), n.pow(2), n, 1].map(|power| case_number / power % n);
            if q == 0 || r == 0 {
                continue;
            }
            let is_sum = |r: &PointForm<_>| {
                let (q, u2) = (point(q), [u2 as u64]);
                is_double_base_sum_vartime(&group, order, &[u1 as u64], (&q, &u2), r)
            };
            let expected = (u1 + u2 * q) % n == r;
            let label = curve.label();
            let case = format!("{label}: {u1} G + {u2} ({q} G) = {r} G");
            let r = point(r);
            assert_eq!(is_sum(&PointForm::Affine(r)), expected, "{case}");
            let compressed = CompressedPoint {
                x: r.x,
                y_is_odd: base.is_odd(&r.y),
            };
            let is_sum_compressed = is_sum(&PointForm::Compressed(compressed));
            assert_eq!(is_sum_compressed, expected, "{case}, compressed");
            // -R, and x-coordinates, some of them without a point.
            let x = tiny.element((u1 + u2 + case_number) % tiny.p);
            for compressed in [
                CompressedPoint {
                    y_is_odd: !compressed.y_is_odd,
                    ..compressed
                },
                CompressedPoint { x, ..compressed },
            ] {
                let sum = multiples[((u1 + u2 * q) % n) as usize].map(|sum| tiny.affine(sum));
                let expected = sum.is_some_and(|sum| {
                    sum.x == compressed.x && base.is_odd(&sum.y) == compressed.y_is_odd
                });
                let is_sum = is_sum(&PointForm::Compressed(compressed));
                assert_eq!(is_sum, expected, "{case}, {compressed:?}");
            }
            tried += 1;
            right += usize::from(expected);
        }
        assert!(right > 0 && right < tried);
    }
}

tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_BELOW, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_ABOVE, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_BELOW, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);
tiny_curve!(LARGE_MINUS_THREE, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 7);
tiny_curve!(LARGE_GENERAL, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);
tiny_curve!(ENDOMORPHISM_13, p = 19, n = 13, a = 0, b = 2, G = (4, 3), window 3,
    endomorphism beta = 7, split by 1 and 3);

/// The odd multiples of any point in compressed form, and those of the known point.
struct Decompressed<'a, C: TinyCurve>(&'a Tiny<C>);

impl<C: TinyCurve> Operation<C> for Decompressed<'_, C> {
    type Output = ();

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) {
        let group = Group::new(curve, base);
        let (tiny, multiples) = (self.0, self.0.multiples());
        let index = |point| multiples.iter().position(|&other| other == Some(point));
        for (x, y_is_odd) in (0..tiny.p).flat_map(|x| [(x, false), (x, true)]) {
            let plain_y = |y: &i64| index((x, *y)).is_some() && (y % 2 == 1) == y_is_odd;
            let k = (0..tiny.p).find(plain_y).and_then(|y| index((x, y)));
            let compressed = CompressedPoint {
                x: tiny.element(x),
                y_is_odd,
            };
            let four = OddMultiples::<_, 4>::decompressed_vartime(&group, &compressed);
            let eight = OddMultiples::<_, 8>::decompressed_vartime(&group, &compressed);
            let label = curve.label();
            assert_eq!(four.is_some(), k.is_some(), "{label}: {x}, {y_is_odd}");
            assert_eq!(eight.is_some(), k.is_some(), "{label}: {x}, {y_is_odd}");
            let (Some(k), Some(four), Some(eight)) = (k, four, eight) else {
                continue;
            };
            let point = tiny.affine(multiples[k].unwrap());
            let known = OddMultiples::<_, 8>::new_vartime(&group, &point);
            for i in 0..8 {
                // Infinity is never requested and has no representation.
                let Some(expected) = multiples[(2 * i + 1) * k % multiples.len()] else {
                    continue;
                };
                let expected = tiny.affine(expected);
                assert_eq!(eight.as_slice()[i], expected, "{label}: {i}, {k} G");
                assert_eq!(known.as_slice()[i], expected, "{label}: {i}, {k} G");
                let of_four = four.as_slice().get(i).unwrap_or(&expected);
                assert_eq!(*of_four, expected, "{label}: {i}, {k} G");
            }
        }
    }
}

/// The same on a named curve, for x-coordinates with and without a point.
struct DecompressedAt<'a>(&'a mut ChaCha8Rng);

impl<C: Curve> Operation<C> for DecompressedAt<'_> {
    type Output = [usize; 2];

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) -> [usize; 2] {
        let group = Group::new(curve, base);
        let p = from_limbs(base.modulus().as_ref());
        let mut found = [0; 2];
        for i in 0..rounds(20, 500) {
            let bytes = random_below(self.0, &p).to_bytes_be();
            let compressed = CompressedPoint {
                x: base.from_be_bytes(&bytes).unwrap(),
                y_is_odd: i % 2 == 1,
            };
            let point = group.lift_x_vartime(&compressed.x, compressed.y_is_odd);
            let multiples = OddMultiples::<_, 8>::decompressed_vartime(&group, &compressed);
            let known = point.map(|point| OddMultiples::<_, 8>::new_vartime(&group, &point));
            let slices = [&multiples, &known].map(|some| some.as_ref().map(OddMultiples::as_slice));
            assert_eq!(slices[0], slices[1], "{}: x = {bytes:x?}", curve.label());
            found[usize::from(known.is_some())] += 1;
            let (Some(known), Some(point)) = (known, point) else {
                continue;
            };
            let twice = group.double(&group.from_affine(&point));
            let mut sum = group.from_affine(&point);
            for multiple in known.as_slice() {
                assert_eq!(group.to_affine_vartime(&sum), Some(*multiple));
                sum = group.add_vartime(&sum, &twice);
            }
        }
        found
    }
}

/// The x of a point of small order on the twist belongs to no point, for either y.
struct OnTheTwist(&'static str);

impl<C: Curve> Operation<C> for OnTheTwist {
    type Output = ();

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) {
        let group = Group::new(curve, base);
        let x = BigUint::parse_bytes(self.0.as_bytes(), 16).unwrap();
        let x = base.from_be_bytes(&x.to_bytes_be()).unwrap();
        for y_is_odd in [false, true] {
            let point = CompressedPoint { x, y_is_odd };
            assert!(OddMultiples::<_, 8>::decompressed_vartime(&group, &point).is_none());
        }
    }
}

#[test]
fn multiples_of_points_on_the_twist() {
    let small = "58d02dcabcbd0eebdeffbc020bd970a57c24ffb3735411d2fd1e15b7511c4790";
    Secp256k1.curve().dispatch(OnTheTwist(small));
}

#[test]
fn odd_multiples_of_compressed_points() {
    fn every<C: TinyCurve>(tiny: &Tiny<C>) {
        tiny.curve.dispatch(Decompressed(tiny));
    }
    every(&ENDOMORPHISM_13);
    every(&MINUS_THREE_BELOW);
    every(&MINUS_THREE_ABOVE);
    every(&GENERAL_BELOW);
    every(&ZERO_ABOVE);
    every(&LARGE_MINUS_THREE);
    every(&LARGE_GENERAL);
    let mut rng = rng(152);
    for found in [
        P256.curve().dispatch(DecompressedAt(&mut rng)),
        P384.curve().dispatch(DecompressedAt(&mut rng)),
        P521.curve().dispatch(DecompressedAt(&mut rng)),
        Secp256k1.curve().dispatch(DecompressedAt(&mut rng)),
        BrainpoolP256r1.curve().dispatch(DecompressedAt(&mut rng)),
    ] {
        assert!(found[0] > 0 && found[1] > 0, "{found:?}");
    }
}

#[test]
fn sums_are_recognized_on_tiny_curves() {
    fn every<C: TinyCurve>(tiny: &Tiny<C>, step: usize) {
        tiny.curve.dispatch(IsSum { tiny, step });
    }
    every(&ENDOMORPHISM_13, 1);
    every(&MINUS_THREE_BELOW, rounds(2, 1));
    every(&MINUS_THREE_ABOVE, rounds(5, 1));
    every(&GENERAL_BELOW, rounds(5, 1));
    every(&ZERO_ABOVE, rounds(11, 1));
    every(&LARGE_MINUS_THREE, rounds(30_011, 3_001));
    every(&LARGE_GENERAL, rounds(60_013, 6_007));
}
