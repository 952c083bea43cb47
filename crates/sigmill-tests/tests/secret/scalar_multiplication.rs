//! Multiples by secret scalars: against the variable-time multiplication, RustCrypto, and plain
//! integers on tiny curves.

use num_bigint::BigUint;
use sigmill::hazmat::curve::{
    AffinePoint, BaseField, BrainpoolP256r1, Curve, Domain as _, Group, Operation, P256, P384,
    P521, ScalarField, ScalarLanesOf, Secp256k1, SecretLanesOf, SecretLanesOperation,
};
use sigmill::hazmat::field::{Limbs, PrimeField};
use sigmill::hazmat::multiply::{
    base_mul, base_mul_spread, double_base_mul_vartime, variable_base_mul,
};

use sigmill_tests::kernels::{P256Generic, P384_SCALED, P384Generic, Secp256k1Generic};
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_nonzero, rng};
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::tiny::{Tiny, inverse};
use sigmill_tests::{rounds, tiny_curve};

// Orders with bit 2 (window 2 of the tests) or bit 3 (window 3) set, and not set: if it is set, the
// last addition can be exceptional.
tiny_curve!(MINUS_THREE_23, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_19, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_23, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 4);
tiny_curve!(MINUS_THREE_211, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 7);
tiny_curve!(GENERAL_257, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);

/// k G and k P, affine.
struct Multiply<'a, C: Curve> {
    k: &'a C::Integer,
    point: &'a AffinePoint<C::BaseElement>,
}

impl<C: Curve> Operation<C> for Multiply<'_, C> {
    type Output = [AffinePoint<C::BaseElement>; 2];

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let group = Group::new(curve, base);
        [
            base_mul(&group, order, self.k),
            variable_base_mul(&group, order, self.k, self.point),
        ]
        .map(|multiple| group.extended_to_affine(&multiple))
    }
}

/// k G spread over lanes, affine.
struct Spread<'a, C: Curve>(&'a C::Integer);

impl<C: Curve> SecretLanesOperation<C> for Spread<'_, C> {
    type Output = AffinePoint<C::BaseElement>;

    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        base: L,
        order: S,
    ) -> Self::Output {
        let group = Group::new(curve, base.single());
        let multiple = base_mul_spread(&Group::wide(curve, base), &group, order.single(), self.0);
        group.extended_to_affine(&multiple)
    }
}

/// The same in variable time.
struct MultiplyVartime<'a, C: Curve>(Multiply<'a, C>);

impl<C: Curve> Operation<C> for MultiplyVartime<'_, C> {
    type Output = [AffinePoint<C::BaseElement>; 2];

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) -> Self::Output {
        let group = Group::new(curve, base);
        let (k, zero) = (self.0.k, &C::Integer::ZERO);
        [(k, zero), (zero, k)].map(|(u1, u2)| {
            let sum = double_base_mul_vartime(&group, u1.as_ref(), self.0.point, u2);
            group.to_affine_vartime(&sum).unwrap()
        })
    }
}

fn integer<C: Curve>(value: &BigUint) -> C::Integer {
    let mut integer = C::Integer::ZERO;
    for (limb, digit) in integer.as_mut().iter_mut().zip(value.iter_u64_digits()) {
        *limb = digit;
    }
    integer
}

/// Scalars whose digits are extreme for some window, and those for which an addition would be
/// exceptional in one or other order of the rows: small ones, those near 0, n/2 and n and near
/// their multiples by powers of two, and n - 2d, n + 2d.
fn nasty_scalars(n: &BigUint) -> Vec<BigUint> {
    let mut scalars = nasty_below(n);
    for i in 0..n.bits() {
        let power = big(1) << i;
        for offset in 0..3u32 {
            scalars.push(&power + offset);
            scalars.push(n - &power % n + offset);
            scalars.push((n >> i) + offset);
            scalars.push(((n >> i) << i) + offset);
            scalars.push((((n >> i) << (i + 1)) + offset + n - n % 2u32 * n) % n);
        }
    }
    for d in 0..300u32 {
        scalars.push(big(u64::from(d)));
        scalars.push(n - 2 * d);
        scalars.push(n - 2 * d - 1u32);
        scalars.push((n >> 1) + d);
        scalars.push((n >> 1) - d);
    }
    // The single k = 2H - n with H the multiple of 2^m next below n.
    for m in 0..n.bits() {
        let h = (n >> m) << m;
        if &h * 2u32 > *n {
            scalars.push(h * 2u32 - n);
        }
    }
    scalars.retain(|k| *k > BigUint::ZERO && k < n);
    scalars.sort();
    scalars.dedup();
    scalars
}

