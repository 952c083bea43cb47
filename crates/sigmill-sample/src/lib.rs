//! Rows for trying out and for benchmarks, good and bad: those of the command's `sigmill sample`
//! and of `Engine.sample` in Python. The same choices give the same rows.
//!
//! `plan` says which rows are bad, `keys` who signs, `row` what a row is. Nothing here starts a
//! thread: keys are made one by one, by their number, and rows by ranges of theirs, in any order.

mod keys;
mod plan;
mod row;

use sigmill::{CurveName, SignatureFormat};

pub use keys::SampleKey;
pub use row::{Expected, Malformed, Row, RowMaker};

/// What is made.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The curves, which the keys take in turns; at least one.
    pub curves: Vec<CurveName>,
    /// How many keys sign; at least one.
    pub keys: u32,
    /// How often each key signs.
    pub distribution: Distribution,
    /// The share of invalid rows, from 0 to 1.
    pub invalid: f64,
    /// The share of malformed rows, from 0 to 1, and together with `invalid` at most 1.
    pub malformed: f64,
    /// How malformed rows come about, in turns; at least one way.
    pub defects: Vec<Malformed>,
    /// What keys, messages and choices are derived from.
    pub seed: u64,
    /// Whether rows have digests in place of messages.
    pub are_digests: bool,
    /// How keys are written.
    pub key_encoding: KeyEncoding,
    /// How signatures are written; DER for `Auto`.
    pub format: SignatureFormat,
}

/// How often each key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All equally often.
    Uniform,
    /// The k-th key 1/k times as often as the first.
    Zipf,
}

/// How keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEncoding {
    /// An uncompressed SEC 1 point.
    Sec1,
    /// A compressed SEC 1 point.
    Sec1Compressed,
    /// `SubjectPublicKeyInfo` in DER.
    Spki,
    /// `SubjectPublicKeyInfo` in PEM.
    Pem,
}
