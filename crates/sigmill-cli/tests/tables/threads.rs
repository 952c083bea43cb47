//! The number of threads: bounded, and said by an option alone.

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

/// Runs the command where the stacks of a thousand threads do not fit.
#[cfg(target_os = "linux")]
fn sample(threads_in_variable: &str, args: &str) -> Run {
    let line =
        format!("ulimit -v 500000; exec \"$0\" sample --rows 10 --format csv --out - {args}");
    let output = std::process::Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_sigmill")])
        .env("RAYON_NUM_THREADS", threads_in_variable)
        .output()
        .unwrap();
    Run::new(&output)
}

#[cfg(target_os = "linux")]
#[test]
fn the_variable_of_the_pool_is_not_asked() {
    let expected = sample("1", "");
    assert_eq!(expected.code, 0, "{expected:?}");
    let run = sample("4000", "");
    assert_eq!((run.code, run.stdout), (0, expected.stdout));
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let run = sample("1", "--threads 1024");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stderr.starts_with("error: starting 1024 threads: "),
        "{run:?}"
    );
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}
