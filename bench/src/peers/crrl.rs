//! crrl: portable Rust in constant time, with variable-time verification.

use anyhow::{Context as _, Result};
use crrl::{p256, secp256k1, x25519};
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs};
use crate::registry::{Output, Registry, Subject, computation, verdict};

/// Verification and signing have the same shape on both curves, without a common trait.
macro_rules! ecdsa {
    ($module:ident, $verify:ident, $sign:ident) => {
        fn $verify(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
            let keys = inputs
                .keys
                .iter()
                .map(|key| $module::PublicKey::decode(&key.public).context("public key"))
                .collect::<Result<Vec<_>>>()?;
            let rows = inputs.rows.clone();
            Ok(verdict(move |i| {
                let row = &rows[i % rows.len()];
                keys[row.key].verify_hash(&row.signature, &row.digest)
            }))
        }

        fn $sign(inputs: &Inputs, curve: CurveName) -> Result<Box<dyn Subject>> {
            let inputs = inputs.curve(curve)?;
            let keys = inputs
                .keys
                .iter()
                .map(|key| $module::PrivateKey::decode(&key.private).context("private key"))
                .collect::<Result<Vec<_>>>()?;
            Ok(computation(
                move |i| {
                    let row = inputs.row(i);
                    Ok(keys[row.key].sign_hash(&row.digest, &[]))
                },
                |_, signature| Ok(Output::Signature(signature.to_vec())),
            ))
        }
    };
}

ecdsa!(p256, verify_p256, sign_p256);
ecdsa!(secp256k1, verify_secp256k1, sign_secp256k1);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("crrl");
    let mut peer = registry.peer("crrl", version);
    let timed = "PublicKey::verify_hash: key parsed beforehand, digest given, P1363 signature \
                 parsed in the call";
    peer.verify_fresh_and_prepared("p256", timed, CurveName::P256, verify_p256);
    peer.verify_fresh_and_prepared("secp256k1", timed, CurveName::Secp256k1, verify_secp256k1);
    let timed = "PrivateKey::sign_hash: key parsed beforehand, digest given, deterministic nonce";
    peer.compute("p256/sign/single", timed, Some(CurveName::P256), |inputs| {
        sign_p256(inputs, CurveName::P256)
    });
    peer.compute(
        "secp256k1/sign/single",
        timed,
        Some(CurveName::Secp256k1),
        |inputs| sign_secp256k1(inputs, CurveName::Secp256k1),
    );
    peer.compute(
        "p256/keygen/single",
        "PrivateKey::decode of 32 octets from the system, to_public_key, encode_uncompressed",
        Some(CurveName::P256),
        |_| keygen(),
    );
    peer.compute(
        "p256/ecdh/single",
        "Point * Scalar and encode_compressed: both keys parsed beforehand",
        Some(CurveName::P256),
        |inputs| ecdh(&*inputs.curve(CurveName::P256)?),
    );
    peer.compute(
        "x25519/single",
        "x25519: both keys are octets",
        None,
        x25519_agreement,
    );
    peer.compute(
        "x25519/keygen/single",
        "32 octets from the system and x25519_base",
        None,
        |_| Ok(x25519_keygen()),
    );
}

fn x25519_keygen() -> Box<dyn Subject> {
    computation(
        |_| {
            let mut private = [0_u8; 32];
            getrandom::fill(&mut private)?;
            Ok((private, x25519::x25519_base(&private)))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.to_vec(),
                public: public.to_vec(),
            })
        },
    )
}

fn keygen() -> Result<Box<dyn Subject>> {
    Ok(computation(
        |_| {
            let private = loop {
                let mut bytes = [0_u8; 32];
                getrandom::fill(&mut bytes)?;
                if let Some(private) = p256::PrivateKey::decode(&bytes) {
                    break private;
                }
            };
            Ok((private, private.to_public_key().encode_uncompressed()))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.encode().to_vec(),
                public: public.to_vec(),
            })
        },
    ))
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let own = inputs
        .keys
        .iter()
        .map(|key| {
            let mut little_endian = key.private.clone();
            little_endian.reverse();
            p256::Scalar::decode(&little_endian).context("private key")
        })
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| p256::Point::decode(&key.public).context("public key"))
        .collect::<Result<Vec<_>>>()?;
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok((peers[theirs] * own[mine]).encode_compressed())
        },
        |_, point| Ok(Output::Shared(point[1..].to_vec())),
    ))
}

fn x25519_agreement(inputs: &Inputs) -> Result<Box<dyn Subject>> {
    let inputs = inputs.x25519()?;
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(x25519::x25519(&inputs.keys[theirs].1, &inputs.keys[mine].0))
        },
        |_, shared| Ok(Output::Shared(shared.to_vec())),
    ))
}
