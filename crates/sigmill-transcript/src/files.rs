//! Files of key stores: written on one CPU, read on another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use sigmill::bulk::{KeyStore, Rows};

use crate::bulk::{Encoded, engine, saved};
use crate::inputs::Inputs;
use crate::transcript::{Transcript, hash};
use crate::verdicts::WINDOW;

/// The file with the hashes of the others, one per line.
const HASHES: &str = "HASHES";

/// The keys that are pinned, counted from 0: they have rows to verify.
const KEYS: [usize; 2] = [1, 2];

/// The store whose keys were all pinned when it was saved.
const PINNED: &str = "pinned.store";

const MEMORY: usize = 16 << 20;

/// Every file by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Adds the files to the transcript.
pub(crate) fn section(transcript: &mut Transcript, inputs: &[Inputs]) {
    for (name, content) in files(inputs) {
        transcript.section(format!("files/{name}"), |section| section.bytes(content));
    }
}

/// Writes the files, and finally their hashes.
pub(crate) fn write(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let write = |name: &str, content: &[u8]| {
        fs::write(folder.join(name), content).map_err(|error| format!("{name}: {error}"))
    };
    let mut hashes = String::new();
    for (name, content) in files(&Inputs::of_every_curve()) {
        write(&name, &content)?;
        hashes += &format!("{name} {}\n", hash(&content));
    }
    write(HASHES, hashes.as_bytes())
}

/// Reads files written elsewhere, verifies with them, and compares them with this CPU's own.
/// Returns their number.
pub(crate) fn read(folder: &Path) -> Result<usize, String> {
    let listed = read_listed(folder)?;
    let inputs = Inputs::of_every_curve();
    let own = files(&inputs);
    if !listed.keys().eq(own.keys()) {
        let (listed, own) = (listed.keys(), own.keys());
        return Err(format!(
            "{HASHES} lists {listed:?}, and this CPU writes {own:?}"
        ));
    }
    for (name, content) in &listed {
        use_store(&inputs, content, name == PINNED).map_err(|error| format!("{name}: {error}"))?;
        if *content != own[name] {
            return Err(format!("{name}: differs from what this CPU writes"));
        }
    }
    Ok(own.len())
}

/// Reads the listed files, and checks their hashes.
fn read_listed(folder: &Path) -> Result<Files, String> {
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let list = String::from_utf8(read(HASHES)?).map_err(|_| format!("{HASHES}: not text"))?;
    let mut files = Files::new();
    for line in list.lines() {
        let (name, expected) = line.split_once(' ').ok_or(format!("{HASHES}: {line:?}"))?;
        let content = read(name)?;
        if hash(&content) != expected {
            return Err(format!("{name}: not the file whose hash {HASHES} has"));
        }
        files.insert(name.into(), content);
    }
    Ok(files)
}

fn files(inputs: &[Inputs]) -> Files {
    let mut files = Files::new();
    let pinned = KeyStore::new(MEMORY);
    pin(&pinned, inputs);
    files.insert(PINNED.into(), saved(&pinned));
    // Keys whose tables an engine built because they pay.
    let used = Arc::new(KeyStore::new(MEMORY));
    let keys = Encoded::of(&inputs[..2]);
    engine(&used).verify(&Rows::from(&keys.rows(&inputs[..2])[..]));
    files.insert("used.store".into(), saved(&used));
    files
}

/// The window of the table of a key.
fn window(key: usize) -> u32 {
    WINDOW + 1 - key as u32
}

fn pin(store: &KeyStore, inputs: &[Inputs]) {
    for inputs in inputs {
        for key in KEYS {
            let pinned = store.pin(&inputs.public_keys[key], window(key));
            pinned.expect("memory");
        }
    }
}

/// Loads a store, pins its keys if they were pinned, and verifies all rows with it.
fn use_store(inputs: &[Inputs], content: &[u8], pinned: bool) -> Result<(), String> {
    let store = Arc::new(KeyStore::new(MEMORY));
    let loaded = store.load(content).map_err(|error| error.to_string())?;
    let tables = if pinned { loaded.keys } else { 0 };
    if loaded.keys == 0 || loaded.tables != tables || loaded.skipped > 0 {
        return Err(format!("{loaded:?}"));
    }
    if pinned {
        pin(&store, inputs);
        if saved(&store) != content {
            return Err("written again it differs".into());
        }
    }
    let keys = Encoded::of(inputs);
    let verdicts = engine(&store).verify(&Rows::from(&keys.rows(inputs)[..]));
    let rows = inputs.iter().flat_map(|inputs| &inputs.rows);
    for (number, (row, found)) in rows.zip(verdicts.as_slice()).enumerate() {
        if *found != row.verdict {
            return Err(format!("row {number} has another verdict: {found:?}"));
        }
    }
    Ok(())
}
