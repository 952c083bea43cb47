//! The number of threads is bounded, and only an option sets it.

use serde_json::Value;

use crate::files::fails;
use crate::support::*;

#[test]
fn the_option_is_bounded() {
    for number in ["0", "1025", "999999999", "99999999999999999999", "x"] {
        for command in ["verify", "sign", "sample", "recover", "jws", "certs"] {
            fails(&[command, "--threads", number], &["--threads"]);
        }
    }
    fails(&["cpu", "--threads", "1025"], &["1..=1024"]);
}

#[test]
fn the_option_is_obeyed() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "a.jsonl", changed(|_| ()));
    assert_eq!(verify(&path, &["--threads", "3"]).json().1["threads"], 3);
    let path = path.to_str().unwrap();
    let recover = run(&["recover", path, "--json", "--threads", "3"], b"");
    let summary: Value = serde_json::from_str(recover.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(summary["threads"], 3);
}

/// Runs `sample --rows 10` in a shell that has set limits.
#[cfg(target_os = "linux")]
fn sample(limits: &str, args: &str) -> Run {
    let line = format!("{limits} exec \"$0\" sample --rows 10 --format csv --out - {args}");
    let output = std::process::Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_sigmill")])
        .output()
        .unwrap();
    Run::new(&output)
}

/// The stacks of two threads fit in half a gigabyte; those of a thousand do not.
#[cfg(target_os = "linux")]
const LITTLE_MEMORY: &str = "ulimit -v 500000;";

#[cfg(target_os = "linux")]
#[test]
fn the_variable_of_the_pool_is_not_asked() {
    let expected = sample("", "");
    assert_eq!(expected.code, 0, "{expected:?}");
    let limits = format!("{LITTLE_MEMORY} RAYON_NUM_THREADS=4000");
    let run = sample(&limits, "--threads 2");
    assert_eq!((run.code, run.stdout), (0, expected.stdout));
}

#[cfg(target_os = "linux")]
#[track_caller]
fn assert_is_one_error(run: &Run, message: &str) {
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(run.stderr, format!("error: {message}\n"), "{run:?}");
}

/// The limit is detected before any thread runs.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_do_not_fit_are_an_error() {
    let run = sample(LITTLE_MEMORY, "--threads 1024");
    let message = "cannot start 1024 threads: not enough memory";
    assert_is_one_error(&run, message);
}

/// The system cannot provide a stack of a petabyte.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let run = sample("RUST_MIN_STACK=1125899906842624", "--threads 2");
    let message = "cannot start 2 threads: Resource temporarily unavailable (os error 11)";
    assert_is_one_error(&run, message);
}
