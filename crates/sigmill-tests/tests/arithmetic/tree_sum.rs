//! Sums of many points, in which equal and opposite points meet at every place: against plain
//! integers on tiny curves, and two lanes against one.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use sigmill::hazmat::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint, Prime};
use sigmill::hazmat::field::{Field, Mask, Pair};
use sigmill::hazmat::multiply::{
    double_base_mul_vartime, prepared_double_base_mul_vartime, tree_sum_vartime,
};
use sigmill::hazmat::table::WindowTable;
use sigmill_tests::numbers::rng;
use sigmill_tests::tiny::{Element, Plain, Tiny};
use sigmill_tests::{rounds, tiny_curve};

tiny_curve!(MINUS_THREE, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 4);
tiny_curve!(ZERO, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 3);
tiny_curve!(GENERAL, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 2);

type TinyPrime = Prime<1, 2>;
type Terms = Vec<(AffinePoint<Element>, bool)>;

/// A point other than infinity, from a part of the group: small parts make points meet.
fn any_multiple(tiny: &Tiny, rng: &mut ChaCha8Rng, part: u64) -> i64 {
    let k = 1 + (rng.next_u64() % part.min(tiny.n as u64 - 1)) as i64;
    if rng.next_u32() & 1 == 0 {
        k
    } else {
        tiny.n - k
    }
}

fn plain<F: BaseField<TinyPrime>>(
    tiny: &Tiny,
    group: &Group<TinyPrime, F>,
    point: &JacobianPoint<Element>,
) -> Plain {
    let affine = group.to_affine_vartime(point)?;
    tiny.plain_point(&affine)
}

/// Lists of every length up to several blocks.
fn sums(tiny: &Tiny, seed: u64) {
    let group = Group::new(tiny.curve, tiny.curve.base_field());
    let multiples = tiny.multiples();
    let mut rng = rng(seed);
    for length in 0..250usize {
        for turn in 0..rounds(3, 200) {
            // From one point and its negative alone to the whole group.
            let part = [1, 2, 3, 8, tiny.n as u64][turn % 5];
            let start = if turn % 3 == 0 {
                0
            } else {
                any_multiple(tiny, &mut rng, part)
            };
            let mut total = start;
            let terms: Terms = (0..length)
                .map(|_| {
                    let k = any_multiple(tiny, &mut rng, part);
                    let negative = rng.next_u32() & 1 == 1;
                    total += if negative { tiny.n - k } else { k };
                    (tiny.affine(multiples[k as usize].unwrap()), negative)
                })
                .collect();
            let start = tiny.jacobian(multiples[start as usize], 1 + turn as i64 % 20);
            let sum = tree_sum_vartime(
                &group,
                start,
                terms.iter().map(|(point, sign)| (point, *sign)),
            );
            let expected = multiples[(total % tiny.n) as usize];
            assert_eq!(
                plain(tiny, &group, &sum),
                expected,
                "{}, {length} points of {part}",
                tiny.curve.label()
            );
        }
    }
}

#[test]
fn tree_sums_of_colliding_points() {
    sums(&MINUS_THREE, 61);
    sums(&ZERO, 62);
    sums(&GENERAL, 63);
}

/// u1 G + u2 Q for all u1, u2 and Q (or some of them), fresh and from every table.
fn double_bases(tiny: &Tiny, step: usize) {
    let group = Group::new(tiny.curve, tiny.curve.base_field());
    let multiples = tiny.multiples();
    let limbs = |k: i64| [k as u64];
    for d in (1..tiny.n).step_by(step) {
        let q = tiny.affine(multiples[d as usize].unwrap());
        let bits = 64 - (tiny.n as u64).leading_zeros();
        let tables: Vec<_> = (1..bits)
            .map(|window| WindowTable::build_vartime(&group, &q, window).unwrap())
            .collect();
        for u1 in 0..tiny.n {
            for u2 in (0..tiny.n).step_by(1 + step / 40) {
                let expected = multiples[((u1 + u2 * d) % tiny.n) as usize];
                let (u1, u2) = (limbs(u1), limbs(u2));
                let fresh = double_base_mul_vartime(&group, u1.as_ref(), &q, &u2);
                assert_eq!(plain(tiny, &group, &fresh), expected, "{u1:?} {u2:?} {d}");
                for table in &tables {
                    let prepared = prepared_double_base_mul_vartime(
                        &group,
                        u1.as_ref(),
                        table.rows(),
                        u2.as_ref(),
                    );
                    assert_eq!(
                        plain(tiny, &group, &prepared),
                        expected,
                        "{u1:?} {u2:?} {d}"
                    );
                }
            }
        }
    }
}

#[test]
fn double_base_multiplications() {
    double_bases(&MINUS_THREE, rounds(200, 43));
    double_bases(&ZERO, rounds(11, 1));
    double_bases(&GENERAL, rounds(7, 1));
}

/// A pair of values behaves like two single values in every operation.
#[test]
fn lanes_of_a_pair_do_not_mix() {
    let single = MINUS_THREE.curve.base_field();
    let pair = Pair(single);
    let mut rng = rng(64);
    let mut element = || MINUS_THREE.element((rng.next_u32() % 5 * 59) as i64 % MINUS_THREE.p);
    for i in 0..4000 {
        let (a, b) = ([element(), element()], [element(), element()]);
        let lanes = |operation: &dyn Fn(usize) -> Element| [operation(0), operation(1)];
        assert_eq!(pair.add(&a, &b), lanes(&|i| single.add(&a[i], &b[i])));
        assert_eq!(pair.sub(&a, &b), lanes(&|i| single.sub(&a[i], &b[i])));
        assert_eq!(pair.mul(&a, &b), lanes(&|i| single.mul(&a[i], &b[i])));
        assert_eq!(pair.square(&a), lanes(&|i| single.square(&a[i])));
        assert_eq!(pair.negate(&a), lanes(&|i| single.negate(&a[i])));
        assert_eq!(pair.double(&a), lanes(&|i| single.double(&a[i])));
        assert_eq!(pair.half(&a), lanes(&|i| single.half(&a[i])));
        let condition = [i & 1 == 1, i & 2 == 2];
        let negated = lanes(&|i| single.negate_if(&a[i], condition[i]));
        assert_eq!(pair.negate_if(&a, condition), negated);
        assert_eq!(
            pair.equal(&a, &b),
            [0, 1].map(|i| single.equal(&a[i], &b[i]))
        );
        assert_eq!(pair.is_zero(&a), [0, 1].map(|i| single.is_zero(&a[i])));
        assert_eq!(condition.any(), condition != [false, false]);
    }
    assert_eq!(pair.zero(), [single.zero(); 2]);
    assert_eq!(pair.one(), [single.one(); 2]);
}

/// Sums of plain points equal those of the textbook.
#[test]
fn plain_sums_are_consistent() {
    let multiples = MINUS_THREE.multiples();
    for (i, &a) in multiples.iter().enumerate() {
        let b = multiples[(i * 7 + 3) % 211];
        assert_eq!(
            MINUS_THREE.plain_add(a, b),
            multiples[(i + i * 7 + 3) % 211]
        );
    }
    let field = MINUS_THREE.curve.base_field();
    let element = MINUS_THREE.element(5);
    assert_eq!(field.negate_if(&element, true), field.negate(&element));
    assert_eq!(field.negate_if(&element, false), element);
    assert_eq!(field.negate_if(&field.zero(), true), field.zero());
}
