//! sigmill's bulk engine: many rows in one call.

use std::fmt::Write as _;
use std::ops::Range;

use anyhow::Result;
use sigmill::bulk::{
    Column, Control, Engine, Hints, Inputs, Rows, ShapeError, Signatures, Verdicts,
};
use sigmill::{Algorithm, CurveName, Policy};

use crate::inputs::{CurveInputs, prefix};
use crate::machine;
use crate::registry::{OURS, Output, Registry, Subject};
use crate::row_set::RowSet;

/// The rows of a call unless the operation overrides it.
pub(super) const ROWS: usize = 4096;

/// The encoding of the keys.
#[derive(Clone, Copy)]
pub(super) enum KeyForm {
    Compressed,
    Uncompressed,
}

/// The hints of rows on their points R.
pub(super) enum Told {
    /// Nothing.
    Nothing,
    /// Recovery ids.
    Ids(FixedColumn),
    /// y-coordinates.
    Y(FixedColumn),
}

/// The columns of all rows.
struct Columns {
    algorithm: Algorithm,
    keys: FixedColumn,
    digests: FixedColumn,
    signatures: FixedColumn,
    told: Told,
}

/// Values of one length, concatenated.
pub(super) struct FixedColumn {
    bytes: Vec<u8>,
    width: usize,
}

impl FixedColumn {
    pub(super) fn new<'a>(width: usize, values: impl Iterator<Item = &'a [u8]>) -> Self {
        let bytes = values.flatten().copied().collect();
        Self { bytes, width }
    }

    fn part(&self, rows: &Range<usize>) -> Column<'_> {
        let Self { bytes, width } = self;
        Column::fixed(&bytes[rows.start * width..rows.end * width], *width)
    }
}

impl Columns {
    fn new(inputs: &CurveInputs, form: KeyForm, told: Told) -> Result<Self> {
        let algorithm = inputs.curve.default_algorithm();
        let len = inputs.curve.field_len();
        let keys: Vec<Vec<u8>> = inputs
            .keys
            .iter()
            .map(|key| match form {
                KeyForm::Uncompressed => key.public.clone(),
                KeyForm::Compressed => {
                    let sign = 2 + (key.public[2 * len] & 1);
                    [&[sign], &key.public[1..=len]].concat()
                }
            })
            .collect();
        let key_len = match form {
            KeyForm::Compressed => 1 + len,
            KeyForm::Uncompressed => 1 + 2 * len,
        };
        let rows = || inputs.rows.iter();
        Ok(Self {
            algorithm,
            keys: FixedColumn::new(key_len, rows().map(|row| &keys[row.key][..])),
            digests: FixedColumn::new(
                algorithm.hash.output_len(),
                rows().map(|row| &row.digest[..]),
            ),
            signatures: FixedColumn::new(2 * len, rows().map(|row| &row.signature[..])),
            told,
        })
    }

    fn rows(&self, range: &Range<usize>) -> Result<Rows<'_>, ShapeError> {
        let rows = Rows::new(
            self.algorithm,
            self.keys.part(range),
            Inputs::Digests(self.digests.part(range)),
            Signatures::P1363(self.signatures.part(range)),
        )?;
        match &self.told {
            Told::Nothing => Ok(rows),
            Told::Ids(ids) => rows.hints(Hints::Ids(ids.part(range))),
            Told::Y(y) => rows.hints(Hints::Y(y.part(range))),
        }
    }
}

/// The engine of a call.
pub(super) enum Keys {
    /// Always the same engine, which knows the keys.
    Known(Box<Engine>),
    /// A new engine for each call, with this policy, which knows and keeps nothing.
    New(Policy),
}

/// Consecutive calls of the given number of rows.
pub(super) struct Bulk {
    keys: Keys,
    columns: Columns,
    rows: usize,
    rows_per_call: usize,
    next: usize,
    /// True to request hints with the verdicts.
    wants_hints: bool,
}

impl Bulk {
    pub(super) fn new(
        keys: Keys,
        inputs: &CurveInputs,
        form: KeyForm,
        told: Told,
        rows_per_call: usize,
    ) -> Result<Self> {
        let rows = inputs.rows.len();
        Ok(Self {
            keys,
            columns: Columns::new(inputs, form, told)?,
            rows,
            rows_per_call: rows_per_call.min(rows),
            next: 0,
            wants_hints: false,
        })
    }

    /// The same, requesting hints of all rows with the verdicts.
    fn with_hints(mut self, wants_hints: bool) -> Self {
        self.wants_hints = wants_hints;
        self
    }

