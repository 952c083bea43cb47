//! Reads a file of hints, which may be larger than memory. The file is checked once as a whole, and
//! then read in parts as its rows are judged.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::table::{self, DIGEST, DIGEST_LEN, row_digest};
use super::{HEADER_LEN, MAGIC, NONE, SeenRows, TRAILER_LEN, VERSION, each_signature};
use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};

/// The number of bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// A well-formed file of hints. Whether it belongs to the rows of a run is known only at their end.
#[derive(Debug)]
pub(crate) struct HintsFile {
    pub(crate) name: String,
    /// The file of half bytes, which begin at `start`.
    file: Mutex<File>,
    start: u64,
    rows: u64,
    signatures: Signatures,
}

/// The identity of the signatures of a file of hints.
#[derive(Debug)]
enum Signatures {
    /// One digest of all signatures.
    All([u8; 32]),
    /// A digest for each signature, in a separate file.
    Each(Mutex<File>),
}

/// The reason why bytes are not a file of hints.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HintsError {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error("not a file of hints from --write-hints: wrong magic number")]
    Magic,
    #[error("file of hints: version {0}; expected {VERSION}")]
    Version(u16),
    #[error("file of hints: reserved bytes 10 to 15 must be zero")]
    Reserved,
    #[error("file of hints: truncated")]
    Short,
    #[error(
        "file of hints: truncated or changed (its last 32 bytes must be the SHA-256 of all others)"
    )]
    Digest,
    #[error("file of hints: {halves} half bytes for {rows} rows")]
    Rows { rows: u64, halves: u64 },
    #[error("file of hints: half byte {0}; expected a hint from 0 to 3, or 15 for no hint")]
    HalfByte(u8),
}

/// Checks a file of hints of `len` bytes. Returns the number of its rows and the digest of their
/// signatures. Holds only one piece of the file in memory.
pub(crate) fn check(read: &mut impl Read, len: u64) -> Result<(u64, [u8; 32]), HintsError> {
    let mut header = [0; HEADER_LEN];
    let magic = &mut header[..MAGIC.len()];
    // A file shorter than the magic number is not a file of hints either.
    match read.read_exact(magic) {
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Err(HintsError::Magic),
        other => other?,
    }
    if magic != MAGIC {
        return Err(HintsError::Magic);
    }
    let Some(mut left) = len.checked_sub((HEADER_LEN + TRAILER_LEN) as u64) else {
        return Err(HintsError::Short);
    };
    exactly(read, &mut header[MAGIC.len()..])?;
    let version = u16::from_be_bytes([header[8], header[9]]);
    if version != VERSION {
        return Err(HintsError::Version(version));
    }
    if header[10..].iter().any(|&byte| byte != 0) {
        return Err(HintsError::Reserved);
    }
    let halves = left.saturating_mul(2);
    let mut digest = Sha256::new_with_prefix(header);
    let (mut piece, mut wrong, mut last) = (vec![0; PIECE], None, NONE);
    while left > 0 {
        let taken = left.min(PIECE as u64) as usize;
        let piece = &mut piece[..taken];
        exactly(read, piece)?;
        digest.update(&*piece);
        for half in piece.iter().flat_map(|byte| [byte & 15, byte >> 4]) {
            if half > 3 && half != NONE && wrong.is_none() {
                wrong = Some(half);
            }
        }
        last = piece[taken - 1] >> 4;
        left -= taken as u64;
    }
    let mut trailer = [0; TRAILER_LEN];
    exactly(read, &mut trailer)?;
    let (named, stored) = trailer.split_at(TRAILER_LEN - 32);
    digest.update(named);
    if digest.finalize()[..] != *stored {
        return Err(HintsError::Digest);
    }
    if let Some(half) = wrong {
        return Err(HintsError::HalfByte(half));
    }
    let (rows, signatures) = named.split_at(8);
    let rows = rows
        .iter()
        .fold(0, |rows, &byte| rows << 8 | u64::from(byte));
    let is_even = rows % 2 == 0;
    if rows.checked_add(rows % 2) != Some(halves) || !is_even && last != NONE {
        return Err(HintsError::Rows { rows, halves });
    }
    let mut digest = [0; 32];
    digest.copy_from_slice(signatures);
    Ok((rows, digest))
}

/// Fills `out`. A shorter input is a truncated file.
fn exactly(read: &mut impl Read, out: &mut [u8]) -> Result<(), HintsError> {
    read.read_exact(out).map_err(|e| match e.kind() {
        ErrorKind::UnexpectedEof => HintsError::Short,
        _ => HintsError::Read(e),
    })
}

