//! Four lanes of 32-bit products against single values, lane by lane, and the backends of the lanes
//! against each other, limb for limb.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Avx2;
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    Body, Factors, Field, FieldNarrowX4, Kernel, Lanes, Mask, NarrowReduction, P256NarrowReduction,
    PrimeField, Registers, Residue, SHELF, Secp256k1NarrowReduction, SecretLanes, SecretRegisters,
    invert_all, invert_all_vartime, roots_of_all,
};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::Avx2Quads;
use sigmill::hazmat::limbs::{NarrowQuads, PortableNarrowQuads, X8};
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::rounds;

const WIDTH: usize = 4;
const LIMB_BITS: u32 = 29;

/// Every sum and product of a, b and c, and of results among them; lanes where `some` holds are
/// chosen.
fn results<F: Factors>(f: F, [a, b, c]: [F::Element; 3], some: F::Mask) -> Vec<F::Element> {
    let (sum, difference) = (f.add(&a, &b), f.sub(&b, &c));
    let mut results = vec![
        sum,
        difference,
        f.sub(&a, &a),
        f.sub_both(&a, &b, &c),
        f.sub_both(&difference, &sum, &sum),
        f.negate(&a),
        f.double(&sum),
        f.half(&a),
        f.half(&sum),
        f.mul(&a, &b),
        f.mul(&sum, &difference),
        f.square(&a),
        f.square(&sum),
        f.mul_sub(&sum, &b, &difference),
        f.square_sub_both(&difference, &sum, &c),
        f.select(some, &a, &b),
        f.negate_if(&difference, some),
        f.zero(),
        f.one(),
    ];
    let factors = [
        f.factor(&sum),
        f.difference(&sum, &difference),
        f.difference(&a, &a),
        f.difference(&f.zero(), &sum),
        f.square_triple_add(&sum, &difference),
        f.choose(some, &f.difference(&a, &b), &f.factor(&c)),
    ];
    for factor in &factors {
        results.push(f.times(factor, &sum));
        results.push(f.times_sub(factor, &b, &difference));
        results.push(f.double_times_sub(factor, &sum, &c));
    }
    results
}

/// [`results`] in registers, and what is gathered and looked up there.
struct InRegisters<'a, L: SecretLanes> {
    elements: [L::Element; 3],
    some: L::Mask,
    results: &'a mut Vec<L::Element>,
}

impl<L: SecretLanes> Body<L> for InRegisters<'_, L> {
    fn step(&mut self, field: L::Registers, _: usize) {
        let elements = self.elements.each_ref().map(|element| field.load(element));
        let results = results(field, elements, self.some);
        self.results.extend(results.iter().map(|a| field.store(a)));
    }
}

/// Looks entries up, each lane one of its own, and gathers values and lanes.
struct LookUp<'a, Q: NarrowQuads, K: NarrowReduction, S: Kernel<4, Tag = K::Tag>> {
    entries: &'a [Residue<K::Tag, 4>],
    lanes: &'a [LaneOf<Q, K, S>],
    numbers: X8,
    found: &'a mut Vec<ElementOf<Q, K, S>>,
}

impl<Q, K, S> Body<FieldNarrowX4<Q, K, S>> for LookUp<'_, Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    fn step(&mut self, field: <FieldNarrowX4<Q, K, S> as Lanes>::Registers, _: usize) {
        let entries = self.entries;
        let shelves: Vec<_> = (0..2)
            .map(|i| {
                field.shelve(std::array::from_fn::<_, SHELF, _>(|j| {
                    [&entries[8 * i + j], &entries[15 - 8 * i - j]]
                }))
            })
            .collect();
        for element in field.look_up(&shelves, &self.numbers) {
            self.found.push(field.store(&element));
        }
        let here = field.is_number(&self.numbers, 5);
        let values = field.gather_values(std::array::from_fn(|i| &entries[i]));
        let lanes = field.gather_lanes(std::array::from_fn(|i| &self.lanes[i % WIDTH]));
        self.found.push(field.store(&values));
        self.found.push(field.store(&lanes));
        self.found
            .push(field.store(&field.select(here, &values, &field.zero())));
    }
}

