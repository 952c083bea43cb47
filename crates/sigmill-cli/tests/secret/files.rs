//! Files of keys and secrets: when they are written, when they are not, and what happens when
//! writing fails.

use std::fs;

use crate::support::*;

#[cfg(unix)]
#[test]
fn a_key_is_not_replaced_by_its_secret() {
    let dir = TempDir::new().unwrap();
    for name in ["key", "peer"] {
        let public = format!("{name}.pub");
        succeed(&dir, &["keygen", "--out", name, "--public-out", &public]);
    }
    let path = |name: &str| dir.path().join(name);
    fs::hard_link(path("key"), path("link")).unwrap();
    fs::hard_link(path("peer.pub"), path("link.pub")).unwrap();
    let before = [read(&dir, "key"), read(&dir, "peer.pub")];
    for (out, message) in [
        ("key", "is also our private key"),
        ("./key", "is also our private key"),
        ("link", "is also our private key"),
        ("link.pub", "is also their public key"),
    ] {
        let args = ["ecdh", "--key", "key", "--peer", "peer.pub", "--force"];
        refuse(&dir, &[&args[..], &["--out", out]].concat(), message);
        assert_eq!([read(&dir, "key"), read(&dir, "peer.pub")], before);
    }
    refuse(&dir, &["ecdh", "--key", "-", "--peer", "-"], "only once");
}

#[cfg(unix)]
#[test]
fn two_outputs_are_two_files() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("old"), "").unwrap();
    fs::hard_link(dir.path().join("old"), dir.path().join("link")).unwrap();
    std::os::unix::fs::symlink("new", dir.path().join("dangling")).unwrap();
    for (out, public_out) in [
        ("new", "new"),
        ("new", "./new"),
        ("old", "link"),
        ("new", "dangling"),
        ("-", "-"),
        ("-", "/dev/stdout"),
    ] {
        let args = [
            "keygen",
            "--force",
            "--out",
            out,
            "--public-out",
            public_out,
        ];
        refuse(&dir, &args, "is also the file of the private key");
    }
    assert_eq!(read(&dir, "old"), b"");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pair_of_keys_is_written_or_none_of_it() {
    let dir = TempDir::new().unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("full")).unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    file(&dir, "old", "old");
    for (out, public_out) in [
        ("key", "full"),
        ("key", "folder"),
        ("key", "none/pub"),
        ("old", "full"),
        ("full", "pub"),
        ("folder", "pub"),
        ("none/key", "pub"),
    ] {
        let args = [
            "keygen",
            "--force",
            "--out",
            out,
            "--public-out",
            public_out,
        ];
        let run = run(&dir, &args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["folder", "full", "old"], "{args:?}");
        assert_eq!(read(&dir, "old"), b"old");
    }
    let linked = fs::read_link(dir.path().join("full")).unwrap();
    assert_eq!(linked.to_str(), Some("/dev/full"));
}

#[cfg(unix)]
#[test]
fn force_writes_through_what_is_no_regular_file() {
    use std::os::unix::fs::FileTypeExt;
    let dir = TempDir::new().unwrap();
    let fifo = dir.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    refuse(&dir, &["keygen", "--out", "fifo"], "already exists");
    let reader = {
        let fifo = fifo.clone();
        std::thread::spawn(move || fs::read(fifo).unwrap())
    };
    succeed(&dir, &["keygen", "--force", "--out", "fifo"]);
    assert!(reader.join().unwrap().starts_with(b"-----BEGIN PRIVATE"));
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    // A link stays, and only the owner may read its target.
    file(&dir, "old", "old");
    std::os::unix::fs::symlink("old", dir.path().join("link")).unwrap();
    refuse(&dir, &["keygen", "--out", "link"], "already exists");
    succeed(&dir, &["keygen", "--force", "--out", "link"]);
    assert!(dir.path().join("link").is_symlink());
    assert!(read(&dir, "old").starts_with(b"-----BEGIN PRIVATE"));
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(dir.path().join("old")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_that_nobody_gets_is_an_error() {
    let dir = TempDir::new().unwrap();
    succeed(&dir, &["keygen", "--out", "key", "--public-out", "pub"]);
    file(&dir, "rows.csv", "message\nhello\n");
    let commands = [
        "keygen --out -",
        "ecdh --key key --peer pub",
        "sign rows.csv --key key --out - --out-format csv",
    ];
    for command in commands {
        let shell = |redirection: &str| {
            let line = format!("exec \"$0\" {command} {redirection}");
            let output = std::process::Command::new("sh")
                .args(["-c", &line, env!("CARGO_BIN_EXE_sigmill")])
                .current_dir(dir.path())
                .output()
                .unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            (output.status.code().unwrap(), stderr)
        };
        for (redirection, message) in [
            (">&-", "standard output: closed"),
            ("1<key", "standard output: not open for writing"),
            (">/dev/full", "No space left"),
        ] {
            let (code, stderr) = shell(redirection);
            assert_eq!(code, 2, "{command} {redirection}: {stderr}");
            assert!(
                stderr.contains(message),
                "{command} {redirection}: {stderr}"
            );
        }
        assert_eq!(shell(">/dev/null").0, 0, "{command}");
        // A pipe whose reader has gone away.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_sigmill"))
            .args(command.split(' '))
            .current_dir(dir.path())
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("wrote"), "{command}: {stderr}");
    }
}
