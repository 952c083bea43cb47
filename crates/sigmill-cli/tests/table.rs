//! `sigmill table` through the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::HEXLOWER;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use serde_json::Value;
use sigmill::p256::{PreparedKey, Signature};
use tempfile::TempDir;

/// The public keys of the private key 2, compressed.
const TWICE_G_P256: &str = "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978";
const TWICE_G_P384: &str = "0208d999057ba3d2d969260045c55b97f089025959a6f434d651d207d19fb96e9e4fe0e86ebe0e64f85b96a9c75295df61";

/// The beginning of the table of 2G in Drucker and Gueron, "Fast ECDSA verification", Listing 6, as far as it is printed:
/// 2G and the first limbs of 4G.
const LISTING_6: [&str; 5] = [
    "        TOBN(0x850046d4, 0x10ddd64d), TOBN(0xaa6ae3c1, 0xa433827d),",
    "        TOBN(0x73220503, 0x8d1490d9), TOBN(0xf6bb32e4, 0x3dcf3a3b),",
    "        TOBN(0x2f3648d3, 0x61bee1a5), TOBN(0x152cd7cb, 0xeb236ff8),",
    "        TOBN(0x19a8fb0e, 0x92042dbe), TOBN(0x78c57751, 0x0a5b8a3b),",
    "        TOBN(0x74b0b50d, 0x46918dcc), TOBN(0x4650a6ed, 0xc623c173),",
];

/// Declarations like OpenSSL's on a 64-bit machine, and a program that takes every limb of the table back from Montgomery
/// form and prints it: a point a line, x and y in hex.
const PROGRAM: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint64_t BN_ULONG;
#define TOBN(hi, lo) ((BN_ULONG)hi << 32 | lo)
typedef struct { BN_ULONG X[LIMBS], Y[LIMBS]; } POINT;
typedef POINT P256_POINT_AFFINE;
typedef POINT P384_POINT_AFFINE;
#include "table.h"
static const BN_ULONG prime[LIMBS] = PRIME;
/* a / 2^(64 LIMBS) mod p: bit by bit, a = (a + p if a is odd) / 2. */
static void print(const BN_ULONG *a) {
    BN_ULONG t[LIMBS];
    memcpy(t, a, sizeof t);
    for (int bit = 0; bit < 64 * LIMBS; bit++) {
        BN_ULONG carry = 0;
        if (t[0] & 1) {
            for (int i = 0; i < LIMBS; i++) {
                unsigned __int128 sum = (unsigned __int128)t[i] + prime[i] + carry;
                t[i] = (BN_ULONG)sum;
                carry = (BN_ULONG)(sum >> 64);
            }
        }
        for (int i = 0; i < LIMBS; i++)
            t[i] = t[i] >> 1 | (i + 1 < LIMBS ? t[i + 1] : carry) << 63;
    }
    for (int i = LIMBS; i-- > 0;)
        printf("%016llx", (unsigned long long)t[i]);
}
int main(void) {
    if ((uintptr_t)TABLE % 4096 != 0)
        return 1;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        for (size_t j = 0; j < sizeof TABLE[0] / sizeof TABLE[0][0]; j += 2 * LIMBS) {
            print(&TABLE[i][j]);
            putchar(' ');
            print(&TABLE[i][j + LIMBS]);
            putchar('\n');
        }
    return 0;
}
"#;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }
}

fn table(key: &Path, format: &str, window: u32) -> Command {
    let mut command = cargo_bin_cmd!("sigmill");
    command
        .arg("table")
        .arg(key)
        .args(["--format", format, "--window", &window.to_string()]);
    command
}

fn text(command: &mut Command) -> String {
    String::from_utf8(bytes(command)).unwrap()
}

fn bytes(command: &mut Command) -> Vec<u8> {
    command.assert().code(0).get_output().stdout.clone()
}

fn error(command: &mut Command) -> String {
    let output = command.assert().code(2).stdout("").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// The points of the JSON form: x and y of each, row by row.
fn json_points(table: &Value) -> Vec<Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = table["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            row.as_array()
                .unwrap()
                .iter()
                .map(|point| (text(&point["x"]), text(&point["y"])))
                .collect()
        })
        .collect()
}

#[test]
fn the_c_form_is_that_of_the_paper() {
    let folder = Folder::new();
    let key = folder.write("key", TWICE_G_P256);
    let text = text(&mut table(&key, "openssl-c", 7));
    let lines: Vec<&str> = text.lines().collect();
    let head = [
        "#if defined(__GNUC__)",
        "__attribute__((aligned(4096)))",
        "#elif defined(_MSC_VER)",
        "__declspec(align(4096))",
        "#elif defined(__SUNPRO_C)",
        "# pragma align 4096(ecp_nistz256_precomputed)",
        "#endif",
        "static const BN_ULONG ecp_nistz256_precomputed[37][64 *",
        "    sizeof(P256_POINT_AFFINE) / sizeof(BN_ULONG)] = {",
        "    {",
    ];
    assert_eq!(lines[..10], head);
    assert_eq!(lines[10..15], LISTING_6);
    assert_eq!(lines[lines.len() - 2..], ["    }", "};"]);
    // Eight limbs a point, two a line; braces around 37 rows.
    assert_eq!(text.matches("TOBN(").count(), 37 * 64 * 8);
    assert_eq!(lines.len(), 9 + 37 * (64 * 4 + 2) + 1);
    assert_eq!(lines.iter().filter(|line| **line == "    },").count(), 36);
}

