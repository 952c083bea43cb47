//! Graviola: keys are parsed (and a small table built) beforehand; messages are hashed in the call.

use anyhow::{Result, anyhow};
use graviola::hashing::{Hash, Sha256, Sha384};
use graviola::key_agreement::{p256, x25519};
use graviola::signing::ecdsa;
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs, ec_key};
use crate::registry::{Output, Registry, Subject, computation, verdict};

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("graviola");
    let mut peer = registry.peer("graviola", version);
    let timed = "VerifyingKey::verify: key parsed beforehand, P1363 signature parsed and the \
                 32-octet message hashed in the call";
    peer.verify_fresh_and_prepared(
        "p256",
        timed,
        CurveName::P256,
        verify::<ecdsa::P256, Sha256>,
    );
    peer.verify_fresh_and_prepared(
        "p384",
        timed,
        CurveName::P384,
        verify::<ecdsa::P384, Sha384>,
    );
    let timed = "SigningKey::sign: key parsed beforehand, the 32-octet message hashed in the call";
    peer.compute("p256/sign/single", timed, Some(CurveName::P256), |inputs| {
        sign::<ecdsa::P256, Sha256>(&*inputs.curve(CurveName::P256)?)
    });
    peer.compute("p384/sign/single", timed, Some(CurveName::P384), |inputs| {
        sign::<ecdsa::P384, Sha384>(&*inputs.curve(CurveName::P384)?)
    });
    peer.compute(
        "p256/keygen/single",
        "StaticPrivateKey::new_random and public_key_uncompressed",
        Some(CurveName::P256),
        |_| keygen(),
    );
    let timed = "StaticPrivateKey::diffie_hellman: both keys parsed beforehand";
    peer.compute("p256/ecdh/single", timed, Some(CurveName::P256), |inputs| {
        ecdh(&*inputs.curve(CurveName::P256)?)
    });
    peer.compute("x25519/single", timed, None, x25519_agreement);
    peer.compute(
        "x25519/keygen/single",
        "StaticPrivateKey::new_random and public_key",
        None,
        |_| Ok(x25519_keygen()),
    );
}

fn x25519_keygen() -> Box<dyn Subject> {
    computation(
        |_| {
            let private = x25519::StaticPrivateKey::new_random().map_err(failure)?;
            let public = private.public_key();
            Ok((private, public))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.as_bytes().to_vec(),
                public: public.as_bytes().to_vec(),
            })
        },
    )
}

fn failure<E: std::fmt::Debug>(error: E) -> anyhow::Error {
    anyhow!("graviola: {error:?}")
}

fn verify<C, H>(inputs: &CurveInputs) -> Result<Box<dyn Subject>>
where
    C: ecdsa::Curve + 'static,
    H: Hash,
{
    let keys = inputs
        .keys
        .iter()
        .map(|key| ecdsa::VerifyingKey::<C>::from_x962_uncompressed(&key.public).map_err(failure))
        .collect::<Result<Vec<_>>>()?;
    let rows = inputs.rows.clone();
    Ok(verdict(move |i| {
        let row = &rows[i % rows.len()];
        keys[row.key]
            .verify::<H>(&[&row.message], &row.signature)
            .is_ok()
    }))
}

fn sign<C, H>(inputs: &CurveInputs) -> Result<Box<dyn Subject>>
where
    C: ecdsa::Curve + 'static,
    H: Hash,
{
    let len = 2 * inputs.curve.order_len();
    let keys = inputs
        .keys
        .iter()
        .map(|key| {
            let der = ec_key(inputs.curve, key)?.private_key_to_der()?;
            ecdsa::SigningKey::<C>::from_sec1_der(&der).map_err(failure)
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
            let mut signature = [0_u8; 96];
            keys[*key]
                .sign::<H>(&[message], &mut signature)
                .map_err(failure)?;
            Ok(signature)
        },
        move |_, signature| Ok(Output::Signature(signature[..len].to_vec())),
    ))
}

fn keygen() -> Result<Box<dyn Subject>> {
    Ok(computation(
        |_| {
            let private = p256::StaticPrivateKey::new_random().map_err(failure)?;
            let public = private.public_key_uncompressed();
            Ok((private, public))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.as_bytes().to_vec(),
                public: public.to_vec(),
            })
        },
    ))
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let own = inputs
        .keys
        .iter()
        .map(|key| p256::StaticPrivateKey::from_bytes(&key.private).map_err(failure))
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| p256::PublicKey::from_x962_uncompressed(&key.public).map_err(failure))
        .collect::<Result<Vec<_>>>()?;
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            own[mine].diffie_hellman(&peers[theirs]).map_err(failure)
        },
        |_, shared| Ok(Output::Shared(shared.0.to_vec())),
    ))
}

fn x25519_agreement(inputs: &Inputs) -> Result<Box<dyn Subject>> {
    let inputs = inputs.x25519()?;
    let own: Vec<_> = inputs
        .keys
        .iter()
        .map(|(private, _)| x25519::StaticPrivateKey::from_array(private))
        .collect();
    let peers = inputs
        .keys
        .iter()
        .map(|(_, public)| x25519::PublicKey::try_from_slice(public).map_err(failure))
        .collect::<Result<Vec<_>>>()?;
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            own[mine].diffie_hellman(&peers[theirs]).map_err(failure)
        },
        |_, shared| Ok(Output::Shared(shared.0.to_vec())),
    ))
}
