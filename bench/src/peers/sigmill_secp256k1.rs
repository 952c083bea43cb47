//! Operations that sigmill has on secp256k1 only: recovery, and lanes with and without the
//! endomorphism.

use anyhow::{Context as _, Result, ensure};
use sigmill::CurveName;
use sigmill::RecoveryId;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{Curve, Secp256k1};
use sigmill::hazmat::ecdsa::{Recover, Verify, recover_many_vartime, verify_many_vartime};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::VerifyingKey;

use super::without_endomorphism::WithoutEndomorphism;
use crate::inputs::{self, CurveInputs};
use crate::registry::{OURS, Output, Registry, Subject, computation, computation_of_many};

/// The rows of a call.
const ROWS: usize = 2048;

/// A row, parsed.
struct Row<C: Curve> {
    key: VerifyingKey<C>,
    digest: Vec<u8>,
    signature: Signature<C>,
}

fn rows<C: Curve + Default>(inputs: &CurveInputs) -> Result<Vec<Row<C>>> {
    let row = |row: &inputs::Row| {
        Ok(Row {
            key: VerifyingKey::from_sec1_bytes(&inputs.keys[row.key].public)?,
            digest: row.digest.clone(),
            signature: Signature::from_p1363(&row.signature)?,
        })
    };
    inputs.rows.iter().map(row).collect()
}

/// The recovery ids, found by trial.
fn ids(rows: &[Row<Secp256k1>]) -> Result<Vec<RecoveryId>> {
    let id = |row: &Row<Secp256k1>| {
        let is_of_key = |id: &RecoveryId| {
            VerifyingKey::recover_from_prehash(&row.digest, &row.signature, *id) == Ok(row.key)
        };
        let id = RecoveryId::ALL.into_iter().find(is_of_key);
        id.context("no recovery id")
    };
    rows.iter().map(id).collect()
}

fn recover(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let rows = rows(inputs)?;
    let ids = ids(&rows)?;
    let expected: Vec<_> = rows.iter().map(|row| row.key).collect();
    Ok(computation(
        move |i| {
            let (row, id) = (&rows[i % rows.len()], ids[i % rows.len()]);
            Ok(VerifyingKey::recover_from_prehash(
                &row.digest,
                &row.signature,
                id,
            )?)
        },
        move |i, key| {
            ensure!(key == expected[i % expected.len()], "another key");
            Ok(Output::Checked)
        },
    ))
}

fn recover_many(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let rows = rows(inputs)?;
    let ids = ids(&rows)?;
    let expected: Vec<_> = rows.iter().map(|row| row.key).collect();
    Ok(computation_of_many(
        ROWS,
        move |places| {
            let first = places.start;
            let rows = places.map(|i| {
                let (row, id) = (&rows[i % rows.len()], ids[i % rows.len()]);
                Recover {
                    digest: &row.digest,
                    signature: row.signature.scalars(),
                    id,
                }
            });
            let rows: Vec<_> = rows.collect();
            let keys = recover_many_vartime(Secp256k1, &rows);
            Ok((first..).zip(keys).collect())
        },
        move |(i, key)| {
            ensure!(key? == expected[i % expected.len()], "another key");
            Ok(Output::Checked)
        },
    ))
}

fn verify_many<C: Curve + Default>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let rows = rows::<C>(inputs)?;
    Ok(computation_of_many(
        ROWS,
        move |places| {
            let rows = places.map(|i| {
                let row = &rows[i % rows.len()];
                Verify {
                    strategy: row.key.strategy(),
                    digest: &row.digest,
                    signature: row.signature.scalars(),
                }
            });
            let rows: Vec<_> = rows.collect();
            let mut verdicts = vec![Err(sigmill::Error::NotJudged); rows.len()];
            verify_many_vartime(C::default(), &rows, &mut verdicts);
            Ok(verdicts)
        },
        |verdict| {
            verdict?;
            Ok(Output::Checked)
        },
    ))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let k1 = CurveName::Secp256k1;
    let timed = "VerifyingKey::recover_from_prehash: signature and recovery id parsed beforehand, \
                 digest given";
    peer.compute("secp256k1/recover/single", timed, Some(k1), move |inputs| {
        recover(&*inputs.curve(k1)?)
    });
    let timed = "ecdsa::recover_many_vartime of 2,048 rows: as a single one";
    peer.compute("secp256k1/recover/bulk", timed, Some(k1), move |inputs| {
        recover_many(&*inputs.curve(k1)?)
    });
    let timed = "ecdsa::verify_many_vartime of 2,048 rows: keys and signatures parsed beforehand, \
                 digests given";
    peer.compute(
        "secp256k1/verify/fresh/many",
        timed,
        Some(k1),
        move |inputs| verify_many::<Secp256k1>(&*inputs.curve(k1)?),
    );
    peer.compute(
        "secp256k1/verify/fresh/many-without-endomorphism",
        timed,
        Some(k1),
        move |inputs| verify_many::<WithoutEndomorphism>(&*inputs.curve(k1)?),
    );
}