fn check<C: Curve>(curve: C, k: &BigUint, point: &AffinePoint<C::BaseElement>) {
    let k_integer = &integer::<C>(k);
    let multiply = || Multiply {
        k: k_integer,
        point,
    };
    let results = curve.dispatch(multiply());
    let expected = curve.dispatch(MultiplyVartime(multiply()));
    assert_eq!(results, expected, "{curve:?} k = {k:x}");
    let spread = curve.dispatch_secret_lanes(Spread(k_integer));
    assert_eq!(spread, expected[0], "{curve:?} in lanes, k = {k:x}");
}

fn against_vartime<C: Curve>(curve: C, nasty_step: usize, random: usize) {
    let n = from_limbs(curve.scalar_field().modulus().as_ref());
    let multiply = |k: u64, point: &_| {
        let k = &integer::<C>(&big(k));
        curve.dispatch(Multiply::<C> { k, point })[1]
    };
    let mut point = multiply(1, curve.generator());
    assert_eq!(point, *curve.generator());
    for (i, k) in nasty_scalars(&n).iter().enumerate().step_by(nasty_step) {
        check(curve, k, &point);
        // The point changes from time to time.
        if i % 8 == 0 {
            point = multiply(i as u64 + 3, &point);
        }
    }
    let mut rng = rng(43);
    for _ in 0..random {
        check(curve, &random_nonzero(&mut rng, &n), &point);
    }
}

#[test]
fn p256_as_in_variable_time() {
    against_vartime(P256, rounds(11, 1), rounds(50, 2_000));
}

#[test]
fn p384_as_in_variable_time() {
    against_vartime(P384.curve(), rounds(31, 3), rounds(20, 500));
    against_vartime(Secp256k1, rounds(13, 1), rounds(30, 1000));
}

#[test]
fn curves_over_any_prime_as_in_variable_time() {
    against_vartime(BrainpoolP256r1.curve(), rounds(31, 3), rounds(20, 500));
    against_vartime(P521.curve(), rounds(101, 7), rounds(10, 200));
}

/// Other kernels, windows and kinds of a; the windows include those whose last addition can be
/// exceptional.
#[test]
fn other_kernels_and_windows_as_in_variable_time() {
    against_vartime(P256Generic.curve(), rounds(37, 5), rounds(20, 300));
    against_vartime(P384Generic.curve(), rounds(61, 11), rounds(10, 100));
    against_vartime(P384_SCALED, rounds(61, 11), rounds(10, 100));
    against_vartime(Secp256k1Generic.curve(), rounds(61, 11), rounds(10, 100));
}

#[test]
fn every_backend() {
    on_every_backend_without_doubles(
        "as_in_variable_time",
        "scalar_multiplication::p256_as_in_variable_time",
    );
}

/// Every scalar, every point.
fn every_multiple(tiny: &Tiny) {
    let generator_multiples = tiny.multiples();
    for k in 1..tiny.n {
        let k_integer = &[k as u64];
        for &(x, y) in &tiny.all_points() {
            let results = tiny.curve.dispatch(Multiply {
                k: k_integer,
                point: &tiny.affine((x, y)),
            });
            let index = generator_multiples
                .iter()
                .position(|&multiple| multiple == Some((x, y)))
                .unwrap() as i64;
            let expected = generator_multiples[(index * k % tiny.n) as usize];
            let results = results.map(|multiple| tiny.plain_point(&multiple));
            assert_eq!(results[0], generator_multiples[k as usize]);
            assert_eq!(results[1], expected, "{k} ({x}, {y})");
        }
        let spread = tiny.curve.dispatch_secret_lanes(Spread(k_integer));
        let spread = tiny.plain_point(&spread);
        assert_eq!(spread, generator_multiples[k as usize], "{k} in lanes");
    }
    assert_eq!(inverse(1, tiny.n), 1);
    assert_eq!(tiny.plain_add(None, None), None);
}

#[test]
fn every_multiple_on_tiny_curves() {
    every_multiple(&MINUS_THREE_23);
    every_multiple(&MINUS_THREE_19);
    every_multiple(&ZERO_31);
    every_multiple(&GENERAL_23);
    every_multiple(&MINUS_THREE_211);
    every_multiple(&GENERAL_257);
}

/// Comparison with RustCrypto, which shares no code with this crate.
#[test]
fn p256_as_rustcrypto() {
    use p256::elliptic_curve::sec1::ToSec1Point;
    let n = from_limbs(P256.scalar_field().modulus().as_ref());
    let mut rng = rng(44);
    for _ in 0..rounds(20, 300) {
        let k = random_nonzero(&mut rng, &n);
        let bytes = sigmill_tests::numbers::to_bytes(&k, 32);
        let ours = sigmill::p256::SecretScalar::from_be_bytes(&bytes).unwrap();
        let theirs = p256::SecretKey::from_slice(&bytes).unwrap().public_key();
        assert_eq!(
            ours.public_key().to_sec1_bytes(false),
            theirs.to_sec1_point(false).as_bytes()
        );
    }
}
