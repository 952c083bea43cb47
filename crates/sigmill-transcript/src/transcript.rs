//! Hashes of results, section by section.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};
use sigmill::Error;

/// The hashes of all sections, in order.
#[derive(Default)]
pub(crate) struct Transcript(Vec<(String, [u8; 32])>);

/// The content of one section. The length of every part is hashed before the part, so that
/// different lists of parts have different hashes.
pub(crate) struct Section(Sha256);

impl Transcript {
    /// Adds a section with everything that `fill` puts into it.
    pub(crate) fn section(&mut self, name: impl Into<String>, fill: impl FnOnce(&mut Section)) {
        let mut section = Section(Sha256::new());
        fill(&mut section);
        self.0.push((name.into(), section.0.finalize().into()));
    }
}

impl Section {
    pub(crate) fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.update(number.to_be_bytes());
    }

    /// Adds the result, or the code of the broken rule.
    pub(crate) fn outcome<T: AsRef<[u8]>>(&mut self, outcome: Result<T, Error>) {
        match outcome {
            Ok(bytes) => self.bytes(bytes),
            Err(error) => self.bytes(error.reason()),
        }
    }

    pub(crate) fn verdict(&mut self, verdict: Result<(), Error>) {
        self.outcome(verdict.map(|()| "valid"));
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = String::new();
        for (name, hash) in &self.0 {
            writeln!(lines, "{name} {}", hex(hash))?;
        }
        write!(f, "{lines}transcript {}", hash(lines.as_bytes()))?;
        writeln!(f)
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
