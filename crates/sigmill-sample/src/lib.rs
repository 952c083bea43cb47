//! Rows for trials and benchmarks, good and bad. The command's `sigmill sample` and `Engine.sample`
//! in Python use them. The same choices yield the same rows.
//!
//! `plan` decides which rows are bad, `keys` makes the keys that sign, and `row` makes the rows.
//! Nothing here starts a thread: keys are made one by one, by their number, and rows by ranges of
//! their numbers, in any order.

mod keys;
mod plan;
mod row;

use sigmill::{CurveName, SignatureFormat};

pub use keys::SampleKey;
pub use row::{Expected, Malformed, Row, RowMaker};

/// The choices for a sample.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The curves, which the keys use in rotation; at least one.
    pub curves: Vec<CurveName>,
    /// The number of keys that sign; at least one.
    pub keys: u32,
    /// The number of signatures of each key.
    pub distribution: Distribution,
    /// The share of invalid rows, from 0 to 1.
    pub invalid: f64,
    /// The share of malformed rows, from 0 to 1, and together with `invalid` at most 1.
    pub malformed: f64,
    /// The defects of malformed rows, used in rotation; at least one.
    pub defects: Vec<Malformed>,
    /// The seed of keys, messages and random choices.
    pub seed: u64,
    /// True if rows have digests in place of messages.
    pub are_digests: bool,
    /// The encoding of keys.
    pub key_encoding: KeyEncoding,
    /// The format of signatures; `Auto` means DER.
    pub format: SignatureFormat,
}

/// The number of signatures of each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All keys sign equally often.
    Uniform,
    /// The k-th key signs 1/k times as often as the first.
    Zipf,
}

/// The encoding of keys.
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
