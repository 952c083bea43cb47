//! Output cannot control a terminal, wherever its parts come from.

use std::fs;

use serde_json::json;

use crate::support::*;

/// Clears the screen, sets the title, rings the bell, and changes the direction of text. A forged
/// line follows.
const TRICK: &str = "\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}1m\u{202e}\u{2066}\r\n0 rejected";

/// Runs the command with colours, as if on a terminal.
fn coloured(args: &[&str]) -> Run {
    let output = sigmill()
        .env("CLICOLOR_FORCE", "1")
        .args(args)
        .output()
        .unwrap();
    Run::new(&output)
}

/// Fails if `text` contains anything except text, line breaks and our styles.
fn assert_clean(text: &str, args: &[&str]) {
    let mut rest = text.to_owned();
    for style in ["0", "1", "2", "4", "31", "32", "33"] {
        rest = rest.replace(&format!("\u{1b}[{style}m"), "");
    }
    let is_trick = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}".contains(c);
    assert!(!rest.contains(is_trick), "{args:?}: {rest:?}");
    assert!(
        !rest.lines().any(|line| line.starts_with("0 rejected")),
        "{args:?}: {rest:?}"
    );
}

#[test]
fn names_of_files() {
    let dir = TempDir::new().unwrap();
    let name = |suffix: &str| format!("{}/a{TRICK}{suffix}", dir.path().to_str().unwrap());
    let (rows, key) = (name(".jsonl"), name(".pem"));
    let wrong = changed(|row| drop(row.insert("message".into(), json!("x"))));
    fs::write(&rows, format!("{wrong}\n{wrong}\n")).unwrap();
    let (missing, none, public) = (name("-.jsonl"), name(".none"), name(".pub"));
    let (store, costs, signed) = (name(".store"), name(".costs"), name(".csv"));
    let cases: [(&[&str], i32); 11] = [
        (&["verify", &rows, "--key-store", &store], 1),
        (&["verify", &missing], 2),
        (&["verify", &none], 2),
        (&["verify", &rows, "--out", &rows], 2),
        (&["keygen", "--out", &key, "--public-out", &public], 0),
        (&["keygen", "--out", &key], 2),
        (&["sign", &rows, "--key", &key, "--out", &signed], 0),
        (&["sample", "--rows", "1", "--out", &signed], 0),
        (&["recover", &rows, "--out", &signed], 1),
        (&["table", &public, "--format", "json", "--out", &costs], 0),
        (&["jws", &rows, "--jwks", &missing], 2),
    ];
    for (args, code) in cases {
        let run = coloured(args);
        assert_eq!(run.code, code, "{args:?}: {run:?}");
        assert_clean(&run.stdout, args);
        assert_clean(&run.stderr, args);
        let said = run.stdout + &run.stderr;
        assert!(said.contains('\u{fffd}'), "{args:?}: {said:?}");
        assert!(said.contains("\u{1b}[") || code == 0, "{args:?}: {said:?}");
    }
    // Programs receive the exact name.
    let (rejected, _) = verify(rows.as_ref(), &[]).json();
    assert_eq!(rejected[0]["file"], rows);
}

#[test]
fn arguments_that_are_wrong() {
    let option = format!("--no{TRICK}");
    let cases: [&[&str]; 4] = [
        &["verify", &option],
        &[TRICK],
        &["verify", "a.csv", "--alg", TRICK],
        &["sample", "--rows", TRICK, "--out", "a.csv"],
    ];
    for args in cases {
        let run = coloured(args);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains('\u{fffd}'), "{run:?}");
        assert_clean(&run.stderr, args);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_on_a_terminal_is_shown_and_in_a_pipe_is_data() {
    let dir = TempDir::new().unwrap();
    let row = json!({"id": "\u{1b}[2J\u{202e}", "digest": "00", "signature": "00"});
    let path = file(&dir, "a.jsonl", format!("{row}\n"));
    let recover = ["recover", path.to_str().unwrap(), "--quiet"];
    let piped = run(&recover, b"");
    assert!(piped.stdout.contains("\u{1b}[2J\u{202e}"), "{piped:?}");
    let shown = on_terminal(&recover);
    assert!(shown.contains("\u{fffd}[2J\u{fffd}"), "{shown:?}");
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    let binary = [&recover[..], &["--out-format", "parquet"]].concat();
    let refused = on_terminal(&binary);
    assert!(
        refused.contains("does not belong on a terminal"),
        "{refused:?}"
    );
}

/// Returns what the command shows on its own terminal.
#[cfg(target_os = "linux")]
fn on_terminal(args: &[&str]) -> String {
    use std::fs::File;
    use std::io::Read;
    use std::process::Stdio;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = ptsname(&ours, vec![]).unwrap().into_string().unwrap();
    let theirs = File::options().read(true).write(true).open(theirs).unwrap();
    let mut child = sigmill()
        .args(args)
        .env("NO_COLOR", "1")
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let mut shown = vec![];
    // The read ends with an error when nobody has the other end open any more.
    let _ = File::from(ours).read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}
