//! Hints of a run: those that it is given, and those that it writes for later runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde::Serialize;

use crate::error::CliError;
use crate::hints::{HintsFile, HintsWriter, Named};
use crate::judge::{Given, Verdicts};

/// What is known of signatures beside r and s.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hints: an archive that is verified twice")]
pub(crate) struct HintArgs {
    /// Write what a later run needs to be faster: half a byte for each row, or a table if the
    /// extension is that of one. Written when the run ends, if all rows could be read
    #[arg(long, value_name = "FILE")]
    pub(crate) write_hints: Option<PathBuf>,
    /// Hints that --write-hints wrote in an earlier run over these rows. Implies --batch; those of
    /// other rows change no verdict, and are an error when the run ends
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hint_column", "write_hints"])]
    pub(crate) hints: Option<PathBuf>,
    /// A column of hints, which tell of a signature which of a few points R was: recovery ids 0 to
    /// 3, or v from 27 on (none by default). Implies --batch; a hint that is wrong changes no
    /// verdict
    #[arg(long, value_name = "NAME")]
    pub(crate) hint_column: Option<String>,
    /// Judge rows that have hints many at once, by an equation with random weights: faster, and a
    /// row that is not valid passes with a probability of at most 2^-120. Hints are those of
    /// --hints or --hint-column, or v of signatures of 65 bytes
    #[arg(long)]
    pub(crate) batch: bool,
}

/// What became of the file of hints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HintsLine {
    pub(crate) file: String,
    /// Whether the run wrote the file; else it read it.
    pub(crate) written: bool,
    /// The hints that were written, or the rows that the file names.
    pub(crate) hints: u64,
}

/// The file of hints of a run, written or read.
pub(crate) struct Sidecar {
    to: To,
    hints: u64,
}

enum To {
    Write(String, HintsWriter),
    Read(Arc<Given>, Box<Named>),
}

impl HintArgs {
    /// The file of hints that the run is given, read by so many workers until the signal comes.
    pub(crate) fn open(
        &self,
        workers: usize,
        signal: &Arc<AtomicUsize>,
    ) -> Result<Option<Arc<Given>>, CliError> {
        let Some(path) = &self.hints else {
            return Ok(None);
        };
        let file = HintsFile::open(path, workers, signal)?;
        Ok(Some(Arc::new(Given::new(file))))
    }

    /// What follows the rows of the run: the file that it was given, or that it writes.
    pub(crate) fn sidecar(&self, given: Option<&Arc<Given>>) -> Result<Option<Sidecar>, CliError> {
        let to = match (given, &self.write_hints) {
            (Some(given), _) => To::Read(given.clone(), Box::default()),
            (None, Some(path)) => {
                let writer = HintsWriter::create(path)?;
                To::Write(path.display().to_string(), writer)
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Sidecar { to, hints: 0 }))
    }
}

impl Sidecar {
    /// Whether the run is to go on though nobody reads its report.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.to, To::Write(..))
    }

    /// The next rows.
    pub(crate) fn add(&mut self, verdicts: &Verdicts) -> Result<(), CliError> {
        let (rows, signatures) = (verdicts.rows, &verdicts.signatures);
        match &mut self.to {
            To::Write(_, writer) => {
                let are_hints = verdicts.hints.iter().filter(|&&half| half < 4);
                self.hints += are_hints.count() as u64;
                writer.write(rows, &verdicts.hints, signatures)
            }
            To::Read(given, named) => given.file.follow(named, rows, signatures),
        }
    }

    /// At the end of all rows: completes the file that is written, or fails if the one that was
    /// read is not that of the rows.
    pub(crate) fn finish(self) -> Result<HintsLine, CliError> {
        match self.to {
            To::Write(file, writer) => {
                writer.finish()?;
                Ok(HintsLine {
                    file,
                    written: true,
                    hints: self.hints,
                })
            }
            To::Read(given, named) => {
                let hints = given.file.check_rows(*named)?;
                Ok(HintsLine {
                    file: given.file.name.clone(),
                    written: false,
                    hints,
                })
            }
        }
    }
}
