//! Four products modulo 2^255 - 19 at once: against big integers, lane by lane, and the backends
//! against each other, limb for limb.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Ifma;
use sigmill::hazmat::field::c25519::{C25519X4, Columns};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::IfmaQuads;
use sigmill::hazmat::limbs::{PortableQuads, Quads, VectorOperation, Vectors as _, X4};

use crate::c25519::prime;
use sigmill_tests::numbers::{big, from_limbs, rng};
use sigmill_tests::rounds;

const A24: u64 = 121_665;
const LIMBS: usize = 5;

/// Five limbs of four values.
type Limbs = [X4; LIMBS];

/// Products of the factors a and b, minuends, and factors computed from them.
#[derive(Clone, Copy)]
struct Everything {
    a: Limbs,
    b: Limbs,
}

const NAMES: [&str; 6] = [
    "a b",
    "b^2 - a b",
    "a^2 + b^2",
    "a b + SMALL b",
    "(b^2 - a b) (a^2 + b^2)",
    "permuted",
];

/// A permutation of lanes, as a secret would determine it.
const INDICES: X4 = [2, 3, 1, 0];

impl<Q: Quads> VectorOperation<Q> for Everything {
    type Output = Vec<([[u64; 4]; 4], Limbs)>;

    fn run(self, quads: Q) -> Self::Output {
        let f = C25519X4::new(quads);
        let [a, b]: [Columns<Q>; 2] =
            [self.a, self.b].map(|limbs| limbs.map(|limb| quads.load(&limb)));
        let (none, all) = (f.offset::<0>(), f.offset::<0b1111>());
        let zip = |a: &Columns<Q>, b: &Columns<Q>, op: &dyn Fn(Q::Quad, Q::Quad) -> Q::Quad| {
            let columns: Columns<Q> = core::array::from_fn(|i| op(a[i], b[i]));
            f.carry(&columns)
        };
        let ab = f.multiply(&a, &b, &none);
        let squares = [f.multiply(&a, &a, &all), f.multiply(&b, &b, &all)];
        let difference = zip(&squares[1], &ab, &|a, b| quads.sub(a, b));
        let sum = zip(&squares[0], &squares[1], &|a, b| quads.add(a, b));
        let small = f.carry(&f.add_multiple::<A24>(&ab, &b));
        let deep = f.carry(&f.multiply(&difference, &sum, &none));
        let permuted = f
            .carry(&ab)
            .map(|limb| quads.permute(limb, quads.load(&INDICES)));
        [f.carry(&ab), difference, sum, small, deep, permuted]
            .map(|factor| (f.unpack(&factor), factor.map(|limb| quads.store(limb))))
            .to_vec()
    }
}

fn expected(a: &[BigUint; 4], b: &[BigUint; 4], lane: usize) -> [BigUint; NAMES.len()] {
    let p = prime();
    let (x, y) = (&a[lane], &b[lane]);
    let difference = y * y + (&p - x * y % &p);
    let sum = x * x + y * y;
    let other = INDICES[lane] as usize;
    let results = [
        x * y,
        difference.clone(),
        sum.clone(),
        x * y + y * A24,
        difference * sum,
        &a[other] * &b[other],
    ];
    results.map(|value| value % &p)
}

/// Factors of every allowed size: limbs below 2^51 + 2^17, hard and random ones.
fn on_values(mut run: impl FnMut(Everything)) {
    let mut rng = rng(51);
    let largest = (1 << 51) + (1 << 17) - 1;
    let nasty = [
        0,
        1,
        18,
        19,
        (1 << 51) - 19,
        (1 << 51) - 1,
        1 << 51,
        largest,
    ];
    for round in 0..rounds(300, 20_000) {
        let mut limb = || match rng.next_u64() {
            random if round % 3 > 0 && random % 4 > 0 => nasty[random as usize / 4 % nasty.len()],
            random => random % (largest + 1),
        };
        let mut limbs = || core::array::from_fn(|_| core::array::from_fn(|_| limb()));
        let (a, b) = (limbs(), limbs());
        run(Everything { a, b });
    }
    run(Everything {
        a: [[largest; 4]; LIMBS],
        b: [[largest; 4]; LIMBS],
    });
}

fn value(limbs: &Limbs, lane: usize) -> BigUint {
    let sum = |sum: BigUint, limb: &X4| (sum << 51) + limb[lane];
    limbs.iter().rev().fold(big(0), sum)
}

#[test]
fn portable_quads_are_big_integers() {
    let p = prime();
    on_values(|everything| {
        let [a, b] = [everything.a, everything.b]
            .map(|limbs| core::array::from_fn(|lane| value(&limbs, lane)));
        let results = PortableQuads.run(everything);
        assert_eq!(results.len(), NAMES.len());
        for lane in 0..4 {
            let expected = expected(&a, &b, lane);
            for (i, (integers, limbs)) in results.iter().enumerate() {
                let result = from_limbs(&integers[lane]) % &p;
                assert_eq!(result, expected[i], "{}, lane {lane}", NAMES[i]);
                assert_eq!(value(limbs, lane) % &p, expected[i]);
                assert!(limbs.iter().all(|limb| limb[lane] >> 52 == 0));
            }
        }
    });
}

#[test]
fn packing_cuts_limbs() {
    let values = [
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1],
        [0; 4],
        [1 << 63, 1, 1 << 63, 1],
        [0x0123_4567_89ab_cdef; 4],
    ];
    let field = C25519X4::new(PortableQuads);
    let packed = field.pack(values.each_ref());
    assert_eq!(field.unpack(&packed), values);
}

/// AVX-512 IFMA, if the CPU has it, equals portable quads, limb for limb.
#[cfg(target_arch = "x86_64")]
#[test]
fn ifma_quads_are_the_portable_quads() {
    let Some(proof) = Ifma::detect() else { return };
    on_values(|everything| {
        let ifma = IfmaQuads::new(proof).run(everything);
        assert_eq!(ifma, PortableQuads.run(everything));
    });
}
