//! Sums of multiples of many points, by every method, against adding one multiple after the other:
//! points that are equal, opposite or multiples of each other, extreme integers, on every backend.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use sigmill::curves::Domain as _;
use sigmill::hazmat::curve::{
    AffinePoint, Curve, Group, JacobianPoint, LanesOf, LanesOperation, P256, P521, ScalarLanesOf,
    Secp256k1,
};
use sigmill::hazmat::field::{Limbs, PrimeField};
use sigmill::hazmat::multiply::{MultiMethod, MultiVartime, double_base_mul_vartime};
use sigmill::hazmat::scalar::Half;
use sigmill_tests::counting::{Count, Counting, count};
use sigmill_tests::numbers::rng;
use sigmill_tests::processes::{is_again, on_every_backend};
use sigmill_tests::tiny::{Tiny, TinyCurve};
use sigmill_tests::{rounds, tiny_curve};

tiny_curve!(MINUS_THREE, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 4);
tiny_curve!(ZERO, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 3);
tiny_curve!(GENERAL, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 2);
tiny_curve!(ENDOMORPHISM_7, p = 13, n = 7, a = 0, b = 6, G = (2, 1), window 1,
    endomorphism beta = 9, split by 1 and 2);
tiny_curve!(ENDOMORPHISM_199, p = 211, n = 199, a = 0, b = 2, G = (4, 53), window 4,
    endomorphism beta = 196, split by 2 and 13);

/// A term: a point and its factor.
type Term<C> = (
    AffinePoint<<C as Curve>::BaseElement>,
    Half<<C as Curve>::Integer>,
);

/// The sum of terms.
struct Sum<'t, C: Curve> {
    terms: &'t [Term<C>],
    /// `None` for the default choice.
    method: Option<MultiMethod>,
}

impl<C: Curve> LanesOperation<C> for Sum<'_, C> {
    type Output = JacobianPoint<C::BaseElement>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) -> Self::Output {
        let mut multi = MultiVartime::new(&Group::wide(curve, base), self.terms.len());
        for terms in self.terms.chunks(L::WIDTH) {
            let of = |lane: usize| &terms[lane.min(terms.len() - 1)].0;
            let (x, y) = (base.pack(|lane| &of(lane).x), base.pack(|lane| &of(lane).y));
            let (x, y) = (base.lanes(&x), base.lanes(&y));
            let lanes = x.as_ref().iter().zip(y.as_ref());
            for ((&x, &y), (_, scalar)) in lanes.zip(terms) {
                multi.push(AffinePoint { x, y }, *scalar);
            }
        }
        let bits = order.single().bits();
        match self.method {
            None => multi.sum(bits),
            Some(method) => multi.sum_by(method, bits),
        }
    }
}

/// Straus, Pippenger with each of these windows, and the default choice.
fn methods(windows: &[u32]) -> Vec<Option<MultiMethod>> {
    let pippenger = windows
        .iter()
        .map(|&window| Some(MultiMethod::Pippenger(window)));
    [None, Some(MultiMethod::Straus)]
        .into_iter()
        .chain(pippenger)
        .collect()
}

/// Lists of every length, from one point and its negative alone to the whole group.
fn tiny_sums<C: TinyCurve>(tiny: &Tiny<C>, seed: u64) {
    let multiples = tiny.multiples();
    let group = Group::new(tiny.curve, tiny.curve.base_field());
    let mut rng = rng(seed);
    let lengths = (0..20).chain([31, 32, 33, 63, 64, 65, 200, 1000]);
    for length in lengths {
        for part in [1, 2, 3, 8, tiny.n as u64 - 1] {
            let mut total = 0;
            let terms: Vec<Term<C>> = (0..length)
                .map(|_| {
                    let d = 1 + (rng.next_u64() % part.min(tiny.n as u64 - 1)) as i64;
                    let d = if rng.next_u32() & 1 == 0 {
                        d
                    } else {
                        tiny.n - d
                    };
                    let scalars = if part == 2 { 2 } else { tiny.n as u64 };
                    let (k, negative) = (rng.next_u64() % scalars, rng.next_u32() & 1 == 1);
                    let product = d * k as i64 % tiny.n;
                    total += if negative { tiny.n - product } else { product };
                    let scalar = Half {
                        magnitude: [k],
                        negative: if negative { u64::MAX } else { 0 },
                    };
                    (tiny.affine(multiples[d as usize].unwrap()), scalar)
                })
                .collect();
            for method in methods(&[3, 4, 5, 8, 14]) {
                let sum = tiny.curve.dispatch_lanes(Sum {
                    terms: &terms,
                    method,
                });
                let sum = group.to_affine_vartime(&sum);
                assert_eq!(
                    sum.and_then(|sum| tiny.plain_point(&sum)),
                    multiples[(total % tiny.n) as usize],
                    "{}: {length} terms, {part} points, {method:?}",
                    tiny.curve.label()
                );
            }
        }
    }
}

