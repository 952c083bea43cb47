//! How much work is done, and how: the engine's choices, their costs, and the store of keys.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::files::fails;
use crate::support::*;

/// A sample of 40 keys; the ids say what is wrong with a row.
fn sample(dir: &TempDir, name: &str, rows: &str) -> PathBuf {
    let path = dir.path().join(name);
    let args = "--keys 40 --curve P-256,P-384 --distribution zipf --invalid 0.05 --malformed 0.05";
    let args: Vec<&str> = args.split(' ').collect();
    let start = ["sample", "--rows", rows, "--out", path.to_str().unwrap()];
    let made = run(&[&start[..], &args].concat(), b"");
    assert_eq!(made.code, 0, "{made:?}");
    path
}

/// Costs of both curves: of a row without a table, of a row with one, and of building it.
fn costs(fresh: u64, prepared: u64, build: u64) -> Value {
    let curve = json!({"fresh": fresh, "prepared": vec![prepared; 11], "build": vec![build; 11]});
    json!({"type": "costs", "backend": "abacus", "costs": {"P-256": curve, "P-384": curve}})
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
        // The same reasons too.
        assert_eq!(expected.get_or_insert_with(|| rejected.clone()), &rejected);
    }
}

#[test]
fn every_backend_gives_the_same_verdicts() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "600");
    let expected = verify(&path, &[]).rejected();
    assert_eq!(expected.len(), 60);
    for backend in ["portable", "adx", "auto"] {
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
    let (_, summary) = verify(&path, &["--explain"]).json();
    let groups = summary["plan"].as_array().unwrap();
    // Every row whose cells are well formed is in a group.
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
    // Malformed signatures are in the plan and not in these counts.
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
fn costs_decide() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "400");
    let cheap = file(&dir, "cheap.json", costs(1000, 1, 1).to_string());
    let dear = file(&dir, "dear.json", costs(1000, 999, 1 << 50).to_string());
    let with = |costs: &Path| {
        verify(&path, &["--costs", costs.to_str().unwrap()])
            .json()
            .1
    };
    let (cheap, dear) = (with(&cheap), with(&dear));
    assert_eq!((&cheap["fresh"], &dear["prepared"]), (&0.into(), &0.into()));
    assert_eq!(
        (&cheap["pays_from"]["P-256"], &dear["tables"]),
        (&1.into(), &0.into())
    );
    assert_eq!(cheap["costs"]["backend"], "abacus");
    assert_eq!(cheap["rejected"], dear["rejected"]);
    let text = run(
        &[
            "verify",
            path.to_str().unwrap(),
            "--costs",
            dir.path().join("dear.json").to_str().unwrap(),
        ],
        b"",
    )
    .stdout;
    for part in ["no key was worth one", "dear.json for abacus"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn costs_that_are_none() {
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let rows = rows.to_str().unwrap();
    let good = costs(3, 2, 1);
    let broken = [
        (String::new(), "costs"),
        ("{}".to_owned(), "type"),
        (good.to_string().replace(":\"costs\"", ":\"cost\""), "cost"),
        (good.to_string().replace("fresh", "stale"), "stale"),
        (good.to_string().replace(":3", ":-3"), "-3"),
        (good.to_string().replace(":3", ":0"), "cost"),
        (good.to_string() + "x", "trailing"),
        (" ".repeat(1 << 17), "longer"),
    ];
    for (text, part) in broken {
        let path = file(&dir, "costs.json", &text);
        fails(
            &["verify", rows, "--costs", path.to_str().unwrap()],
            &["costs.json", part],
        );
    }
    fails(
        &["verify", rows, "--costs", "/no/such/costs"],
        &["/no/such/costs"],
    );
}

#[test]
fn calibration_measures_and_verify_takes_it() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("costs.json");
    let measured = run(
        &[
            "calibrate",
            "--json",
            "--seconds",
            "0",
            "--out",
            out.to_str().unwrap(),
        ],
        b"",
    );
    assert_eq!((measured.code, measured.stderr.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(&out).unwrap(), measured.stdout);
    let line: Value = serde_json::from_str(&measured.stdout).unwrap();
    assert_eq!(line["type"], "costs");
    for curve in ["P-256", "P-384"] {
        let costs = &line["costs"][curve];
        assert!(costs["fresh"].as_u64().unwrap() > 1000, "{line}");
        for windows in ["prepared", "build"] {
            let windows = costs[windows].as_array().unwrap();
            assert_eq!(windows.len(), 11);
            assert!(windows.iter().all(|cost| cost.as_u64().unwrap() > 100));
        }
        let builds = costs["build"].as_array().unwrap();
        assert!(builds[10].as_u64() > builds[3].as_u64(), "{line}");
    }
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let (_, summary) = verify(&rows, &["--costs", out.to_str().unwrap()]).json();
    assert_eq!(summary["costs"]["backend"], line["backend"]);
    assert_eq!(summary["valid"], 1);

    fails(&["calibrate", "--out", "-"], &["--json"]);
    let nowhere = dir.path().join("no/such/file");
    fails(
        &[
            "calibrate",
            "--seconds",
            "0",
            "--out",
            nowhere.to_str().unwrap(),
        ],
        &["no/such/file"],
    );
}

#[test]
fn calibration_for_people() {
    let text = run(&["calibrate", "--seconds", "0"], b"");
    assert_eq!(text.code, 0);
    for part in ["P-256", "P-384", "fresh", "window 11", "a key gets a table"] {
        assert!(text.stdout.contains(part), "{part:?}: {}", text.stdout);
    }
    assert_eq!(run(&["calibrate", "-q", "--seconds", "0"], b"").stdout, "");
}

#[test]
fn tables_come_from_a_file_and_go_there() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.parquet", "1000");
    let store = dir.path().join("keys.store");
    let args = ["--key-store", store.to_str().unwrap()];
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
    assert!(summary["tables"].as_u64().unwrap() < saved, "{summary}");
    assert!(summary["key_store"]["saved"].as_u64().unwrap() >= saved);
    // Less memory than the tables take: some are left out, and said to be.
    let little = [&args[..], &["--key-memory", "1"]].concat();
    let (fewer, summary) = verify(&path, &little).json();
    assert_eq!(fewer, rejected);
    assert!(summary["key_store"]["skipped"].as_u64().unwrap() > 0);
    assert!(summary["key_memory_used"].as_u64().unwrap() <= 1 << 20);
    let text = run(
        &[&["verify", path.to_str().unwrap()], &args[..]].concat(),
        b"",
    );
    assert!(text.stdout.contains("keys.store"), "{text:?}");
    // Nothing was left behind beside it.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
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
        &["one of the files"],
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
        &["this is the key store"],
    );
    assert_eq!(fs::read(good).unwrap(), bytes);
}

#[test]
fn the_summary_says_what_was_chosen_and_why() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "1000");
    let path = path.to_str().unwrap();
    let (_, summary) = run(&["verify", "--json", path, "--key-memory", "1"], b"").json();
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
    let text = run(&["verify", path, "--key-memory", "1"], b"").stdout;
    for part in [
        "by a table of the key (window ",
        "without: a table pays from ",
        "by built-in costs",
        "of 1.0 MiB",
        "refused, as hotter keys have the memory",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}
