//! Tables of generators, built before they are needed.

#[cfg(feature = "signing")]
use super::AnySigningKey;
use super::AnyVerifyingKey;
use crate::curve::{Curve as _, CurveName, Domain as _, for_curve};
use crate::ecdsa::SignatureFormat;
#[cfg(feature = "signing")]
use crate::multiply::FEWEST_IN_LANES;

/// Builds the tables of a curve's generator: those that verify, and those that generate keys and
/// sign (feature `signing`). Every process has its own tables.
///
/// Otherwise the first operation on a curve builds what it needs. This costs some milliseconds,
/// which a server may want to spend before it accepts requests. A second call costs a few
/// signatures and one verification.
///
/// ```
/// use sigmill::CurveName;
///
/// sigmill::warm_up(CurveName::P256);
/// ```
pub fn warm_up(curve: CurveName) {
    // One of each operation builds all tables.
    let digest = [1; 32];
    let mut one = alloc::vec![0; curve.order_len()];
    if let Some(last) = one.last_mut() {
        *last = 1;
    }
    let key = for_curve!(curve, domain => {
        let generator = *domain.curve().generator();
        AnyVerifyingKey::from(super::VerifyingKey::from_affine(domain, generator))
    });
    let any_signature = [&one[..], &one].concat();
    // The signature may be valid or not.
    let _ = key.verify_prehash(&digest, &any_signature, SignatureFormat::P1363);
    #[cfg(feature = "signing")]
    if let Ok(key) = AnySigningKey::from_be_bytes(curve, &one) {
        // If there are lanes, single signatures and many signatures use separate tables.
        let rows = [(&key, &digest[..]); FEWEST_IN_LANES];
        let _ = AnySigningKey::sign_prehash_many(&rows, SignatureFormat::P1363);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_there() {
        for &curve in CurveName::ALL {
            warm_up(curve);
            for_curve!(curve, domain => {
                let curve = domain.curve();
                assert!(curve.generator_cell().get().is_some());
                assert!(curve.base_cell().get().is_some());
            });
        }
    }
}
