//! Options that every subcommand accepts.

use clap::{Args, ValueEnum};

use crate::threads;

/// Options that every subcommand accepts.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print only errors and rejected items: no summary, no progress bar
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour the output; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Number of worker threads, from 1 to 1024, where work can be shared [default: one per core]
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
