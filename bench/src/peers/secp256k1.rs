//! libsecp256k1 through the crate `secp256k1`.

use anyhow::{Context as _, Result, ensure};
use secp256k1::ffi::{self, CPtr as _};
use secp256k1::{Message, PublicKey, Secp256k1, SecretKey, ecdsa};
use sigmill::CurveName;

use crate::inputs::CurveInputs;
use crate::registry::{Output, Registry, Subject, computation, verdict};
use crate::row_set::RowSet;

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of_with("secp256k1", "secp256k1-sys");
    let mut peer = registry.peer("libsecp256k1", version);
    peer.verify_fresh_and_prepared(
        "secp256k1",
        "ecdsa::verify: key and signature parsed beforehand, digest given",
        CurveName::Secp256k1,
        verify,
    );
    peer.verify_set(
        "secp256k1/verify/hinted/bulk",
        "ecdsa::verify: key and signature parsed beforehand, digest given",
        CurveName::Secp256k1,
        RowSet::NewKeys,
        verify,
    );
    peer.compute(
        "secp256k1/sign/single",
        "secp256k1_ecdsa_sign with one context (ecdsa::sign would re-randomize its own at each \
         call, which would double the time), digest given, RFC 6979 nonce",
        Some(CurveName::Secp256k1),
        |inputs| sign(&*inputs.curve(CurveName::Secp256k1)?),
    );
    peer.compute(
        "secp256k1/recover/single",
        "RecoverableSignature::recover: signature and recovery id parsed beforehand, digest given",
        Some(CurveName::Secp256k1),
        |inputs| recover(&*inputs.curve(CurveName::Secp256k1)?),
    );
}

/// Recovers keys from signatures; the id is found beforehand by trial.
fn recover(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let rows = inputs
        .rows
        .iter()
        .map(|row| {
            let message = Message::from_digest(row.digest.as_slice().try_into()?);
            let key = PublicKey::from_slice(&inputs.keys[row.key].public)?;
            let signature = (0..4).find_map(|id| {
                let id = ecdsa::RecoveryId::try_from(id).ok()?;
                let signature =
                    ecdsa::RecoverableSignature::from_compact(&row.signature, id).ok()?;
                (signature.recover(message).ok()? == key).then_some(signature)
            });
            Ok((signature.context("no recovery id")?, message, key))
        })
        .collect::<Result<Vec<_>>>()?;
    let keys: Vec<_> = rows.iter().map(|row| row.2).collect();
    Ok(computation(
        move |i| {
            let (signature, message, _) = &rows[i % rows.len()];
            Ok(signature.recover(*message)?)
        },
        move |i, key| {
            ensure!(key == keys[i % keys.len()], "another key");
            Ok(Output::Checked)
        },
    ))
}

fn verify(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = inputs
        .keys
        .iter()
        .map(|key| Ok(PublicKey::from_slice(&key.public)?))
        .collect::<Result<Vec<_>>>()?;
    let rows = inputs
        .rows
        .iter()
        .map(|row| {
            let signature = ecdsa::Signature::from_compact(&row.signature)?;
            Ok((
                row.key,
                signature,
                Message::from_digest(row.digest.as_slice().try_into()?),
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(verdict(move |i| {
        let (key, signature, message) = &rows[i % rows.len()];
        ecdsa::verify(signature, *message, &keys[*key]).is_ok()
    }))
}

fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let context = Secp256k1::signing_only();
    let keys = inputs
        .keys
        .iter()
        .map(|key| {
            Ok(SecretKey::from_secret_bytes(
                key.private.as_slice().try_into()?,
            )?)
        })
        .collect::<Result<Vec<_>>>()?;
    let rows = inputs
        .rows
        .iter()
        .map(|row| {
            Ok((
                row.key,
                Message::from_digest(row.digest.as_slice().try_into()?),
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(computation(
        move |i| {
            let (key, message) = &rows[i % rows.len()];
            // SAFETY: the signature starts as zeros and is written before it is read. The context
            // is live and created for signing, all pointers come from values of the lengths that
            // the function states, and without nonce data the last one may be null.
            let (done, signature) = unsafe {
                let mut signature = ffi::Signature::new();
                let done = ffi::secp256k1_ecdsa_sign(
                    context.ctx().as_ptr(),
                    &mut signature,
                    message.as_c_ptr(),
                    keys[*key].as_c_ptr(),
                    ffi::secp256k1_nonce_function_rfc6979,
                    core::ptr::null(),
                );
                (done, signature)
            };
            ensure!(done == 1, "signing failed");
            Ok(ecdsa::Signature::from(signature))
        },
        |_, signature| Ok(Output::Signature(signature.serialize_compact().to_vec())),
    ))
}
