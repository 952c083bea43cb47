//! Files appear as a whole or not at all, lines stay as they were written, and a target has only
//! one writer.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::*;

const COLUMN_FORMATS: [&str; 3] = ["parquet", "arrow", "arrows"];

fn names(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Runs a shell command line in `dir`, in which `$0` is the command.
#[cfg(unix)]
fn shell(dir: &TempDir, line: &str) -> Run {
    let output = Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_sigmill")])
        .current_dir(dir.path())
        .output()
        .unwrap();
    Run::new(&output)
}

/// Starts to verify standard input, with the verdicts in `out`.
fn start(out: &Path) -> Child {
    sigmill()
        .args(["verify", "-", "--format", "jsonl", "--out"])
        .arg(out)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_for(path: &Path) {
    for _ in 0..3000 {
        if path.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{} does not appear", path.display());
}

fn partial(out: &Path) -> PathBuf {
    let name = out.file_name().unwrap().to_str().unwrap();
    out.with_file_name(format!(".{name}.partial"))
}

#[cfg(unix)]
#[test]
fn a_file_that_grows_too_large_leaves_the_old_one() {
    let dir = TempDir::new().unwrap();
    for format in COLUMN_FORMATS {
        let name = format!("old.{format}");
        file(&dir, &name, "old");
        let run = shell(
            &dir,
            &format!("ulimit -f 8; exec \"$0\" sample --rows 300 --out {name}"),
        );
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("File too large"), "{run:?}");
        assert_eq!(fs::read(dir.path().join(&name)).unwrap(), b"old");
    }
    assert_eq!(names(&dir).len(), 3, "{:?}", names(&dir));
    // The same holds for a key store.
    let made = shell(&dir, "\"$0\" sample --rows 2000 --keys 250 --out a.jsonl");
    assert_eq!(made.code, 0, "{made:?}");
    let line = "\"$0\" verify a.jsonl --key-store store";
    let made = shell(&dir, line);
    assert_eq!(made.code, 0, "{made:?}");
    let store = fs::read(dir.path().join("store")).unwrap();
    let failed = shell(&dir, &format!("ulimit -f 8; {line}"));
    assert_eq!(failed.code, 2, "{failed:?}");
    assert_eq!(fs::read(dir.path().join("store")).unwrap(), store);
    assert!(store.len() > 8 << 10, "{}", store.len());
    assert_eq!(names(&dir).len(), 5, "{:?}", names(&dir));
    // Lines are whole, as far as there was room.
    let run = shell(
        &dir,
        "ulimit -f 400; exec \"$0\" sample --rows 1000 --out some.csv",
    );
    assert_eq!(run.code, 2, "{run:?}");
    let text = fs::read_to_string(dir.path().join("some.csv")).unwrap();
    assert!(text.ends_with('\n'));
    let rows = csv::Reader::from_reader(text.as_bytes()).into_records();
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert!((256..1000).contains(&rows.len()), "{}", rows.len());
    assert!(rows.iter().all(|row| row.len() == 5 && row[4].len() > 130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_stays_a_device() {
    use std::os::unix::fs::FileTypeExt;
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let rows = rows.to_str().unwrap();
    // Through a link, so that a defect cannot harm the machine's own device.
    let full = dir.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let full = full.to_str().unwrap();
    for format in ["csv", "jsonl", "parquet", "arrow", "arrow-stream"] {
        for args in [
            &["verify", rows, "--out", full, "--out-format", format][..],
            &["recover", rows, "--out", full, "--out-format", format],
            &["sample", "--rows", "9", "--out", full, "--format", format],
        ] {
            let run = run(args, b"");
            assert_eq!(run.code, 2, "{args:?}: {run:?}");
            assert!(run.stderr.contains("No space left"), "{run:?}");
        }
    }
    let key = dir.path().join("key");
    let (key, public) = (key.to_str().unwrap(), rows.replace("a.jsonl", "public"));
    let keygen = ["keygen", "--out", key, "--public-out", &public];
    assert_eq!(run(&keygen, b"").code, 0);
    for args in [
        &["table", &public, "--format", "openssl-c", "--out", full][..],
        &["table", &public, "--format", "json", "--out", full],
        &[
            "sign",
            rows,
            "--key",
            key,
            "--out",
            full,
            "--out-format",
            "csv",
        ],
    ] {
        let run = run(args, b"");
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(run.stderr.contains("No space left"), "{run:?}");
    }
    let kind = fs::metadata(full).unwrap().file_type();
    assert!(Path::new(full).is_symlink() && kind.is_char_device());
}

#[test]
fn nothing_is_to_be_seen_of_columns_before_they_are_whole() {
    let dir = TempDir::new().unwrap();
    for format in COLUMN_FORMATS {
        let out = dir.path().join("out.".to_owned() + format);
        fs::write(&out, "old").unwrap();
        let mut child = start(&out);
        wait_for(&partial(&out));
        assert_eq!(fs::read(&out).unwrap(), b"old");
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(changed(|_| ()).as_bytes()).unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
        assert!(fs::metadata(&out).unwrap().len() > 300);
        assert!(!partial(&out).exists());
    }
}

#[test]
fn the_second_writer_of_a_file_is_told() {
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    for (name, is_there) in [
        ("new.parquet", false),
        ("old.parquet", true),
        ("new.csv", false),
        ("old.csv", true),
    ] {
        let out = dir.path().join(name);
        if is_there {
            fs::write(&out, "").unwrap();
        }
        let mut first = start(&out);
        if name.ends_with("parquet") {
            wait_for(&partial(&out));
        } else {
            while !fs::read(&out).is_ok_and(|text| !text.is_empty()) {
                thread::sleep(Duration::from_millis(20));
            }
        }
        let second = verify(&rows, &["--out", out.to_str().unwrap()]);
        assert_eq!(second.code, 2, "{name}: {second:?}");
        assert!(
            second
                .stderr
                .contains("another process is writing this file"),
            "{second:?}"
        );
        drop(first.stdin.take());
        let first = Run::new(&first.wait_with_output().unwrap());
        assert_eq!(first.code, 0, "{name}: {first:?}");
        // The target is free again.
        let third = verify(&rows, &["--out", out.to_str().unwrap()]);
        assert_eq!(third.code, 0, "{name}: {third:?}");
    }
}

#[test]
fn a_killed_writer_leaves_no_lock_behind() {
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let out = dir.path().join("out.parquet");
    let mut child = start(&out);
    wait_for(&partial(&out));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(partial(&out).exists() && !out.exists());
    let run = verify(&rows, &["--out", out.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    let table = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(&out).unwrap()).unwrap();
    assert_eq!(table.metadata().file_metadata().num_rows(), 1);
    assert_eq!(names(&dir), ["a.jsonl", "out.parquet"]);
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    let mode = |name: &str| {
        fs::metadata(dir.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    file(&dir, "usual", "");
    for format in ["csv", "parquet"] {
        let name = |name: &str| format!("{name}.{format}");
        let path = |name: &str| dir.path().join(name);
        file(&dir, &name("old"), "");
        let private = fs::Permissions::from_mode(0o640);
        fs::set_permissions(path(&name("old")), private).unwrap();
        for (link, target) in [("link", "old"), ("dangling", "new"), ("twice", "link")] {
            symlink(name(target), path(&name(link))).unwrap();
            let out = path(&name(link));
            let run = verify(&rows, &["--out", out.to_str().unwrap()]);
            assert_eq!(run.code, 0, "{run:?}");
            assert!(out.is_symlink());
            assert!(fs::read(path(&name(target))).unwrap().len() > 50);
        }
        assert_eq!(mode(&name("old")) & 0o777, 0o640);
        assert_eq!(mode(&name("new")), mode("usual"));
        assert!(!path(&name("new")).is_symlink());
    }
}

/// A set-user-ID program of another owner loses that bit when its content is replaced.
#[cfg(unix)]
#[test]
fn set_user_id_goes_and_the_owner_stays() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let dir = TempDir::new().unwrap();
    let rows = file(&dir, "a.jsonl", changed(|_| ()));
    for format in ["parquet", "arrow"] {
        let out = dir.path().join(format!("old.{format}"));
        for (mode, owner) in [(0o6755, None), (0o1640, None), (0o6755, Some(65_534))] {
            fs::write(&out, "").unwrap();
            if owner.is_some() && chown(&out, owner, owner).is_err() {
                println!("SKIPPED: only the superuser can give a file away");
                continue;
            }
            fs::set_permissions(&out, fs::Permissions::from_mode(mode)).unwrap();
            let before = fs::metadata(&out).unwrap();
            let run = verify(&rows, &["--out", out.to_str().unwrap()]);
            assert_eq!(run.code, 0, "{run:?}");
            let after = fs::metadata(&out).unwrap();
            assert_ne!(after.ino(), before.ino());
            assert_eq!(after.mode() & 0o7777, mode & 0o777, "{mode:o}");
            assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        }
    }
}

#[test]
fn a_folder_in_the_way_is_told_before_any_work() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("out.parquet");
    fs::create_dir(&out).unwrap();
    let mut child = start(&out);
    // It does not wait for rows.
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    let read_only = dir.path().join("no").join("such.parquet");
    assert_eq!(start(&read_only).wait().unwrap().code(), Some(2));
}
