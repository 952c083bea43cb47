//! The rows of a sample, good and bad.

use std::ops::Range;

use der::asn1::{AnyRef, UintRef};
use der::{Encode as _, Tag};
use pem_rfc7468::LineEnding;
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use sigmill::{AnyVerifyingKey, CurveName};

use crate::format::TableFormat;
use crate::sample::keys::{KeyRing, SampleKey, sign_many, stream};
use crate::sample::plan::{Expected, Plan};
use crate::sample::{InputShape, Shape};
use crate::signed::{KeyShape, SignatureShape, SignedRow, Value};
use crate::written::CellEncoding;

/// Rows that are signed in one call: they share its inversions, and a chunk has enough of them for
/// every thread.
const TOGETHER: usize = 512;

/// How an invalid row comes about.
const INVALID: [fn(&mut Parts<'_>); 4] = [
    change_input,
    |parts| parts.key_point = parts.other.clone(),
    |parts| flip(&mut parts.r),
    |parts| flip(&mut parts.s),
];

/// How a malformed row comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Malformed {
    SignatureTruncated,
    RZero,
    SOutOfRange,
    KeyNotOnCurve,
    UnknownAlgorithm,
    SignatureMissing,
    KeyMissing,
    /// Text columns only.
    BadEncoding,
    /// JSON Lines only.
    BreaksOff,
}

/// A row that waits for its signature.
struct Draft {
    index: u64,
    /// The number of its key.
    key: usize,
    message: Vec<u8>,
    digest: Vec<u8>,
}

/// The parts of a row before they are encoded.
struct Parts<'a> {
    shape: &'a Shape,
    message: Vec<u8>,
    digest: Vec<u8>,
    key_point: Vec<u8>,
    /// The point of another key.
    other: Vec<u8>,
    r: Vec<u8>,
    s: Vec<u8>,
}

/// Makes rows.
pub(crate) struct RowMaker<'a> {
    keys: &'a KeyRing,
    plan: &'a Plan,
    shape: &'a Shape,
    malformed: Vec<Malformed>,
    seed: u64,
}

impl<'a> RowMaker<'a> {
    pub(crate) fn new(
        keys: &'a KeyRing,
        plan: &'a Plan,
        shape: &'a Shape,
        format: TableFormat,
        encoding: CellEncoding,
        seed: u64,
    ) -> Self {
        let mut malformed = vec![
            Malformed::SignatureTruncated,
            Malformed::RZero,
            Malformed::SOutOfRange,
            Malformed::KeyNotOnCurve,
            Malformed::UnknownAlgorithm,
            Malformed::SignatureMissing,
            Malformed::KeyMissing,
        ];
        if encoding != CellEncoding::Binary {
            malformed.push(Malformed::BadEncoding);
        }
        if format == TableFormat::Jsonl {
            malformed.push(Malformed::BreaksOff);
        }
        Self {
            keys,
            plan,
            shape,
            malformed,
            seed,
        }
    }

    /// Makes the rows with these indices, in order, on all cores.
    pub(crate) fn rows(&self, indices: Range<u64>) -> Vec<SignedRow> {
        let starts: Vec<u64> = indices.clone().step_by(TOGETHER).collect();
        let end = |start: u64| indices.end.min(start + TOGETHER as u64);
        let rows = starts.into_par_iter();
        rows.flat_map_iter(|start| self.together(start..end(start)))
            .collect()
    }

