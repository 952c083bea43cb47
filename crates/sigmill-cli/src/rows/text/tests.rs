//! Texts are split into the same records, however they arrive.

use super::*;

/// Returns `step` bytes at a time.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.1.min(self.0.len()).min(out.len());
        out[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

/// Returns every record of `text`, or "!" and the defect, read `step` bytes at a time.
fn read(kind: TextKind, text: &[u8], step: usize, hurry: bool) -> Vec<String> {
    let mut reader = TextReader::new(Drip(text, step), kind).unwrap();
    let mut out = Vec::new();
    while let Some(piece) = reader.next_piece(|| hurry).unwrap() {
        match piece {
            Piece::Records(bytes) => {
                out.extend(records(kind, &bytes).map(|r| String::from_utf8_lossy(r).into_owned()))
            }
            Piece::Defect(RowDefect::CsvQuote) => out.push("!quote".into()),
            Piece::Defect(RowDefect::TooLong { .. }) => out.push("!long".into()),
            Piece::Defect(other) => panic!("{other}"),
        }
    }
    out
}

fn check(kind: TextKind, text: &str, expected: &[&str]) {
    for step in [1, 2, 3, 7, text.len().max(1)] {
        for hurry in [false, true] {
            assert_eq!(
                read(kind, text.as_bytes(), step, hurry),
                expected,
                "{text:?}, {step} bytes a time"
            );
        }
    }
}

#[test]
fn lines() {
    check(TextKind::Lines, "", &[]);
    check(TextKind::Lines, "\n\r\n  \n", &[]);
    check(TextKind::Lines, "a\nb\r\n\nc", &["a", "b", "c"]);
    check(TextKind::Lines, "\u{feff}a\n\"b\n", &["a", "\"b"]);
}

#[test]
fn csv_records_keep_line_breaks_in_quotes() {
    check(
        TextKind::Csv,
        "a,b\nc,\"d\ne\"\nf\n",
        &["a,b", "c,\"d\ne\"", "f"],
    );
    check(TextKind::Csv, "\"a\"\"\nb\",c\nd", &["\"a\"\"\nb\",c", "d"]);
    // A quote inside a field is an ordinary character.
    check(TextKind::Csv, "a\"b\nc\n", &["a\"b", "c"]);
    check(TextKind::Csv, "\"a\"b\"c\nd\n", &["\"a\"b\"c", "d"]);
}

#[test]
fn an_unclosed_quote_takes_all_that_follows() {
    check(TextKind::Csv, "a\n\"b,c\nd\ne\n", &["a", "!quote"]);
    check(TextKind::Csv, "a\nb,\"", &["a", "!quote"]);
    check(TextKind::Csv, "a\n\"b\n\"\"\n\"\"c\n", &["a", "!quote"]);
    // A quoted field that a later quote closes ends there.
    check(
        TextKind::Csv,
        "a\n\"b,c\nd,\"e\"\nf\n",
        &["a", "\"b,c\nd,\"e\"", "f"],
    );
}

#[test]
fn blank_lines() {
    check(TextKind::Csv, "a\n \n\n\r\n\"\"\n", &["a", " ", "\"\""]);
    check(TextKind::Lines, "a\n \t\n\n\r\nb\n", &["a", "b"]);
}

#[test]
fn long_records_are_defects_and_the_next_one_is_read() {
    for kind in [TextKind::Lines, TextKind::Csv] {
        let mut text = b"a\n".to_vec();
        text.resize(MAX_RECORD_LEN + (1 << 20), b'x');
        text.extend_from_slice(b"\nb\n");
        assert_eq!(read(kind, &text, READ_LEN, false), ["a", "!long", "b"]);
        text.truncate(text.len() - 3);
        assert_eq!(read(kind, &text, READ_LEN, false), ["a", "!long"]);
    }
    // Line breaks in quotes do not end the record, wherever a read ends.
    let mut text = b"a\n\"b\nc\n".to_vec();
    text.resize(MAX_RECORD_LEN + (1 << 20), b'x');
    text.extend_from_slice(b"\nd\n\"\"\ne\",\"f\ng\"\nh\n");
    for step in [READ_LEN, READ_LEN - 1, 4097, 1001] {
        let found = read(TextKind::Csv, &text, step, false);
        assert_eq!(found, ["a", "!long", "h"], "{step} bytes a time");
    }
}

/// Every byte is handled a bounded number of times: moves and scans are proportional to the text,
/// whatever its quotes and lines are.
#[test]
fn work_is_linear() {
    let ordinary = "field,\"another, quoted\",field\n";
    let hostile = [
        "\"x\"y,\"z\n",
        "\"",
        "\"\"",
        "\"\n",
        "\n",
        "\r\n",
        ",\"\n\"",
        "\"a\",\n",
        "x",
        ",",
    ];
    for pattern in hostile.into_iter().chain([ordinary]) {
        for kind in [TextKind::Lines, TextKind::Csv] {
            let work = |len: usize| {
                let text = pattern.repeat(len / pattern.len());
                let mut reader = TextReader::new(text.as_bytes(), kind).unwrap();
                if kind == TextKind::Csv {
                    let _ = reader.header().unwrap();
                }
                while reader.next_piece(|| true).unwrap().is_some() {}
                reader.work
            };
            for len in [1 << 19, 1 << 20] {
                let work = work(len);
                assert!(work <= 4 * len as u64, "{pattern:?}, {len} bytes: {work}");
            }
        }
    }
    // Memory is bounded too: only the permitted length of a record is kept.
    let text = "\"x\"y,\"z\n".repeat(MAX_RECORD_LEN / 4);
    let mut reader = TextReader::new(text.as_bytes(), TextKind::Csv).unwrap();
    while reader.next_piece(|| true).unwrap().is_some() {
        assert!(reader.buffer.len() <= MAX_RECORD_LEN + 2 * READ_LEN);
    }
    assert!(reader.work <= 4 * text.len() as u64);
}

#[test]
fn chunks_end_at_records() {
    let text: String = (0..800_000).map(|i| format!("row {i}\n")).collect();
    let mut reader = TextReader::new(text.as_bytes(), TextKind::Lines).unwrap();
    let mut pieces = 0;
    let mut all = Vec::new();
    while let Some(Piece::Records(bytes)) = reader.next_piece(|| false).unwrap() {
        assert_eq!(bytes.last(), Some(&b'\n'));
        all.extend_from_slice(&bytes);
        pieces += 1;
    }
    assert!(pieces > 5);
    assert_eq!(all, text.as_bytes());
}
