//! Splits text into records: lines, or CSV records whose quoted fields may contain line breaks.
//!
//! The reader only finds the ends of records. Workers read their content.

use std::io::{self, BufRead as _, BufReader, Read};

use crate::rows::defect::RowDefect;

/// The maximum length of a record in bytes, so that a file without line breaks cannot fill the
/// memory.
pub(crate) const MAX_RECORD_LEN: usize = 16 << 20;

/// The approximate length of a chunk of records in bytes. It holds some thousand rows, so that the
/// rows of a key meet, and stands for some ten milliseconds of work.
const CHUNK_LEN: usize = 1 << 20;

/// The number of bytes that are requested from the operating system at a time.
const READ_LEN: usize = 256 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The end of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Every line break ends a record.
    Lines,
    /// A line break outside of quotes ends a record (RFC 4180). A quote opens only at the start of
    /// a field, and stays open until it is closed. The usual readers of CSV agree on this.
    Csv,
}

impl TextKind {
    /// Returns true if `line` is skipped. It is not a record, and does not count.
    fn is_blank(self, line: &[u8]) -> bool {
        match self {
            Self::Lines => line.trim_ascii().is_empty(),
            // A space is a field.
            Self::Csv => line.is_empty(),
        }
    }
}

/// Finds the ends of records in a text that may still grow. Every byte is scanned once, except a
/// quote at the end of the text so far.
#[derive(Debug)]
struct Scanner {
    kind: TextKind,
    /// The start of the current record.
    start: usize,
    /// The first byte that has not been scanned.
    at: usize,
    in_quotes: bool,
}

impl Scanner {
    fn new(kind: TextKind) -> Self {
        Self {
            kind,
            start: 0,
            at: 0,
            in_quotes: false,
        }
    }

    /// Adjusts to the removal of the first `len` bytes of the text.
    fn remove_front(&mut self, len: usize) {
        self.at = self.at.saturating_sub(len);
        self.start = self.start.saturating_sub(len);
    }

    /// Returns the end of the next record, after its line break, or `None` if `text` does not
    /// contain it. `complete` means that `text` will not grow.
    fn next_end(&mut self, text: &[u8], complete: bool) -> Option<usize> {
        loop {
            let rest = &text[self.at..];
            if self.in_quotes {
                let Some(quote) = memchr::memchr(b'"', rest) else {
                    self.at = text.len();
                    return None;
                };
                match rest.get(quote + 1) {
                    // The byte that distinguishes a closing quote from an escaped one is still
                    // missing.
                    None if !complete => {
                        self.at += quote;
                        return None;
                    }
                    Some(b'"') => self.at += quote + 2,
                    _ => {
                        self.at += quote + 1;
                        self.in_quotes = false;
                    }
                }
                continue;
            }
            let found = match self.kind {
                TextKind::Lines => memchr::memchr(b'\n', rest),
                TextKind::Csv => memchr::memchr2(b'"', b'\n', rest),
            };
            let Some(found) = found.map(|i| self.at + i) else {
                self.at = text.len();
                return None;
            };
            self.at = found + 1;
            if text[found] == b'\n' {
                self.start = self.at;
                return Some(self.at);
            }
            self.in_quotes = found == self.start || text[found - 1] == b',';
        }
    }
}

/// Returns the records of a chunk, without their line breaks. Blank lines are not records.
pub(crate) fn records(kind: TextKind, text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut scanner = Scanner::new(kind);
    std::iter::from_fn(move || {
        let start = scanner.start;
        if start == text.len() {
            return None;
        }
        let end = scanner.next_end(text, true).unwrap_or(text.len());
        scanner.start = end;
        Some(without_line_break(&text[start..end]))
    })
    .filter(move |record| !kind.is_blank(record))
}

fn without_line_break(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// A piece of text from a [`TextReader`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Whole records, to be split with [`records`].
    Records(Vec<u8>),
    /// One record that cannot be separated.
    Defect(RowDefect),
}

/// Reads text and splits it at the ends of records.
#[derive(Debug)]
pub(crate) struct TextReader<R> {
    source: BufReader<R>,
    buffer: Vec<u8>,
    scanner: Scanner,
    at_end: bool,
    last_byte: Option<u8>,
    /// True if the rest of a record that is too long is being skipped.
    skipping: bool,
    #[cfg(test)]
    work: u64,
}

impl<R: Read> TextReader<R> {
    /// Creates a reader of `source`, and skips a UTF-8 byte order mark at its start.
    pub(crate) fn new(source: R, kind: TextKind) -> io::Result<Self> {
        let mut reader = Self {
            source: BufReader::with_capacity(READ_LEN, source),
            buffer: Vec::new(),
            scanner: Scanner::new(kind),
            at_end: false,
            last_byte: None,
            skipping: false,
            #[cfg(test)]
            work: 0,
        };
        while reader.buffer.len() < BYTE_ORDER_MARK.len() && !reader.at_end {
            reader.fill()?;
        }
        if reader.buffer.starts_with(BYTE_ORDER_MARK) {
            reader.discard(BYTE_ORDER_MARK.len());
        }
        Ok(reader)
    }

