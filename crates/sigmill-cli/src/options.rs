//! The options that every subcommand takes.

use clap::{Args, ValueEnum};

use crate::threads;

/// Options that every subcommand takes.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print only what was rejected, and errors; no summary, no progress bar
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour the output (`auto`: on a terminal, unless NO_COLOR is set)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Threads that work, from 1 to 1024, where there is work for several [default: one per core]
    #[arg(long, global = true, value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=threads::MOST))]
    pub(crate) threads: Option<u16>,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
