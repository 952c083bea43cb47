//! `sigmill` without arguments.

use serde_json::Value;

use crate::support::*;

#[test]
fn finds_every_planted_row_and_says_what_next() {
    let text = run(&[], b"");
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    for part in [
        "1,500 payments",
        "1,500 rows in ",
        "All 30 bad rows were found",
        "Try next",
        "sigmill verify",
    ] {
        assert!(
            text.stdout.contains(part),
            "{part:?} is not in {}",
            text.stdout
        );
    }
    let json: Value = serde_json::from_str(&run(&["--json"], b"").stdout).unwrap();
    assert_eq!(
        (&json["valid"], &json["rejected"]),
        (&1470.into(), &30.into())
    );
    assert_eq!(
        (
            &json["findings"]["invalid_found"],
            &json["findings"]["wrongly_rejected"]
        ),
        (&15.into(), &0.into())
    );
    assert_eq!(run(&["--quiet"], b"").stdout, "");
}

#[test]
fn the_sample_is_what_the_generator_makes() {
    let args = "sample --rows 1500 --keys 8 --curve P-256,P-384 --encoding base64 --invalid 0.01 \
                --malformed 0.01 --out - --format jsonl";
    let made = run(&args.split_whitespace().collect::<Vec<_>>(), b"");
    assert_eq!(made.code, 0);
    assert!(
        made.stdout == include_str!("../../samples/demo.jsonl"),
        "samples/demo.jsonl must be made again"
    );
}
