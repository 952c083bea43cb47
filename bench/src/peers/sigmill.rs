//! sigmill itself: fresh keys, prepared keys of every window, and building a key's table.

use anyhow::{Result, ensure};

use crate::inputs::{Curve, CurveInputs};
use crate::registry::{OURS, Output, Registry, Subject, computation, verdict_with_memory};

/// The window of `prepared/single` and of `table-build`.
const WINDOW: u32 = 7;

/// Both curves have the same interface, in modules of the same shape.
macro_rules! curve {
    ($name:ident) => {
        mod $name {
            use super::*;
            use sigmill::$name::{PreparedKey, Signature, VerifyingKey};

            fn keys(inputs: &CurveInputs) -> Result<Vec<VerifyingKey>> {
                inputs
                    .keys
                    .iter()
                    .map(|key| Ok(VerifyingKey::from_sec1_bytes(&key.public)?))
                    .collect()
            }

            /// Key, digest and parsed signature of every row.
            fn rows(inputs: &CurveInputs) -> Result<Vec<(usize, Vec<u8>, Signature)>> {
                inputs
                    .rows
                    .iter()
                    .map(|row| {
                        let signature = Signature::from_p1363(&row.signature)?;
                        Ok((row.key, row.digest.clone(), signature))
                    })
                    .collect()
            }

            pub(super) fn fresh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
                let (keys, rows) = (keys(inputs)?, rows(inputs)?);
                Ok(verdict_with_memory(None, move |i| {
                    let (key, digest, signature) = &rows[i % rows.len()];
                    keys[*key].verify_prehash(digest, signature).is_ok()
                }))
            }

            pub(super) fn prepared(inputs: &CurveInputs, window: u32) -> Result<Box<dyn Subject>> {
                let keys = keys(inputs)?
                    .iter()
                    .map(|key| Ok(key.prepare(window)?))
                    .collect::<Result<Vec<PreparedKey>>>()?;
                let rows = rows(inputs)?;
                let memory = keys.first().map(PreparedKey::memory_bytes);
                Ok(verdict_with_memory(memory, move |i| {
                    let (key, digest, signature) = &rows[i % rows.len()];
                    keys[*key].verify_prehash(digest, signature).is_ok()
                }))
            }

            pub(super) fn table_build(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
                let (keys, rows) = (keys(inputs)?, rows(inputs)?);
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
        }
    };
}

curve!(p256);
curve!(p384);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let fresh = "VerifyingKey::verify_prehash: key and signature parsed beforehand, digest given, \
                 no table of the key";
    let prepared = "PreparedKey::verify_prehash: the key's table made and the signature parsed \
                    beforehand, digest given; window 7 where the name of the operation has none";
    let build = "VerifyingKey::prepare(7): key parsed beforehand";

    peer.verify("p256/verify/fresh/single", fresh, Curve::P256, p256::fresh);
    peer.verify(
        "p256/verify/prepared/single",
        prepared,
        Curve::P256,
        |inputs| p256::prepared(inputs, WINDOW),
    );
    for window in 1..=11 {
        let op = format!("p256/verify/prepared/w{window}");
        peer.verify(&op, prepared, Curve::P256, move |inputs| {
            p256::prepared(inputs, window)
        });
    }
    peer.compute("p256/table-build/w7", build, Some(Curve::P256), |inputs| {
        p256::table_build(&*inputs.curve(Curve::P256)?)
    });

    peer.verify("p384/verify/fresh/single", fresh, Curve::P384, p384::fresh);
    peer.verify(
        "p384/verify/prepared/single",
        prepared,
        Curve::P384,
        |inputs| p384::prepared(inputs, WINDOW),
    );
    peer.compute("p384/table-build/w7", build, Some(Curve::P384), |inputs| {
        p384::table_build(&*inputs.curve(Curve::P384)?)
    });
}
