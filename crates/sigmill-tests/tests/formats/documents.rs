//! What the documents say of the tree: the files and folders that they name are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The documents.
const DOCUMENTS: [&str; 5] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SOUNDNESS.md",
    "README.md",
    "docs",
];

/// Where the paths that they name begin.
const ROOTS: [&str; 7] = [
    "",
    "crates/sigmill/src",
    "crates/sigmill",
    "crates/sigmill-tests",
    "crates/sigmill-tests/tests",
    "crates/sigmill/src/bulk",
    "crates/sigmill-cli/src",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<PathBuf> {
    let mut documents = vec![];
    for name in DOCUMENTS {
        let path = project().join(name);
        if path.is_dir() {
            let files = fs::read_dir(path).unwrap();
            documents.extend(files.map(|file| file.unwrap().path()));
        } else {
            documents.push(path);
        }
    }
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents
}

/// What stands between backticks and is the path of a source file or of a folder of them.
fn paths(text: &str) -> BTreeSet<&str> {
    let spans = text.split('`').skip(1).step_by(2);
    let is_path = |span: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/_-.".contains(c);
        span.contains('/')
            && span.chars().all(plain)
            && span.starts_with(|c: char| c.is_ascii_lowercase())
            && (span.ends_with(".rs") || span.ends_with('/'))
    };
    spans.filter(is_path).collect()
}

fn exists(path: &str) -> bool {
    ROOTS
        .iter()
        .any(|root| project().join(root).join(path).exists())
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let mut named = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for path in paths(&text) {
            named += 1;
            assert!(exists(path), "{} names {path}", document.display());
        }
    }
    assert!(named > 100, "{named} paths");
}

#[test]
fn a_path_that_is_none_is_found() {
    let text = "See `field/gone.rs`, `tests/`, `a / b`, `Field::mul`, `NAME/x.rs` and `curve/`.";
    assert_eq!(
        paths(text).into_iter().collect::<Vec<_>>(),
        ["curve/", "field/gone.rs", "tests/"]
    );
    assert!(!exists("field/gone.rs"));
    assert!(exists("curve/") && exists("field/mod.rs"));
}
