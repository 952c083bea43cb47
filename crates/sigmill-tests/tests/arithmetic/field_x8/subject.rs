//! A field of eight lanes under test, what its elements may be, and values that are hard on it.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::hazmat::field::{
    Field, FieldX8, Kernel, Lanes, PrimeField, Reduction, Residue, ResidueX8,
};
use sigmill::hazmat::limbs::{LIMB_BITS, LIMB_MASK, Words};
use sigmill_tests::numbers::{big, from_limbs, invert, nasty_below, random_below, rng, to_limbs};

/// Eight lanes of a field, with its prime in big integers.
pub(super) struct Subject<W, K, S, const N: usize, const L: usize> {
    pub(super) field: FieldX8<W, K, S, N, L>,
    kernel: S,
    p: BigUint,
    /// What every element is below: 2.25 m (`LaneModulus`).
    bound: BigUint,
}

/// Eight values with what their lanes hold.
#[derive(Clone, Copy)]
pub(super) struct Values<T, const N: usize, const L: usize> {
    pub(super) single: [Residue<T, N>; 8],
    pub(super) lanes: ResidueX8<T, L>,
}

impl<W, K, S, const N: usize, const L: usize> Subject<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    pub(super) fn new(words: W, reduction: K, kernel: S) -> Self {
        let p = from_limbs(kernel.modulus().prime());
        let bits = u64::from(LIMB_BITS) * L as u64;
        // m is 2^c p with 16 bits in its highest limb; that of the special reductions is 2^256.
        let c = match (bits - 36).saturating_sub(p.bits()) {
            0 => 0,
            c => c.max(bits.saturating_sub(64 * N as u64)),
        };
        let m = match K::SPARSE {
            true => big(1) << 256,
            false => &p << c,
        };
        assert!(&m * 16u32 <= big(1) << bits);
        Self {
            field: FieldX8::new(words, reduction, kernel),
            kernel,
            p,
            bound: m * 9u32 / 4u32,
        }
    }

    /// Eight values, by the limbs of their single forms.
    pub(super) fn values(&self, mut next: impl FnMut() -> BigUint) -> Values<K::Tag, N, L> {
        let single = std::array::from_fn(|_| {
            let limbs = to_limbs(&next());
            Residue::try_from_montgomery_limbs(self.kernel.modulus(), limbs).unwrap()
        });
        Values {
            lanes: self.field.pack(|lane| &single[lane]),
            single,
        }
    }

    /// Checks a result lane by lane: its values, that they come out as integers too, and its
    /// bounds.
    #[track_caller]
    pub(super) fn check(
        &self,
        name: &str,
        lanes: &ResidueX8<K::Tag, L>,
        expected: impl Fn(usize) -> Residue<K::Tag, N>,
    ) {
        let (field, single, p) = (self.field, self.field.single(), &self.p);
        for (lane, value) in self.stored(lanes).iter().enumerate() {
            let bound = &self.bound;
            assert!(value < bound, "{name}, lane {lane}: {value:x}, p {p:x}");
        }
        let mut values = [single.zero(); 8];
        field.unpack(lanes, &mut values);
        let mut integers = [[0; N]; 8];
        field.to_integers(lanes, &mut integers);
        for lane in 0..8 {
            let expected = expected(lane);
            assert_eq!(values[lane], expected, "{name}, lane {lane}, p {p:x}");
            assert_eq!(
                integers[lane],
                single.to_integer(&expected),
                "{name}, lane {lane} as an integer, p {p:x}"
            );
        }
    }

    /// What the lanes hold, as it is: limbs of 52 bits.
    #[track_caller]
    pub(super) fn stored(&self, lanes: &ResidueX8<K::Tag, L>) -> [BigUint; 8] {
        std::array::from_fn(|lane| {
            let limbs = lanes.limbs().map(|limb| limb.0[lane]);
            assert!(limbs.iter().all(|&limb| limb <= LIMB_MASK), "{limbs:x?}");
            let limbs = limbs.iter().rev();
            limbs.fold(BigUint::ZERO, |sum, &limb| (sum << LIMB_BITS) + limb)
        })
    }

    /// Whether what a lane holds is above 0.8 of what it must be below.
    pub(super) fn is_near_its_bound(&self, stored: &BigUint) -> bool {
        stored * 5u32 > &self.bound * 4u32
    }

    /// Calls `run` with a source of nasty values and random ones, again and again; the same ones
    /// for each backend.
    pub(super) fn for_rounds(
        &self,
        rounds: usize,
        mut run: impl FnMut(&mut dyn FnMut() -> BigUint),
    ) {
        let hard = self.hard();
        let mut rng = rng(52);
        for round in 0..rounds {
            run(&mut || {
                if rng.next_u32() % 4 < if round % 2 == 0 { 3 } else { 1 } {
                    hard[rng.next_u32() as usize % hard.len()].clone()
                } else {
                    random_below(&mut rng, &self.p)
                }
            });
        }
    }

    /// Nasty single forms, and single forms of what is nasty in limbs of 52 bits: on their way into
    /// lanes single forms are multiplied by the quotient of the two R.
    fn hard(&self) -> Vec<BigUint> {
        let p = &self.p;
        let mut hard = nasty_below(p);
        let singles = (big(1) << (64 * N)) % p;
        let lanes = (big(1) << (LIMB_BITS as usize * L)) % p;
        let back = match self.kernel.modulus().has_montgomery_form() {
            true => singles * invert(&lanes, p) % p,
            false => big(1),
        };
        let patterns = [0, LIMB_MASK, 1, 1 << (LIMB_BITS - 1)];
        let mut rng = rng(53);
        for _ in 0..300 {
            let value = (0..L).fold(BigUint::ZERO, |value, _| {
                (value << LIMB_BITS) + patterns[rng.next_u32() as usize % 4]
            });
            hard.push(value % p * &back % p);
        }
        let own: Vec<_> = nasty_below(p).iter().map(|a| a * &back % p).collect();
        hard.extend(own);
        hard
    }
}
