//! ring: every call parses its keys and hashes its messages; it has no other interface.

use anyhow::{Context as _, Result, anyhow};
use ring::agreement::{self, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, EcdsaVerificationAlgorithm};
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs};
use crate::registry::{Output, Registry, Subject, computation, verdict};

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("ring");
    let mut peer = registry.peer("ring", version);
    let timed = "UnparsedPublicKey::verify: key and P1363 signature parsed and the 32-octet \
                 message hashed in the call";
    peer.verify_fresh_and_prepared("p256", timed, CurveName::P256, verify);
    peer.verify_fresh_and_prepared("p384", timed, CurveName::P384, verify);
    for (op, curve) in [
        ("p256/sign/single", CurveName::P256),
        ("p384/sign/single", CurveName::P384),
    ] {
        let timed =
            "EcdsaKeyPair::sign: key parsed beforehand, the 32-octet message hashed in the call";
        peer.compute(op, timed, Some(curve), move |inputs| {
            sign(&*inputs.curve(curve)?)
        });
    }
    peer.compute(
        "p256/keygen/single",
        "EphemeralPrivateKey::generate and compute_public_key",
        Some(CurveName::P256),
        |inputs| {
            let inputs = inputs.curve(CurveName::P256)?;
            keygen(&agreement::ECDH_P256, move |i| {
                inputs.keys[inputs.pair(i).1].public.clone()
            })
        },
    );
    peer.compute(
        "x25519/keygen/single",
        "EphemeralPrivateKey::generate and compute_public_key",
        None,
        |inputs| {
            let inputs = inputs.x25519()?;
            keygen(&agreement::X25519, move |i| {
                inputs.keys[inputs.pair(i).1].1.to_vec()
            })
        },
    );
    let timed = "agree_ephemeral: own key (a copy of an ephemeral one) created beforehand, the \
                 peer's parsed in the call";
    peer.compute("p256/ecdh/single", timed, Some(CurveName::P256), |inputs| {
        let inputs = inputs.curve(CurveName::P256)?;
        let peers = inputs.keys.iter().map(|key| key.public.clone()).collect();
        agreement(&agreement::ECDH_P256, peers, move |i| inputs.pair(i))
    });
    peer.compute("x25519/single", timed, None, |inputs: &Inputs| {
        let inputs = inputs.x25519()?;
        let peers = inputs
            .keys
            .iter()
            .map(|(_, public)| public.to_vec())
            .collect();
        agreement(&agreement::X25519, peers, move |i| inputs.pair(i))
    });
}

fn verify(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let algorithm: &EcdsaVerificationAlgorithm = match inputs.curve {
        CurveName::P256 => &signature::ECDSA_P256_SHA256_FIXED,
        CurveName::P384 => &signature::ECDSA_P384_SHA384_FIXED,
        other => return Err(anyhow!("not registered for {other}")),
    };
    let keys: Vec<_> = inputs
        .keys
        .iter()
        .map(|key| signature::UnparsedPublicKey::new(algorithm, key.public.clone()))
        .collect();
    let rows = inputs.rows.clone();
    Ok(verdict(move |i| {
        let row = &rows[i % rows.len()];
        keys[row.key].verify(&row.message, &row.signature).is_ok()
    }))
}

fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let algorithm = match inputs.curve {
        CurveName::P256 => &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        CurveName::P384 => &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
        other => return Err(anyhow!("not registered for {other}")),
    };
    let random = SystemRandom::new();
    let keys = inputs
        .keys
        .iter()
        .map(|key| {
            EcdsaKeyPair::from_private_key_and_public_key(
                algorithm,
                &key.private,
                &key.public,
                &random,
            )
            .map_err(|e| anyhow!("{e}"))
        })
        .collect::<Result<Vec<_>>>()?;
    let rows: Vec<_> = inputs
        .rows
        .iter()
        .map(|row| (row.key, row.message))
        .collect();
    Ok(computation(
        move |i| {
            let (key, message) = &rows[i % rows.len()];
            keys[*key]
                .sign(&random, message)
                .ok()
                .context("signing failed")
        },
        |_, signature| Ok(Output::Signature(signature.as_ref().to_vec())),
    ))
}

/// Each new key is checked by an agreement with the public key that `peer` returns.
fn keygen(
    algorithm: &'static agreement::Algorithm,
    peer: impl Fn(usize) -> Vec<u8> + 'static,
) -> Result<Box<dyn Subject>> {
    let random = SystemRandom::new();
    Ok(computation(
        move |_| fresh(algorithm, &random),
        move |i, (private, public)| {
            let peer = UnparsedPublicKey::new(algorithm, peer(i));
            let shared = agree_ephemeral(private, &peer, <[u8]>::to_vec)
                .ok()
                .context("agreement failed")?;
            Ok(Output::SharedWithFresh {
                public: public.as_ref().to_vec(),
                shared,
            })
        },
    ))
}

fn fresh(
    algorithm: &'static agreement::Algorithm,
    random: &SystemRandom,
) -> Result<(EphemeralPrivateKey, agreement::PublicKey)> {
    let private = EphemeralPrivateKey::generate(algorithm, random)
        .ok()
        .context("no randomness")?;
    let public = private.compute_public_key().ok().context("no public key")?;
    Ok((private, public))
}

/// A second copy of a key that `agree_ephemeral` will consume.
fn copied(key: &EphemeralPrivateKey) -> EphemeralPrivateKey {
    const { assert!(!core::mem::needs_drop::<EphemeralPrivateKey>()) };
    // SAFETY: the type has nothing to drop and so owns no resource: its value is its octets and
    // shared `'static` references, and both copies stay valid on their own.
    unsafe { core::ptr::read(key) }
}

fn agreement(
    algorithm: &'static agreement::Algorithm,
    peers: Vec<Vec<u8>>,
    pair: impl Fn(usize) -> (usize, usize) + 'static,
) -> Result<Box<dyn Subject>> {
    let random = SystemRandom::new();
    let own = peers
        .iter()
        .map(|_| fresh(algorithm, &random))
        .collect::<Result<Vec<_>>>()?;
    let peers: Vec<_> = peers
        .into_iter()
        .map(|public| UnparsedPublicKey::new(algorithm, public))
        .collect();
    Ok(computation(
        move |i| {
            let (mine, theirs) = pair(i);
            let (private, public) = &own[mine];
            let shared = agree_ephemeral(copied(private), &peers[theirs], |shared| {
                <[u8; 32]>::try_from(shared)
            });
            Ok((public.clone(), shared.ok().context("agreement failed")??))
        },
        |_, (public, shared)| {
            Ok(Output::SharedWithFresh {
                public: public.as_ref().to_vec(),
                shared: shared.to_vec(),
            })
        },
    ))
}
