//! sigmill's secret side: signatures, keys and agreements.

use anyhow::Result;
use sigmill::agreement::diffie_hellman;
use sigmill::p256::{SecretScalar, SigningKey, VerifyingKey};

use crate::inputs::{Curve, CurveInputs};
use crate::registry::{OURS, Output, Registry, Subject, computation};

/// Signing on both curves, which have the same interface in modules of the same shape.
macro_rules! curve {
    ($name:ident) => {
        mod $name {
            use super::*;
            use sigmill::$name::SigningKey;

            pub(super) fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
                let keys = inputs
                    .keys
                    .iter()
                    .map(|key| Ok(SigningKey::from_be_bytes(&key.private)?))
                    .collect::<Result<Vec<_>>>()?;
                let inputs = inputs.clone();
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

fn keygen() -> Result<Box<dyn Subject>> {
    Ok(computation(
        |_| Ok(SigningKey::generate()?),
        |_, key| {
            Ok(Output::KeyPair {
                private: key.to_be_bytes().to_vec(),
                public: key.verifying_key().to_sec1_bytes(false),
            })
        },
    ))
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
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
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(diffie_hellman(&own[mine], &peers[theirs]))
        },
        |_, shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let timed =
        "SigningKey::sign_prehash: key parsed beforehand, digest given, deterministic nonce";
    peer.compute("p256/sign/single", timed, Some(Curve::P256), |inputs| {
        p256::sign(&*inputs.curve(Curve::P256)?)
    });
    peer.compute("p384/sign/single", timed, Some(Curve::P384), |inputs| {
        p384::sign(&*inputs.curve(Curve::P384)?)
    });
    let timed = "SigningKey::generate: from the operating system's generator, with the public key";
    peer.compute("p256/keygen/single", timed, Some(Curve::P256), |_| keygen());
    let timed = "agreement::diffie_hellman: both keys parsed beforehand";
    peer.compute("p256/ecdh/single", timed, Some(Curve::P256), |inputs| {
        ecdh(&*inputs.curve(Curve::P256)?)
    });
}
