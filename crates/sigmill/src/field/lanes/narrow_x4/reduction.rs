//! The part of four-lane arithmetic with 32-bit products that depends on the prime.

use core::fmt::Debug;

use super::{BITS, ELEMENT_TOP, LIMBS, MASK, bounds};
use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs::{NarrowQuads, nine_limbs, to_radix};

/// The limbs of an element in registers.
pub(super) type Limbs<Q> = [<Q as NarrowQuads>::Quad; LIMBS];

/// The columns of a product of two elements. The last one receives only carries.
pub(super) type Columns<Q> = [<Q as NarrowQuads>::Quad; 2 * LIMBS];

/// A prime p between 2^256 - 2^224 and 2^256, for four lanes of nine limbs of 29 bits.
#[derive(Clone, Copy, Debug)]
pub struct NarrowModulus {
    pub(super) modulus: &'static Modulus<4>,
    /// R mod p, for the R of lanes.
    pub(super) one: [u64; LIMBS],
    /// The R of single values mod p.
    pub(super) single_one: [u64; LIMBS],
    pub(super) prime: [u64; LIMBS],
    /// 2p and 4p, in limbs from which one element, or two, can be subtracted limb by limb.
    pub(super) for_one: [u64; LIMBS],
    pub(super) for_two: [u64; LIMBS],
}

impl NarrowModulus {
    /// Bounds for the limbs of an element (exclusive).
    pub const ELEMENT_BOUNDS: [u64; LIMBS] = bounds(1 << BITS, 1 << BITS, ELEMENT_TOP);

    /// Bounds for the limbs of a factor (exclusive).
    pub const FACTOR_BOUNDS: [u64; LIMBS] = bounds(3 << BITS, 3 << BITS, 5 << 24);

    /// Computes the constants of a prime.
    ///
    /// # Panics
    /// If the prime is not close enough to 2^256. In constants, this is an error at compile time.
    pub const fn new(modulus: &'static Modulus<4>) -> Self {
        assert!(
            modulus.prime()[3] >> 32 == (1 << 32) - 1,
            "a prime near 2^256"
        );
        let r_bits = if modulus.has_montgomery_form() {
            BITS as u32 * LIMBS as u32
        } else {
            0
        };
        let prime = to_radix(modulus.prime(), BITS as u32);
        Self {
            modulus,
            one: to_radix(&power_of_two(modulus.prime(), r_bits), BITS as u32),
            single_one: to_radix(modulus.r(), BITS as u32),
            prime,
            for_one: minuend(&prime, 1),
            for_two: minuend(&prime, 2),
        }
    }
}

/// 2 `terms` p, with every limb except the highest at least `terms` (2^29 - 1), by borrowing.
pub(super) const fn minuend(prime: &[u64; LIMBS], terms: u64) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let (mut carry, mut i) = (0, 0);
    while i < LIMBS {
        let limb = 2 * terms * prime[i] + carry;
        let is_highest = i + 1 == LIMBS;
        let lent = if i == 0 { 0 } else { terms };
        if is_highest {
            limbs[i] = limb - lent;
        } else {
            limbs[i] = (limb & MASK) + (terms << BITS) - lent;
            carry = limb >> BITS;
        }
        i += 1;
    }
    limbs
}

