//! `sigmill` without arguments: the main job, on a sample that ships with the program.

use std::env;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use serde::Serialize;
use sigmill::bulk::Engine;

use crate::error::{CliError, Outcome};
use crate::format::TableFormat;
use crate::judge::{Extras, Judge, Verdicts};
use crate::output::{Context, grouped, style, write_json_line};
use crate::pipeline::{Event, Pipeline};
use crate::rows::cells::ReadOptions;
use crate::rows::columns::ColumnNames;
use crate::rows::source::{Input, Place, StrictEnd};
use crate::verify::summary::{Summary, Tally};

/// The output of `sigmill sample --rows 1500 --keys 8 --curve P-256,P-384 --encoding base64
/// --invalid 0.01 --malformed 0.01 --out demo.jsonl`. A test generates it again.
static SAMPLE: &[u8] = include_bytes!("../samples/demo.jsonl");

/// The name of the sample in the output.
const SAMPLE_NAME: &str = "demo.jsonl";

/// The agreement of the verdicts with the ids of the rows.
#[derive(Debug, Default, Serialize)]
struct Findings {
    /// Rows changed after they were signed, and the number of them that were rejected.
    invalid: u64,
    invalid_found: u64,
    /// Rows broken in some other way, and the number of them that were rejected.
    malformed: u64,
    malformed_found: u64,
    /// Good rows that were rejected.
    wrongly_rejected: u64,
}

#[derive(Serialize)]
struct DemoLine<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    findings: &'a Findings,
}

/// Runs the main job on the sample that ships with the program.
pub(crate) fn run(ctx: &Context) -> Result<Outcome, CliError> {
    let options = ReadOptions::new(ColumnNames::default(), None, None)?;
    let engine = Engine::builder()
        .build()
        .map_err(|e| CliError::Usage(e.to_string()))?;
    let (engine, options) = (Arc::new(engine), Arc::new(options));
    let extras = Extras {
        ids: true,
        ..Extras::default()
    };
    let pipeline = Pipeline {
        wanted: options.wanted.clone(),
        strict_end: StrictEnd::default(),
        workers: ctx.threads,
        signal: Arc::new(AtomicUsize::new(0)),
        done: Arc::new(AtomicU64::new(0)),
    };
    let input = Input {
        place: Place::Memory(SAMPLE.into()),
        name: SAMPLE_NAME.into(),
        format: TableFormat::Jsonl,
    };
    let mut tally = Tally::default();
    let mut findings = Findings::default();
    let judge = || Judge::new(engine.clone(), options.clone(), extras);
    pipeline.run(vec![input], judge, |event| {
        match event {
            Event::Done(_, verdicts) => {
                findings.add(&verdicts);
                tally.add(SAMPLE_NAME, tally.rows + 1, &verdicts);
            }
            Event::Failed(error) => return Err(error),
            Event::MayBeTruncated(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let summary = tally.finish(&engine, 1, pipeline.workers, false);
    print(ctx, &summary, &findings)?;
    Ok(if findings.is_right() {
        Outcome::Clean
    } else {
        Outcome::Rejected
    })
}

impl Findings {
    fn add(&mut self, verdicts: &Verdicts) {
        let mut rejected = verdicts.rejected.iter().peekable();
        for (index, id) in (0..).zip(verdicts.ids.iter().flatten()) {
            let is_rejected = rejected.next_if(|r| r.index == index).is_some();
            match id.as_deref().and_then(|id| id.split('-').next()) {
                Some("invalid") => {
                    self.invalid += 1;
                    self.invalid_found += u64::from(is_rejected);
                }
                Some("malformed") => {
                    self.malformed += 1;
                    self.malformed_found += u64::from(is_rejected);
                }
                _ => self.wrongly_rejected += u64::from(is_rejected),
            }
        }
    }

    fn is_right(&self) -> bool {
        self.invalid == self.invalid_found
            && self.malformed == self.malformed_found
            && self.wrongly_rejected == 0
    }
}

fn print(ctx: &Context, summary: &Summary, findings: &Findings) -> Result<(), CliError> {
    let mut out = ctx.stdout();
    if ctx.json {
        write_json_line(&mut out, &DemoLine { summary, findings })?;
        out.flush()?;
        return Ok(());
    }
    if ctx.quiet {
        return Ok(());
    }
    let (bold, good, bad) = (style::BOLD, style::GOOD, style::BAD);
    writeln!(
        out,
        "sigmill verifies ECDSA signatures. It has just verified its built-in sample: {} \
         payments, each with\na signature and a public key on P-256 or P-384. {} of them were \
         changed after signing, and {} are\nmalformed.\n",
        grouped(summary.rows),
        findings.invalid,
        findings.malformed
    )?;
    summary.write(&mut out)?;
    writeln!(out)?;
    if findings.is_right() {
        let planted = findings.invalid + findings.malformed;
        writeln!(
            out,
            "{good}All {planted} bad rows were found, and no valid row was rejected.{good:#}"
        )?;
    } else {
        writeln!(
            out,
            "{bad}Wrong verdicts:{bad:#} found {} of {} changed and {} of {} malformed rows, \
             rejected {} valid rows. Please report this.",
            findings.invalid_found,
            findings.invalid,
            findings.malformed_found,
            findings.malformed,
            findings.wrongly_rejected
        )?;
    }
    let sigmill = if env::var_os("CARGO").is_some() {
        "cargo run --release --"
    } else {
        "sigmill"
    };
    writeln!(
        out,
        "\n{bold}Try next{bold:#}\n  \
         {sigmill} sample --rows 200000 --keys 16 --invalid 0.001 --out big.parquet\n  \
         {sigmill} verify big.parquet\n  \
         {sigmill} verify --help        the columns that a table must have"
    )?;
    out.flush()?;
    Ok(())
}
