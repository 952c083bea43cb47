//! sigmill itself: fresh keys, prepared keys of every window, and building a key's table.

use anyhow::{Result, ensure};

use sigmill::CurveName;
use sigmill::curve::{Domain, P256, P384, Secp256k1};
use sigmill::ecdsa::{PreparedKey, Signature, VerifyingKey};

use super::without_endomorphism::WithoutEndomorphism;
use crate::inputs::CurveInputs;
use crate::registry::{OURS, Output, Registry, Subject, computation, verdict_with_memory};

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
        .map(|key| Ok(key.prepare(window)?))
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
        move |i| Ok(keys[i % keys.len()].prepare(WINDOW)?),
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
    let fresh = "VerifyingKey::verify_prehash: key and signature parsed beforehand, digest given, \
                 no table of the key";
    let prepared = "PreparedKey::verify_prehash: the key's table made and the signature parsed \
                    beforehand, digest given; window 7 where the name of the operation has none";
    let build = "VerifyingKey::prepare(7): key parsed beforehand";

    peer.verify(
        "p256/verify/fresh/single",
        fresh,
        CurveName::P256,
        self::fresh::<P256>,
    );
    peer.verify(
        "p256/verify/prepared/single",
        prepared,
        CurveName::P256,
        |inputs| self::prepared::<P256>(inputs, WINDOW),
    );
    for window in 1..=11 {
        let op = format!("p256/verify/prepared/w{window}");
        peer.verify(&op, prepared, CurveName::P256, move |inputs| {
            self::prepared::<P256>(inputs, window)
        });
    }
    peer.compute(
        "p256/table-build/w7",
        build,
        Some(CurveName::P256),
        |inputs| table_build::<P256>(&*inputs.curve(CurveName::P256)?),
    );

    peer.verify(
        "p384/verify/fresh/single",
        fresh,
        CurveName::P384,
        self::fresh::<P384>,
    );
    peer.verify(
        "p384/verify/prepared/single",
        prepared,
        CurveName::P384,
        |inputs| self::prepared::<P384>(inputs, WINDOW),
    );
    peer.compute(
        "p384/table-build/w7",
        build,
        Some(CurveName::P384),
        |inputs| table_build::<P384>(&*inputs.curve(CurveName::P384)?),
    );

    let k1 = CurveName::Secp256k1;
    peer.verify(
        "secp256k1/verify/fresh/single",
        fresh,
        k1,
        self::fresh::<Secp256k1>,
    );
    peer.verify(
        "secp256k1/verify/fresh/single-without-endomorphism",
        fresh,
        k1,
        self::fresh::<WithoutEndomorphism>,
    );
    peer.verify("secp256k1/verify/prepared/single", prepared, k1, |inputs| {
        self::prepared::<Secp256k1>(inputs, WINDOW)
    });
}
