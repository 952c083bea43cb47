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
    let key = folder.write_key(TWICE_G_P256);
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
        "kty": "EC", "crv": "P-256", "kid": "2",
        "x": encode(point.x().unwrap()), "y": encode(point.y().unwrap())
    });
    let points = [
        TWICE_G_P256.into(),
        format!("{}\n", HEXLOWER.encode(point.as_bytes())).into_bytes(),
        point.as_bytes().to_vec(),
        data_encoding::BASE64.encode(point.as_bytes()).into_bytes(),
    ];
    let named = [
        spki,
        base64.clone().into_bytes(),
        format!("{}\n{}\n", &base64[..76], &base64[76..]).into_bytes(),
        format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----\n",
            &base64[..64],
            &base64[64..]
        )
        .into_bytes(),
        jwk.to_string().into_bytes(),
    ];
    for encoding in &named {
        let key = folder.write("key", encoding);
        assert!(bytes(&mut table(&key, "json", 3)) == expected);
    }
    for encoding in named.into_iter().chain(points) {
        let mut stdin = table(Path::new("-"), "json", 3);
        let found = bytes(stdin.args(["--curve", "prime256v1"]).write_stdin(encoding));
        assert!(found == expected);
    }
}

#[test]
fn what_is_no_key_is_an_error_that_names_the_file_and_the_rule() {
    let folder = Folder::new();
    let off_curve = format!("04{}", "01".repeat(64));
    let pem = fs::read_to_string(folder.write_key(TWICE_G_P256)).unwrap();
    let pem = HEXLOWER.decode(pem.as_bytes()).unwrap();
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        data_encoding::BASE64.encode(&pem)
    );
    let two = pem.clone() + &pem;
    let hybrid = format!("06{}", "01".repeat(64));
    let cases: [(&[u8], &str); 9] = [
        (b"", "key: it must have at least one byte"),
        (b"hello", "key: the encoding must be"),
        (b"00", "key: the point at infinity"),
        (
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "key: the PEM label must be PUBLIC KEY",
        ),
        (b"{\"kty\":\"RSA\"}", "key: the JWK member kty must be EC"),
        (two.as_bytes(), "key: the PEM text must hold one block only"),
        (
            hybrid.as_bytes(),
            "key: the point must begin with 02, 03 or 04, not 06",
        ),
        // Points of these lengths may be on P-256 or on secp256k1. No curve is guessed.
        (
            TWICE_G_P256.as_bytes(),
            "fits several curves; one must be named by --curve",
        ),
        (
            off_curve.as_bytes(),
            "fits several curves; one must be named by --curve",
        ),
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
    let key = folder.write("my-key", off_curve);
    let message = error(table(&key, "json", 7).args(["--curve", "P-256"]));
    assert!(message.contains("my-key: key: the point is not on the curve"));
    let large = folder.write("large", vec![b'0'; 2 << 20]);
    assert!(error(&mut table(&large, "json", 7)).contains("must not be longer"));
    table(&folder.path("missing"), "json", 7)
        .assert()
        .code(2)
        .stdout("");
}

/// The x of a compressed point may be on both curves. The option decides; without it no table is
/// written.
#[test]
fn a_point_is_on_the_curve_that_is_named() {
    let folder = Folder::new();
    let on = |curve, x: u8| {
        let point = [&[2][..], &[0; 31], &[x]].concat();
        sigmill::AnyVerifyingKey::from_sec1_bytes(curve, &point).is_ok()
    };
    let x = (1..=255)
        .find(|&x| on(sigmill::CurveName::P256, x) && on(sigmill::CurveName::Secp256k1, x))
        .unwrap();
    let key = folder.write("key", format!("02{x:064x}"));
    let mut tables = ["P-256", "secp256k1"].map(|curve| {
        let mut command = table(&key, "json", 1);
        let json: serde_json::Value =
            serde_json::from_slice(&bytes(command.args(["--curve", curve]))).unwrap();
        assert_eq!(json["curve"], curve);
        json["rows"].to_string()
    });
    tables.sort();
    assert_ne!(tables[0], tables[1]);
    let out = folder.path("out");
    let message = error(table(&key, "json", 1).arg("--out").arg(&out));
    assert!(message.contains("named by --curve"), "{message}");
    assert!(!out.exists());
}

#[test]
fn usage() {
    let folder = Folder::new();
    let key = folder.write_key(TWICE_G_P256);
    for window in [0, 12] {
        table(&key, "json", window).assert().code(2).stdout("");
    }
    table(&key, "xml", 7).assert().code(2).stdout("");
    table(&key, "json", 7)
        .args(["--curve", "P-192"])
        .assert()
        .code(2)
        .stdout("");
    table(&key, "binary", 7).assert().code(2).stdout("");
    cargo_bin_cmd!("sigmill").arg("table").assert().code(2);
    cargo_bin_cmd!("sigmill")
        .arg("table")
        .arg(&key)
        .assert()
        .code(2);
    // The key file is not overwritten.
    let content = fs::read(&key).unwrap();
    let message = error(table(&key, "json", 7).arg("--out").arg(&key));
    assert!(message.contains("this is the key file"), "{message}");
    assert_eq!(fs::read(&key).unwrap(), content);
    table(&key, "json", 7)
        .args(["--out", "/nonexistent/table"])
        .assert()
        .code(2)
        .stdout("");
}