impl HintsFile {
    /// Opens the file at `path` and checks all of it. The extension determines the kind of file. A
    /// table is read by `workers` threads, until the signal arrives, into temporary files.
    pub(crate) fn open(
        path: &Path,
        workers: usize,
        signal: &Arc<AtomicUsize>,
    ) -> Result<Self, CliError> {
        let name = path.display().to_string();
        if let Some(format) = TableFormat::of_extension(path) {
            let table = table::read(path, format, workers, signal)?;
            return Ok(Self {
                name,
                file: Mutex::new(table.halves),
                start: 0,
                rows: table.rows,
                signatures: Signatures::Each(Mutex::new(table.digests)),
            });
        }
        if path == Path::new(STANDARD_STREAM) {
            return Err(CliError::Usage(
                "--hints -: must be a file, because it is read in parts".into(),
            ));
        }
        let io = |e| CliError::io(&*name, e);
        let mut file = File::open(path).map_err(io)?;
        let kind = file.metadata().map_err(io)?;
        if kind.is_dir() {
            return Err(CliError::file(name, "is a directory"));
        }
        if !kind.is_file() {
            // The input can be read only once, so it is copied.
            let mut copy = tempfile::tempfile().map_err(CliError::temporary)?;
            io::copy(&mut file, &mut copy).map_err(io)?;
            copy.rewind().map_err(CliError::temporary)?;
            file = copy;
        }
        let len = file.metadata().map_err(io)?.len();
        let (rows, signatures) = check(&mut file, len).map_err(|e| match e {
            HintsError::Read(e) => io(e),
            other => CliError::file(&*name, other.to_string()),
        })?;
        Ok(Self {
            name,
            file: Mutex::new(file),
            start: HEADER_LEN as u64,
            rows,
            signatures: Signatures::All(signatures),
        })
    }

    /// Returns the half bytes of `rows` rows from `first` on. Where the file has no hints, or
    /// cannot be read any more, rows are judged without hints.
    pub(crate) fn read(&self, first: u64, rows: usize) -> Vec<u8> {
        let there = self.rows.saturating_sub(first).min(rows as u64);
        let mut hints = self.half_bytes(first, there).unwrap_or_default();
        hints.resize(rows, NONE);
        hints
    }

    fn half_bytes(&self, first: u64, rows: u64) -> io::Result<Vec<u8>> {
        if rows == 0 {
            return Ok(vec![]);
        }
        // The caller holds this many rows in memory.
        let len = (first + rows).div_ceil(2) - first / 2;
        let bytes = read_at(&self.file, self.start + first / 2, len)?;
        let halves = bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let halves = halves.skip((first % 2) as usize);
        Ok(halves.take(rows as usize).collect())
    }

    /// Adds `rows` rows to those in `named`, with signatures encoded by
    /// [`append_signature`](super::append_signature). An error is a read error.
    pub(crate) fn add(
        &self,
        named: &mut SeenRows,
        rows: u64,
        signatures: &[u8],
    ) -> Result<(), CliError> {
        match &self.signatures {
            Signatures::All(_) => named.signatures.update(signatures),
            Signatures::Each(file) if named.differs.is_none() => {
                // The caller holds this many rows in memory.
                let there = self.rows.saturating_sub(named.rows).min(rows);
                let len = DIGEST_LEN as u64;
                let digests = read_at(file, named.rows * len, there * len);
                let digests = digests.map_err(|e| CliError::io(&*self.name, e))?;
                let (digests, _) = digests.as_chunks();
                let mut pairs = digests.iter().zip(each_signature(signatures));
                let place = pairs.position(|(digest, signature)| *digest != row_digest(signature));
                named.differs = place.map(|place| named.rows + place as u64);
            }
            Signatures::Each(_) => {}
        }
        named.rows += rows;
        Ok(())
    }

    /// Returns the number of rows if the file belongs to the rows of the run, otherwise an error.
    pub(crate) fn check_rows(&self, named: SeenRows) -> Result<u64, CliError> {
        let SeenRows {
            rows,
            signatures,
            differs,
        } = named;
        let differs = match &self.signatures {
            Signatures::All(digest) => (signatures.finalize()[..] != *digest)
                .then(|| "its hints belong to other signatures".to_owned()),
            Signatures::Each(_) => {
                differs.map(|row| format!("row {}: {DIGEST}: digest of another signature", row + 1))
            }
        };
        let rule = if rows != self.rows {
            format!("hints for {} rows; expected {rows}", self.rows)
        } else if let Some(rule) = differs {
            rule
        } else {
            return Ok(rows);
        };
        Err(CliError::file(
            &*self.name,
            format!("hints of other rows: {rule} (verdicts are not affected)"),
        ))
    }
}

fn read_at(file: &Mutex<File>, place: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len as usize];
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
