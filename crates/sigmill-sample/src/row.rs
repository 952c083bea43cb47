//! The rows of a sample, good and bad.

use std::ops::Range;

use der::asn1::{AnyRef, UintRef};
use der::{Encode as _, Tag};
use pem_rfc7468::LineEnding;
use rand_chacha::rand_core::Rng;
use sigmill::{AnyVerifyingKey, CurveName, SignatureFormat};

use crate::keys::{KeyRing, SampleKey, sign_many, stream};
use crate::plan::{Plan, RowKind};
use crate::{Choices, KeyEncoding};

/// Ways to make a row invalid.
const INVALID: [fn(&mut Parts<'_>); 4] = [
    change_input,
    |parts| parts.key_point = parts.other.clone(),
    |parts| flip(&mut parts.r),
    |parts| flip(&mut parts.s),
];

/// A defect that makes a row malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The last byte of the signature is missing.
    SignatureTruncated,
    /// r is zero.
    RZero,
    /// s is all ones, which is above the order.
    SOutOfRange,
    /// The key is not a point on the curve.
    KeyNotOnCurve,
    /// The algorithm is RS256.
    UnknownAlgorithm,
    /// There is no signature.
    SignatureMissing,
    /// There is no key.
    KeyMissing,
    /// The row itself is good. A writer of text must write something that is not an encoding of
    /// bytes.
    BadEncoding,
    /// The row itself is good. A writer of lines must break the line off in its middle.
    Truncated,
}

impl Malformed {
    /// The defects of a row's values, however it is written.
    pub const VALUES: [Self; 7] = [
        Self::SignatureTruncated,
        Self::RZero,
        Self::SOutOfRange,
        Self::KeyNotOnCurve,
        Self::UnknownAlgorithm,
        Self::SignatureMissing,
        Self::KeyMissing,
    ];
}

/// The purpose of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// A valid signature.
    #[default]
    Valid,
    /// Well formed, but changed after it was signed.
    Invalid,
    /// A row with this defect.
    Malformed(Malformed),
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The purpose of the row.
    pub expected: Expected,
    /// The purpose and the number of the row, from 1: `valid-1`, `invalid-2`, `malformed-3`.
    pub id: String,
    /// The name of the algorithm.
    pub alg: String,
    /// The key in the encoding of the choices; PEM is ASCII.
    pub key: Option<Vec<u8>>,
    /// The message, which is ASCII, or its digest.
    pub input: Vec<u8>,
    /// The signature.
    pub signature: Option<Vec<u8>>,
}

/// A row without its signature.
struct Draft {
    index: u64,
    /// The number of its key.
    key: usize,
    message: Vec<u8>,
    digest: Vec<u8>,
}

/// The parts of a row before they are encoded.
struct Parts<'a> {
    choices: &'a Choices,
    key: &'a SampleKey,
    message: Vec<u8>,
    digest: Vec<u8>,
    key_point: Vec<u8>,
    /// The point of another key.
    other: Vec<u8>,
    r: Vec<u8>,
    s: Vec<u8>,
}

/// Maker of rows.
#[derive(Debug)]
pub struct RowMaker<'a> {
    choices: &'a Choices,
    keys: KeyRing,
    plan: Plan,
}

impl<'a> RowMaker<'a> {
    /// `keys` has all keys of the choices ([`Choices::key`]), in order.
    ///
    /// # Panics
    /// If the number of keys is not that of the choices, or if these have no curve, no key that
    /// signs, or no defect.
    pub fn new(choices: &'a Choices, keys: Vec<SampleKey>) -> Self {
        assert!(!choices.curves.is_empty() && choices.keys > 0 && !choices.defects.is_empty());
        assert_eq!(keys.len() as u64, choices.key_count());
        Self {
            choices,
            keys: KeyRing::new(choices, keys),
            plan: Plan::new(choices.invalid, choices.malformed),
        }
    }

    /// Makes the rows with these indices, counted from 0, in order. They are signed together and
    /// share work: calls with some hundred rows are faster than calls with a few.
    pub fn rows(&self, indices: Range<u64>) -> Vec<Row> {
        let drafts: Vec<Draft> = indices.map(|index| self.draft(index)).collect();
        let digests = drafts
            .iter()
            .map(|draft| (self.keys.key(draft.key), &*draft.digest));
        let signatures = sign_many(&digests.collect::<Vec<_>>());
        let rows = drafts.into_iter().zip(signatures);
        rows.map(|(draft, signature)| self.row(draft, signature))
            .collect()
    }

    fn draft(&self, index: u64) -> Draft {
        let mut rng = stream(self.choices.seed, index);
        let key = self.keys.choose(&mut rng);
        let cents = rng.next_u32() % 1_000_000;
        let message = format!(
            "payment {}: {}.{:02} EUR, reference {:016x}",
            index + 1,
            cents / 100,
            cents % 100,
            rng.next_u64()
        );
        let message = message.into_bytes();
        Draft {
            index,
            key,
            digest: self.keys.key(key).digest(&message),
            message,
        }
    }

