//! Eight lanes modulo 2^255 - 19 against single values, lane by lane; and the backends of the lanes
//! against each other, limb for limb.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Ifma;
use sigmill::hazmat::field::c25519::{C25519FieldX8, LazyField};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::IfmaWords;
use sigmill::hazmat::limbs::{PortableWords, VectorOperation, Vectors as _, Words, X8};

use crate::c25519::prime;
use sigmill_tests::numbers::{big, from_limbs, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::rounds;

const A24: u64 = 121_665;

/// Every operation on the eight values of a and of b: products, sums that are inputs of products,
/// and results. The first part of the result is integers, the second the words that they came from.
#[derive(Clone, Copy)]
struct Everything<'a> {
    a: &'a [[u64; 4]; 8],
    b: &'a [[u64; 4]; 8],
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

impl<W: Words> VectorOperation<W> for Everything<'_> {
    type Output = Vec<([[u64; 4]; 8], Vec<X8>)>;

    fn run(self, words: W) -> Self::Output {
        let f = C25519FieldX8::new(words);
        let [a, b] = [self.a, self.b].map(|values| f.pack_minuend(values.each_ref()));
        let [a_factor, b_factor] = f.factors([&a, &b]);
        // b is subtracted, so it is converted to a product that is not a minuend.
        let one = f.splat(1);
        let [one] = f.factors([&one]);
        let b = f.product(&b_factor, &one);
        let [[sum, difference]] = f.sums_and_differences([&[a, b]]);
        let [ab, mixed] = f.products([[&a_factor, &b_factor], [&difference, &sum]]);
        let [difference_2, sum_2] = f.squares([&difference, &sum]);
        let [[of_squares, _]] = f.sums_and_differences([&[difference_2, mixed]]);
        let minus = f.difference(&difference_2, &sum_2);
        let chosen = f.choose(0b1010_0110, &sum, &difference);
        let small = f.add_multiple::<A24>(&ab, &difference);
        let [small_2, _] = f.squares([&small, &minus]);
        let [small_2_factor] = f.factors([&small_2]);
        let deep = f.product(&small_2_factor, &sum);
        let [ab, mixed, sum_2, difference_2, deep] =
            f.factors([&ab, &mixed, &sum_2, &difference_2, &deep]);
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
                factor.map(|limb| words.store(limb)).to_vec(),
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
        if 0b1010_0110 >> lane & 1 == 1 {
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
    let (p, end) = (prime(), big(1) << 256);
    let mut nasty = nasty_below(&p);
    let above: Vec<_> = nasty.iter().take(40).map(|a| &p + a).collect();
    nasty.extend(above);
    nasty.extend((1..40u32).map(|k| &end - k));
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
fn portable_lanes_are_single_values() {
    let p = prime();
    on_values(|everything| {
        let results = PortableWords.run(everything);
        assert_eq!(results.len(), NAMES.len());
        for lane in 0..8 {
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

/// AVX-512 IFMA, if the CPU has it, equals portable words, limb for limb.
#[cfg(target_arch = "x86_64")]
#[test]
fn ifma_lanes_are_the_portable_lanes() {
    let Some(proof) = Ifma::detect() else { return };
    on_values(|everything| {
        let ifma = IfmaWords::new(proof).run(everything);
        assert_eq!(ifma, PortableWords.run(everything));
    });
}
