//! The layers: every folder imports only from layers above it, and `lib.rs` lists them in order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the top down. A layer may import those before it.
const LAYERS: [&str; 20] = [
    "stack",
    "ct",
    "cpu",
    "error",
    "hash",
    "limbs",
    "field",
    "scalar",
    "curve",
    "recode",
    "table",
    "multiply",
    "encoding",
    "ecdsa",
    "keys",
    "jose",
    "agreement",
    "ethereum",
    "bulk",
    "hazmat",
];

/// Exceptions, which a layer may import from below: errors name a curve.
const EXCEPTIONS: [(&str, &str); 1] = [("error", "curve::CurveName")];

/// The order inside some folders: a part may import those before it. A capitalised name is a type
/// of the folder's own file, `mod.rs`, which imports any part.
const ROOMS: [(&[&str], &str); 9] = [
    (
        &["field"],
        "modulus traits factors traits_lanes invert prime lanes",
    ),
    (
        &["ecdsa"],
        "algorithm recovery_id signature_format signature policy friendly hint hmac_drbg nonce \
         sign sign_many verify quotients verify_point verify_many verify_one full_signature \
         recover recover_many batch",
    ),
    (
        &["keys"],
        "options verifying_key prepared_key verify secret_scalar signing_key blocks generate_many \
         sign_many kinds any any_verify recover any_signing_key conversions key_files jwk \
         private_jwk document_traits private_document_traits traits signing_traits warm_up",
    ),
    (&["jose"], "error header jwk key_set token"),
    (&["bulk"], "forks locks plan columns store run"),
    (
        &["bulk", "plan"],
        "summary work count count_batch memory speed timing key_costs costs",
    ),
    (
        &["bulk", "columns"],
        "shape_error layout column keys row inputs signatures hints digests recover_rows \
         rows distinct verdicts recovered arrow",
    ),
    (
        &["bulk", "store"],
        "budget builders distinct sketch slots stats known_key names entries tables saved_keys \
         KeyStore Contents container tests",
    ),
    (
        &["bulk", "run"],
        "threads control heap trials planner batch_options outcomes call key_group rows_by_key \
         block section explain recover engine builder in_order",
    ),
];

/// The modules of the names that `lib.rs` exports again at the root.
const ROOT_NAMES: [(&str, &str); 10] = [
    ("Error", "error::Error"),
    ("CurveName", "curve::CurveName"),
    ("Algorithm", "ecdsa::Algorithm"),
    ("AnyPreparedKey", "keys::AnyPreparedKey"),
    ("AnySigningKey", "keys::AnySigningKey"),
    ("AnyVerifyingKey", "keys::AnyVerifyingKey"),
    ("HashName", "hash::HashName"),
    ("Input", "keys::Input"),
    ("Policy", "ecdsa::Policy"),
    ("SignatureFormat", "ecdsa::SignatureFormat"),
];

/// The source without comments, and without optional white space in paths.
fn code_of(source: &str) -> String {
    let lines = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let mut code = lines.collect::<Vec<_>>().join("\n");
    for (spaced, tight) in [(":: ", "::"), ("::\n", "::"), (" ::", "::")] {
        while code.contains(spaced) {
            code = code.replace(spaced, tight);
        }
    }
    code
}

/// Splits `a, b::{c, d}, e` at the commas outside of braces.
fn split_list(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, vec![]);
    for (i, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&list[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Every path that starts with `rest`, with groups in braces expanded.
fn expand(rest: &str, prefix: &[String], paths: &mut BTreeSet<Vec<String>>) {
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let end = group.bytes().position(|byte| {
                depth += i32::from(byte == b'{') - i32::from(byte == b'}');
                depth == 0
            });
            for part in split_list(&group[..end.unwrap_or(group.len())]) {
                expand(part, prefix, paths);
            }
        }
        return;
    }
    let mut path = prefix.to_vec();
    match name {
        "self" => {}
        "super" => {
            path.pop();
        }
        name => path.push(name.to_owned()),
    }
    match rest.strip_prefix("::") {
        Some(rest) => expand(rest, &path, paths),
        None => {
            paths.insert(path);
        }
    }
}

