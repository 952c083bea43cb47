//! The crate `p256` of RustCrypto.

use anyhow::Result;
use p256::elliptic_curve::{Generate as _, sec1::ToSec1Point as _};

use super::rustcrypto::{SIGN, VERIFY, ecdsa};
use sigmill::CurveName;

use crate::inputs::CurveInputs;
use crate::registry::{Output, Registry, Subject, computation};

ecdsa!(p256);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("p256");
    let mut peer = registry.peer("p256", version);
    peer.verify_fresh_and_prepared("p256", VERIFY, CurveName::P256, verify);
    peer.compute("p256/sign/single", SIGN, Some(CurveName::P256), |inputs| {
        sign(&*inputs.curve(CurveName::P256)?)
    });
    peer.compute(
        "p256/keygen/single",
        "SecretKey::generate and public_key",
        Some(CurveName::P256),
        |_| keygen(),
    );
    peer.compute(
        "p256/ecdh/single",
        "ecdh::diffie_hellman: both keys parsed beforehand",
        Some(CurveName::P256),
        |inputs| ecdh(&*inputs.curve(CurveName::P256)?),
    );
}

fn keygen() -> Result<Box<dyn Subject>> {
    Ok(computation(
        |_| {
            let private = p256::SecretKey::generate();
            let public = private.public_key();
            Ok((private, public))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.to_bytes().to_vec(),
                public: public.to_sec1_point(false).as_bytes().to_vec(),
            })
        },
    ))
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let own = inputs
        .keys
        .iter()
        .map(|key| Ok(p256::SecretKey::from_slice(&key.private)?.to_nonzero_scalar()))
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| Ok(p256::PublicKey::from_sec1_bytes(&key.public)?))
        .collect::<Result<Vec<_>>>()?;
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(p256::ecdh::diffie_hellman(
                own[mine],
                peers[theirs].as_affine(),
            ))
        },
        |_, shared| Ok(Output::Shared(shared.raw_secret_bytes().to_vec())),
    ))
}