    /// Judges all rows the given number of times, so that the engine knows the keys and their
    /// frequencies, and has the tables that pay.
    pub(super) fn warm_up(&self, times: usize) -> Result<()> {
        for call in 0..times * self.full_calls() {
            self.judge(&self.range(call % self.full_calls()), &Control::default())?;
        }
        Ok(())
    }

    /// The number of calls with all their rows.
    fn full_calls(&self) -> usize {
        self.rows / self.rows_per_call.max(1)
    }

    /// The rows judged so far, by the window of their key's table, if the engine stays the same.
    fn rows_by_window(&self) -> Vec<u64> {
        match &self.keys {
            Keys::Known(engine) => engine.stats().rows_by_window.to_vec(),
            Keys::New(_) => vec![],
        }
    }

    /// The rows of a call.
    fn range(&self, call: usize) -> Range<usize> {
        let start = (call * self.rows_per_call).min(self.rows);
        start..(start + self.rows_per_call).min(self.rows)
    }

    fn judge(&self, range: &Range<usize>, control: &Control<'_>) -> Result<Verdicts> {
        let rows = self.columns.rows(range)?;
        Ok(match &self.keys {
            Keys::Known(engine) => engine.verify_with(&rows, control),
            Keys::New(policy) => Engine::builder()
                .key_memory(0)
                .policy(*policy)
                .build()?
                .verify_with(&rows, control),
        })
    }
}

impl Subject for Bulk {
    fn call(&mut self, i: usize) -> bool {
        let call = i % self.full_calls();
        self.next = call + 1;
        let control = Control::default().hints(self.wants_hints);
        self.judge(&self.range(call), &control)
            .is_ok_and(|verdicts| {
                let last = verdicts.hints().and_then(|hints| hints.last());
                verdicts.valid() == self.rows_per_call
                    && last.is_some_and(Option::is_some) == self.wants_hints
            })
    }

    fn items_per_call(&self) -> usize {
        self.rows_per_call
    }

    fn verdicts(&mut self, i: usize) -> Vec<bool> {
        let verdicts = self.judge(&self.range(i), &Control::default());
        verdicts.map_or_else(
            |_| vec![],
            |verdicts| verdicts.as_slice().iter().map(Result::is_ok).collect(),
        )
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        Ok(Output::Checked)
    }

    /// The plan of the next call, carried out, and the contents of the store.
    fn remarks(&mut self) -> Option<String> {
        let control = Control::default().explain(true);
        let range = self.range(self.next % self.full_calls());
        let before = self.rows_by_window();
        let verdicts = self.judge(&range, &control).ok()?;
        let mut text = format!("the plan of a call:\n{}", verdicts.plan()?);
        match &self.keys {
            Keys::Known(engine) => {
                let rows = self.rows_by_window().into_iter().zip(before);
                let rows = (0..).zip(rows.map(|(after, before)| after - before));
                let rows: Vec<String> = rows
                    .filter(|&(_, rows)| rows > 0)
                    .map(|(window, rows)| match window {
                        0 => format!("{rows} without a table"),
                        _ => format!("{rows} at window {window}"),
                    })
                    .collect();
                let _ = writeln!(text, "rows of this call: {}", rows.join(", "));
                let store = engine.key_store().stats();
                let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
                let _ = writeln!(
                    text,
                    "store: {} tables of {:.1} MiB in {:.1} of {:.1} MiB, {} keys remembered; so \
                     far {} tables built, {} evicted, {} refused",
                    store.tables,
                    mebibytes(store.table_bytes),
                    mebibytes(store.bytes_used),
                    mebibytes(store.bytes_limit),
                    store.keys,
                    store.promotions,
                    store.evictions,
                    store.refused,
                );
            }
            Keys::New(_) => text += "store: none; the engine is new in each call\n",
        }
        Some(text)
    }
}

/// The settings of an operation with known keys.
#[derive(Clone, Copy)]
struct Known {
    threads: usize,
    rows_per_call: usize,
    /// How often all rows are judged before timing: enough for most keys to have the tables that
    /// pay in the long run.
    times_before: usize,
    wants_hints: bool,
}

impl Known {
    fn make(self, inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
        let builder = Engine::builder().threads(self.threads);
        let engine = if self.threads == 1 {
            builder.build()?
        } else {
            machine::on_every_core(|| builder.build())?
        };
        let keys = Keys::Known(Box::new(engine));
        let (form, rows) = (KeyForm::Uncompressed, self.rows_per_call);
        let bulk = Bulk::new(keys, inputs, form, Told::Nothing, rows)?;
        bulk.warm_up(self.times_before)?;
        Ok(Box::new(bulk.with_hints(self.wants_hints)))
    }
}