/// The prime of lanes and its reduction: a token. The rest of the arithmetic is the same for both.
pub trait NarrowReduction: Copy + Debug + Send + Sync + 'static {
    /// The tag that separates the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// log2 of the ratio of the R of lanes to that of single values.
    const SHIFT: u32;

    /// The constants of the prime.
    fn constants(self) -> &'static NarrowModulus;

    /// Returns t / R modulo p as limbs with outstanding carries. Each is below 2^64 - 2^58, except
    /// the highest, which is modulo 2^64. They amount to at least 0, and to less than t / 2^261 +
    /// 1.01 2^256.
    ///
    /// On input t is below 2^517 and every column below 55 2^58; the last column is zero.
    fn reduce<Q: NarrowQuads>(self, quads: Q, t: Columns<Q>) -> Limbs<Q>;

    /// Adds q (2^256 - p), for q below 2^8, as [`reduce_weakly`](Self::reduce_weakly) needs it.
    fn add_complement<Q: NarrowQuads>(self, quads: Q, limbs: Limbs<Q>, q: Q::Quad) -> Limbs<Q>;

    /// a b / R: below a b / 2^261 + p, with outstanding carries.
    ///
    /// On input the limbs of a times those of b are below 6 2^58.
    #[inline(always)]
    fn product<Q: NarrowQuads>(self, quads: Q, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        self.reduce(quads, columns_of_product(quads, a, b))
    }

    /// a^2 / R, like [`product`](Self::product).
    #[inline(always)]
    fn product_with_itself<Q: NarrowQuads>(self, quads: Q, a: &Limbs<Q>) -> Limbs<Q> {
        self.reduce(quads, columns_of_square(quads, a))
    }

    /// Reduces a value v in 0 .. 2^264 with such limbs modulo p to an element below 2^256 + 2^240.
    ///
    /// q = floor(v / 2^256), except that the carries of limbs 0 to 6 are ignored; they would add
    /// less than 2^6 to limb 8. So v - q 2^256 is in 0 .. 2^256 + 2^238, and q (2^256 - p) is below
    /// 2^8 2^224.
    #[inline(always)]
    fn reduce_weakly<Q: NarrowQuads>(self, quads: Q, mut limbs: Limbs<Q>) -> Limbs<Q> {
        let highest = quads.add(limbs[8], quads.shr::<BITS>(limbs[7]));
        let q = quads.opaque(quads.shr::<24>(highest));
        debug_assert!(fits(quads, q, 8));
        limbs[8] = quads.sub(limbs[8], quads.shl::<24>(q));
        carry(quads, self.add_complement(quads, limbs, q))
    }
}

/// Reports whether each word has at most `bits` bits, for assertions.
pub(super) fn fits<Q: NarrowQuads>(quads: Q, a: Q::Quad, bits: u32) -> bool {
    quads.store(a).0.iter().all(|&word| word >> bits == 0)
}

/// a + b, limb by limb.
#[inline(always)]
pub(super) fn sum<Q: NarrowQuads>(quads: Q, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
    let mut sum = *a;
    nine_limbs!(Q, i, {
        sum[i] = quads.add(a[i], b[i]);
    });
    sum
}

/// `limbs` + `constant` - a, limb by limb.
#[inline(always)]
pub(super) fn subtract<Q: NarrowQuads>(
    quads: Q,
    limbs: &Limbs<Q>,
    constant: &[u64; LIMBS],
    a: &Limbs<Q>,
) -> Limbs<Q> {
    let mut difference = *limbs;
    nine_limbs!(Q, i, {
        let minuend = quads.sub(quads.splat(constant[i]), a[i]);
        difference[i] = quads.add(limbs[i], minuend);
    });
    difference
}

/// a where the mask is ones, otherwise b.
#[inline(always)]
pub(super) fn select<Q: NarrowQuads>(
    quads: Q,
    mask: Q::Quad,
    a: &Limbs<Q>,
    b: &Limbs<Q>,
) -> Limbs<Q> {
    let mut chosen = *a;
    nine_limbs!(Q, i, {
        chosen[i] = quads.select(mask, a[i], b[i]);
    });
    chosen
}

/// The columns of a b. The loop goes row by row, so that nine columns at a time are in registers.
/// Left to itself, the compiler goes by columns, with a fifth more instructions for loads and
/// stores.
#[inline(always)]
pub(super) fn columns_of_product<Q: NarrowQuads>(
    quads: Q,
    a: &Limbs<Q>,
    b: &Limbs<Q>,
) -> Columns<Q> {
    let mut t = [quads.splat(0); 2 * LIMBS];
    nine_limbs!(Q, i, {
        for j in 0..LIMBS {
            t[i + j] = quads.opaque(quads.add(t[i + j], quads.multiply(a[i], b[j])));
        }
    });
    t
}