/// The paths within the crate that a module's source names, from the crate's root.
fn internal_paths(module: &[&str], source: &str) -> BTreeSet<Vec<String>> {
    let code = code_of(source);
    let module: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
    let mut paths = BTreeSet::new();
    let begins_word = |at: usize| {
        !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
    };
    for (at, _) in code
        .match_indices("crate::")
        .filter(|&(at, _)| begins_word(at))
    {
        expand(&code[at + "crate::".len()..], &[], &mut paths);
    }
    for (at, _) in code
        .match_indices("super::")
        .filter(|&(at, _)| begins_word(at))
    {
        // Unit tests are one module deeper than their file.
        let inner = code[..at].contains("mod tests {");
        let mut from = module.clone();
        if inner {
            from.push("tests".to_owned());
        }
        expand(&code[at..], &from, &mut paths);
    }
    paths
}

/// Returns true if the order inside the common folders allows a module to import a path.
fn keeps_order_of_rooms(module: &[&str], path: &str) -> bool {
    let path: Vec<&str> = path.split("::").collect();
    ROOMS.iter().all(|(folder, order)| {
        let (Some(own), Some(other)) = (module.strip_prefix(*folder), path.strip_prefix(*folder))
        else {
            return true;
        };
        let (Some(own), Some(other)) = (own.first(), other.first()) else {
            return true;
        };
        let position = |part: &str| order.split(' ').position(|known| known == part);
        // A name that the folder's own file exports again belongs to its origin.
        let exported = || position(&home_of(folder, other)?);
        let other = position(other).or_else(exported);
        matches!((position(own), other), (Some(own), Some(other)) if other <= own)
    })
}

/// The imports of a module that violate the order of the layers, or of the parts of a folder.
fn violations(module: &[&str], source: &str) -> Vec<String> {
    let position = |layer: &str| LAYERS.iter().position(|&known| known == layer);
    let own = position(module[0]).expect("every module is in a layer");
    internal_paths(module, source)
        .into_iter()
        .map(|path| {
            let root = ROOT_NAMES
                .iter()
                .find(|(name, _)| *name == path.first().map_or("", |n| n));
            root.map_or_else(|| path.join("::"), |(_, home)| (*home).to_owned())
        })
        .filter(|path| {
            let layer = path.split("::").next().unwrap_or_default();
            let allowed = position(layer).is_some_and(|layer| layer <= own)
                || EXCEPTIONS.contains(&(module[0], path.as_str()));
            !allowed || !keeps_order_of_rooms(module, path)
        })
        .collect()
}

/// The part of a folder from which the folder's own file exports a name again.
fn home_of(folder: &[&str], name: &str) -> Option<String> {
    let file = folder.iter().collect::<PathBuf>().join("mod.rs");
    let source = fs::read_to_string(source_root().join(file)).unwrap();
    let exports = exports_of(&source);
    let found = exports.into_iter().find(|(exported, _)| exported == name);
    found.map(|(_, home)| home)
}

