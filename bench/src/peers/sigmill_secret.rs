//! sigmill's secret side: signatures, keys and agreements, one at a time and many in a call.

use std::ops::Range;

use anyhow::Result;
use sigmill::CurveName;
use sigmill::agreement::{diffie_hellman, diffie_hellman_many};
use sigmill::ecdsa::sign_prehash_many;
use sigmill::p256::{SecretScalar, SigningKey, VerifyingKey};

use crate::inputs::CurveInputs;
use crate::registry::{OURS, Output, Registry, Subject, computation, computation_of_many};

/// Rows of a call.
const ROWS: usize = 1024;

/// Signing on the curves, which have the same interface in modules of the same shape.
macro_rules! curve {
    ($name:ident) => {
        mod $name {
            use super::*;
            use sigmill::$name::SigningKey;

            fn keys(inputs: &CurveInputs) -> Result<Vec<SigningKey>> {
                let keys = inputs.keys.iter();
                keys.map(|key| Ok(SigningKey::from_be_bytes(&key.private)?))
                    .collect()
            }

            pub(super) fn sign_many(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
                let (keys, inputs) = (keys(inputs)?, inputs.clone());
                Ok(computation_of_many(
                    ROWS,
                    move |rows| {
                        let rows = rows.map(|i| {
                            let row = inputs.row(i);
                            (&keys[row.key], row.digest.as_slice())
                        });
                        let signatures = sign_prehash_many(&rows.collect::<Vec<_>>());
                        Ok(signatures.into_iter().collect::<Result<_, _>>()?)
                    },
                    |signature| Ok(Output::Signature(signature.to_p1363())),
                ))
            }

            pub(super) fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
                let (keys, inputs) = (keys(inputs)?, inputs.clone());
                Ok(computation(
                    move |i| {
                        let row = inputs.row(i);
                        Ok(keys[row.key].sign_prehash(&row.digest)?)
                    },
                    |_, signature| Ok(Output::Signature(signature.to_p1363())),
                ))
            }
        }
    };
}

curve!(p256);
curve!(p384);
curve!(secp256k1);

/// Both halves of a new key.
fn pair(key: &SigningKey) -> Result<Output> {
    Ok(Output::KeyPair {
        private: key.to_be_bytes().to_vec(),
        public: key.verifying_key().to_sec1_bytes(false),
    })
}

fn keygen() -> Result<Box<dyn Subject>> {
    let generate = |_| Ok(SigningKey::generate()?);
    Ok(computation(generate, |_, key| pair(&key)))
}

fn keygen_many() -> Result<Box<dyn Subject>> {
    let generate = |rows: Range<usize>| Ok(SigningKey::generate_many(rows.len())?);
    Ok(computation_of_many(ROWS, generate, |key| pair(&key)))
}

/// Private keys, and the public keys of the others.
fn ecdh_keys(inputs: &CurveInputs) -> Result<(Vec<SecretScalar>, Vec<VerifyingKey>)> {
    let own = inputs
        .keys
        .iter()
        .map(|key| Ok(SecretScalar::from_be_bytes(&key.private)?))
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| Ok(VerifyingKey::from_sec1_bytes(&key.public)?))
        .collect::<Result<Vec<_>>>()?;
    Ok((own, peers))
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let ((own, peers), inputs) = (ecdh_keys(inputs)?, inputs.clone());
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(diffie_hellman(&own[mine], &peers[theirs]))
        },
        |_, shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}

fn ecdh_many(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let ((own, peers), inputs) = (ecdh_keys(inputs)?, inputs.clone());
    Ok(computation_of_many(
        ROWS,
        move |rows| {
            let rows = rows.map(|i| {
                let (mine, theirs) = inputs.pair(i);
                (&own[mine], &peers[theirs])
            });
            Ok(diffie_hellman_many(&rows.collect::<Vec<_>>()))
        },
        |shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let timed =
        "SigningKey::sign_prehash: key parsed beforehand, digest given, deterministic nonce";
    peer.compute("p256/sign/single", timed, Some(CurveName::P256), |inputs| {
        p256::sign(&*inputs.curve(CurveName::P256)?)
    });
    peer.compute("p384/sign/single", timed, Some(CurveName::P384), |inputs| {
        p384::sign(&*inputs.curve(CurveName::P384)?)
    });
    peer.compute(
        "secp256k1/sign/single",
        timed,
        Some(CurveName::Secp256k1),
        |inputs| secp256k1::sign(&*inputs.curve(CurveName::Secp256k1)?),
    );
    let timed = "SigningKey::generate: from the operating system's generator, with the public key";
    peer.compute("p256/keygen/single", timed, Some(CurveName::P256), |_| {
        keygen()
    });
    let timed = "agreement::diffie_hellman: both keys parsed beforehand";
    peer.compute("p256/ecdh/single", timed, Some(CurveName::P256), |inputs| {
        ecdh(&*inputs.curve(CurveName::P256)?)
    });
    let timed = "ecdsa::sign_prehash_many of 1,024 rows: keys parsed beforehand, digests given";
    peer.compute("p256/sign/bulk", timed, Some(CurveName::P256), |inputs| {
        p256::sign_many(&*inputs.curve(CurveName::P256)?)
    });
    peer.compute("p384/sign/bulk", timed, Some(CurveName::P384), |inputs| {
        p384::sign_many(&*inputs.curve(CurveName::P384)?)
    });
    peer.compute(
        "secp256k1/sign/bulk",
        timed,
        Some(CurveName::Secp256k1),
        |inputs| secp256k1::sign_many(&*inputs.curve(CurveName::Secp256k1)?),
    );
    let timed = "SigningKey::generate_many of 1,024 keys, with their public keys";
    peer.compute("p256/keygen/bulk", timed, Some(CurveName::P256), |_| {
        keygen_many()
    });
    let timed = "agreement::diffie_hellman_many of 1,024 rows: all keys parsed beforehand";
    peer.compute("p256/ecdh/bulk", timed, Some(CurveName::P256), |inputs| {
        ecdh_many(&*inputs.curve(CurveName::P256)?)
    });
}
