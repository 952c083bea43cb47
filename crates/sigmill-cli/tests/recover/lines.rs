//! Files of lines: line endings, order, length, and the target of the table.

use alloy_consensus::TxEip1559;

use crate::support::*;

#[test]
fn lines_end_as_they_like() {
    let dir = TempDir::new().unwrap();
    let raw = |i: usize| one_of_each()[i].1.clone();
    let text = format!(
        "\u{feff}0x{}\r\n\r\n   \n{}\n\n\t{}  \r\n0x{}",
        raw(0),
        raw(1).to_uppercase(),
        raw(2),
        raw(3)
    );
    std::fs::write(dir.path().join("a.txt"), &text).unwrap();
    let args = ["--transactions", "--out-format", "jsonl"];
    let from_file = run(&dir, &[&["recover", "a.txt"][..], &args].concat(), b"");
    let from_stdin = run(
        &dir,
        &[&["recover", "-"][..], &args].concat(),
        text.as_bytes(),
    );
    assert_eq!(from_file.outcomes(), [SIGNER; 4]);
    assert_eq!(from_file.stdout, from_stdin.stdout);
    // Empty input is not an error.
    let none = run(&dir, &[&["recover", "-"][..], &args].concat(), b"\n\n");
    assert_eq!((none.code, none.stdout.as_str()), (0, ""), "{none:?}");
}

#[test]
fn order_holds_over_many_chunks_and_threads() {
    let raw = [1, 2, 3].map(|nonce| raw(&signed(TxEip1559 { nonce, ..eip1559() })));
    let is_bad = |row: usize| row.is_multiple_of(97);
    let lines: Vec<_> = (0..1000)
        .map(|row| {
            if is_bad(row) {
                format!("{row:08}zz")
            } else {
                // Long lines make a long file with fewer signatures.
                format!("{}{}", raw[row % 3], " ".repeat(6000))
            }
        })
        .collect();
    assert!(lines.iter().map(String::len).sum::<usize>() > 5 << 20);
    let hashes: Vec<_> = recover(&raw, &[])
        .rows()
        .iter()
        .map(|row| row["hash"].clone())
        .collect();
    for threads in ["1", "5"] {
        let run = recover(&lines, &["--threads", threads]);
        assert_eq!(run.code, 1);
        let rows = run.rows();
        assert_eq!(rows.len(), lines.len());
        for (index, row) in rows.iter().enumerate() {
            if is_bad(index) {
                assert_eq!(row["reason"], "field-encoding");
            } else {
                assert_eq!(row["hash"], hashes[index % 3]);
                assert_eq!(row["address"], SIGNER);
            }
        }
        let bad = lines.len().div_ceil(97);
        assert_eq!(run.summary()["rejected"], bad);
        assert_eq!(run.summary()["rows"], lines.len());
        assert_eq!(run.stderr.lines().count(), bad + 1);
    }
}

#[test]
fn a_line_that_is_too_long_costs_one_row() {
    let long = "00".repeat(9 << 20);
    let lines = [EIP_155.to_owned(), long, EIP_155.to_owned()];
    assert_eq!(
        recover(&lines, &[]).outcomes(),
        [SIGNER, "row-too-long", SIGNER]
    );
}

#[test]
fn the_table_is_csv_on_standard_output() {
    let dir = TempDir::new().unwrap();
    let text = format!("{EIP_155}\nxx\n");
    let told = run(
        &dir,
        &[
            "recover",
            "-",
            "--transactions",
            "--key-format",
            "sec1-compressed",
        ],
        text.as_bytes(),
    );
    let lines: Vec<_> = told.stdout.lines().collect();
    assert_eq!(lines[0], "row,type,chain_id,hash,key,address,reason,detail");
    assert_eq!(
        lines[1],
        format!(
            "1,eip155,1,0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788,\
             024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382,{SIGNER},,"
        )
    );
    assert_eq!(
        lines[2],
        "2,,,,,,field-encoding,transaction: must be hex: invalid digit at character 1"
    );
    assert!(
        told.stderr
            .starts_with("standard input:2: field-encoding: ")
    );
    assert!(told.stderr.contains("recovered            1\n"), "{told:?}");
    assert!(
        told.stderr
            .contains("1  field-encoding (first: standard input:2)\n"),
        "{told:?}"
    );
    let quiet = run(
        &dir,
        &["recover", "-", "--transactions", "--quiet"],
        text.as_bytes(),
    );
    assert_eq!(quiet.stderr.lines().count(), 1);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("a.txt"), EIP_155).unwrap();
    for (args, message) in [
        (&["recover", "a.txt"][..], "name the format with --format"),
        (
            &["recover", "a.txt", "--transactions", "--format", "csv"],
            "cannot be used with",
        ),
        (
            &["recover", "a.txt", "--format", "csv", "--chain-id", "1"],
            "cannot be used with",
        ),
        (&["recover", "a.txt", "--chain-id", "1"], "--transactions"),
        (
            &["recover", "a.txt", "--transactions", "--out", "./a.txt"],
            "is also the file to read",
        ),
        (
            &["recover", "a.txt", "--transactions", "--encoding", "binary"],
            "text formats cannot hold bytes",
        ),
        (&["recover", "b.txt", "--transactions"], "b.txt: "),
    ] {
        let told = run(&dir, args, b"");
        assert_eq!(told.code, 2, "{args:?}: {told:?}");
        assert!(told.stderr.contains(message), "{args:?}: {told:?}");
    }
    let kept = std::fs::read_to_string(dir.path().join("a.txt")).unwrap();
    assert_eq!(kept, EIP_155);
}
