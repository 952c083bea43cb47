//! The defect of a signature, as a point: s^-1 (e G + r Q) - R. It is infinity if and only if the
//! signature is valid and R is its point.

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use crate::curve::{AffinePoint, BaseField, Curve, Group, PointForm, ScalarField};
use crate::ecdsa::{Hint, SignatureScalars};
use crate::error::Error;
use crate::field::{Limbs, PrimeField};
use crate::{limbs, scalar};

/// A signature of a digest by a key, and a hint for R. All of it is public.
pub(super) struct Defect<'a, C: Curve> {
    /// The key Q.
    pub(super) issuer: &'a AffinePoint<C::BaseElement>,
    /// The digest, of any length but 0.
    pub(super) digest: &'a [u8],
    /// The signature. Its type promises that r and s are in 1 .. n - 1.
    pub(super) signature: &'a SignatureScalars<C::Integer>,
    /// The choice of R among the points that r stands for.
    pub(super) hint: Hint<'a>,
}

/// u1 G + u2 Q - R.
pub(super) struct Parts<'a, C: Curve> {
    pub(super) u1: C::ScalarElement,
    /// Not zero.
    pub(super) u2: C::ScalarElement,
    pub(super) issuer: &'a AffinePoint<C::BaseElement>,
    /// If it is compressed, such a point may not exist.
    pub(super) minus_r: PointForm<C::BaseElement>,
}

impl<'a, C: Curve> Defect<'a, C> {
    /// Performs steps 2 to 4 of SEC 1 §4.1.4, and computes R. Variable time: for public values
    /// only.
    #[inline(never)]
    pub(super) fn parts_vartime<F: BaseField<C>, S: ScalarField<C>>(
        &self,
        group: &Group<C, F>,
        order: S,
    ) -> Result<Parts<'a, C>, Error> {
        if self.digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let r = self.hint.form_vartime(group, order, self.signature.r());
        let r = r.ok_or(Error::HintNotOnCurve)?;
        let e = scalar::integer_from_digest(order, self.digest);
        // As integers, e, r and s are e/R, r/R and s/R for the R of the Montgomery form.
        let element = |integer| order.from_integer_over_r(integer);
        let Some(w) = order.invert_vartime(&element(self.signature.s())) else {
            return Err(Error::SZero);
        };
        Ok(Parts {
            u1: order.mul(&element(&e), &w),
            u2: order.mul(&element(self.signature.r()), &w),
            issuer: self.issuer,
            minus_r: group.negate_form(&r),
        })
    }
}

/// The length of a random integer in bytes.
const BYTES: usize = 16;

/// The length of an odd integer made from it, in bits.
const BITS: u32 = 8 * BYTES as u32 + 1;

/// Random values for one agreement, used once: a weight, which is secret, and a start, which nobody
/// may know in advance.
pub(super) struct Drawn(Zeroizing<[u8; 2 * BYTES]>);

/// An odd integer, and an upper bound on its bit length.
pub(super) struct OddInteger<I: Limbs> {
    pub(super) integer: Zeroizing<I>,
    pub(super) bits: u32,
}

impl Drawn {
    pub(super) fn new<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, Error> {
        let mut bytes = Zeroizing::new([0; 2 * BYTES]);
        let drawn = rng.try_fill_bytes(&mut *bytes);
        drawn.map_err(|_| Error::RandomnessUnavailable)?;
        Ok(Self(bytes))
    }

    /// The factor of the defect: 128 random bits and a one; on curves of tests, one bit less than n
    /// has.
    ///
    /// It is not 0 modulo n, so a defect that is not infinity is not lost. As it is odd, its digits
    /// need no n - k, which would be as long as n.
    #[inline(always)]
    pub(super) fn weight<S: PrimeField>(&self, order: S) -> OddInteger<S::Integer> {
        odd_integer::<S>(&self.0[..BYTES], BITS.min(order.bits() - 1))
    }

    /// The multiple of the generator that the sum starts with, unknown until it starts: 128 random
    /// bits and a one; on curves of tests, half of the bits of n and one.
    #[inline(always)]
    pub(super) fn start<S: PrimeField>(&self, order: S) -> OddInteger<S::Integer> {
        odd_integer::<S>(&self.0[BYTES..], BITS.min(order.bits() / 2 + 1))
    }
}

/// 2r + 1 modulo 2^bits for the big-endian integer r.
#[inline(always)]
fn odd_integer<S: PrimeField>(bytes: &[u8], bits: u32) -> OddInteger<S::Integer> {
    let mut drawn = Zeroizing::new([0; 3]);
    let fits = limbs::read_be_bytes(bytes, &mut drawn[..2]);
    debug_assert!(fits, "two limbs");
    let mut integer = Zeroizing::new(S::Integer::ZERO);
    let mut below = 1;
    for (i, limb) in (*integer).as_mut().iter_mut().take(drawn.len()).enumerate() {
        let kept = bits.saturating_sub(64 * i as u32);
        let mask = if kept < 64 { (1 << kept) - 1 } else { u64::MAX };
        *limb = (drawn[i] << 1 | below) & mask;
        below = drawn[i] >> 63;
    }
    OddInteger { integer, bits }
}
