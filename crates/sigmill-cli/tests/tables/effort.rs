//! The effort of a run: verdicts do not depend on it, and plans and the summary report it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::files::fails;
use crate::support::*;

/// Writes a sample with 40 keys. The ids describe what is wrong with a row.
pub(crate) fn sample(dir: &TempDir, name: &str, rows: &str) -> PathBuf {
    let path = dir.path().join(name);
    let args = "--keys 40 --curve P-256,P-384 --distribution zipf --invalid 0.05 --malformed 0.05";
    let args: Vec<&str> = args.split(' ').collect();
    let start = ["sample", "--rows", rows, "--out", path.to_str().unwrap()];
    let made = run(&[&start[..], &args].concat(), b"");
    assert_eq!(made.code, 0, "{made:?}");
    path
}

fn sum(groups: &[Value], name: &str) -> u64 {
    groups.iter().map(|g| g[name].as_u64().unwrap()).sum()
}

#[test]
fn verdicts_do_not_depend_on_effort() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.parquet", "5000");
    let mut expected = None;
    for args in [
        &[][..],
        &["--threads", "3", "--explain"],
        &["--key-memory", "0"],
        &["--key-memory", "1", "--window", "5", "--threads", "4"],
        &["--window", "1", "--threads", "1"],
    ] {
        let run = verify(&path, args);
        let (rejected, summary) = run.json();
        assert_eq!((run.code, &summary["rows"]), (1, &5000.into()), "{args:?}");
        assert_eq!((&summary["valid"], rejected.len()), (&4500.into(), 500));
        for line in &rejected {
            let id = line["id"].as_str().unwrap();
            assert!(id.starts_with("invalid") || id.starts_with("malformed"));
        }
        let rows: Vec<u64> = rejected
            .iter()
            .map(|l| l["row"].as_u64().unwrap())
            .collect();
        assert!(rows.is_sorted());
        // The reasons are the same, too.
        assert_eq!(expected.get_or_insert_with(|| rejected.clone()), &rejected);
    }
}

#[test]
fn every_backend_gives_the_same_verdicts() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "600");
    let expected = verify(&path, &[]).rejected();
    assert_eq!(expected.len(), 60);
    let backends = sigmill::cpu::backends();
    let names = backends.iter().map(|backend| backend.name);
    for backend in names.chain(["auto"]) {
        let output = sigmill()
            .env("SIGMILL_CPU", backend)
            .args(["verify", "--json"])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(Run::new(&output).rejected(), expected, "{backend}");
    }
}

