//! sigmill's bulk engine with hints and with a policy that allows batches.

use anyhow::{Context as _, Result};
use sigmill::bulk::Engine;
use sigmill::{AnyVerifyingKey, CurveName, Policy, RecoveryId, SignatureFormat};

use super::sigmill_bulk::{Bulk, FixedColumn, KeyForm, Keys, ROWS, Told};
use crate::inputs::{CurveInputs, prefix};
use crate::registry::{OURS, Registry, Subject};
use crate::row_set::RowSet;

/// The content of the hints.
#[derive(Clone, Copy)]
enum Form {
    Ids,
    Y,
}

/// The hints of all rows, found by trial; arbitrary for invalid rows.
fn told(inputs: &CurveInputs, form: Form) -> Result<Told> {
    let (curve, format) = (inputs.curve, SignatureFormat::P1363);
    let len = curve.field_len();
    let (mut ids, mut ys) = (Vec::new(), Vec::new());
    for row in &inputs.rows {
        let is_it = |id: &RecoveryId| {
            let key = AnyVerifyingKey::recover_from_prehash(
                curve,
                &row.digest,
                &row.signature,
                format,
                *id,
            );
            key.is_ok_and(|key| key.to_sec1_bytes(false) == inputs.keys[row.key].public)
        };
        let id = RecoveryId::ALL.into_iter().find(is_it);
        let id = id.unwrap_or(RecoveryId::new(false, false));
        ids.push(id.to_byte());
        let compressed = [&[2 + u8::from(id.is_y_odd())], &row.signature[..len]].concat();
        let point = AnyVerifyingKey::from_sec1_bytes(curve, &compressed);
        let y = point.map_or(vec![0; len], |point| {
            point.to_sec1_bytes(false)[1 + len..].to_vec()
        });
        ys.extend(y);
    }
    Ok(match form {
        Form::Ids => Told::Ids(FixedColumn::new(1, ids.chunks(1))),
        Form::Y => Told::Y(FixedColumn::new(len, ys.chunks(len))),
    })
}

/// Rows whose keys are all new to the engine.
fn new(inputs: &CurveInputs, form: Form, rows: usize) -> Result<Box<dyn Subject>> {
    let keys = Keys::New(Policy::default().with_batch(true));
    let told = told(inputs, form).context("hints")?;
    let bulk = Bulk::new(keys, inputs, KeyForm::Uncompressed, told, rows)?;
    Ok(Box::new(bulk))
}

/// Rows of one key that the engine knows.
fn one_key(inputs: &CurveInputs, form: Form) -> Result<Box<dyn Subject>> {
    let policy = Policy::default().with_batch(true);
    let engine = Engine::builder().policy(policy).build()?;
    let told = told(inputs, form).context("hints")?;
    let keys = Keys::Known(Box::new(engine));
    let bulk = Bulk::new(keys, inputs, KeyForm::Uncompressed, told, ROWS)?;
    bulk.warm_up(2)?;
    Ok(Box::new(bulk))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let timed = "Engine::verify with Policy::batch: 4,096 rows per call (64 in bulk-64), each \
                 with its own key, by an engine built in the call with key_memory(0) (in \
                 bulk-one-key all rows have one key, which the engine knows); hints of two bits \
                 (y(R) in bulk-full); keys as uncompressed SEC 1 bytes and P1363 signatures parsed \
                 in the call, digests given";
    for curve in [CurveName::P256, CurveName::Secp256k1] {
        let op = |name: &str| format!("{}/verify/hinted/{name}", prefix(curve));
        for (name, form, rows) in [
            ("bulk", Form::Ids, ROWS),
            ("bulk-full", Form::Y, ROWS),
            ("bulk-64", Form::Ids, 64),
            ("bulk-full-64", Form::Y, 64),
        ] {
            let make = move |inputs: &CurveInputs| new(inputs, form, rows);
            let entry = peer.verify_set(&op(name), timed, curve, RowSet::NewKeys, make);
            entry.checked_rows = ROWS;
        }
        for (name, form) in [("bulk-one-key", Form::Ids), ("bulk-one-key-full", Form::Y)] {
            let make = move |inputs: &CurveInputs| one_key(inputs, form);
            let entry = peer.verify_set(&op(name), timed, curve, RowSet::OneKey, make);
            entry.checked_rows = ROWS;
        }
    }
}
