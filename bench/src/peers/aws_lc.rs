//! AWS-LC through `aws-lc-rs`, which has parsed keys and accepts digests.

use anyhow::{Result, anyhow};
use aws_lc_rs::agreement::{
    self, Algorithm, ParsedPublicKey as PeerKey, PrivateKey, UnparsedPublicKey,
};
use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::encoding::{AsBigEndian as _, Curve25519SeedBin, EcPrivateKeyBin};
use aws_lc_rs::signature::{self, EcdsaKeyPair, EcdsaVerificationAlgorithm, ParsedPublicKey};
use openssl::ecdsa::EcdsaSig;
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs};
use crate::registry::{Output, Registry, Subject, computation, verdict};

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of_with("aws-lc-rs", "aws-lc-sys");
    let mut peer = registry.peer("AWS-LC", version);
    let timed = "ParsedPublicKey::verify_digest_sig: key parsed beforehand, digest given, DER \
                 signature parsed in the call";
    peer.verify_fresh_and_prepared("p256", timed, CurveName::P256, verify);
    peer.verify_fresh_and_prepared("p384", timed, CurveName::P384, verify);
    for (op, curve) in [
        ("p256/sign/single", CurveName::P256),
        ("p384/sign/single", CurveName::P384),
    ] {
        let timed = "EcdsaKeyPair::sign_digest: key parsed beforehand, digest given, DER written";
        peer.compute(op, timed, Some(curve), move |inputs| {
            sign(&*inputs.curve(curve)?)
        });
    }
    peer.compute(
        "p256/keygen/single",
        "agreement::PrivateKey::generate and compute_public_key",
        Some(CurveName::P256),
        |_| keygen(&agreement::ECDH_P256),
    );
    peer.compute(
        "p256/ecdh/single",
        "agreement::agree: both keys parsed beforehand",
        Some(CurveName::P256),
        |inputs| ecdh(&*inputs.curve(CurveName::P256)?),
    );
    peer.compute(
        "x25519/single",
        "agreement::agree: both keys parsed beforehand",
        None,
        x25519,
    );
    peer.compute(
        "x25519/keygen/single",
        "agreement::PrivateKey::generate and compute_public_key",
        None,
        |_| keygen(&agreement::X25519),
    );
}

/// The verification algorithm, and its digest.
fn algorithms(
    curve: CurveName,
) -> Result<(
    &'static EcdsaVerificationAlgorithm,
    &'static digest::Algorithm,
)> {
    match curve {
        CurveName::P256 => Ok((&signature::ECDSA_P256_SHA256_ASN1, &digest::SHA256)),
        CurveName::P384 => Ok((&signature::ECDSA_P384_SHA384_ASN1, &digest::SHA384)),
        other => Err(anyhow!("not registered for {other}")),
    }
}

fn verify(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (algorithm, hash) = algorithms(inputs.curve)?;
    let keys = inputs
        .keys
        .iter()
        .map(|key| Ok(ParsedPublicKey::new(algorithm, &key.public)?))
        .collect::<Result<Vec<_>>>()?;
    let rows = inputs
        .rows
        .iter()
        .map(|row| {
            Ok((
                row.key,
                Digest::import_less_safe(&row.digest, hash)?,
                row.der.clone(),
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(verdict(move |i| {
        let (key, digest, signature) = &rows[i % rows.len()];
        keys[*key].verify_digest_sig(digest, signature).is_ok()
    }))
}

fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (_, hash) = algorithms(inputs.curve)?;
    let algorithm = match inputs.curve {
        CurveName::P256 => &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
        CurveName::P384 => &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
        other => return Err(anyhow!("not registered for {other}")),
    };
    let len = i32::try_from(inputs.curve.order_len())?;
    let keys = inputs
        .keys
        .iter()
        .map(|key| {
            Ok(EcdsaKeyPair::from_private_key_and_public_key(
                algorithm,
                &key.private,
                &key.public,
            )?)
        })
        .collect::<Result<Vec<_>>>()?;
    let rows = inputs
        .rows
        .iter()
        .map(|row| Ok((row.key, Digest::import_less_safe(&row.digest, hash)?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(computation(
        move |i| {
            let (key, digest) = &rows[i % rows.len()];
            Ok(keys[*key].sign_digest(digest)?)
        },
        move |_, signature| {
            let parsed = EcdsaSig::from_der(signature.as_ref())?;
            let mut bytes = parsed.r().to_vec_padded(len)?;
            bytes.extend(parsed.s().to_vec_padded(len)?);
            Ok(Output::Signature(bytes))
        },
    ))
}

fn keygen(algorithm: &'static Algorithm) -> Result<Box<dyn Subject>> {
    Ok(computation(
        move |_| {
            let private = PrivateKey::generate(algorithm)?;
            let public = private.compute_public_key()?;
            Ok((private, public))
        },
        move |_, (private, public)| {
            let private = if *algorithm == agreement::X25519 {
                let seed: Curve25519SeedBin<'_> = private.as_be_bytes()?;
                seed.as_ref().to_vec()
            } else {
                let private: EcPrivateKeyBin<'_> = private.as_be_bytes()?;
                private.as_ref().to_vec()
            };
            Ok(Output::KeyPair {
                private,
                public: public.as_ref().to_vec(),
            })
        },
    ))
}

fn agree(own: &PrivateKey, peer: &PeerKey) -> Result<[u8; 32]> {
    agreement::agree(own, peer.clone(), anyhow!("agreement failed"), |shared| {
        Ok(shared.try_into()?)
    })
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let own = inputs
        .keys
        .iter()
        .map(|key| {
            Ok(PrivateKey::from_private_key(
                &agreement::ECDH_P256,
                &key.private,
            )?)
        })
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| Ok(UnparsedPublicKey::new(&agreement::ECDH_P256, &key.public).try_into()?))
        .collect::<Result<Vec<PeerKey>>>()?;
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            agree(&own[mine], &peers[theirs])
        },
        |_, shared| Ok(Output::Shared(shared.to_vec())),
    ))
}

fn x25519(inputs: &Inputs) -> Result<Box<dyn Subject>> {
    let inputs = inputs.x25519()?;
    let own = inputs
        .keys
        .iter()
        .map(|(private, _)| Ok(PrivateKey::from_private_key(&agreement::X25519, private)?))
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|(_, public)| Ok(UnparsedPublicKey::new(&agreement::X25519, public).try_into()?))
        .collect::<Result<Vec<PeerKey>>>()?;
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            agree(&own[mine], &peers[theirs])
        },
        |_, shared| Ok(Output::Shared(shared.to_vec())),
    ))
}
