//! The modules of the command use each other in one direction, without circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let sources = entries.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    sources.collect()
}

/// Returns the modules that a source names with `crate::`, one at a time or as a group in braces.
fn uses(source: &str) -> BTreeSet<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let lines = source.lines().map(|line| line.split("//").next().unwrap());
    let code = lines.collect::<Vec<_>>().join(" ");
    let mut found = BTreeSet::new();
    for (at, begin) in code.match_indices("crate::") {
        let rest = &code[at + begin.len()..];
        let (mut depth, mut starts) = (0, vec![]);
        for (i, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            match c {
                '{' if i == 0 => starts.push(1),
                ',' if depth == 1 => starts.push(i + 1),
                _ if i == 0 => starts.push(0),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        found.extend(starts.into_iter().map(|start| {
            let name = rest[start..].trim_start();
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            name[..end.unwrap_or(name.len())].to_owned()
        }));
    }
    // A trailing comma is followed by no name.
    found.remove("");
    found
}

/// Returns the modules that each module uses, over all of its files. `lib.rs` is above them all.
fn all_uses() -> Uses {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Uses::new();
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).unwrap().with_extension("");
        let module = inside.iter().next().unwrap().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&module.as_str()) {
            let source = fs::read_to_string(&path).unwrap();
            all.entry(module).or_default().extend(uses(&source));
        }
    }
    all
}

/// Returns the modules that use each other in a circle. Modules that use none of the others are
/// removed repeatedly; the rest is returned.
fn circles(mut all: Uses) -> BTreeSet<String> {
    loop {
        let modules: BTreeSet<String> = all.keys().cloned().collect();
        all.retain(|own, uses| {
            uses.iter()
                .any(|used| used != own && modules.contains(used))
        });
        if all.len() == modules.len() {
            return modules;
        }
    }
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let all = all_uses();
    assert!(all["cli"].contains("options") && all["output"].contains("options"));
    assert!(all["pipeline"].contains("rows") && all.len() > 30);
    let left = circles(all);
    assert!(left.is_empty(), "in a circle, or above one: {left:?}");
}

#[test]
fn a_circle_is_found() {
    let source = "use crate::rows;\nuse crate::{cells::{Cell, Other}, files};\n// crate::output";
    let found = uses(source);
    assert_eq!(found, ["cells", "files", "rows"].map(String::from).into());
    let all = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "d")];
    let all = all.map(|(own, used)| (own.to_owned(), [used.to_owned()].into()));
    assert_eq!(
        circles(all.into()),
        ["a", "b", "c"].map(String::from).into()
    );
}
