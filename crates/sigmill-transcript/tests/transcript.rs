//! The program on this CPU: the same transcript on every backend, and files that it refuses.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use sigmill::cpu;

/// Runs the program on the given or the best backend.
fn run(backend: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sigmill-transcript"));
    let command = command
        .args(arguments)
        .env(cpu::ENVIRONMENT_VARIABLE, backend);
    command.output().expect("the program runs")
}

/// The output of a successful run.
fn printed(backend: &str, arguments: &[&str]) -> String {
    let output = run(backend, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{backend} {arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_backend_computes_the_same() {
    let best = printed("auto", &["print"]);
    assert_eq!(best.lines().count(), 79, "{best}");
    check_lines(&best);
    let backends = printed("auto", &["backends"]);
    assert!(backends.lines().any(|name| name == "portable"));
    for backend in backends.lines() {
        assert_eq!(printed(backend, &["print"]), best, "{backend}");
    }
}

/// Each section appears once, and the last line is the hash of all lines.
fn check_lines(text: &str) {
    let (lines, last) = text.trim_end().rsplit_once('\n').expect("lines");
    assert_eq!(
        last,
        format!("transcript {}", hash(format!("{lines}\n").as_bytes()))
    );
    let mut names: Vec<_> = lines
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "each name once");
}

#[test]
fn a_backend_that_is_none_is_told() {
    let output = run("nonesuch", &["print"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("nonesuch"),
        "{error}"
    );
    assert!(!run("auto", &[]).status.success());
    assert!(!run("auto", &["read"]).status.success());
}

/// A folder of files, for one test.
struct Folder(PathBuf);

impl Folder {
    fn written(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        let folder = Self(path);
        printed("portable", &["write", folder.name()]);
        folder
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("text")
    }

    fn get(&self, file: &str) -> Vec<u8> {
        fs::read(self.0.join(file)).expect("a file")
    }

    fn put(&self, file: &str, content: &[u8]) {
        fs::write(self.0.join(file), content).expect("a file");
    }

    /// Replaces a file, and corrects its hash in the list.
    fn put_listed(&self, file: &str, content: &[u8]) {
        let list = String::from_utf8(self.get("HASHES")).expect("text");
        let list = list.replace(&hash(&self.get(file)), &hash(content));
        self.put("HASHES", list.as_bytes());
        self.put(file, content);
    }

    /// Reads the files, which must be refused with this message.
    fn refused(&self, message: &str) {
        let output = run("auto", &["read", self.name()]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "it was read: {message}");
        assert!(error.contains(message), "{message}: {error}");
    }
}

fn hash(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file with a changed bit in byte `at` and a correct checksum.
fn changed_and_sealed(file: &[u8], at: usize) -> Vec<u8> {
    let mut content = file[..file.len() - 32].to_vec();
    content[at] ^= 1;
    let checksum = Sha256::digest(&content);
    [&content[..], &checksum[..]].concat()
}

#[test]
fn files_are_read_again_and_damaged_ones_are_refused() {
    let folder = Folder::written("damaged");
    assert!(printed("auto", &["read", folder.name()]).starts_with("2 files"));
    // A changed file with a correct hash in the list; and the same with a correct checksum in the
    // file. The bits are of the first key's point, and of its count.
    let point = "key: the point is not on the curve";
    for (file, at, written_so, sealed) in [
        ("pinned.store", 30, point, point),
        (
            "used.store",
            19,
            "key store: its checksum is wrong",
            "differs from what this CPU writes",
        ),
    ] {
        let (good, list) = (folder.get(file), folder.get("HASHES"));
        let mut bad = good.clone();
        bad[at] ^= 1;
        folder.put(file, &bad);
        folder.refused(&format!("{file}: not the file whose hash HASHES has"));
        folder.put(file, &good);
        folder.put_listed(file, &bad);
        folder.refused(&format!("{file}: {written_so}"));
        folder.put_listed(file, &changed_and_sealed(&good, at));
        folder.refused(&format!("{file}: {sealed}"));
        folder.put(file, &good);
        folder.put("HASHES", &list);
    }
}

#[test]
fn files_that_are_right_but_others_are_refused() {
    let folder = Folder::written("others");
    // The first key of a store has a count one too high: the file itself is valid.
    let store = folder.get("pinned.store");
    folder.put_listed("pinned.store", &changed_and_sealed(&store, 19));
    folder.refused("pinned.store: differs from what this CPU writes");
    folder.put_listed("pinned.store", &store);
    fs::remove_file(folder.0.join("used.store")).expect("a file");
    folder.refused("used.store: ");
    let list = String::from_utf8(folder.get("HASHES")).expect("text");
    let (rest, _) = list.split_once("used.store").expect("a line");
    folder.put("HASHES", rest.as_bytes());
    folder.refused("HASHES lists");
}
