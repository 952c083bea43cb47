//! Key pairs in bulk: multiplications in lanes, one inversion for the keys of a block.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::blocks::in_blocks_of_secrets;
use super::{SecretScalar, SigningKey, VerifyingKey};
use crate::ct::{self, secrets};
use crate::curve::{
    AffinePoint, Curve, Domain, Group, ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
#[cfg(feature = "std")]
use crate::error::Error;
use crate::field::{Limbs as _, PrimeField as _, lane_item};
use crate::multiply::{FEWEST_IN_LANES, base_mul_lanes};

/// [`SecretScalar::public_key`] of every secret, in order. Computes eight at once if the CPU has
/// AVX-512 IFMA, and four on P-256 and secp256k1 if it has AVX2. On every CPU, up to a thousand
/// share an inversion. Constant time, as a single one is.
///
/// # Panics
/// If the secrets are on several curves of one type.
#[must_use]
pub fn public_keys<C: Domain>(secrets: &[SecretScalar<C>]) -> Vec<VerifyingKey<C>> {
    let domains = secrets.iter().map(SecretScalar::domain);
    in_blocks_of_secrets(secrets, domains, |domain, block, keys| {
        if block.len() < FEWEST_IN_LANES {
            return keys.extend(block.iter().map(SecretScalar::public_key));
        }
        let scalars: Vec<_> = block.iter().map(SecretScalar::element).collect();
        let points = domain.curve().dispatch_secret_lanes(PublicKeys(&scalars));
        let key = |point| VerifyingKey::from_affine(domain, point);
        keys.extend(points.into_iter().map(key));
    })
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> SigningKey<C> {
    /// Generates `count` keys with the operating system's generator and [`public_keys`].
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate_many(count: usize) -> Result<Vec<Self>, Error> {
        Self::generate_many_from_rng(&mut getrandom::SysRng, count)
            .map_err(|_| Error::RandomnessUnavailable)
    }

    /// Generates `count` keys with a generator that the caller chooses. They are the keys that
    /// `count` calls of [`generate_from_rng`](Self::generate_from_rng) would return.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_many_from_rng<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        count: usize,
    ) -> Result<Vec<Self>, R::Error> {
        Self::generate_many_from_rng_on(C::default(), rng, count)
    }
}

impl<C: Domain> SigningKey<C> {
    /// [`generate_many_from_rng`](Self::generate_many_from_rng) on a curve known at run time.
    #[doc(hidden)]
    pub fn generate_many_from_rng_on<R: TryCryptoRng + ?Sized>(
        domain: C,
        rng: &mut R,
        count: usize,
    ) -> Result<Vec<Self>, R::Error> {
        ct::wiping_stack(ct::Depth::Many, || {
            let mut secrets = Vec::with_capacity(count);
            for _ in 0..count {
                secrets.push(SecretScalar::draw(domain, rng)?);
            }
            let publics = public_keys(&secrets);
            let mut keys = Vec::with_capacity(count);
            for (secret, public) in secrets.iter().zip(publics) {
                // The secrets stay in place and are wiped; a move would leave copies.
                keys.push(Self::from_parts(secret.clone(), public));
            }
            Ok(keys)
        })
    }
}

/// d G of every secret of a block, affine.
struct PublicKeys<'a, D>(&'a [&'a D]);

impl<C: Curve> SecretLanesOperation<C> for PublicKeys<'_, C::ScalarElement> {
    type Output = Vec<AffinePoint<C::BaseElement>>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        let (base, order) = (lanes.single(), order.single());
        if self.0.is_empty() {
            return vec![];
        }
        let mut scalars = secrets(C::Integer::ZERO, self.0.len().next_multiple_of(L::WIDTH));
        for (i, scalar) in scalars.iter_mut().enumerate() {
            let secret = *lane_item(self.0, i);
            *scalar = order.to_integer(secret);
        }
        let (wide, single) = (Group::wide(curve, lanes), Group::new(curve, base));
        let points = base_mul_lanes(&wide, &single, order, &scalars);
        let mut keys = Vec::with_capacity(scalars.len());
        for point in &points {
            wide.unpack(point, L::WIDTH, |_, point| {
                keys.push(ct::declassify(&point))
            });
        }
        keys.truncate(self.0.len());
        keys
    }
}