#[test]
fn a_c_compiler_reads_the_points_of_the_json_form() {
    if process::Command::new("cc")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let primes = [
        (
            "p256",
            TWICE_G_P256,
            "4",
            "{-1, 0xffffffff, 0, 0xffffffff00000001}",
        ),
        (
            "p384",
            TWICE_G_P384,
            "6",
            "{0xffffffff, 0xffffffff00000000, -2, -1, -1, -1}",
        ),
    ];
    for (curve, key, limbs, prime) in primes {
        for window in [1, 4, 7] {
            let folder = Folder::new();
            let key = folder.write("key", key);
            fs::write(
                folder.path("table.h"),
                bytes(&mut table(&key, "openssl-c", window)),
            )
            .unwrap();
            let source = folder.write("main.c", PROGRAM);
            let status = process::Command::new("cc")
                .args(["-Wall", "-Wextra", "-Werror", "-Wno-sign-conversion"])
                .args([format!("-DLIMBS={limbs}"), format!("-DPRIME={prime}")])
                .arg(format!("-DTABLE=ecp_nistz{}_precomputed", &curve[1..]))
                .arg("-o")
                .arg(folder.path("main"))
                .arg(source)
                .status()
                .unwrap();
            assert!(status.success(), "{curve}, window {window}");
            let output = process::Command::new(folder.path("main")).output().unwrap();
            assert!(output.status.success(), "the table is not aligned");
            let json: Value =
                serde_json::from_slice(&bytes(&mut table(&key, "json", window))).unwrap();
            let expected: Vec<String> = json_points(&json)
                .concat()
                .iter()
                .map(|(x, y)| format!("{x} {y}"))
                .collect();
            let found = String::from_utf8(output.stdout).unwrap();
            assert_eq!(
                found.lines().collect::<Vec<_>>(),
                expected,
                "{curve}, window {window}"
            );
        }
    }
}

/// Every point of the JSON form against another implementation's multiples of the key.
macro_rules! points_are_multiples {
    ($test:ident, $curve:ident, $key:expr, $name:expr, $bits:expr) => {
        #[test]
        fn $test() {
            use $curve::{ProjectivePoint, PublicKey};
            let folder = Folder::new();
            let key = folder.write("key", $key);
            for window in [1u32, 2, 5, 7] {
                let json: Value =
                    serde_json::from_slice(&bytes(&mut table(&key, "json", window))).unwrap();
                assert_eq!(json["curve"], $name);
                assert_eq!(json["window"], window);
                let encoded = HEXLOWER
                    .decode(json["key"].as_str().unwrap().as_bytes())
                    .unwrap();
                let mut base = PublicKey::from_sec1_bytes(&encoded)
                    .unwrap()
                    .to_projective();
                assert_eq!(
                    base,
                    ProjectivePoint::GENERATOR + ProjectivePoint::GENERATOR
                );
                let rows = json_points(&json);
                // One more row where the last window's carry needs it.
                assert_eq!(rows.len(), ($bits / window + 1) as usize);
                for row in rows {
                    assert_eq!(row.len(), 1 << (window - 1));
                    let mut multiple = base;
                    for (x, y) in row {
                        let point = multiple.to_affine().to_sec1_point(false);
                        assert_eq!(x, HEXLOWER.encode(point.x().unwrap()));
                        assert_eq!(y, HEXLOWER.encode(point.y().unwrap()));
                        multiple += base;
                    }
                    for _ in 0..window {
                        base += base;
                    }
                }
            }
        }
    };
}

points_are_multiples!(
    points_are_multiples_on_p256,
    p256,
    TWICE_G_P256,
    "P-256",
    256
);
points_are_multiples!(
    points_are_multiples_on_p384,
    p384,
    TWICE_G_P384,
    "P-384",
    384
);

#[test]
fn the_binary_form_is_loaded_again_and_verifies() {
    use p256::ecdsa::signature::Signer as _;
    let mut two = [0; 32];
    two[31] = 2;
    let signing_key = p256::ecdsa::SigningKey::from_slice(&two).unwrap();
    let signature: p256::ecdsa::Signature = signing_key.sign(b"message");
    let signature = Signature::from_p1363(&signature.to_bytes()).unwrap();

    let folder = Folder::new();
    let key = folder.write("key", TWICE_G_P256);
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
        // Without --out it goes to standard output.
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
        let key_file = folder.write("key", key);
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
    let key = folder.write("key", TWICE_G_P256);
    let good = bytes(&mut table(&key, "binary", 2));
    let changed = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        bytes
    };
    // With a checksum that is right, so that only the content is wrong.
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
        // The point of the key, and one of the table.
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
