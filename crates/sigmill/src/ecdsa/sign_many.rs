//! Signing in bulk: multiplications in lanes, inversions shared by the rows of a block.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::sign::Sign;
use super::{HashName, RecoveryId, Signature, SignatureScalars, SigningKey, nonce};
use crate::ct::{self, secrets};
use crate::curve::{
    Curve, Domain, Group, NamedCurve, ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
use crate::error::Error;
use crate::field::{Field as _, Limbs as _, PrimeField as _, invert_all};
use crate::limbs::is_below;
use crate::multiply::{FEWEST_IN_LANES, base_mul_lanes};
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
/// use sigmill::ecdsa::sign_prehash_many;
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
/// use sigmill::ecdsa::sign_prehash_many_recoverable;
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
        let nonces = nonce::first_nonces(curve, hash, &to_sign);
        let signs = to_sign.iter().zip(&nonces);
        let signs = signs.map(|((secret, e), nonce)| Sign::<C::Curve> {
            secret: *secret,
            nonce: nonce.element(),
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

/// The signatures of a block; `None` if a nonce is unusable.
struct SignMany<'a, C: Curve>(&'a [Sign<'a, C>]);

/// Performs each step of a single signature for all rows.
impl<C: Curve> SecretLanesOperation<C> for SignMany<'_, C> {
    type Output = Vec<Option<(SignatureScalars<C::Integer>, RecoveryId)>>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order_lanes: S,
    ) -> Self::Output {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        let Some(last) = self.0.len().checked_sub(1) else {
            return vec![];
        };
        let (base, order) = (lanes.single(), order_lanes.single());
        let groups = self.0.len().div_ceil(L::WIDTH);
        // A group that is not full repeats the last row.
        let row = |group: usize, lane: usize| &self.0[last.min(group * L::WIDTH + lane)];
        // Step 1: R = k G.
        let mut k = secrets(C::Integer::ZERO, groups * L::WIDTH);
        let mut inverses = secrets(order_lanes.zero(), groups);
        for group in 0..groups {
            for lane in 0..L::WIDTH {
                let nonce = row(group, lane).nonce;
                k[group * L::WIDTH + lane] = order.to_integer(nonce);
            }
            inverses[group] = order_lanes.pack(|lane| row(group, lane).nonce);
        }
        let (wide, single) = (Group::wide(curve, lanes), Group::new(curve, base));
        let points = base_mul_lanes(&wide, &single, order, &k);
        // 1 / k for step 6.
        let mut scratch = inverses.clone();
        invert_all(order_lanes, &mut **inverses, &mut scratch);
        let mut signatures = Vec::with_capacity(groups * L::WIDTH);
        let mut x = vec![C::Integer::ZERO; L::WIDTH];
        let mut y = x.clone();
        let mut ids = vec![RecoveryId::FRIENDLY; L::WIDTH];
        let mut r = vec![C::Integer::ZERO; L::WIDTH];
        let mut s = r.clone();
        let mut r_elements = vec![order.zero(); L::WIDTH];
        for (group, point) in points.iter().enumerate() {
            // Step 2: x(R) as an integer. Anyone with the signature and the public key can compute
            // it.
            lanes.to_integers(&point.x, &mut x);
            lanes.to_integers(&point.y, &mut y);
            // Step 3: r = x(R) mod n.
            for (lane, (x, y)) in x.iter().zip(&y).enumerate() {
                let (x, y) = (ct::declassify(x), ct::declassify(y));
                let is_reduced = !is_below(x.as_ref(), order.modulus().as_ref());
                ids[lane] = RecoveryId::new(y.as_ref()[0] & 1 == 1, is_reduced);
                r[lane] = scalar::reduce(order, x);
                r_elements[lane] = scalar::element(order, &r[lane]);
            }
            // Step 6: s = (e + r d) / k mod n.
            let r_lanes = order_lanes.pack(|lane| &r_elements[lane]);
            let e = order_lanes.pack(|lane| row(group, lane).e);
            let d = Zeroizing::new(order_lanes.pack(|lane| row(group, lane).secret));
            let r_d = Zeroizing::new(order_lanes.mul(&r_lanes, &d));
            let sum = Zeroizing::new(order_lanes.add(&e, &r_d));
            order_lanes.to_integers(&order_lanes.mul(&inverses[group], &sum), &mut s);
            for ((r, s), id) in r.iter().zip(&s).zip(&ids) {
                let s = ct::declassify(s);
                // Neither is zero.
                let will_do = *r != C::Integer::ZERO && s != C::Integer::ZERO;
                signatures.push(will_do.then(|| (SignatureScalars::new(*r, s), *id)));
            }
        }
        signatures.truncate(self.0.len());
        signatures
    }
}