#[test]
fn long_messages_are_judged_in_parts_and_in_order() {
    let good = good_rows();
    let rows: Vec<Map<String, Value>> = (0..40)
        .map(|i| {
            let mut row = good[i % good.len()].clone();
            match i % 4 {
                1 => drop(row.insert("message".into(), "x".repeat(1 << 20).into())),
                2 => drop(row.remove("signature")),
                _ => {}
            }
            row
        })
        .collect();
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.arrow");
    write_arrow(&path, &batch(&rows, false));
    let expected: Vec<(u64, String)> = (1..=40)
        .filter_map(|row| match row % 4 {
            2 => Some((row, "signature-mismatch".to_owned())),
            3 => Some((row, "field-null".to_owned())),
            _ => None,
        })
        .collect();
    let out = dir.path().join("out.csv");
    let run = verify(&path, &["--out", out.to_str().unwrap()]);
    assert_eq!(run.rejected(), expected);
    let ids = fs::read_to_string(out).unwrap();
    for (line, row) in ids.lines().skip(1).zip(&rows) {
        assert!(line.contains(row["id"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn a_plan_with_estimated_and_actual_cost() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.csv", "1000");
    let (_, without) = verify(&path, &[]).json();
    assert!(without.get("plan").is_none());
    // With one thread: if two threads want the table of a key at once, one of them continues
    // without it.
    let (_, summary) = verify(&path, &["--explain", "--threads", "1"]).json();
    let groups = summary["plan"].as_array().unwrap();
    // Every row with well-formed cells is in a group.
    let cells: u64 = summary["reasons"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(code, _)| code.starts_with("field-") || *code == "unknown-algorithm")
        .map(|(_, reason)| reason["rows"].as_u64().unwrap())
        .sum();
    assert!(cells > 0);
    assert_eq!(sum(groups, "rows"), 1000 - cells);
    let of = |strategies: &[&str]| -> Vec<Value> {
        let groups = groups.iter();
        groups
            .filter(|g| strategies.contains(&g["strategy"].as_str().unwrap()))
            .cloned()
            .collect()
    };
    for group in groups {
        let is_prepared = ["prepared", "build"].contains(&group["strategy"].as_str().unwrap());
        assert_eq!(group["window"].is_u64(), is_prepared);
        assert!(group["actual_seconds"].is_f64());
        assert_eq!(
            group["estimated_seconds"].as_f64().unwrap() > 0.0,
            group["strategy"] != "unusable"
        );
    }
    assert!(sum(&of(&["build"]), "keys") > 0);
    // Malformed signatures are in the plan, but not in these counts.
    assert!(sum(&of(&["fresh"]), "rows") >= summary["fresh"].as_u64().unwrap());
    assert!(sum(&of(&["prepared", "build"]), "rows") >= summary["prepared"].as_u64().unwrap());

    let text = run(&["verify", "--explain", path.to_str().unwrap()], b"").stdout;
    let lines: Vec<&str> = text.lines().collect();
    let plan = lines
        .iter()
        .position(|line| line.starts_with("plan"))
        .unwrap();
    for word in [
        "curve",
        "strategy",
        "window",
        "keys",
        "rows",
        "estimated",
        "actual",
    ] {
        assert!(lines[plan + 1].contains(word), "{text}");
    }
    assert!(
        lines.last().unwrap().trim_start().starts_with("total"),
        "{text}"
    );
    let quiet = run(&["verify", "-q", "--explain", path.to_str().unwrap()], b"");
    assert!(!quiet.stdout.contains("strategy"));
}

#[test]
fn the_summary_says_what_was_chosen_and_why() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "1000");
    let path = path.to_str().unwrap();
    let args = ["verify", path, "--key-memory", "1", "--speed", "fixed"];
    let (_, summary) = run(&[&args[..], &["--json"]].concat(), b"").json();
    let by_window: u64 = summary["rows_by_window"]
        .as_object()
        .unwrap()
        .values()
        .map(|rows| rows.as_u64().unwrap())
        .sum();
    assert_eq!(summary["prepared"], by_window);
    assert_eq!(summary["key_memory"], 1 << 20);
    assert!(summary["key_memory_used"].as_u64().unwrap() <= 1 << 20);
    assert!(summary["tables_held"].as_u64().unwrap() > 0);
    assert!(summary["refused"].as_u64().unwrap() > 0, "{summary}");
    let text = run(&["verify", path], b"").stdout;
    assert!(text.contains("by the speed measured"), "{text}");
    let text = run(&args, b"").stdout;
    for part in [
        "with a table of the key (window ",
        "without a table; one pays off from ",
        "by a fixed speed",
        "of 1.0 MiB",
        "not stored, because more frequent keys fill the memory",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn at_a_fixed_speed_every_run_decides_alike() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "1000");
    // With one thread: if two threads want the table of a key at once, one of them continues
    // without it.
    let run_with = |speed: &[&str]| {
        let args = [&["--threads", "1"], speed].concat();
        verify(&path, &args).json()
    };
    let (rejected, first) = run_with(&["--speed", "fixed"]);
    let (_, second) = run_with(&["--speed", "fixed"]);
    assert_eq!(first["speed"], "fixed");
    for decision in ["rows_by_window", "tables", "pays_from"] {
        assert_eq!(first[decision], second[decision], "{decision}");
    }
    let pays = first["pays_from"]["P-256"].as_u64().unwrap();
    assert!((2..100).contains(&pays), "{first}");
    for measured in [&[][..], &["--speed", "measured"]] {
        let (same, summary) = run_with(measured);
        assert_eq!(summary["speed"], "measured");
        assert_eq!(same, rejected);
    }
    let path = path.to_str().unwrap();
    fails(
        &["verify", path, "--speed", "slow"],
        &["--speed", "measured", "fixed"],
    );
}