#[test]
fn sums_on_tiny_curves() {
    tiny_sums(&MINUS_THREE, 301);
    tiny_sums(&ZERO, 302);
    tiny_sums(&GENERAL, 303);
    tiny_sums(&ENDOMORPHISM_7, 304);
    tiny_sums(&ENDOMORPHISM_199, 305);
}

/// Multiples of one point by a small number.
fn small_multiple<C: Curve>(curve: C, k: u64) -> AffinePoint<C::BaseElement> {
    let group = Group::new(curve, curve.base_field());
    let mut limbs = C::Integer::ZERO;
    limbs.as_mut()[0] = k;
    let product =
        double_base_mul_vartime(&group, limbs.as_ref(), curve.generator(), &C::Integer::ZERO);
    group.to_affine_vartime(&product).unwrap()
}

/// An integer with the given number of bits, below the order.
fn integer<C: Curve>(curve: C, rng: &mut ChaCha8Rng, bits: u32) -> C::Integer {
    let n = curve.scalar_field().modulus();
    loop {
        let mut k = C::Integer::ZERO;
        for (limb, i) in k.as_mut().iter_mut().zip(0..) {
            let left = bits.saturating_sub(64 * i).min(64);
            *limb = if left == 0 {
                0
            } else {
                rng.next_u64() >> (64 - left)
            };
        }
        if k.as_ref().iter().rev().lt(n.as_ref().iter().rev()) {
            return k;
        }
    }
}

/// Sums of terms whose points come from a few or from many multiples of G.
fn sums<C: Curve>(curve: C, seed: u64, lengths: &[usize], windows: &[u32]) {
    let mut rng = rng(seed);
    let group = Group::new(curve, curve.base_field());
    let points: Vec<_> = (1..=300).map(|k| small_multiple(curve, k)).collect();
    let n_minus_1 = {
        let mut n = curve.scalar_field().modulus();
        n.as_mut()[0] -= 1;
        n
    };
    for &length in lengths {
        for some in [1, 2, 300] {
            let mut expected = group.infinity();
            let terms: Vec<Term<C>> = (0..length)
                .map(|i| {
                    let point = points[rng.next_u32() as usize % some];
                    let is_odd = rng.next_u32() & 1 == 1;
                    let point = group.negate_affine_if(&point, is_odd);
                    let magnitude = match i % 11 {
                        0 => n_minus_1,
                        1 => C::Integer::ZERO,
                        2 => integer(curve, &mut rng, 3),
                        3..7 => integer(curve, &mut rng, 128),
                        _ => integer(curve, &mut rng, 256),
                    };
                    let product = double_base_mul_vartime(
                        &group,
                        C::Integer::ZERO.as_ref(),
                        &point,
                        &magnitude,
                    );
                    let negative = rng.next_u32() & 1 == 1;
                    let (mut product, mut scalar) = (
                        product,
                        Half {
                            magnitude,
                            negative: 0,
                        },
                    );
                    if negative {
                        let p = group.to_affine_vartime(&product);
                        product = p.map_or(group.infinity(), |p| {
                            group.from_affine(&group.negate_affine_if(&p, true))
                        });
                        scalar.negative = u64::MAX;
                    }
                    expected = group.add_vartime(&expected, &product);
                    (point, scalar)
                })
                .collect();
            for method in methods(windows) {
                let sum = curve.dispatch_lanes(Sum {
                    terms: &terms,
                    method,
                });
                assert_eq!(
                    group.to_affine_vartime(&sum),
                    group.to_affine_vartime(&expected),
                    "{}: {length} terms of {some} points, {method:?}",
                    curve.label()
                );
            }
        }
    }
}