type ElementOf<Q, K, S> = <FieldNarrowX4<Q, K, S> as Field>::Element;
type LaneOf<Q, K, S> = <FieldNarrowX4<Q, K, S> as Lanes>::Lane;

/// Four values, and the lanes that hold them.
struct Values<Q: NarrowQuads, K: NarrowReduction, S: Kernel<4, Tag = K::Tag>> {
    single: [Residue<K::Tag, 4>; WIDTH],
    lanes: ElementOf<Q, K, S>,
}

/// Checks a result lane by lane, and that it comes out as integers too.
#[track_caller]
fn check<Q, K, S>(
    field: FieldNarrowX4<Q, K, S>,
    lanes: &ElementOf<Q, K, S>,
    expected: impl Fn(usize) -> Residue<K::Tag, 4>,
    name: impl std::fmt::Display,
) where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let single = field.single();
    let mut values = [single.zero(); WIDTH];
    field.unpack(lanes, &mut values);
    let mut integers = [[0; 4]; WIDTH];
    field.to_integers(lanes, &mut integers);
    for lane in 0..WIDTH {
        let expected = expected(lane);
        assert_eq!(values[lane], expected, "{name}, lane {lane}");
        assert_eq!(integers[lane], single.to_integer(&expected), "{name}");
    }
}

/// All operations on a, b and c; the elements that came out.
fn everything<Q, K, S>(
    field: FieldNarrowX4<Q, K, S>,
    values: [Values<Q, K, S>; 3],
) -> Vec<ElementOf<Q, K, S>>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let f = field.single();
    let elements = values.each_ref().map(|values| values.lanes);
    let some = Mask::from_lanes(|i| i % 3 == 1);
    let mut all = vec![];
    field.each(
        1,
        InRegisters {
            elements,
            some,
            results: &mut all,
        },
    );
    let single = |lane: usize| values.each_ref().map(|values| values.single[lane]);
    let expected: Vec<_> = (0..WIDTH)
        .map(|lane| results(f, single(lane), some.lane(lane)))
        .collect();
    assert_eq!(all.len(), expected[0].len());
    for (k, element) in all.iter().enumerate() {
        check(
            field,
            element,
            |lane| expected[lane][k],
            format!("result {k}"),
        );
    }
    // The same in memory.
    let [x, y, z] = elements;
    let in_memory = [
        (field.add(&x, &y), 0),
        (field.sub(&y, &z), 1),
        (field.sub_both(&x, &y, &z), 3),
        (field.negate(&x), 5),
        (field.half(&x), 7),
        (field.mul(&x, &y), 9),
        (field.square(&x), 11),
        (field.select(some, &x, &y), 15),
        (field.negate_if(&field.sub(&y, &z), some), 16),
    ];
    for (element, k) in in_memory {
        assert_eq!(element, all[k], "in memory, result {k}");
    }
    let lanes: Vec<_> = field.lanes(&all[0]).collect();
    let sum = |lane: usize| expected[lane][0];
    check(
        field,
        &field.load_lanes(|i| &lanes[3 - i]),
        |i| sum(3 - i),
        "lanes",
    );
    for by in [1, 2] {
        check(
            field,
            &field.rotate(&all[0], by),
            |i| sum((i + by) % 4),
            "rotate",
        );
    }
    let equal = field.equal(&field.sub(&all[0], &y), &field.select(some, &x, &z));
    let zero = field.is_zero(&field.select(some, &all[2], &y));
    for i in 0..WIDTH {
        let [a, b, c] = single(i);
        assert_eq!(equal.lane(i), i % 3 == 1 || a == c, "equal, lane {i}");
        assert_eq!(
            zero.lane(i),
            i % 3 == 1 || f.is_zero(&b),
            "is_zero, lane {i}"
        );
    }
    let entries: Vec<_> = (0..16).map(|i| expected[i % 4][i]).collect();
    let mut found = vec![];
    let numbers = X8([5, 0, 15, 8, 99, 99, 99, 99]);
    let look_up = LookUp {
        entries: &entries,
        lanes: &lanes,
        numbers,
        found: &mut found,
    };
    field.each(1, look_up);
    let number = |lane: usize| numbers.0[lane] as usize;
    check(field, &found[0], |i| entries[number(i)], "first entries");
    check(
        field,
        &found[1],
        |i| entries[15 - number(i)],
        "second entries",
    );
    check(field, &found[2], |i| entries[i], "gathered values");
    check(field, &found[3], sum, "gathered lanes");
    check(
        field,
        &found[4],
        |i| if i == 0 { entries[0] } else { f.zero() },
        "is_number",
    );
    let mut roots = elements;
    assert!(roots_of_all(field, &mut roots[..]));
    for (root, values) in roots.iter().zip(&values) {
        let square = |i: usize| f.negate_if(&values.single[i], f.legendre(&values.single[i]) < 0);
        check(field, &field.square(root), square, "square of a root");
    }
    let originals = all.clone();
    let mut scratch = all.clone();
    invert_all_vartime(field, &mut all[..], &mut scratch);
    for (inverse, original) in all.iter().zip(&originals) {
        let zero = field.is_zero(original);
        let one = |i| if zero.lane(i) { f.zero() } else { f.one() };
        check(field, &field.mul(inverse, original), one, "inverse");
    }
    let one = field.one();
    let mut inverses: Vec<_> = originals
        .iter()
        .map(|a| field.select(field.is_zero(a), &one, a))
        .collect();
    invert_all(field, &mut inverses[..], &mut scratch);
    for (inverse, original) in inverses.iter().zip(&originals) {
        let original = field.select(field.is_zero(original), &one, original);
        check(
            field,
            &field.mul(inverse, &original),
            |_| f.one(),
            "inverse in constant time",
        );
    }
    originals
}