/// The names that a module exports with `pub use` or `pub(crate) use`, each with the inner module
/// that it comes from.
fn exports_of(source: &str) -> Vec<(String, String)> {
    let code = code_of(source);
    let mut exports = vec![];
    for item in code.split(';') {
        let uses = ["pub use ", "pub(crate) use "].into_iter();
        let found = uses.filter_map(|start| Some(item.find(start)? + start.len()));
        let Some(at) = found.min() else {
            continue;
        };
        let mut paths = BTreeSet::new();
        expand(&item[at..], &[], &mut paths);
        exports.extend(paths.into_iter().filter(|path| path.len() > 1).map(|path| {
            let name = path.last().expect("two names").clone();
            (name, path[0].clone())
        }));
    }
    exports
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_folder_imports_only_from_above() {
    let root = source_root();
    let mut files = vec![];
    source_files(&root, &mut files);
    let (mut layers, mut wrong) = (BTreeSet::new(), vec![]);
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Vec<&str> = relative.iter().map(|part| part.to_str().unwrap()).collect();
        if module.last() == Some(&"mod") {
            module.pop();
        }
        if module == ["lib"] {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        let found = violations(&module, &source);
        if !found.is_empty() {
            wrong.push(format!("{} imports {found:?}", file.display()));
        }
        layers.insert(module[0].to_owned());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        layers,
        LAYERS.map(str::to_owned).into(),
        "a layer is missing or unknown"
    );
}

#[test]
fn lib_lists_the_layers_in_order() {
    let lib = code_of(&fs::read_to_string(source_root().join("lib.rs")).unwrap());
    let modules: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod "))
        .filter_map(|rest| rest.strip_suffix(';'))
        .collect();
    assert_eq!(modules, LAYERS);
    for (name, home) in ROOT_NAMES {
        let layer = home.split("::").next().unwrap();
        let from_layer = format!("use {layer}::");
        let mut exports = lib.split(';').filter(|item| item.contains(&from_layer));
        assert!(
            exports.any(|item| item.contains(name)),
            "{name} is not exported from {layer}"
        );
    }
}

#[test]
fn planted_violations_are_found() {
    let bad = [
        (vec!["limbs"], "use crate::field::Field;"),
        (
            vec!["field", "p256"],
            "fn f() { crate::scalar::from_digest(x) }",
        ),
        (
            vec!["field", "p256", "mont"],
            "use super::super::super::curve::P256;",
        ),
        (
            vec!["field", "invert", "one"],
            "use crate::field::MontgomeryField;",
        ),
        (
            vec!["field", "prime", "p256"],
            "use crate::field::{FieldX8};",
        ),
        (vec!["field", "modulus"], "use super::invert::invert_all;"),
        (
            vec!["curve", "group"],
            "use crate::{\n    field::Field,\n    table::WindowTable,\n};",
        ),
        (vec!["table"], "use super::multiply::{self};"),
        (vec!["error"], "use crate::curve::{CurveName, P256};"),
        (vec!["encoding", "jwk"], "use crate::Policy;"),
        (
            vec!["recode"],
            "mod tests {\n use super::super::ecdsa::Signature;\n}",
        ),
        (vec!["multiply"], "let x = crate ::bulk::Engine::builder();"),
        (vec!["curve"], "use crate::unheard_of::Thing;"),
        (
            vec!["bulk", "plan", "costs"],
            "use crate::bulk::columns::Rows;",
        ),
        (vec!["bulk", "locks"], "use super::plan::Costs;"),
        (
            vec!["bulk", "columns", "rows"],
            "use super::super::run::Engine;",
        ),
        (
            vec!["bulk", "run", "block"],
            "fn f() { super::section::Section::plan() }",
        ),
        (
            vec!["bulk", "run", "section"],
            "use super::{block::Block, engine::Engine};",
        ),
        // Also under the name that the folder's own file gives it.
        (vec!["bulk", "columns", "rows"], "use crate::bulk::Engine;"),
        (vec!["bulk", "run", "unheard_of"], "use super::call::Call;"),
    ];
    for (module, source) in bad {
        assert_eq!(violations(&module, source).len(), 1, "{source}");
    }
    let good = [
        (vec!["error"], "use crate::curve::CurveName;"),
        (
            vec!["field", "prime", "p256", "mont"],
            "use super::super::Kernel; use crate::limbs::{self, add};",
        ),
        (
            vec!["bulk", "run", "engine"],
            "use crate::{Error, Policy}; use super::section::Section;",
        ),
        (
            vec!["bulk", "store"],
            "use names::Names; use crate::bulk::plan::Costs;",
        ),
        (vec!["bulk", "store", "container"], "use super::KeyStore;"),
        (
            vec!["bulk", "run", "key_group"],
            "mod tests {\n use super::super::planner::Planner;\n}",
        ),
        (
            vec!["limbs"],
            "// use crate::field::Field;\n//! [`crate::bulk`]",
        ),
        (
            vec!["keys", "any"],
            "mod tests {\n use super::*;\n use crate::Policy;\n}",
        ),
        (vec!["limbs"], "my_crate::field::x(); $crate::bulk::y();"),
    ];
    for (module, source) in good {
        assert_eq!(
            violations(&module, source),
            Vec::<String>::new(),
            "{source}"
        );
    }
}
