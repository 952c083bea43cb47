//! Multiples by secret scalars: against the multiplication in variable time, RustCrypto, and plain
//! integers on tiny curves.

use core::marker::PhantomData;

use num_bigint::BigUint;
use sigmill::curve::{
    AGeneral, AMinus3, AZero, AffinePoint, BaseField, Curve, Group, LanesOf, LanesOperation,
    Operation, P256, P384, ScalarField, ScalarLanesOf, Secp256k1,
};
use sigmill::field::{Limbs, PrimeField};
use sigmill::multiply::{base_mul, base_mul_spread, double_base_mul_vartime, variable_base_mul};

use sigmill_tests::kernels::{P256Generic, P384Generic, Secp256k1Generic};
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_nonzero, rng};
use sigmill_tests::processes::on_every_backend;
use sigmill_tests::rounds;
use sigmill_tests::tiny::{Tiny, all_points, inverse, multiples, plain_add};
use sigmill_tests::tiny_curve;

// Orders of which bit 2 (window 2 of the tests) or bit 3 (window 3) is set, and not set: the last
// addition can be exceptional where it is.
tiny_curve!(MinusThree23, AMinus3, p = 31, n = 23, a = 28, b = 25, G = (0, 5), 1 limbs, window 3);
tiny_curve!(MinusThree19, AMinus3, p = 13, n = 19, a = 10, b = 1, G = (0, 1), 1 limbs, window 4);
tiny_curve!(Zero31, AZero, p = 43, n = 31, a = 0, b = 7, G = (2, 12), 2 limbs, window 2);
tiny_curve!(General23, AGeneral, p = 29, n = 23, a = 1, b = 17, G = (6, 6), 3 limbs, window 4);
tiny_curve!(MinusThree211, AMinus3, p = 239, n = 211, a = 236, b = 176, G = (0, 43), 1 limbs, window 7);
tiny_curve!(General257, AGeneral, p = 227, n = 257, a = 1, b = 146, G = (3, 67), 1 limbs, window 8);

/// k G and k P, affine.
struct Multiply<'a, C: Curve> {
    k: &'a C::Integer,
    point: &'a AffinePoint<C::BaseElement>,
}

impl<C: Curve> Operation<C> for Multiply<'_, C> {
    type Output = [AffinePoint<C::BaseElement>; 2];

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, base: F, order: S) -> Self::Output {
        let group = Group::<C, F>::new(base);
        [
            base_mul(&group, order, self.k),
            variable_base_mul(&group, order, self.k, self.point),
        ]
        .map(|multiple| group.extended_to_affine(&multiple))
    }
}

/// k G spread over lanes, affine.
struct Spread<'a, C: Curve>(&'a C::Integer);

impl<C: Curve> LanesOperation<C> for Spread<'_, C> {
    type Output = AffinePoint<C::BaseElement>;

    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, base: L, order: S) -> Self::Output {
        let group = Group::<C, L::Single>::new(base.single());
        let multiple = base_mul_spread(&Group::wide(base), &group, order.single(), self.0);
        group.extended_to_affine(&multiple)
    }
}

/// The same in variable time.
struct MultiplyVartime<'a, C: Curve>(Multiply<'a, C>, PhantomData<C>);

impl<C: Curve> Operation<C> for MultiplyVartime<'_, C> {
    type Output = [AffinePoint<C::BaseElement>; 2];

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, base: F, _: S) -> Self::Output {
        let group = Group::<C, F>::new(base);
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

/// Scalars whose digits are extreme for some window, and those at which an addition would be
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
    // The one k = 2H - n with H the multiple of 2^m next below n.
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

fn check<C: Curve>(k: &BigUint, point: &AffinePoint<C::BaseElement>) {
    let k_integer = &integer::<C>(k);
    let multiply = || Multiply {
        k: k_integer,
        point,
    };
    let results = C::dispatch(multiply());
    let expected = C::dispatch(MultiplyVartime(multiply(), PhantomData));
    assert_eq!(results, expected, "{} k = {k:x}", C::LABEL);
    let spread = C::dispatch_lanes(Spread(k_integer));
    assert_eq!(spread, expected[0], "{} in lanes, k = {k:x}", C::LABEL);
}

fn against_vartime<C: Curve>(nasty_step: usize, random: usize) {
    let n = from_limbs(C::scalar_field().modulus().as_ref());
    let one = integer::<C>(&big(1));
    let [_, mut point] = C::dispatch(Multiply::<C> {
        k: &one,
        point: &C::GENERATOR,
    });
    assert_eq!(point, C::GENERATOR);
    for (i, k) in nasty_scalars(&n).iter().enumerate().step_by(nasty_step) {
        check::<C>(k, &point);
        // Another point now and then.
        if i % 8 == 0 {
            [_, point] = C::dispatch(Multiply::<C> {
                k: &integer::<C>(&big(i as u64 + 3)),
                point: &point,
            });
        }
    }
    let mut rng = rng(43);
    for _ in 0..random {
        check::<C>(&random_nonzero(&mut rng, &n), &point);
    }
}

#[test]
fn p256_as_in_variable_time() {
    against_vartime::<P256>(rounds(11, 1), rounds(50, 2_000));
}

#[test]
fn p384_as_in_variable_time() {
    against_vartime::<P384>(rounds(31, 3), rounds(20, 500));
    against_vartime::<Secp256k1>(rounds(13, 1), rounds(30, 1000));
}

/// Other kernels, windows and kinds of a; among the windows those whose last addition can be
/// exceptional.
#[test]
fn other_kernels_and_windows_as_in_variable_time() {
    against_vartime::<P256Generic>(rounds(37, 5), rounds(20, 300));
    against_vartime::<P384Generic>(rounds(61, 11), rounds(10, 100));
    against_vartime::<Secp256k1Generic>(rounds(61, 11), rounds(10, 100));
}

#[test]
fn every_backend() {
    on_every_backend(
        "as_in_variable_time",
        "scalar_multiplication::p256_as_in_variable_time",
    );
}

/// Every scalar, every point.
fn tiny<C: Tiny>() {
    let generator_multiples = multiples::<C>();
    for k in 1..C::N {
        for &(x, y) in &all_points::<C>() {
            let point = AffinePoint {
                x: C::element(x),
                y: C::element(y),
            };
            let results = C::dispatch(Multiply::<C> {
                k: &integer::<C>(&big(k as u64)),
                point: &point,
            });
            let index = generator_multiples
                .iter()
                .position(|&multiple| multiple == Some((x, y)))
                .unwrap() as i64;
            let expected = generator_multiples[(index * k % C::N) as usize];
            assert_eq!(C::plain_point(&results[0]), generator_multiples[k as usize]);
            assert_eq!(C::plain_point(&results[1]), expected, "{k} ({x}, {y})");
        }
    }
    assert_eq!(inverse(1, C::N), 1);
    assert_eq!(plain_add::<C>(None, None), None);
}

#[test]
fn every_multiple_on_tiny_curves() {
    tiny::<MinusThree23>();
    tiny::<MinusThree19>();
    tiny::<Zero31>();
    tiny::<General23>();
    tiny::<MinusThree211>();
    tiny::<General257>();
}

/// Against RustCrypto, which shares no code with this crate.
#[test]
fn p256_as_rustcrypto() {
    use p256::elliptic_curve::sec1::ToSec1Point;
    let n = from_limbs(P256::scalar_field().modulus().as_ref());
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
