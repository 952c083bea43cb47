//! Key files and usage.

use std::fs;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::HEXLOWER;
use p256::elliptic_curve::sec1::ToSec1Point as _;

use crate::fixture::{Folder, TWICE_G_P256, bytes, error, table};

#[test]
fn keys_in_every_encoding_give_the_same_table() {
    let folder = Folder::new();
    let key = folder.write("key", TWICE_G_P256);
    let expected = bytes(&mut table(&key, "json", 3));
    let public =
        p256::PublicKey::from_sec1_bytes(&HEXLOWER.decode(TWICE_G_P256.as_bytes()).unwrap())
            .unwrap();
    let point = public.to_sec1_point(false);
    let spki = [
        HEXLOWER
            .decode(b"3059301306072a8648ce3d020106082a8648ce3d030107034200")
            .unwrap(),
        point.as_bytes().to_vec(),
    ]
    .concat();
    let base64 = data_encoding::BASE64.encode(&spki);
    let encode = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
    let jwk = serde_json::json!({
        "kty": "EC", "crv": "P-256", "x": encode(point.x().unwrap()), "y": encode(point.y().unwrap()), "kid": "2"
    });
    let encodings = [
        format!("{}\n", HEXLOWER.encode(point.as_bytes())).into_bytes(),
        point.as_bytes().to_vec(),
        spki,
        format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----\n",
            &base64[..64],
            &base64[64..]
        )
        .into_bytes(),
        jwk.to_string().into_bytes(),
    ];
    for encoding in encodings {
        let key = folder.write("key", &encoding);
        assert!(bytes(&mut table(&key, "json", 3)) == expected);
        let mut stdin = table(Path::new("-"), "json", 3);
        let found = bytes(stdin.args(["--curve", "prime256v1"]).write_stdin(encoding));
        assert!(found == expected);
    }
}

#[test]
fn what_is_no_key_is_an_error_that_names_the_file_and_the_rule() {
    let folder = Folder::new();
    let off_curve = format!("04{}", "01".repeat(64));
    let cases: [(&[u8], &str); 6] = [
        (b"", "key: it must have at least one byte"),
        (b"hello", "key: the encoding must be"),
        (b"00", "key: the point at infinity"),
        (off_curve.as_bytes(), "key: the point is not on the curve"),
        (
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "key: the PEM label must be PUBLIC KEY",
        ),
        (b"{\"kty\":\"RSA\"}", "key: the JWK member kty must be EC"),
    ];
    for (content, rule) in cases {
        let key = folder.write("my-key", content);
        let message = error(&mut table(&key, "json", 7));
        assert!(
            message.contains("my-key: ") && message.contains(rule),
            "{message}"
        );
    }
    let key = folder.write("my-key", TWICE_G_P256);
    let message = error(table(&key, "json", 7).args(["--curve", "P-384"]));
    assert!(message.contains("my-key: key: "), "{message}");
    let large = folder.write("large", vec![b'0'; 2 << 20]);
    assert!(error(&mut table(&large, "json", 7)).contains("must not be longer"));
    table(&folder.path("missing"), "json", 7)
        .assert()
        .code(2)
        .stdout("");
}

#[test]
fn usage() {
    let folder = Folder::new();
    let key = folder.write("key", TWICE_G_P256);
    for window in [0, 12] {
        table(&key, "json", window).assert().code(2).stdout("");
    }
    table(&key, "xml", 7).assert().code(2).stdout("");
    table(&key, "json", 7)
        .args(["--curve", "P-521"])
        .assert()
        .code(2)
        .stdout("");
    table(&key, "json", 7)
        .arg("--check")
        .arg(&key)
        .assert()
        .code(2)
        .stdout("");
    cargo_bin_cmd!("sigmill").arg("table").assert().code(2);
    cargo_bin_cmd!("sigmill")
        .arg("table")
        .arg(&key)
        .assert()
        .code(2);
    // The key file is not overwritten.
    let message = error(table(&key, "binary", 7).arg("--out").arg(&key));
    assert!(message.contains("this is the key file"), "{message}");
    assert_eq!(fs::read_to_string(&key).unwrap(), TWICE_G_P256);
    table(&key, "json", 7)
        .args(["--out", "/nonexistent/table"])
        .assert()
        .code(2)
        .stdout("");
}
