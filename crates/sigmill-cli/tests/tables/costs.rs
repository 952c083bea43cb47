//! `sigmill calibrate`, and `sigmill verify --costs`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sigmill::CurveName;

use crate::effort::sample;
use crate::files::fails;
use crate::support::*;

/// Returns a speed for all curves, in picoseconds: of a product or square of single values (used to
/// build tables), of one in lanes (used to verify rows), and of an inversion.
fn speed(single: u64, wide: u64, inversion: u64) -> Value {
    let times = |time: u64| json!({"in_turn": time, "product": time, "square": time});
    let field = json!({
        "single": times(single), "wide": times(wide), "lanes": 1, "inversion": inversion,
    });
    let memory = json!({
        "second_level_bytes": 1 << 30, "third_level_bytes": 1 << 30, "third_level": 1, "memory": 1,
    });
    let fields = CurveName::ALL
        .iter()
        .map(|name| (name.to_string(), field.clone()));
    let fields: serde_json::Map<_, _> = fields.collect();
    json!({"type": "speed", "backend": "abacus", "speed": {"fields": fields, "memory": memory}})
}

/// Writes a file with a speed, so that the number of keys with tables is the same on every machine.
pub(crate) fn steady(dir: &TempDir) -> PathBuf {
    file(
        dir,
        "steady.json",
        speed(14_000, 14_000, 840_000).to_string(),
    )
}

#[test]
fn costs_decide() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", "400");
    // If all operations cost the same, a table pays. If building is extremely slow, none does.
    let cheap = file(&dir, "cheap.json", speed(10, 10, 1).to_string());
    let dear = file(&dir, "dear.json", speed(1 << 40, 1, 1).to_string());
    let with = |costs: &Path| {
        verify(&path, &["--costs", costs.to_str().unwrap()])
            .json()
            .1
    };
    let (cheap, dear) = (with(&cheap), with(&dear));
    assert!(cheap["prepared"].as_u64() > Some(0), "{cheap}");
    assert_eq!((&dear["prepared"], &dear["tables"]), (&0.into(), &0.into()));
    let pays = &cheap["pays_from"]["P-256"];
    assert!(
        pays.as_u64() > Some(1) && pays.as_u64() < Some(10),
        "{pays}"
    );
    assert_eq!(cheap["costs"]["from"], "file");
    assert_eq!(cheap["costs"]["backend"], "abacus");
    assert_eq!(cheap["rejected"], dear["rejected"]);
    assert_eq!(verify(&path, &[]).json().1["costs"]["from"], "measured");
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
    for part in ["no key had enough rows", "dear.json for abacus"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn costs_that_are_none() {
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let rows = rows.to_str().unwrap();
    let good = speed(3, 2, 1);
    let old = json!({"type": "costs", "backend": "adx", "costs": {"P-256": {"fresh": 1}}});
    let broken = [
        (String::new(), "speed"),
        ("{}".to_owned(), "type"),
        (
            good.to_string().replace(":\"speed\"", ":\"spede\""),
            "spede",
        ),
        (
            good.to_string().replace("inversion", "conversion"),
            "conversion",
        ),
        (
            good.to_string().replace("P-384", "P-385"),
            "P-384 is missing",
        ),
        (good.to_string().replace(":3", ":-3"), "-3"),
        (good.to_string().replace(":3", ":0"), "1 picosecond"),
        (good.to_string() + "x", "trailing"),
        (" ".repeat(1 << 17), "longer"),
        // The form that earlier versions wrote.
        (old.to_string(), "run sigmill calibrate --out again"),
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
    assert_eq!(line["type"], "speed");
    for curve in CurveName::ALL {
        let field = &line["speed"]["fields"][curve.as_str()];
        let product = field["single"]["product"].as_u64().unwrap();
        // The bounds are a nanosecond and a hundred microseconds.
        assert!((1000..100_000_000).contains(&product), "{line}");
        assert!(field["inversion"].as_u64().unwrap() > product, "{line}");
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
    for part in curves.chain(["product", "inverse", "a key gets a table", "KiB"]) {
        assert!(text.stdout.contains(part), "{part:?}: {}", text.stdout);
    }
    assert_eq!(run(&["calibrate", "-q", "--seconds", "0"], b"").stdout, "");
}