    /// Returns the first record that is not blank, without its line break: the header of a CSV
    /// file. Returns `None` if no such record exists, or if it is longer than [`MAX_RECORD_LEN`].
    pub(crate) fn header(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut start = 0;
        loop {
            let end = match self.next_end() {
                Some(end) => end,
                None if self.at_end && start < self.buffer.len() => self.buffer.len(),
                None if self.at_end || self.buffer.len() - start > MAX_RECORD_LEN => {
                    return Ok(None);
                }
                None => {
                    self.drop_front(start);
                    start = 0;
                    self.fill()?;
                    continue;
                }
            };
            let record = without_line_break(&self.buffer[start..end]);
            if !self.scanner.kind.is_blank(record) {
                let record = record.to_vec();
                self.discard(end);
                return Ok(Some(record));
            }
            start = end;
        }
    }

    fn next_end(&mut self) -> Option<usize> {
        let before = self.scanner.at;
        let end = self.scanner.next_end(&self.buffer, self.at_end);
        self.count(self.scanner.at - before);
        end
    }

    /// Counts bytes that are scanned or moved. A test checks that they are proportional to the
    /// text.
    fn count(&mut self, _bytes: usize) {
        #[cfg(test)]
        {
            self.work += _bytes as u64 + 1;
        }
    }

    /// Returns the next piece, or `None` at the end. With `hurry`, a chunk is returned before it is
    /// full, because a worker waits.
    pub(crate) fn next_piece(&mut self, hurry: impl Fn() -> bool) -> io::Result<Option<Piece>> {
        loop {
            if self.skipping {
                match self.next_end() {
                    Some(end) => {
                        self.discard(end);
                        self.skipping = false;
                    }
                    None if self.at_end => return Ok(None),
                    None => {
                        // The meaning of a quote depends on the byte before it.
                        self.drop_front(self.buffer.len().saturating_sub(1));
                        self.fill()?;
                        continue;
                    }
                }
            }
            while self.scanner.start < CHUNK_LEN && self.next_end().is_some() {}
            let complete = self.scanner.start;
            let pending = self.buffer.len() - complete;
            let stuck = self.at_end || pending > MAX_RECORD_LEN;
            if complete > 0 && (complete >= CHUNK_LEN || stuck || hurry()) {
                return Ok(Some(Piece::Records(self.remove(complete))));
            }
            if self.at_end && pending == 0 {
                return Ok(None);
            }
            if stuck && complete == 0 {
                return Ok(Some(self.unfinished()));
            }
            self.fill()?;
        }
    }

    /// Handles a record at the start of the buffer that has no end: the file ends, or the record is
    /// too long.
    fn unfinished(&mut self) -> Piece {
        if !self.at_end {
            self.skipping = true;
            return Piece::Defect(RowDefect::TooLong {
                limit: MAX_RECORD_LEN,
            });
        }
        if self.scanner.in_quotes {
            self.discard(self.buffer.len());
            return Piece::Defect(RowDefect::CsvQuote);
        }
        Piece::Records(self.remove(self.buffer.len()))
    }

    /// Returns true if the text was read to its end and did not end in a line break. (A text that
    /// was cut between two lines looks complete.)
    pub(crate) fn lacks_line_break(&self) -> bool {
        self.at_end && self.last_byte.is_some_and(|byte| byte != b'\n')
    }

    /// Removes and returns the first `len` bytes. The scan continues at its position.
    fn remove(&mut self, len: usize) -> Vec<u8> {
        self.count(self.buffer.len() - len);
        let rest = self.buffer[len..].to_vec();
        let mut taken = std::mem::replace(&mut self.buffer, rest);
        taken.truncate(len);
        self.scanner.remove_front(len);
        taken
    }

    /// Removes the first `len` bytes. The scan continues at its position.
    fn drop_front(&mut self, len: usize) {
        if len == 0 {
            return;
        }
        self.count(self.buffer.len() - len);
        self.buffer.drain(..len);
        self.scanner.remove_front(len);
    }

    /// Removes the first `len` bytes. The scan starts over.
    fn discard(&mut self, len: usize) {
        self.drop_front(len);
        self.scanner = Scanner::new(self.scanner.kind);
    }

    fn fill(&mut self) -> io::Result<()> {
        let read = loop {
            match self.source.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        let len = read.len();
        self.buffer.extend_from_slice(read);
        self.source.consume(len);
        self.at_end = len == 0;
        self.last_byte = self.buffer.last().copied().or(self.last_byte);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
