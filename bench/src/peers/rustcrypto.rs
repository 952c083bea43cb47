//! The common part of RustCrypto's `p256`, `p384` and `k256`: the interface of the crate `ecdsa`.

/// Verification with key and signature parsed beforehand.
pub(crate) const VERIFY: &str =
    "VerifyingKey::verify_prehash: key and signature parsed beforehand, digest given";
/// Signing with the key parsed beforehand.
pub(crate) const SIGN: &str =
    "SigningKey::sign_prehash: key parsed beforehand, digest given, RFC 6979 nonce";

/// Defines `verify` and `sign` for one of the crates.
macro_rules! ecdsa {
    ($name:ident) => {
        use $name::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};

        fn verify(
            inputs: &crate::inputs::CurveInputs,
        ) -> anyhow::Result<Box<dyn crate::registry::Subject>> {
            let keys = inputs
                .keys
                .iter()
                .map(|key| Ok($name::ecdsa::VerifyingKey::from_sec1_bytes(&key.public)?))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let rows = inputs
                .rows
                .iter()
                .map(|row| {
                    let signature = $name::ecdsa::Signature::from_slice(&row.signature)?;
                    Ok((row.key, signature, row.digest.clone()))
                })
                .collect::<anyhow::Result<Vec<_>>>()?;
            Ok(crate::registry::verdict(move |i| {
                let (key, signature, digest) = &rows[i % rows.len()];
                keys[*key].verify_prehash(digest, signature).is_ok()
            }))
        }

        fn sign(
            inputs: &crate::inputs::CurveInputs,
        ) -> anyhow::Result<Box<dyn crate::registry::Subject>> {
            let keys = inputs
                .keys
                .iter()
                .map(|key| Ok($name::ecdsa::SigningKey::from_slice(&key.private)?))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let rows: Vec<_> = inputs
                .rows
                .iter()
                .map(|row| (row.key, row.digest.clone()))
                .collect();
            Ok(crate::registry::computation(
                move |i| {
                    let (key, digest) = &rows[i % rows.len()];
                    let signature: $name::ecdsa::Signature = keys[*key].sign_prehash(digest)?;
                    Ok(signature)
                },
                |_, signature| {
                    Ok(crate::registry::Output::Signature(
                        signature.to_bytes().to_vec(),
                    ))
                },
            ))
        }
    };
}

pub(crate) use ecdsa;
