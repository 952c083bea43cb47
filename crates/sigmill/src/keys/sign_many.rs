//! Signing in bulk.

use alloc::vec;
use alloc::vec::Vec;

use super::SigningKey;
use crate::ct;
use crate::curve::{Curve as _, Domain, NamedCurve};
use crate::ecdsa::{RecoveryId, Sign, SignMany, Signature, first_nonces};
use crate::error::Error;
use crate::hash::HashName;
use crate::multiply::FEWEST_IN_LANES;
use crate::scalar;

/// The number of rows that share inversions. Their nonces and points stay in a second-level cache.
const BLOCK_ROWS: usize = 1024;

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
pub fn sign_prehash_many<C: NamedCurve>(
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<Signature<C>, Error>> {
    match rows.first() {
        Some((key, _)) => sign_prehash_many_with_hash(key.hash(), rows),
        None => vec![],
    }
}

/// [`SigningKey::sign_prehash_with_hash`] of every row, in order: [`sign_prehash_many`] with nonces
/// from HMAC with `hash`.
///
/// # Errors
/// For each row, [`Error::DigestEmpty`].
///
/// # Panics
/// If the keys are on several curves of one type.
#[must_use]
pub fn sign_prehash_many_with_hash<C: Domain>(
    hash: HashName,
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<Signature<C>, Error>> {
    let signed = sign_prehash_many_recoverable_with_hash(hash, rows).into_iter();
    signed.map(|signed| Ok(signed?.0)).collect()
}

/// [`SigningKey::sign_prehash_recoverable`] of every row, in order: [`sign_prehash_many`] that also
/// returns recovery ids, at negligible cost.
///
/// ```
/// use sigmill::keys::sign_prehash_many_recoverable;
/// use sigmill::p256::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let signed = sign_prehash_many_recoverable(&[(&key, &[1; 32]), (&key, &[2; 32])]);
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
pub fn sign_prehash_many_recoverable<C: NamedCurve>(
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<(Signature<C>, RecoveryId), Error>> {
    match rows.first() {
        Some((key, _)) => sign_prehash_many_recoverable_with_hash(key.hash(), rows),
        None => vec![],
    }
}

/// [`SigningKey::sign_prehash_recoverable_with_hash`] of every row, in order:
/// [`sign_prehash_many_recoverable`] with nonces from HMAC with `hash`.
///
/// # Errors
/// For each row, [`Error::DigestEmpty`].
///
/// # Panics
/// If the keys are on several curves of one type.
#[must_use]
pub fn sign_prehash_many_recoverable_with_hash<C: Domain>(
    hash: HashName,
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<(Signature<C>, RecoveryId), Error>> {
    ct::wiping_stack(ct::Depth::Many, || sign_blocks(hash, rows))
}

#[inline(never)]
fn sign_blocks<C: Domain>(
    hash: HashName,
    rows: &[(&SigningKey<C>, &[u8])],
) -> Vec<Result<(Signature<C>, RecoveryId), Error>> {
    let mut signatures = Vec::with_capacity(rows.len());
    let Some((first, _)) = rows.first() else {
        return signatures;
    };
    let domain = first.domain();
    let curve = domain.curve();
    assert!(
        rows.iter().all(|(key, _)| key.domain() == domain),
        "keys on one curve"
    );
    for block in rows.chunks(BLOCK_ROWS) {
        if block.len() < FEWEST_IN_LANES {
            let singly = |(key, digest): &(&SigningKey<C>, &[u8])| {
                key.sign_prehash_recoverable_with_hash(hash, digest)
            };
            signatures.extend(block.iter().map(singly));
            continue;
        }
        let to_sign = block.iter().filter(|(_, digest)| !digest.is_empty());
        let to_sign = to_sign.map(|(key, digest)| {
            let e = scalar::from_digest(curve.scalar_field(), digest);
            (key.secret_scalar().element(), e)
        });
        let to_sign: Vec<_> = to_sign.collect();
        let nonces = first_nonces(curve, hash, &to_sign);
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
                    None => key.sign_prehash_recoverable_with_hash(hash, digest),
                }
            });
        }
    }
    signatures
}