fn new(inputs: &CurveInputs, form: KeyForm, wants_hints: bool) -> Result<Box<dyn Subject>> {
    let keys = Keys::New(Policy::default());
    let bulk = Bulk::new(keys, inputs, form, Told::Nothing, ROWS)?;
    Ok(Box::new(bulk.with_hints(wants_hints)))
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let prepared = "Engine::verify, default settings, with the keys in its store: 4,096 rows per \
                    call (64 in bulk-64); bulk-hints also returns the hint of each row; keys \
                    as uncompressed SEC 1 bytes, looked up in the call; P1363 signatures parsed \
                    in the call, digests given";
    let two_threads = "Engine::verify as in bulk, with threads(2); the threads may use every \
                       core, and so may the caller's; wall-clock time";
    let fresh = "Engine::verify, 4,096 rows per call, each with its own key, by an engine built \
                 in the call with key_memory(0); bulk-hints also returns the hint of each row; \
                 keys as uncompressed SEC 1 bytes (compressed in \
                 bulk-compressed) and P1363 signatures parsed in the call, digests given";
    let few = Known {
        threads: 1,
        rows_per_call: ROWS,
        times_before: 16,
        wants_hints: false,
    };
    let few_64 = Known {
        rows_per_call: 64,
        ..few
    };
    let two = Known { threads: 2, ..few };
    let zipf = Known {
        times_before: 2,
        ..few
    };
    let thousand = Known {
        times_before: 128,
        ..few
    };

    let hints = Known {
        wants_hints: true,
        ..few
    };

    let mut known = vec![
        (
            "p256/verify/prepared/bulk-hints".to_owned(),
            CurveName::P256,
            RowSet::FewKeys,
            hints,
        ),
        (
            "p256/verify/prepared/bulk-64".to_owned(),
            CurveName::P256,
            RowSet::FewKeys,
            few_64,
        ),
        (
            "p256/verify/prepared/bulk-1000-keys".to_owned(),
            CurveName::P256,
            RowSet::ThousandKeys,
            thousand,
        ),
        (
            "p256/verify/prepared/bulk-zipf".to_owned(),
            CurveName::P256,
            RowSet::Zipf,
            zipf,
        ),
    ];
    let on_every_curve = |name: &'static str| {
        let curves = CurveName::ALL.iter();
        curves.map(move |&curve| (format!("{}/{name}", prefix(curve)), curve))
    };
    known.extend(
        on_every_curve("verify/prepared/bulk").map(|(op, curve)| (op, curve, RowSet::FewKeys, few)),
    );
    for (op, curve, set, known) in known {
        let entry = peer.verify_set(&op, prepared, curve, set, move |inputs| known.make(inputs));
        entry.checked_rows = ROWS;
    }
    let op = "p256/verify/prepared/bulk-2-threads";
    let entry = peer.verify_set(
        op,
        two_threads,
        CurveName::P256,
        RowSet::FewKeys,
        move |inputs| two.make(inputs),
    );
    entry.checked_rows = ROWS;
    entry.one_thread = Some("p256/verify/prepared/bulk".to_owned());

    let (plain, compressed) = (KeyForm::Uncompressed, KeyForm::Compressed);
    let mut fresh_keys = vec![
        (
            "p256/verify/fresh/bulk-compressed".to_owned(),
            CurveName::P256,
            RowSet::NewKeys,
            compressed,
        ),
        // In every row some points meet: all of them leave their trees.
        (
            "p256/verify/fresh/bulk-attacked".to_owned(),
            CurveName::P256,
            RowSet::Meeting,
            plain,
        ),
    ];
    fresh_keys.extend(
        on_every_curve("verify/fresh/bulk").map(|(op, curve)| (op, curve, RowSet::NewKeys, plain)),
    );
    for (op, curve, set, form) in fresh_keys {
        let entry = peer.verify_set(&op, fresh, curve, set, move |inputs| {
            new(inputs, form, false)
        });
        entry.checked_rows = ROWS;
    }
    let op = "p256/verify/fresh/bulk-hints";
    let make = move |inputs: &CurveInputs| new(inputs, plain, true);
    let entry = peer.verify_set(op, fresh, CurveName::P256, RowSet::NewKeys, make);
    entry.checked_rows = ROWS;
}
