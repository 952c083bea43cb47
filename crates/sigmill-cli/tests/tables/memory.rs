//! Memory: requests, use, and exhaustion.

use std::fs;
use std::process::Command;

use crate::effort::sample;
use crate::support::*;

/// Runs the command in an address space of `kibibytes` KiB.
fn run_within(kibibytes: u64, args: &str) -> Run {
    let limited = format!("ulimit -v {kibibytes}; exec \"$0\" {args}");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_sigmill")]);
    Run::new(&command.output().unwrap())
}

/// Returns the memory of the machine in MiB.
fn memory_of_machine() -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap();
    let line = info.lines().find(|line| line.starts_with("MemTotal:"));
    let kibibytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kibibytes.parse::<u64>().unwrap() >> 10
}

#[test]
#[cfg(target_os = "linux")]
fn key_memory_is_at_most_that_of_the_machine_and_taken_as_it_is_used() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "three.jsonl", "3");
    let path = path.to_str().unwrap();
    let machine = memory_of_machine();
    for mebibytes in [machine + 1, 100_000_000, usize::MAX as u64] {
        let text = mebibytes.to_string();
        let refused = run(&["verify", path, "--key-memory", &text], b"");
        let expected = format!(
            "error: --key-memory {mebibytes}: must be at most the machine's memory, {machine} MiB\n"
        );
        assert_eq!((refused.code, refused.stderr), (2, expected));
    }
    let args = format!("verify --json --threads 2 --key-memory {machine} {path}");
    let made = run_within(400 << 10, &args);
    assert_eq!(made.code, 0, "{made:?}");
    let (_, summary) = made.json();
    assert_eq!(summary["key_memory"], machine << 20);
    assert!(summary["key_memory_used"].as_u64().unwrap() < 100 << 10);
}

/// Rows of 8 MiB in increasing address space end with a message and exit code 2 until the space is
/// enough. The message comes from the code whose request failed: Rust ("memory allocation of
/// 8388608 bytes failed"), the C library ("failed to register TLS destructor: out of memory") or
/// the command ("starting a reader thread").
#[test]
#[cfg(target_os = "linux")]
fn where_memory_ends_the_command_says_so_and_fails() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("long.jsonl");
    let row = format!(
        "{{\"alg\":\"ES256\",\"key\":\"00\",\"message\":\"{}\"}}\n",
        "x".repeat(8 << 20)
    );
    fs::write(&path, row.repeat(8)).unwrap();
    let args = format!("verify --threads 2 {}", path.display());
    let (mut ended, mut went_on) = (0, 0);
    for mebibytes in (60..500).step_by(40) {
        let made = run_within(mebibytes << 10, &args);
        match made.code {
            1 => went_on += 1,
            2 => {
                let names_it = ["memory", "thread"].map(|what| made.stderr.contains(what));
                assert!(names_it.contains(&true), "{made:?}");
                ended += 1;
            }
            _ => panic!("{mebibytes} MiB: {made:?}"),
        }
    }
    assert!(ended > 0 && went_on > 0, "{ended} {went_on}");
}