    /// Makes rows whose signatures are made in one call.
    fn together(&self, indices: Range<u64>) -> Vec<SignedRow> {
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
        let mut rng = stream(self.seed, index);
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

    fn row(&self, draft: Draft, mut r: Vec<u8>) -> SignedRow {
        let (key, other) = (self.keys.key(draft.key), self.keys.other(draft.key));
        let s = r.split_off(r.len() / 2);
        let compressed = self.shape.key_format == KeyShape::Sec1Compressed;
        let mut parts = Parts {
            shape: self.shape,
            message: draft.message,
            digest: draft.digest,
            key_point: key.public(compressed).to_vec(),
            other: other.public(compressed).to_vec(),
            r,
            s,
        };
        let row = draft.index + 1;
        match self.plan.expected(draft.index) {
            Expected::Valid => parts.encode(format!("valid-{row}"), key),
            Expected::Invalid(n) => {
                INVALID[(n % INVALID.len() as u64) as usize](&mut parts);
                parts.encode(format!("invalid-{row}"), key)
            }
            Expected::Malformed(n) => {
                let how = self.malformed[(n % self.malformed.len() as u64) as usize];
                malformed(parts, how, format!("malformed-{row}"), key)
            }
        }
    }
}

impl Parts<'_> {
    fn encode(self, id: String, key: &SampleKey) -> SignedRow {
        let signature = match self.shape.signature_format {
            SignatureShape::Der => der(&self.r, &self.s),
            SignatureShape::P1363 => [self.r, self.s].concat(),
        };
        let key_cell = match self.shape.key_format {
            KeyShape::Sec1 | KeyShape::Sec1Compressed => Value::Bytes(self.key_point),
            KeyShape::Spki => Value::Bytes(spki(key, &self.key_point)),
            KeyShape::Pem => Value::Text(pem(&spki(key, &self.key_point))),
        };
        // Always ASCII.
        let message = || Value::Text(String::from_utf8_lossy(&self.message).into_owned());
        let (message, digest) = match self.shape.input {
            InputShape::Message => (Some(message()), None),
            InputShape::Digest => (None, Some(Value::Bytes(self.digest))),
        };
        SignedRow {
            id: Some(Value::Text(id)),
            alg: Some(Value::Text(key.curve.default_algorithm().to_string())),
            key: Some(key_cell),
            message,
            digest,
            signature: Some(Value::Bytes(signature)),
            breaks_off: false,
        }
    }
}

fn malformed(mut parts: Parts<'_>, how: Malformed, id: String, key: &SampleKey) -> SignedRow {
    match how {
        Malformed::RZero => parts.r.fill(0),
        // All ones is above every order.
        Malformed::SOutOfRange => parts.s.fill(0xff),
        Malformed::KeyNotOnCurve => leave_curve(&mut parts.key_point, key.curve),
        _ => {}
    }
    let mut row = parts.encode(id, key);
    match how {
        Malformed::SignatureTruncated => {
            if let Some(Value::Bytes(signature)) = &mut row.signature {
                signature.pop();
            }
        }
        Malformed::UnknownAlgorithm => row.alg = Some(Value::Text("RS256".into())),
        Malformed::SignatureMissing => row.signature = None,
        Malformed::KeyMissing => row.key = None,
        Malformed::BadEncoding => row.signature = Some(Value::Text("no digits!".into())),
        Malformed::BreaksOff => row.breaks_off = true,
        _ => {}
    }
    row
}

/// Another digit in the message, another bit in the digest.
fn change_input(parts: &mut Parts<'_>) {
    if let Some(digit) = parts.message.iter_mut().rfind(|byte| byte.is_ascii_digit()) {
        *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
    }
    flip(&mut parts.digest);
}

/// Another lowest bit.
fn flip(number: &mut [u8]) {
    if let Some(last) = number.last_mut() {
        *last ^= 1;
    }
}

/// Moves `point` off the curve: an x has two y, p apart in sum, and the changed one is neither; a
/// compressed point gets the next x without a y.
fn leave_curve(point: &mut [u8], curve: CurveName) {
    while AnyVerifyingKey::from_sec1_bytes(curve, point).is_ok() {
        if let Some(last) = point.last_mut() {
            *last = last.wrapping_add(1);
        }
    }
}

/// ECDSA-Sig-Value (RFC 3279 §2.2.3) of any two numbers.
fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integers = [r, s].map(|number| UintRef::new(number).and_then(|integer| integer.to_der()));
    let [r, s] =
        integers.map(|integer| integer.expect("a number of some bytes has a DER encoding"));
    let body = [r, s].concat();
    let sequence = AnyRef::new(Tag::Sequence, &body).and_then(|sequence| sequence.to_der());
    sequence.expect("so have two of them")
}

/// SPKI of a key with another point in it, uncompressed (RFC 5480 §2).
fn spki(key: &SampleKey, point: &[u8]) -> Vec<u8> {
    let mut spki = key.spki();
    let start = spki.len() - point.len();
    spki[start..].copy_from_slice(point);
    spki
}

/// PEM (RFC 7468), 64 digits a line.
fn pem(spki: &[u8]) -> String {
    // Fails only for a label that is none.
    pem_rfc7468::encode_string("PUBLIC KEY", LineEnding::LF, spki)
        .expect("the label is well formed")
}
