//! Four lanes modulo 2^255 - 19 with products of 32 bits against single values, lane by lane; and
//! the backends of the lanes against each other, limb for limb.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Avx2;
use sigmill::hazmat::field::C25519FieldNarrowX4;
use sigmill::hazmat::field::c25519::LazyField;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::Avx2Quads;
use sigmill::hazmat::limbs::{
    AlignedX4, NarrowQuads, PortableNarrowQuads, VectorOperation, Vectors as _,
};

use crate::c25519::prime;
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::rounds;

/// A selection of lanes, as a secret would determine it.
const SOME: [u64; 4] = [0, u64::MAX, u64::MAX, 0];

const A24: u64 = 121_665;

/// Every operation on the four values of a and of b: products, sums that are inputs of products,
/// and results. The first part of the result is integers, the second the words that they came from.
#[derive(Clone, Copy)]
struct Everything<'a> {
    a: &'a [[u64; 4]; 4],
    b: &'a [[u64; 4]; 4],
}

const NAMES: [&str; 11] = [
    "a + b",
    "a - b",
    "a b",
    "(a - b) (a + b)",
    "(a + b)^2",
    "(a - b)^2",
    "(a - b)^2 + (a - b) (a + b)",
    "(a - b)^2 - (a + b)^2",
    "choose",
    "a b + SMALL (a - b)",
    "the square of that times a + b",
];

impl<Q: NarrowQuads> VectorOperation<Q> for Everything<'_> {
    type Output = Vec<([[u64; 4]; 4], Vec<AlignedX4>)>;

    fn run(self, quads: Q) -> Self::Output {
        let f = C25519FieldNarrowX4::new(quads);
        let [a, b] = [self.a, self.b].map(|values| f.pack(values.each_ref()));
        let [a_factor, b_factor] = f.factors([&a, &b]);
        let [[sum, difference]] = f.sums_and_differences([&[a, b]]);
        let [ab, mixed] = f.products([[&a_factor, &b_factor], [&difference, &sum]]);
        let [difference_2, sum_2] = f.squares([&difference, &sum]);
        let [[of_squares, _]] = f.sums_and_differences([&[difference_2, mixed]]);
        let minus = f.difference(&difference_2, &sum_2);
        let some = quads.load(&AlignedX4(SOME));
        let chosen = f.choose(some, &sum, &difference);
        let small = f.add_multiple::<A24>(&ab, &difference);
        let [small_2, _] = f.squares([&small, &minus]);
        let [small_2_factor] = f.factors([&small_2]);
        let deep = f.product(&small_2_factor, &sum);
        // Sums and differences are converted to products.
        let one = f.splat(1);
        let product = |factor: &_| f.product(factor, &one);
        let [sum, difference, of_squares, minus, chosen, small] =
            [&sum, &difference, &of_squares, &minus, &chosen, &small].map(product);
        [
            sum,
            difference,
            ab,
            mixed,
            sum_2,
            difference_2,
            of_squares,
            minus,
            chosen,
            small,
            deep,
        ]
        .map(|factor| {
            (
                f.unpack(&factor),
                factor.map(|limb| quads.store(limb)).to_vec(),
            )
        })
        .to_vec()
    }
}

/// The expected result of [`Everything`], modulo p.
fn expected(a: &BigUint, b: &BigUint, lane: usize) -> [BigUint; NAMES.len()] {
    let p = prime();
    let [sum, difference] = [a + b, a + &p - b % &p];
    let squares = [&sum * &sum % &p, &difference * &difference % &p];
    let [sum_2, difference_2] = squares;
    let small = a * b + &difference * A24;
    let results = [
        sum.clone(),
        difference.clone(),
        a * b,
        &sum * &difference,
        sum_2.clone(),
        difference_2.clone(),
        &difference_2 + &sum * &difference,
        &difference_2 + &p - &sum_2,
        if SOME[lane] != 0 {
            sum.clone()
        } else {
            difference
        },
        small.clone(),
        &small * &small * &sum,
    ];
    results.map(|value| value % &p)
}

fn on_values(mut run: impl FnMut(Everything)) {
    let (p, end) = (prime(), big(1) << 255);
    let mut nasty = nasty_below(&p);
    let above: Vec<_> = nasty
        .iter()
        .take(10)
        .map(|a| &p + a)
        .filter(|a| *a < end)
        .collect();
    nasty.extend(above);
    nasty.extend((1..19u32).map(|k| &end - k));
    let mut rng = rng(51);
    for round in 0..rounds(150, 5_000) {
        let mut next = || {
            if rng.next_u32() % 4 < if round % 2 == 0 { 3 } else { 1 } {
                to_limbs(&nasty[rng.next_u32() as usize % nasty.len()])
            } else {
                to_limbs(&random_below(&mut rng, &end))
            }
        };
        let [a, b] = [0; 2].map(|_| core::array::from_fn(|_| next()));
        run(Everything { a: &a, b: &b });
    }
}

#[test]
fn portable_quads_are_single_values() {
    let p = prime();
    on_values(|everything| {
        let results = PortableNarrowQuads.run(everything);
        assert_eq!(results.len(), NAMES.len());
        for lane in 0..4 {
            let [a, b] = [everything.a, everything.b].map(|values| from_limbs(&values[lane]));
            let expected = expected(&a, &b, lane);
            for (i, (integers, _)) in results.iter().enumerate() {
                let result = from_limbs(&integers[lane]) % &p;
                assert_eq!(
                    result, expected[i],
                    "{}: {a:x}, {b:x}, lane {lane}",
                    NAMES[i]
                );
            }
        }
    });
}

/// AVX2, if the CPU has it, equals portable quads, limb for limb.
#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_is_the_portable_quads() {
    let Some(proof) = Avx2::detect() else { return };
    on_values(|everything| {
        let avx2 = Avx2Quads::new(proof).run(everything);
        assert_eq!(avx2, PortableNarrowQuads.run(everything));
    });
}
