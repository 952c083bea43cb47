//! The binary form, and loading it again.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use sigmill::p256::{PreparedKey, Signature};

use crate::fixture::{Folder, TWICE_G_P256, TWICE_G_P384, bytes, error, table, text};

#[test]
fn the_binary_form_is_loaded_again_and_verifies() {
    use p256::ecdsa::signature::Signer as _;
    let mut two = [0; 32];
    two[31] = 2;
    let signing_key = p256::ecdsa::SigningKey::from_slice(&two).unwrap();
    let signature: p256::ecdsa::Signature = signing_key.sign(b"message");
    let signature = Signature::from_p1363(&signature.to_bytes()).unwrap();

    let folder = Folder::new();
    let key = folder.write_key(TWICE_G_P256);
    for window in [1, 7, 11] {
        let file = folder.path("table");
        let output = text(table(&key, "binary", window).arg("--out").arg(&file));
        assert!(
            output.contains(&format!("P-256, window {window}, ")),
            "{output}"
        );
        assert!(output.contains(TWICE_G_P256), "{output}");
        let bytes = fs::read(&file).unwrap();
        let prepared = PreparedKey::from_bytes(&bytes).unwrap();
        assert_eq!(prepared.window(), window);
        prepared.verify(b"message", &signature).unwrap();
        prepared.verify(b"another", &signature).unwrap_err();
        // Without --out the table goes to standard output.
        let stdout = self::bytes(&mut table(&key, "binary", window));
        assert!(stdout == bytes, "standard output differs from the file");
    }
}

fn check(file: &Path) -> Command {
    let mut command = cargo_bin_cmd!("sigmill");
    command.args(["table", "--check"]).arg(file);
    command
}

#[test]
fn check_loads_a_table_and_says_what_it_is() {
    let folder = Folder::new();
    for (key, curve, rows, len) in [
        (TWICE_G_P256, "P-256", 37, 151_552),
        (TWICE_G_P384, "P-384", 55, 337_920),
    ] {
        let key_file = folder.write_key(key);
        let file = folder.path("table");
        table(&key_file, "binary", 7)
            .arg("--out")
            .arg(&file)
            .assert()
            .code(0);
        let json: Value = serde_json::from_slice(&bytes(check(&file).arg("--json"))).unwrap();
        assert_eq!(json["type"], "table");
        assert_eq!(json["curve"], curve);
        assert_eq!(json["window"], 7);
        assert_eq!(json["rows"], rows);
        assert_eq!(json["row_points"], 64);
        assert_eq!(json["table_bytes"], len);
        assert_eq!(json["key"], key);
        assert!(
            text(&mut check(&file))
                .contains(&format!("checked, {curve}, window 7, {rows} x 64 points"))
        );
        check(&file).arg("--quiet").assert().code(0).stdout("");
        check(&file).args(["--curve", curve]).assert().code(0);
    }
    let message = error(check(&folder.path("table")).args(["--curve", "P-256"]));
    assert!(
        message.contains("table: its curve is not the one expected"),
        "{message}"
    );
}

#[test]
fn a_broken_table_is_refused_by_the_rule_it_breaks() {
    use sha2::{Digest, Sha256};
    let folder = Folder::new();
    let key = folder.write_key(TWICE_G_P256);
    let good = bytes(&mut table(&key, "binary", 2));
    let changed = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        bytes
    };
    // Returns a changed table with a correct checksum, so that only its content is wrong.
    let rehashed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let content = bytes.len() - 32;
        let checksum = Sha256::digest(&bytes[..content]);
        bytes[content..].copy_from_slice(&checksum);
        bytes
    };
    let last = good.len() - 1;
    let cases = [
        (Vec::new(), "magic number"),
        (changed(0, b'S'), "magic number"),
        (changed(9, 2), "version"),
        (changed(11, 9), "curve"),
        (changed(13, 0), "window"),
        (changed(13, 12), "window"),
        (changed(13, 3), "length"),
        (good[..last].to_vec(), "length"),
        ([&good[..], &[0]].concat(), "length"),
        (changed(100, good[100] ^ 1), "checksum"),
        (changed(last, good[last] ^ 1), "checksum"),
        // A byte of the key's point, and one of a point of the table.
        (rehashed(20), "key: the point is not on the curve"),
        (rehashed(good.len() - 40), "not the multiple of the key"),
        (vec![0; 17 << 20], "must not be longer"),
    ];
    for (bytes, rule) in cases {
        let file = folder.write("table", bytes);
        let message = error(&mut check(&file));
        assert!(message.contains(rule), "{rule}: {message}");
        assert!(message.contains(&file.display().to_string()), "{message}");
    }
    check(&folder.path("missing")).assert().code(2).stdout("");
}