/// The columns of a^2. Products of distinct limbs are computed once, as one limb times twice the
/// other, which is below 2^32.
#[inline(always)]
pub(super) fn columns_of_square<Q: NarrowQuads>(quads: Q, a: &Limbs<Q>) -> Columns<Q> {
    let mut twice = *a;
    let mut t = [quads.splat(0); 2 * LIMBS];
    nine_limbs!(Q, i, {
        twice[i] = quads.opaque(quads.add(a[i], a[i]));
    });
    nine_limbs!(Q, i, {
        t[2 * i] = quads.add(t[2 * i], quads.multiply(a[i], a[i]));
        for j in i + 1..LIMBS {
            t[i + j] = quads.opaque(quads.add(t[i + j], quads.multiply(a[i], twice[j])));
        }
    });
    t
}

/// Carries the upper columns, starting from column 8, which becomes a limb.
#[inline(always)]
pub(super) fn carry_upper<Q: NarrowQuads>(quads: Q, t: &mut Columns<Q>) {
    let mask = quads.splat(MASK);
    nine_limbs!(Q, i, {
        t[i + LIMBS] = quads.add(t[i + LIMBS], quads.shr::<BITS>(t[i + LIMBS - 1]));
        t[i + LIMBS - 1] = quads.and(t[i + LIMBS - 1], mask);
    });
}

/// Carries the part above 29 bits of each limb to the next one.
#[inline(always)]
pub(super) fn carry<Q: NarrowQuads>(quads: Q, mut limbs: Limbs<Q>) -> Limbs<Q> {
    let mask = quads.splat(MASK);
    nine_limbs!(Q, i, {
        if i + 1 < LIMBS {
            limbs[i + 1] = quads.add(limbs[i + 1], quads.shr::<BITS>(limbs[i]));
            limbs[i] = quads.opaque(quads.and(limbs[i], mask));
        } else {
            limbs[i] = quads.opaque(limbs[i]);
        }
    });
    limbs
}

/// Converts values in words of 64 bits, shifted left by `by` bits, to limbs of 29 bits. The highest
/// limb keeps the rest.
#[inline(always)]
pub(super) fn limbs_of_words<Q: NarrowQuads>(quads: Q, x: [Q::Quad; 4], by: u32) -> Limbs<Q> {
    let mask = quads.splat(MASK);
    let mut limbs = [mask; LIMBS];
    nine_limbs!(Q, i, {
        limbs[i] = if i == 0 {
            quads.and(quads.shl_by(x[0], by), mask)
        } else {
            // Bits from 29 i - by on.
            let start = BITS as usize * i - by as usize;
            let (word, shift) = (start / 64, (start % 64) as u32);
            let mut limb = quads.shr_by(x[word], shift);
            if shift > 64 - BITS as u32 && word + 1 < 4 {
                limb = quads.or(limb, quads.shl_by(x[word + 1], 64 - shift));
            }
            if i + 1 == LIMBS {
                limb
            } else {
                quads.and(limb, mask)
            }
        };
    });
    limbs
}

/// Converts limbs of 29 bits to words of 64 bits, and the part above 2^256.
#[inline(always)]
pub(super) fn words_of_limbs<Q: NarrowQuads>(quads: Q, l: &Limbs<Q>) -> [Q::Quad; 5] {
    let or = |a, b, c| quads.or(a, quads.or(b, c));
    [
        or(l[0], quads.shl::<29>(l[1]), quads.shl::<58>(l[2])),
        or(
            quads.shr::<6>(l[2]),
            quads.shl::<23>(l[3]),
            quads.shl::<52>(l[4]),
        ),
        or(
            quads.shr::<12>(l[4]),
            quads.shl::<17>(l[5]),
            quads.shl::<46>(l[6]),
        ),
        or(
            quads.shr::<18>(l[6]),
            quads.shl::<11>(l[7]),
            quads.shl::<40>(l[8]),
        ),
        quads.shr::<24>(l[8]),
    ]
}