/// Nasty values and random ones; forms that have nasty limbs of 29 bits in lanes.
fn hard<F: PrimeField>(f: F, shift: u32) -> Vec<BigUint> {
    let p = from_limbs(f.modulus().as_ref());
    let mut hard = nasty_below(&p);
    let mut rng = rng(29);
    let inverse = sigmill_tests::numbers::invert(&(big(1) << shift), &p);
    for _ in 0..300 {
        let patterns = [0u32, (1 << LIMB_BITS) - 1, 1, 1 << (LIMB_BITS - 1)];
        let value = (0..9).fold(BigUint::ZERO, |value, _| {
            (value << LIMB_BITS) + patterns[rng.next_u32() as usize % 4]
        });
        hard.push(value % &p * &inverse % &p);
    }
    hard
}

/// Everything on portable quads and on AVX2, which compute the same limbs.
fn on_every_backend<K, S>(reduction: K, kernel: S)
where
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let portable = FieldNarrowX4::new(PortableNarrowQuads, reduction, kernel);
    let f = portable.single();
    let p = from_limbs(&f.modulus());
    let hard = hard(f, K::SHIFT);
    let mut rng = rng(30);
    for round in 0..rounds(40, 1_000) {
        let single: [[_; WIDTH]; 3] = std::array::from_fn(|_| {
            std::array::from_fn(|_| {
                let value = if rng.next_u32() % 4 < if round % 2 == 0 { 3 } else { 1 } {
                    hard[rng.next_u32() as usize % hard.len()].clone()
                } else {
                    random_below(&mut rng, &p)
                };
                let limbs = to_limbs(&value);
                Residue::try_from_montgomery_limbs(kernel.modulus(), limbs).unwrap()
            })
        });
        let expected = everything(portable, values(portable, &single));
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Avx2::detect() {
            let field = FieldNarrowX4::new(Avx2Quads::new(proof), reduction, kernel);
            assert_eq!(everything(field, values(field, &single)), expected);
        }
        let _ = expected;
    }
}

fn values<Q, K, S>(
    field: FieldNarrowX4<Q, K, S>,
    single: &[[Residue<K::Tag, 4>; WIDTH]; 3],
) -> [Values<Q, K, S>; 3]
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    std::array::from_fn(|i| Values {
        single: single[i],
        lanes: field.pack(|lane| &single[i][lane]),
    })
}

#[test]
fn p256() {
    on_every_backend(P256NarrowReduction, P256Kernel);
}

#[test]
fn secp256k1() {
    on_every_backend(Secp256k1NarrowReduction, Secp256k1Kernel);
}
