//! sigmill itself: fresh keys, prepared keys of every window, and building a key's table.

use anyhow::{Result, ensure};

use sigmill::curves::{Domain, NamedCurve, P256};
use sigmill::ecdsa::Signature;
use sigmill::keys::{PreparedKey, VerifyingKey};
use sigmill::{CurveName, for_each_curve};

use super::without_endomorphism::WithoutEndomorphism;
use crate::inputs::{CurveInputs, prefix};
use crate::registry::{OURS, Output, Peer, Registry, Subject, computation, verdict_with_memory};

/// The window of `prepared/single` and of `table-build`.
const WINDOW: u32 = 7;

fn keys<C: Domain + Default>(inputs: &CurveInputs) -> Result<Vec<VerifyingKey<C>>> {
    inputs
        .keys
        .iter()
        .map(|key| Ok(VerifyingKey::from_sec1_bytes(&key.public)?))
        .collect()
}

/// Key, digest and parsed signature of every row.
#[allow(clippy::type_complexity, reason = "a row")]
fn rows<C: Domain + Default>(inputs: &CurveInputs) -> Result<Vec<(usize, Vec<u8>, Signature<C>)>> {
    inputs
        .rows
        .iter()
        .map(|row| {
            let signature = Signature::from_p1363(&row.signature)?;
            Ok((row.key, row.digest.clone(), signature))
        })
        .collect()
}

fn fresh<C: Domain + Default>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (keys, rows) = (keys::<C>(inputs)?, rows::<C>(inputs)?);
    Ok(verdict_with_memory(None, move |i| {
        let (key, digest, signature) = &rows[i % rows.len()];
        keys[*key].verify_prehash(digest, signature).is_ok()
    }))
}

fn prepared<C: Domain + Default>(inputs: &CurveInputs, window: u32) -> Result<Box<dyn Subject>> {
    let keys = keys::<C>(inputs)?
        .iter()
        .map(|key| Ok(key.prepare_with_window(window)?))
        .collect::<Result<Vec<PreparedKey<C>>>>()?;
    let rows = rows::<C>(inputs)?;
    let memory = keys.first().map(PreparedKey::<C>::memory_bytes);
    Ok(verdict_with_memory(memory, move |i| {
        let (key, digest, signature) = &rows[i % rows.len()];
        keys[*key].verify_prehash(digest, signature).is_ok()
    }))
}

fn table_build<C: Domain + Default>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (keys, rows) = (keys::<C>(inputs)?, rows::<C>(inputs)?);
    let count = keys.len();
    Ok(computation(
        move |i| Ok(keys[i % keys.len()].prepare_with_window(WINDOW)?),
        move |i, table| {
            for (key, digest, signature) in rows.iter().take(2 * count) {
                let valid = table.verify_prehash(digest, signature).is_ok();
                ensure!(valid == (*key == i % count), "a wrong verdict");
            }
            Ok(Output::Checked)
        },
    ))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    for_each_curve!(C => register_curve::<C>(&mut peer));
    for window in 1..=11 {
        let op = format!("p256/verify/prepared/w{window}");
        peer.verify(&op, PREPARED, CurveName::P256, move |inputs| {
            prepared::<P256>(inputs, window)
        });
    }
    peer.verify(
        "secp256k1/verify/fresh/single-without-endomorphism",
        FRESH,
        CurveName::Secp256k1,
        fresh::<WithoutEndomorphism>,
    );
}

const FRESH: &str = "VerifyingKey::verify_prehash: key and signature parsed beforehand, digest \
                     given, no table of the key";
const PREPARED: &str = "PreparedKey::verify_prehash: the key's table made and the signature parsed \
                        beforehand, digest given; window 7 where the name of the operation has \
                        none";

fn register_curve<C: NamedCurve + Default>(peer: &mut Peer<'_>) {
    let curve = C::default().name();
    let op = |name: &str| format!("{}/{name}", prefix(curve));
    peer.verify(&op("verify/fresh/single"), FRESH, curve, fresh::<C>);
    peer.verify(&op("verify/prepared/single"), PREPARED, curve, |inputs| {
        prepared::<C>(inputs, WINDOW)
    });
    let build = "VerifyingKey::prepare_with_window(7): key parsed beforehand";
    peer.compute(&op("table-build/w7"), build, Some(curve), move |inputs| {
        table_build::<C>(&*inputs.curve(curve)?)
    });
}