#[test]
fn sums_on_p256() {
    sums(
        P256,
        311,
        &[0, 1, 2, 7, 8, 9, 64, rounds(150, 700)],
        &[3, 7, 10],
    );
}

#[test]
fn sums_on_secp256k1() {
    sums(Secp256k1, 312, &[1, 9, rounds(100, 700)], &[3, 6]);
}

/// Thousands of terms, in lists that are split more than once: all in one bucket.
#[test]
fn thousands_of_equal_terms() {
    if is_again() && cfg!(debug_assertions) {
        return;
    }
    let group = Group::new(P256, P256.base_field());
    let g = *P256.generator();
    for count in [1023_u64, 2048, 2500] {
        let scalar = Half {
            magnitude: [5, 0, 0, 1 << 40],
            negative: 0,
        };
        let terms = vec![(g, scalar); count as usize];
        let all = [5 * count, 0, 0, count << 40];
        let expected = double_base_mul_vartime(&group, &all, &g, &[0; 4]);
        for method in methods(&[3, 9]) {
            let sum = P256.dispatch_lanes(Sum {
                terms: &terms,
                method,
            });
            assert_eq!(
                group.to_affine_vartime(&sum),
                group.to_affine_vartime(&expected),
                "{count}, {method:?}"
            );
        }
    }
}

#[test]
fn methods_go_with_the_number_of_points() {
    let best = |rows: u64| MultiMethod::best(&[(rows, 256), (rows, 128)]);
    assert_eq!(best(1), MultiMethod::Straus);
    assert_eq!(best(16), MultiMethod::Straus);
    assert!(matches!(best(256), MultiMethod::Pippenger(6..=8)));
    assert!(matches!(best(1024), MultiMethod::Pippenger(8..=9)));
    assert!(matches!(best(4096), MultiMethod::Pippenger(10..=11)));
}

#[test]
fn every_backend() {
    on_every_backend("multi::", "multi::sums_on_p256");
}

/// The cost of a sum by a method, and the number of additions that determines the choice of method:
/// for `number` terms with integers of half the order's length, and the same number with integers
/// of its full length.
fn cost<C: Curve>(curve: C, method: MultiMethod, number: u64) -> (Count, u64) {
    let order_bits = curve.scalar_field().bits();
    let mut rng = rng(313);
    let group = Group::new(curve, Counting(curve.base_field()));
    let mut sum = MultiVartime::new(&group, 2 * number as usize);
    for k in 1..=2 * number {
        let bits = if k % 2 == 0 {
            order_bits
        } else {
            order_bits / 2
        };
        let scalar = Half {
            magnitude: integer(curve, &mut rng, bits),
            negative: 0,
        };
        sum.push(small_multiple(curve, k), scalar);
    }
    let additions = method.counts(&sum.terms(order_bits)).additions;
    let counted = count(|| {
        let _ = sum.sum_by(method, order_bits);
    });
    (counted, additions)
}

/// The choice of a method depends on its number of additions, which is close to the number that it
/// performs. In affine coordinates an addition has one square, and the few doublings have two. The
/// difference of two sums removes the fixed cost of a sum on a curve.
fn additions_are_made<C: Curve>(curve: C) {
    for method in [
        MultiMethod::Straus,
        MultiMethod::Pippenger(4),
        MultiMethod::Pippenger(7),
    ] {
        let [(few, said_of_few), (many, said_of_many)] =
            [40, 160].map(|number| cost(curve, method, number));
        let made = (many - few).squares;
        let said = (said_of_many - said_of_few) as f64;
        let what = format!("{}, {method:?}: {made} made, {said} said", curve.label());
        assert!((said / made - 1.0).abs() < 0.12, "{what}");
    }
}

#[test]
fn additions_by_which_a_method_is_chosen_are_made() {
    if is_again() {
        return;
    }
    additions_are_made(P256);
    additions_are_made(Secp256k1);
    additions_are_made(P521.curve());
}
