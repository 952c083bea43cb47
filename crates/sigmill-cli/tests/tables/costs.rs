//! `sigmill calibrate`, and `sigmill verify --costs`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sigmill::CurveName;

use crate::effort::sample;
use crate::files::fails;
use crate::support::*;

/// Costs of all curves: of a row without a table, of a row with one, and of building it.
fn costs(fresh: u64, prepared: u64, build: u64) -> Value {
    let curve = json!({"fresh": fresh, "prepared": vec![prepared; 11], "build": vec![build; 11]});
    let names = CurveName::ALL
        .iter()
        .map(|name| (name.to_string(), curve.clone()));
    let curves: serde_json::Map<_, _> = names.collect();
    json!({"type": "costs", "backend": "abacus", "costs": curves})
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
    for curve in CurveName::ALL {
        let costs = &line["costs"][curve.as_str()];
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
    let curves = CurveName::ALL.iter().map(|curve| curve.as_str());
    for part in curves.chain(["fresh", "window 11", "a key gets a table"]) {
        assert!(text.stdout.contains(part), "{part:?}: {}", text.stdout);
    }
    assert_eq!(run(&["calibrate", "-q", "--seconds", "0"], b"").stdout, "");
}
