//! The curves named in the documents.

use sigmill::bulk::KeyStore;
use sigmill::{AnySigningKey, CurveName};

use super::read;

/// The introduction of each package names every curve.
#[test]
fn introductions_name_every_curve() {
    let paragraph = |text: String, from: &str| {
        let (_, rest) = text.split_once(from).unwrap();
        rest.split("\n\n").next().unwrap().to_owned()
    };
    let introductions = [
        paragraph(read("README.md"), "# sigmill\n\n"),
        paragraph(read("README.md"), "## Limits\n\n"),
        paragraph(read("crates/sigmill/Cargo.toml"), "description = "),
        paragraph(read("crates/sigmill-cli/Cargo.toml"), "description = "),
        read("crates/sigmill/src/lib.rs")
            .lines()
            .next()
            .unwrap()
            .to_owned(),
    ];
    for curve in CurveName::ALL {
        for introduction in &introductions {
            assert!(
                introduction.contains(curve.as_str()),
                "{curve}: {introduction}"
            );
        }
    }
}

/// The numbers of curves in saved stores of keys, and the lengths of their coordinates.
#[test]
fn the_essay_on_the_key_store_has_every_curve() {
    let essay = read("docs/key-store.md");
    let comment = read("crates/sigmill/src/bulk/store/container.rs");
    for &curve in CurveName::ALL {
        let key = AnySigningKey::generate(curve).unwrap().verifying_key();
        let (store, mut bytes) = (KeyStore::new(1 << 20), vec![]);
        store.pin(&key, 1).unwrap();
        store.save(&mut bytes).unwrap();
        let named = format!("{} for {curve}", bytes[16]);
        for text in [&essay, &comment] {
            let row = text
                .lines()
                .find(|line| line.contains("| curve: "))
                .unwrap();
            assert!(row.contains(&named), "{named}: {row}");
        }
        let (_, rest) = essay
            .split_once("l is the length of a coordinate, ")
            .unwrap();
        let lengths = rest.split('.').next().unwrap();
        assert!(
            lengths.contains(&curve.field_len().to_string()),
            "{lengths}"
        );
    }
}

/// The sizes of tables.
#[test]
fn the_essay_on_tables_has_every_curve() {
    let essay = read("docs/tables.md");
    let (_, sizes) = essay.split_once("| window | rows").unwrap();
    for &curve in CurveName::ALL {
        for window in 1..=11 {
            let row = sizes
                .lines()
                .find(|line| line.starts_with(&format!("| {window} |")));
            let rows = (curve.order_bits() + 1).div_ceil(window) as usize;
            let columns = 1 << (window - 1);
            let bytes = rows * columns * 16 * (curve.field_bits() as usize).div_ceil(64);
            assert!(
                row.unwrap()
                    .contains(&format!("| {rows} × {columns} | {} |", grouped(bytes))),
                "{curve}, window {window}: {rows} × {columns}, {bytes} bytes"
            );
        }
    }
}

/// 1234567 as `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
