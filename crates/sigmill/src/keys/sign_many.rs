//! Signing in bulk.

use alloc::vec::Vec;

use super::SigningKey;
use super::blocks::in_blocks_of_secrets;
use super::options::{SignOptions, hash_on};
use crate::curve::{Curve as _, Domain};
use crate::ecdsa::{RecoveryId, Sign, SignMany, Signature, first_nonces};
use crate::error::Error;
use crate::multiply::FEWEST_IN_LANES;
use crate::scalar;

/// [`SigningKey::sign_prehash`] of every row, in order, with identical bytes.
///
/// Computes eight rows at once if the CPU has AVX-512 IFMA, and four on P-256 and secp256k1 if it
/// has AVX2. Up to a thousand rows share the inversion of their nonces and that of their points.
/// From some 400 rows in eight lanes, and some 200 in four, the rows share one inversion for each
/// addition instead of the one of their points. Constant time, as a single signature is.
///
/// ```
/// use sigmill::keys::sign_prehash_many;
/// use sigmill::p256::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let digests = [[1; 32], [2; 32], [3; 32]];
/// let rows: Vec<_> = digests.iter().map(|digest| (&key, digest.as_slice())).collect();
/// for (signature, digest) in sign_prehash_many(&rows).into_iter().zip(&digests) {
///     assert_eq!(signature?, key.sign_prehash(digest)?);
/// }
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// For each row, [`Error::DigestEmpty`].
///
/// # Panics
/// If the keys are on several curves of one type.
#[must_use]
pub fn sign_prehash_many<C: Domain>(
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<Signature<C>, Error>> {
    let signed = sign_prehash_many_with(rows, &SignOptions::new()).into_iter();
    signed.map(|signed| Ok(signed?.0)).collect()
}

/// [`SigningKey::sign_with`] of every row, in order, with the same options: [`sign_prehash_many`]
/// that also returns recovery ids, at negligible cost.
///
/// ```
/// use sigmill::SignOptions;
/// use sigmill::keys::sign_prehash_many_with;
/// use sigmill::p256::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let rows = [(&key, &[1; 32][..]), (&key, &[2; 32])];
/// let signed = sign_prehash_many_with(&rows, &SignOptions::new());
/// assert_eq!(signed[1], key.sign_prehash_recoverable(&[2; 32]));
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// For each row, [`Error::DigestEmpty`].
///
/// # Panics
/// If the keys are on several curves of one type.
#[must_use]
pub fn sign_prehash_many_with<C: Domain>(
    rows: &[(&SigningKey<C>, &[u8])],
    options: &SignOptions<'_>,
) -> Vec<Result<(Signature<C>, RecoveryId), Error>> {
    let domains = rows.iter().map(|(key, _)| key.domain());
    in_blocks_of_secrets(rows, domains, |domain, block, signatures| {
        let curve = domain.curve();
        let (hash, entropy) = (hash_on(domain, options.hash), options.entropy);
        if block.len() < FEWEST_IN_LANES {
            let singly = |(key, digest): &(&SigningKey<C>, &[u8])| {
                key.sign_recoverable(hash, digest, entropy)
            };
            return signatures.extend(block.iter().map(singly));
        }
        let to_sign = block.iter().filter(|(_, digest)| !digest.is_empty());
        let to_sign = to_sign.map(|(key, digest)| {
            let e = scalar::from_digest(curve.scalar_field(), digest);
            (key.secret_scalar().element(), e)
        });
        let to_sign: Vec<_> = to_sign.collect();
        let nonces = first_nonces(curve, hash, entropy, &to_sign);
        let signs = to_sign.iter().zip(&nonces);
        let signs = signs.map(|((secret, e), nonce)| Sign::<C::Curve> {
            secret: *secret,
            nonce,
            e,
        });
        let signs: Vec<_> = signs.collect();
        let mut made = curve.dispatch_secret_lanes(SignMany(&signs)).into_iter();
        for (key, digest) in block {
            signatures.push(if digest.is_empty() {
                Err(Error::DigestEmpty)
            } else {
                let made = made.next().flatten();
                match made.filter(|(_, id)| key.policy().can_take(*id)) {
                    Some((scalars, id)) => {
                        Ok(key.policy().take_form(Signature::new(domain, scalars), id))
                    }
                    // The first nonce is unusable.
                    None => key.sign_recoverable(hash, digest, entropy),
                }
            });
        }
    })
}
