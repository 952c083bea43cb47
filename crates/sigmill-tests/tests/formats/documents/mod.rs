//! The documents match the tree: the files, names, constants and curves that they mention exist and
//! are as described.

mod code;
mod curves;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The documents.
const DOCUMENTS: [&str; 12] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SOUNDNESS.md",
    "SECURITY.md",
    "README.md",
    "bench/README.md",
    "fuzz/README.md",
    "integrations/sigmill-alloy/README.md",
    "integrations/sigmill-jsonwebtoken/README.md",
    "integrations/sigmill-revm/README.md",
    "integrations/sigmill-rustls/README.md",
    "docs",
];

/// The roots of the paths in the documents.
const ROOTS: [&str; 8] = [
    "",
    "bench",
    "crates/sigmill/src",
    "crates/sigmill",
    "crates/sigmill-tests",
    "crates/sigmill-tests/tests",
    "crates/sigmill/src/bulk",
    "crates/sigmill-cli/src",
];

/// The folders with sources.
const SOURCES: [&str; 11] = [
    "crates",
    "bench/src",
    "fuzz/fuzz_targets",
    "integrations/sigmill-alloy/src",
    "integrations/sigmill-alloy/tests",
    "integrations/sigmill-jsonwebtoken/src",
    "integrations/sigmill-jsonwebtoken/tests",
    "integrations/sigmill-revm/src",
    "integrations/sigmill-revm/tests",
    "integrations/sigmill-rustls/src",
    "integrations/sigmill-rustls/tests",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the project.
fn read(path: impl AsRef<Path>) -> String {
    let path = project().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder with an extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

fn documents() -> Vec<PathBuf> {
    let mut documents = vec![];
    for name in DOCUMENTS {
        let path = project().join(name);
        if path.is_dir() {
            documents.extend(files(&path, "md"));
        } else {
            documents.push(path);
        }
    }
    documents
}

fn sources() -> Vec<PathBuf> {
    let folders = SOURCES.iter().map(|folder| project().join(folder));
    folders.flat_map(|folder| files(&folder, "rs")).collect()
}

/// The text between backticks, each within one line, outside of code blocks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// The texts between backticks that are paths of source files or of folders of them.
fn paths(text: &str) -> BTreeSet<&str> {
    let is_path = |span: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/_-.".contains(c);
        span.chars().all(plain)
            && span.starts_with(|c: char| c.is_ascii_lowercase())
            && (span.ends_with(".rs") || span.ends_with('/'))
    };
    spans(text).filter(is_path).collect()
}

/// Reports whether a path exists; a bare name must belong to some source.
fn exists(path: &str, sources: &[PathBuf]) -> bool {
    let mut roots = ROOTS.iter();
    roots.any(|root| project().join(root).join(path).exists())
        || !path.contains('/') && sources.iter().any(|source| source.ends_with(path))
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let sources = sources();
    let mut named = 0;
    for document in documents() {
        let text = read(&document);
        for path in paths(&text) {
            named += 1;
            assert!(
                exists(path, &sources),
                "{} names {path}",
                document.display()
            );
        }
    }
    assert!(named > 150, "{named} paths");
}

#[test]
fn a_path_that_is_none_is_found() {
    let text = "See `field/gone.rs`, `tests/`, `gone.rs`, `a / b`, `Field::mul`, `NAME/x.rs` and \
                `curve/`.\n```\n`not/this.rs`\n```\n";
    assert_eq!(
        paths(text).into_iter().collect::<Vec<_>>(),
        ["curve/", "field/gone.rs", "gone.rs", "tests/"]
    );
    let sources = sources();
    assert!(!exists("field/gone.rs", &sources) && !exists("gone.rs", &sources));
    assert!(exists("curve/", &sources) && exists("field/mod.rs", &sources));
    assert!(exists("montgomery_x86.rs", &sources));
}

/// The pictures, too.
#[test]
fn every_file_that_a_picture_names_is_there() {
    let sources = sources();
    let mut named = 0;
    for picture in files(&project().join("docs"), "svg") {
        let text = read(&picture);
        let words = text.split(|c: char| c.is_whitespace() || "<>(),".contains(c));
        for path in words.filter(|word| word.ends_with(".rs")) {
            named += 1;
            assert!(exists(path, &sources), "{} names {path}", picture.display());
        }
    }
    assert!(named > 15, "{named} paths");
}

/// The targets of links: `[text](target)`.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets.filter(|target| !target.contains("://")).collect()
}

/// Headings in the form that links use.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut count = 0;
    for document in documents() {
        let text = read(&document);
        for link in links(&text) {
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{} links {link}", document.display());
            assert!(
                anchor.is_empty() || anchors(&read(&target)).contains(anchor),
                "{} links {link}",
                document.display()
            );
        }
    }
    assert!(count > 50, "{count} links");
    assert_eq!(links("[a](b.md#c), [d](https://e)"), ["b.md#c"]);
    assert!(anchors("# Of `this`, and that\n").contains("of-this-and-that"));
}

/// Comments cite essays, and chapters of them: `docs/lanes.md, "Numbers"`.
#[test]
fn every_essay_that_a_comment_names_is_there() {
    let mut count = 0;
    for source in sources() {
        let text = read(&source);
        let comments: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("//"))
            .map(|line| line.trim_start_matches(['/', '!']).trim())
            .collect();
        let comments = comments.join(" ");
        for (at, _) in comments.match_indices("docs/") {
            let rest = &comments[at..];
            let Some(end) = rest.find(".md") else {
                continue;
            };
            let (essay, rest) = rest.split_at(end + ".md".len());
            if essay.contains([' ', 'X']) {
                continue;
            }
            count += 1;
            let essay_text = read(essay);
            let chapter = rest
                .strip_prefix(", \"")
                .and_then(|rest| rest.split('"').next());
            assert!(
                chapter.is_none_or(|chapter| essay_text.contains(&format!("# {chapter}\n"))
                    || essay_text.contains(&format!("**{chapter}**"))),
                "{} names {chapter:?} of {essay}",
                source.display()
            );
        }
    }
    assert!(count > 10, "{count} essays");
}

/// rustfmt enforces this limit for code, but not for comments, strings and scripts.
#[test]
fn no_line_of_a_source_is_longer_than_100_columns() {
    let gate = fs::read_dir(project().join(".ci")).unwrap();
    let gate = gate.map(|file| file.unwrap().path());
    let scripts = SOURCES.iter().flat_map(|folder| {
        let kinds = ["sh", "py", "c", "cpp"].iter();
        kinds.flat_map(move |kind| files(&project().join(folder), kind))
    });
    let mut long = vec![];
    for path in sources().into_iter().chain(scripts).chain(gate) {
        for (i, line) in read(&path).lines().enumerate() {
            if line.chars().count() > 100 {
                long.push(format!("{}:{}", path.display(), i + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}
