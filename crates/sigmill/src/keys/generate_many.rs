//! Key pairs in bulk: multiplications in lanes, one inversion for the keys of a block.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::{SecretScalar, SigningKey, VerifyingKey};
use crate::ct::{self, secrets};
use crate::curve::{
    AffinePoint, Curve, Domain, Group, ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
#[cfg(feature = "std")]
use crate::error::Error;
use crate::field::{Field as _, Limbs as _, PrimeField as _};
use crate::multiply::{FEWEST_IN_LANES, base_mul_lanes};

/// The number of keys that share an inversion.
const BLOCK_ROWS: usize = 1024;

/// [`SecretScalar::public_key`] of every secret, in order. Computes eight at once if the CPU has
/// AVX-512 IFMA, and four on P-256 and secp256k1 if it has AVX2. On every CPU, up to a thousand
/// share an inversion. Constant time, as a single one is.
///
/// # Panics
/// If the secrets are on several curves of one type.
#[must_use]
pub fn public_keys<C: Domain>(secrets: &[SecretScalar<C>]) -> Vec<VerifyingKey<C>> {
    ct::wiping_stack(ct::Depth::Many, || public_keys_of_blocks(secrets))
}

fn public_keys_of_blocks<C: Domain>(secrets: &[SecretScalar<C>]) -> Vec<VerifyingKey<C>> {
    let mut keys = Vec::with_capacity(secrets.len());
    for block in secrets.chunks(BLOCK_ROWS) {
        if block.len() < FEWEST_IN_LANES {
            keys.extend(block.iter().map(SecretScalar::public_key));
        } else {
            let domain = block[0].domain();
            assert!(
                block.iter().all(|secret| secret.domain() == domain),
                "secrets on one curve"
            );
            let scalars: Vec<_> = block.iter().map(SecretScalar::element).collect();
            let points = domain.curve().dispatch_secret_lanes(PublicKeys(&scalars));
            let key = |point| VerifyingKey::from_affine(domain, point);
            keys.extend(points.into_iter().map(key));
        }
    }
    keys
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
    ///
    /// # Errors
    /// Those of the generator.
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
            let publics = public_keys_of_blocks(&secrets);
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
        let Some(last) = self.0.len().checked_sub(1) else {
            return vec![];
        };
        let mut scalars = secrets(C::Integer::ZERO, self.0.len().next_multiple_of(L::WIDTH));
        for (i, scalar) in scalars.iter_mut().enumerate() {
            // A group that is not full repeats the last secret.
            *scalar = order.to_integer(self.0[last.min(i)]);
        }
        let (wide, single) = (Group::wide(curve, lanes), Group::new(curve, base));
        let points = base_mul_lanes(&wide, &single, order, &scalars);
        let mut keys = Vec::with_capacity(scalars.len());
        let (mut x, mut y) = (vec![base.zero(); L::WIDTH], vec![base.zero(); L::WIDTH]);
        for point in &points {
            lanes.unpack(&point.x, &mut x);
            lanes.unpack(&point.y, &mut y);
            for (&x, &y) in x.iter().zip(&y) {
                let point = AffinePoint { x, y };
                keys.push(ct::declassify(&point));
            }
        }
        keys.truncate(self.0.len());
        keys
    }
}
