//! `sigmill verify --key-store`.

use std::fs;

use crate::effort::sample;
use crate::files::fails;
use crate::support::*;

#[test]
fn keys_come_from_a_file_and_go_there() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.parquet", "1000");
    let few = sample(&dir, "few.parquet", "100");
    let store = dir.path().join("keys.store");
    let args = ["--key-store", store.to_str().unwrap(), "--speed", "fixed"];
    let first = verify(&path, &args);
    let (rejected, summary) = first.json();
    let saved = summary["key_store"]["saved"].as_u64().unwrap();
    assert!(saved > 20, "{summary}");
    assert_eq!(
        (&summary["key_store"]["loaded"], &summary["tables"]),
        (&0.into(), &saved.into())
    );
    let (again, summary) = verify(&path, &args).json();
    assert_eq!(again, rejected);
    assert_eq!(summary["key_store"]["loaded"], saved);
    assert_eq!(summary["key_store"]["skipped"], 0);
    let saved = summary["key_store"]["saved"].as_u64().unwrap();
    // Without memory for tables all keys are skipped, and the summary reports it.
    let none = [&args[..], &["--key-memory", "0"]].concat();
    let (fewer, summary) = verify(&path, &none).json();
    assert_eq!(fewer, rejected);
    assert_eq!(summary["key_store"]["skipped"], saved);
    assert!(summary["key_memory_used"].as_u64().unwrap() <= 1 << 20);
    let text = run(
        &[&["verify", path.to_str().unwrap()], &args[..]].concat(),
        b"",
    );
    assert!(text.stdout.contains("keys.store"), "{text:?}");
    // No other file is left in the folder.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    // Keys with too few rows in a file have tables if they come from the store.
    let prepared = |args: &[&str]| verify(&few, args).json().1["prepared"].as_u64().unwrap();
    let (alone, known) = (prepared(&args[2..]), prepared(&args));
    assert!(alone < known, "{alone}, {known}");
}

#[test]
fn a_store_that_is_none_is_an_error_and_stays() {
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let rows = rows.to_str().unwrap();
    let good = dir.path().join("good");
    let args = ["verify", rows, rows, rows, rows, "--key-store"];
    let saved = run(&[&args[..], &[good.to_str().unwrap()]].concat(), b"");
    assert_eq!(saved.code, 0, "{saved:?}");
    let bytes = fs::read(&good).unwrap();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for broken in [
        &b""[..],
        b"not a store",
        &bytes[..bytes.len() - 1],
        &flipped,
    ] {
        let path = file(&dir, "broken", broken);
        fails(
            &["verify", rows, "--key-store", path.to_str().unwrap()],
            &["broken"],
        );
        assert_eq!(fs::read(&path).unwrap(), broken);
    }
    let folder = dir.path().to_str().unwrap();
    fails(&["verify", rows, "--key-store", folder], &[folder]);
    fails(&["verify", rows, "--key-store", "-"], &["--key-store -"]);
    fails(
        &["verify", rows, "--key-store", rows],
        &["is also an input file"],
    );
    fails(
        &["verify", rows, "--key-store", "/no/such/store"],
        &["/no/such/store"],
    );
    let good = good.to_str().unwrap();
    fails(
        &[
            "verify",
            rows,
            "--key-store",
            good,
            "--out",
            good,
            "--out-format",
            "csv",
        ],
        &["is also the key store"],
    );
    assert_eq!(fs::read(good).unwrap(), bytes);
}
