//! ECDH of many rows: multiplications in lanes, and inversions that the rows of a block share.

use alloc::vec;
use alloc::vec::Vec;

use super::{SharedSecret, diffie_hellman};
use crate::ct::secrets;
use crate::curve::{
    AffinePoint, Curve, Domain, Group, ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
use crate::error::Error;
use crate::field::{Limbs as _, MOST_LANES, PrimeField as _, lane_item};
use crate::keys::{SecretScalar, VerifyingKey, in_blocks_of_secrets};
use crate::limbs;
use crate::multiply::variable_base_mul_affine;

/// The fewest rows for lanes. For fewer, 300 inversions cost more than they save: eight rows cost
/// as much as 1.5 single calls, and the inversions as much as 14. In four lanes the number is twice
/// as large, because four rows cost as much as two single calls. Measure with `bench -- --only
/// 'p256/ecdh/*'` after a change.
const FEWEST: usize = 20;

/// Returns [`diffie_hellman`] of every row, in order. Computes eight rows at once if the CPU has
/// AVX-512 IFMA, and, on P-256 and secp256k1, four if it has AVX2. Constant time in the secrets, as
/// a single call is.
///
/// In these cases, and from 20 or 40 rows on, all coordinates are affine, and up to a thousand rows
/// share each inversion. Otherwise each row is a single call.
///
/// ```
/// use sigmill::agreement::{diffie_hellman, diffie_hellman_many};
/// use sigmill::p256::SecretScalar;
///
/// let (ours, theirs) = (SecretScalar::generate()?, SecretScalar::generate()?.public_key());
/// let rows = [(&ours, &theirs); 100];
/// for shared in diffie_hellman_many(&rows) {
///     assert_eq!(shared, diffie_hellman(&ours, &theirs));
/// }
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Panics
/// Panics if the keys are on several curves of one type.
#[must_use]
pub fn diffie_hellman_many<C: Domain>(
    rows: &[(&SecretScalar<C>, &VerifyingKey<C>)],
) -> Vec<SharedSecret> {
    let domains = rows.iter();
    let domains = domains.flat_map(|(secret, peer)| [secret.domain(), peer.domain()]);
    in_blocks_of_secrets(rows, domains, |domain, block, shared| {
        let terms = block.iter();
        let terms: Vec<_> = terms
            .map(|(secret, peer)| (secret.element(), peer.as_affine()))
            .collect();
        let made = DiffieHellmanMany(&terms);
        match domain.curve().dispatch_secret_lanes(made) {
            Some(made) => shared.extend(made),
            None => shared.extend(block.iter().map(|(ours, peer)| diffie_hellman(ours, peer))),
        }
    })
}

/// [`diffie_hellman_many`] with public keys as received: SEC 1 points, which may be compressed.
/// Each gets the full validation of SP 800-56A §5.6.2.3.3.
///
/// # Errors
/// For each row: those of [`VerifyingKey::from_sec1_bytes`].
#[must_use]
pub fn diffie_hellman_many_sec1<C: Domain>(
    rows: &[(&SecretScalar<C>, &[u8])],
) -> Vec<Result<SharedSecret, Error>> {
    let encoded: Vec<&[u8]> = rows.iter().map(|(_, peer)| *peer).collect();
    let Some((first, _)) = rows.first() else {
        return vec![];
    };
    let peers = VerifyingKey::from_sec1_bytes_many_on(first.domain(), &encoded);
    let valid = rows.iter().zip(&peers);
    let valid = valid.filter_map(|((secret, _), peer)| Some((*secret, peer.as_ref().ok()?)));
    let mut shared = diffie_hellman_many(&valid.collect::<Vec<_>>()).into_iter();
    let shared = peers.iter().map(|peer| match peer {
        Ok(_) => match shared.next() {
            Some(shared) => Ok(shared),
            None => unreachable!("one for each valid row"),
        },
        Err(error) => Err(*error),
    });
    shared.collect()
}

/// A secret and a public point.
type Term<'a, C> = (
    &'a <C as Curve>::ScalarElement,
    &'a AffinePoint<<C as Curve>::BaseElement>,
);

/// The shared secrets of a block; `None` if single calls are faster.
struct DiffieHellmanMany<'a, C: Curve>(&'a [Term<'a, C>]);

/// The steps of a single agreement, each for all rows.
impl<C: Curve> SecretLanesOperation<C> for DiffieHellmanMany<'_, C> {
    type Output = Option<Vec<SharedSecret>>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        // One lane would save a tenth, for hundreds of rows.
        if const { L::WIDTH == 1 } {
            return None;
        }
        if self.0.len() * L::WIDTH < FEWEST * MOST_LANES {
            return None;
        }
        let order = order.single();
        let groups = self.0.len().div_ceil(L::WIDTH);
        let row = |group: usize, lane: usize| lane_item(self.0, group * L::WIDTH + lane);
        // Step 1: P = h d Q; the cofactor h is 1.
        let mut d = secrets(C::Integer::ZERO, groups * L::WIDTH);
        for (i, d) in d.iter_mut().enumerate() {
            *d = order.to_integer(row(0, i).0);
        }
        let wide = Group::wide(curve, lanes);
        let mut peers = Vec::with_capacity(groups);
        for group in 0..groups {
            peers.push(wide.pack(|lane| row(group, lane).1));
        }
        // Step 2: P is not infinity, as d is in 1 .. n - 1 and Q has order n, a prime.
        let p = variable_base_mul_affine(&wide, order, &peers, &d);
        // Step 3: z = x(P), as bytes.
        let mut shared = Vec::with_capacity(groups * L::WIDTH);
        let mut x = secrets(C::Integer::ZERO, L::WIDTH);
        for p in &*p {
            lanes.to_integers(&p.x, &mut x);
            for x in &*x {
                let mut bytes = vec![0; lanes.single().bytes()];
                limbs::write_be_bytes(x.as_ref(), &mut bytes);
                shared.push(SharedSecret(bytes.into()));
            }
        }
        // Step 4: intermediate values are destroyed, by types that wipe themselves.
        // Step 5.
        shared.truncate(self.0.len());
        Some(shared)
    }
}
