//! The size of memory, and the exit code when it is exhausted.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGABRT;
use signal_hook::flag;

use crate::error::CliError;

/// The exit code of a run that could not continue.
const FAILED: i32 = 2;

/// Makes the program exit with code 2 where it would abort. Rust aborts, with a message, when the
/// operating system refuses memory; the program cannot continue from there.
pub(crate) fn exit_where_memory_ends() -> Result<(), CliError> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGABRT, FAILED, always)
        .map(drop)
        .map_err(|e| CliError::io("watching for signals", e))
}

/// Returns the memory of the machine in MiB, or `None` if it is unknown (on any system but Linux).
pub(crate) fn of_machine() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_machine_has_memory() {
        // The bounds are 128 MiB and a pebibyte.
        let memory = of_machine().unwrap();
        assert!((128..1 << 30).contains(&memory), "{memory}");
    }
}
