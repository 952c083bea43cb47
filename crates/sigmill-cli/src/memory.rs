//! How much memory there is, and what happens where it ends.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGABRT;
use signal_hook::flag;

use crate::error::CliError;

/// The exit code of a run that could not go on.
const FAILED: i32 = 2;

/// Has the program exit with code 2 where it would abort: Rust does so, and says why, when the
/// operating system gives no memory, and there is no other way to go on from there.
pub(crate) fn exit_where_memory_ends() -> Result<(), CliError> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGABRT, FAILED, always)
        .map(drop)
        .map_err(|e| CliError::io("watching for signals", e))
}

/// The memory of the machine, in MiB; `None` where it cannot be learnt (anywhere but on Linux).
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
        // Half a gigabyte is little, a petabyte more than there is.
        let memory = of_machine().unwrap();
        assert!((128..1 << 30).contains(&memory), "{memory}");
    }
}
