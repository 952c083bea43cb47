//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Measures sigmill and its peers: one process, one core, all implementations alternating.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Args {
    /// Print one JSON object per line instead of tables.
    #[arg(long)]
    pub(crate) json: bool,

    /// Measure only these operations: text inside the name, or a glob over the whole name in which
    /// `*` crosses `/`. May be given several times.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) only: Vec<String>,

    /// List the operations and their implementations, with what is timed, and exit.
    #[arg(long)]
    pub(crate) list: bool,

    /// Number of rounds; in each, every implementation has one slot.
    #[arg(long, default_value_t = 41, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rounds: u32,

    /// Length of a slot, in milliseconds.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) slot_ms: u64,

    /// Number of distinct keys.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) keys: u32,

    /// Number of distinct messages, each with its signature.
    #[arg(
        long,
        default_value_t = 4096,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub(crate) signatures: u32,

    /// The core to run on; by default the last one this process may use.
    #[arg(long)]
    pub(crate) core: Option<usize>,

    /// Measure the tables of a paper, and write a document with them: "struik" writes
    /// docs/struik.md and its chart.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["json", "list", "only", "plot"])]
    pub(crate) paper: Option<String>,

    /// Write SVG charts into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) plot: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn zero_rounds_and_empty_slots_are_refused() {
        for flag in ["--rounds", "--slot-ms", "--keys", "--signatures"] {
            assert!(
                Args::try_parse_from(["bench", flag, "0"]).is_err(),
                "{flag}"
            );
            assert!(Args::try_parse_from(["bench", flag, "1"]).is_ok(), "{flag}");
        }
    }
}
