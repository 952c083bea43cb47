//! The names, layers and `unsafe` blocks that the documents describe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{documents, files, project, read, sources, spans};

/// The words of a text; identifiers stay whole.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// Reports whether a span is an identifier: a path, a word with an underscore, or a word with a
/// capital and small letters.
fn is_name(span: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    span.split("::").all(is_word)
        && (span.contains("::")
            || span.contains('_')
            || span.starts_with(|c: char| c.is_ascii_uppercase())
                && span.contains(|c: char| c.is_ascii_lowercase()))
}

/// All parts of a path occur in one source, which defines or uses them, or are its name.
#[test]
fn every_name_that_a_document_cites_is_in_the_code() {
    let python = files(&project().join("crates/sigmill-python/python"), "py");
    let configuration = files(&project().join("crates/sigmill-cli/src"), "cnf");
    let sources: Vec<String> = sources()
        .iter()
        .chain(&python)
        .chain(&configuration)
        .map(|path| format!("{} {}", path.display(), read(path)))
        .collect();
    let sources: Vec<BTreeSet<&str>> = sources.iter().map(|text| words(text).collect()).collect();
    let (mut count, mut missing) = (0, vec![]);
    for document in documents() {
        let text = read(&document);
        // Without the arguments of types and functions.
        let names = spans(&text).filter_map(|span| span.split(['<', '(']).next());
        for name in names.filter(|name| is_name(name)) {
            count += 1;
            let has = |words: &BTreeSet<&str>| name.split("::").all(|part| words.contains(part));
            if !sources.iter().any(has) {
                missing.push(format!("{} cites {name}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(count > 200, "{count} names");
    assert!(is_name("Lanes::each") && is_name("invert_all") && is_name("FieldX8"));
    assert!(!is_name("mod") && !is_name("P-256") && !is_name("der") && !is_name("TEST"));
}

/// The rows of the table below a heading, each as its cells.
fn table<'a>(text: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, below) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let chapter = below.split("\n## ").next().unwrap();
    let rows = chapter.lines().filter(|line| line.starts_with('|'));
    rows.skip(2)
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn the_table_of_layers_is_the_list_of_modules() {
    let text = read("ARCHITECTURE.md");
    let rows = table(&text, "The layers");
    let layers: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    let lib = read("crates/sigmill/src/lib.rs");
    let modules: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "))
        .filter_map(|rest| rest.strip_suffix(';'))
        .collect();
    assert_eq!(layers, modules);
}

/// The sources of the library except its tests, by their paths below its folder.
fn library() -> BTreeMap<String, String> {
    let root = project().join("crates/sigmill/src");
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), read(&path))
    };
    let files = files(&root, "rs").into_iter().map(named);
    files.filter(|(name, _)| !name.contains("/tests")).collect()
}

/// The lines of a source that are code.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
}

#[test]
fn every_file_with_unsafe_code_is_in_the_table() {
    let text = read("SOUNDNESS.md");
    let (_, chapter) = text.split_once("\n## `unsafe`\n").unwrap();
    let chapter = chapter.split("\n## ").next().unwrap();
    let named: BTreeSet<&str> = spans(chapter)
        .filter(|span| span.ends_with(".rs"))
        .collect();
    let has_unsafe = |text: &str| code(text).any(|line| line.contains("unsafe {"));
    let library = library();
    let with = library.iter().filter(|(_, text)| has_unsafe(text));
    let mut with: BTreeSet<&str> = with.map(|(name, _)| name.as_str()).collect();
    // The crates at a border, by paths below the project.
    let borders = ["arrow", "capi", "openssl", "python", "sample"];
    let sources = |name| files(&project().join(format!("crates/sigmill-{name}/src")), "rs");
    let borders: Vec<PathBuf> = borders.into_iter().flat_map(sources).collect();
    let borders: Vec<String> = (borders.iter().filter(|path| has_unsafe(&read(path))))
        .map(|path| path.strip_prefix(project()).unwrap().display().to_string())
        .collect();
    with.extend(borders.iter().map(String::as_str));
    assert_eq!(named, with);
}

/// Intrinsics are in one file for each kind of vector. Few places query the CPU.
#[test]
fn intrinsics_and_questions_to_the_cpu_are_where_they_are_said_to_be() {
    let library = library();
    let with = |what: &[&str]| {
        let has = |text: &str| code(text).any(|line| what.iter().any(|what| line.contains(what)));
        let files = library.iter().filter(|(_, text)| has(text));
        files.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        with(&["_mm256_", "_mm512_"]),
        [
            "limbs/doubles_avx2.rs",
            "limbs/doubles_avx512.rs",
            "limbs/narrow_quads_avx2.rs",
            "limbs/quads_ifma.rs",
            "limbs/transpose_avx512.rs",
            "limbs/words_ifma.rs",
        ]
    );
    assert_eq!(
        with(&[
            "Adx::detect()",
            "Avx2::detect()",
            "Avx512::detect()",
            "Fma::detect()",
            "Ifma::detect()",
        ]),
        [
            "agreement/x25519.rs",
            "agreement/x25519/many.rs",
            "cpu/mod.rs",
            "cpu/tokens.rs",
            "curve/dispatch.rs",
            "field/prime/any.rs",
            "field/prime/either.rs",
            "table/masked.rs",
        ]
    );
}
