//! Hints that a run reads, and hints that it writes for later runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde::Serialize;

use crate::error::CliError;
use crate::hints::{HintsFile, HintsWriter, SeenRows};
use crate::judge::{HintsInput, Verdicts};

/// Knowledge about signatures in addition to r and s.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hints: an archive that is verified twice")]
pub(crate) struct HintArgs {
    /// Write hints for a faster later run: half a byte per row, or a table if FILE has the
    /// extension of a table. Written at the end of the run, if all rows could be read
    #[arg(long, value_name = "FILE")]
    pub(crate) write_hints: Option<PathBuf>,
    /// Read hints that --write-hints wrote in an earlier run over these rows. Implies --batch.
    /// Hints of other rows change no verdict, and are an error at the end of the run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hint_column", "write_hints"])]
    pub(crate) hints: Option<PathBuf>,
    /// Read hints from this column (none by default): recovery ids 0 to 3, or v from 27 on. A hint
    /// says which of a few points R was. Implies --batch. A wrong hint changes no verdict
    #[arg(long, value_name = "NAME")]
    pub(crate) hint_column: Option<String>,
    /// Judge rows that have hints in batches, by an equation with random weights. This is faster;
    /// an invalid row passes with a probability of at most 2^-120. Hints come from --hints or
    /// --hint-column, or are v of signatures of 65 bytes
    #[arg(long)]
    pub(crate) batch: bool,
}

/// The report on the file of hints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HintsLine {
    pub(crate) file: String,
    /// True if the run wrote the file; otherwise it read the file.
    pub(crate) written: bool,
    /// The number of hints written, or of rows that the file names.
    pub(crate) hints: u64,
}

/// The file of hints of a run, written or read.
pub(crate) struct RunHints {
    to: To,
    hints: u64,
}

enum To {
    Write(String, HintsWriter),
    Read(Arc<HintsInput>, Box<SeenRows>),
}

impl HintArgs {
    /// Opens the file of hints of `--hints`, for `workers` threads that read it until the signal
    /// arrives.
    pub(crate) fn open(
        &self,
        workers: usize,
        signal: &Arc<AtomicUsize>,
    ) -> Result<Option<Arc<HintsInput>>, CliError> {
        let Some(path) = &self.hints else {
            return Ok(None);
        };
        let file = HintsFile::open(path, workers, signal)?;
        Ok(Some(Arc::new(HintsInput::new(file))))
    }

    /// Returns the file of hints that accompanies the rows of the run: one that it reads, or one
    /// that it writes.
    pub(crate) fn for_run(
        &self,
        given: Option<&Arc<HintsInput>>,
    ) -> Result<Option<RunHints>, CliError> {
        let to = match (given, &self.write_hints) {
            (Some(given), _) => To::Read(given.clone(), Box::default()),
            (None, Some(path)) => {
                let writer = HintsWriter::create(path)?;
                To::Write(path.display().to_string(), writer)
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(RunHints { to, hints: 0 }))
    }
}

impl RunHints {
    /// Returns true if the run must continue even if nobody reads its report.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.to, To::Write(..))
    }

    /// Adds the next rows.
    pub(crate) fn add(&mut self, verdicts: &Verdicts) -> Result<(), CliError> {
        let (rows, signatures) = (verdicts.rows, &verdicts.signatures);
        match &mut self.to {
            To::Write(_, writer) => {
                let are_hints = verdicts.hints.iter().filter(|&&half| half < 4);
                self.hints += are_hints.count() as u64;
                writer.write(rows, &verdicts.hints, signatures)
            }
            To::Read(given, named) => given.file.add(named, rows, signatures),
        }
    }

    /// Ends all rows. Completes a file that is written; fails if a file that was read belongs to
    /// other rows.
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
