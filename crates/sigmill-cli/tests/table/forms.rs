//! The C form and the JSON form, compared with the listing in the paper, with the reading of a
//! compiler, and with another implementation.

use std::fs;
use std::process;

use data_encoding::HEXLOWER;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use serde_json::Value;
use sigmill::{AnySigningKey, CurveName};

use crate::fixture::{Folder, TWICE_G_P256, TWICE_G_P384, bytes, table, text};

/// The beginning of the table of 2G in Drucker and Gueron, "Speeding-Up P-256 ECDSA Verification on
/// x86-64 Servers", Listing 6, as far as printed there: 2G and the first limbs of 4G.
const LISTING_6: [&str; 5] = [
    "        TOBN(0x850046d4, 0x10ddd64d), TOBN(0xaa6ae3c1, 0xa433827d),",
    "        TOBN(0x73220503, 0x8d1490d9), TOBN(0xf6bb32e4, 0x3dcf3a3b),",
    "        TOBN(0x2f3648d3, 0x61bee1a5), TOBN(0x152cd7cb, 0xeb236ff8),",
    "        TOBN(0x19a8fb0e, 0x92042dbe), TOBN(0x78c57751, 0x0a5b8a3b),",
    "        TOBN(0x74b0b50d, 0x46918dcc), TOBN(0x4650a6ed, 0xc623c173),",
];

/// Declarations like OpenSSL's on a 64-bit machine, and a program that converts the table from
/// Montgomery form and prints one point per line, with x and y in hex.
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

/// Returns the points of the JSON form: x and y of each point, row by row.
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
    let key = folder.write_key(TWICE_G_P256);
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
    // Eight limbs per point, two per line; braces around 37 rows.
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
            let key = folder.write_key(key);
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

/// Every point of the JSON form is compared with another implementation's multiples of the key.
macro_rules! points_are_multiples {
    ($test:ident, $curve:ident, $key:expr, $name:expr, $bits:expr) => {
        #[test]
        fn $test() {
            use $curve::{ProjectivePoint, PublicKey};
            let folder = Folder::new();
            let key = folder.write_key($key);
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
                // One more row if the carry of the last window needs it.
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

/// The points of row 0 are Q, 2Q, 3Q, ...: here G and 2G, as computed by the library.
#[test]
fn every_curve_has_every_form() {
    let folder = Folder::new();
    for &curve in CurveName::ALL {
        let multiple = |k: u8| {
            let mut bytes = vec![0; curve.order_len()];
            bytes[curve.order_len() - 1] = k;
            let key = AnySigningKey::from_be_bytes(curve, &bytes).unwrap();
            key.verifying_key()
        };
        let key = folder.write("key", multiple(1).to_public_key_der());
        let json: Value = serde_json::from_str(&text(&mut table(&key, "json", 3))).unwrap();
        assert_eq!(json["curve"], curve.as_str());
        for k in [1, 2] {
            let point = &json["rows"][0][k - 1];
            let [x, y] = [&point["x"], &point["y"]].map(|number| number.as_str().unwrap());
            let expected = multiple(k as u8).to_sec1_bytes(false);
            assert_eq!(format!("04{x}{y}"), HEXLOWER.encode(&expected), "{curve}");
        }
        let c = text(&mut table(&key, "openssl-c", 3));
        let name = format!("ecp_nistz{}_precomputed", curve.field_bits());
        assert!(c.contains(&name), "{curve}: {c}");
    }
}

#[test]
fn a_table_in_a_file_is_described() {
    let folder = Folder::new();
    for (key, curve, rows, len) in [
        (TWICE_G_P256, "P-256", 37, 151_552),
        (TWICE_G_P384, "P-384", 55, 337_920),
    ] {
        let key_file = folder.write_key(key);
        let file = folder.path("table");
        let write = || {
            let mut command = table(&key_file, "json", 7);
            command.arg("--out").arg(&file);
            command
        };
        let said = text(&mut write());
        let expected = format!("wrote, {curve}, window 7, {rows} x 64 points");
        assert!(said.contains(&expected) && said.contains(key), "{said}");
        // Without --out the table goes to standard output.
        let stdout = bytes(&mut table(&key_file, "json", 7));
        assert!(fs::read(&file).unwrap() == stdout, "another table");
        let json: Value = serde_json::from_slice(&bytes(write().arg("--json"))).unwrap();
        assert_eq!(json["type"], "table");
        assert_eq!(json["curve"], curve);
        assert_eq!(json["window"], 7);
        assert_eq!(json["rows"], rows);
        assert_eq!(json["row_points"], 64);
        assert_eq!(json["table_bytes"], len);
        assert_eq!(json["key"], key);
        write().arg("--quiet").assert().code(0).stdout("");
    }
}