    fn row(&self, draft: Draft, mut r: Vec<u8>) -> Row {
        let (key, other) = (self.keys.key(draft.key), self.keys.other(draft.key));
        let s = r.split_off(r.len() / 2);
        let compressed = self.choices.key_encoding == KeyEncoding::Sec1Compressed;
        let mut parts = Parts {
            choices: self.choices,
            key,
            message: draft.message,
            digest: draft.digest,
            key_point: key.public(compressed).to_vec(),
            other: other.public(compressed).to_vec(),
            r,
            s,
        };
        let row = draft.index + 1;
        match self.plan.turn(draft.index) {
            RowKind::Valid => parts.encode(Expected::Valid, format!("valid-{row}")),
            RowKind::Invalid(n) => {
                INVALID[(n % INVALID.len() as u64) as usize](&mut parts);
                parts.encode(Expected::Invalid, format!("invalid-{row}"))
            }
            RowKind::Malformed(n) => {
                let defects = &self.choices.defects;
                let how = defects[(n % defects.len() as u64) as usize];
                parts.malformed(how, format!("malformed-{row}"))
            }
        }
    }
}

impl Parts<'_> {
    fn encode(self, expected: Expected, id: String) -> Row {
        let signature = match self.choices.format {
            SignatureFormat::P1363 => [self.r, self.s].concat(),
            _ => der(&self.r, &self.s),
        };
        let key = match self.choices.key_encoding {
            KeyEncoding::Sec1 | KeyEncoding::Sec1Compressed => self.key_point,
            KeyEncoding::Spki => spki(self.key, &self.key_point),
            KeyEncoding::Pem => pem(&spki(self.key, &self.key_point)),
        };
        Row {
            expected,
            id,
            alg: self.key.curve.default_algorithm().to_string(),
            key: Some(key),
            input: match self.choices.are_digests {
                true => self.digest,
                false => self.message,
            },
            signature: Some(signature),
        }
    }

    fn malformed(mut self, how: Malformed, id: String) -> Row {
        match how {
            Malformed::RZero => self.r.fill(0),
            // All ones is above every order.
            Malformed::SOutOfRange => self.s.fill(0xff),
            Malformed::KeyNotOnCurve => move_off_curve(&mut self.key_point, self.key.curve),
            _ => {}
        }
        let mut row = self.encode(Expected::Malformed(how), id);
        match how {
            Malformed::SignatureTruncated => {
                if let Some(signature) = &mut row.signature {
                    signature.pop();
                }
            }
            Malformed::UnknownAlgorithm => row.alg = "RS256".into(),
            Malformed::SignatureMissing => row.signature = None,
            Malformed::KeyMissing => row.key = None,
            _ => {}
        }
        row
    }
}

/// Changes a digit of the message and a bit of the digest.
fn change_input(parts: &mut Parts<'_>) {
    if let Some(digit) = parts.message.iter_mut().rfind(|byte| byte.is_ascii_digit()) {
        *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
    }
    flip(&mut parts.digest);
}

/// Changes the lowest bit.
fn flip(number: &mut [u8]) {
    if let Some(last) = number.last_mut() {
        *last ^= 1;
    }
}

/// Moves `point` off the curve. An x has two y, which add up to p, and the changed one is neither.
/// A compressed point gets the next x that has no y.
fn move_off_curve(point: &mut [u8], curve: CurveName) {
    while AnyVerifyingKey::from_sec1_bytes(curve, point).is_ok() {
        if let Some(last) = point.last_mut() {
            *last = last.wrapping_add(1);
        }
    }
}

/// Encodes an ECDSA-Sig-Value (RFC 3279 §2.2.3) of any two numbers.
fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integers = [r, s].map(|number| UintRef::new(number).and_then(|integer| integer.to_der()));
    let [r, s] =
        integers.map(|integer| integer.expect("a number of some bytes has a DER encoding"));
    let body = [r, s].concat();
    let sequence = AnyRef::new(Tag::Sequence, &body).and_then(|sequence| sequence.to_der());
    sequence.expect("so have two of them")
}

/// Returns the SPKI of a key with another point in it, uncompressed (RFC 5480 §2).
fn spki(key: &SampleKey, point: &[u8]) -> Vec<u8> {
    let mut spki = key.spki();
    let start = spki.len() - point.len();
    spki[start..].copy_from_slice(point);
    spki
}

/// Encodes PEM (RFC 7468), with 64 digits a line.
fn pem(spki: &[u8]) -> Vec<u8> {
    // Only a malformed label fails.
    pem_rfc7468::encode_string("PUBLIC KEY", LineEnding::LF, spki)
        .expect("the label is well formed")
        .into_bytes()
}
