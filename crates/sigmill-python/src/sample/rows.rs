//! The rows of a sample, good and bad.

use std::iter;

use pem_rfc7468::LineEnding;
use rand_chacha::rand_core::Rng;
use sigmill::{AnySigningKey, AnyVerifyingKey, SignatureFormat};

use super::keys::{Key, stream};
use super::plan::Expected;
use super::{Choices, KeyFormat, Maker};

/// How an invalid row comes about.
const INVALID: [fn(&mut Parts, &[u8]); 4] = [
    |parts, _| change_input(parts),
    |parts, other| parts.point = other.to_vec(),
    |parts, _| flip(&mut parts.r),
    |parts, _| flip(&mut parts.s),
];

/// How a malformed row comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Malformed {
    SignatureTruncated,
    RZero,
    SOutOfRange,
    KeyNotOnCurve,
    UnknownAlgorithm,
    SignatureMissing,
    KeyMissing,
}

const MALFORMED: [Malformed; 7] = [
    Malformed::SignatureTruncated,
    Malformed::RZero,
    Malformed::SOutOfRange,
    Malformed::KeyNotOnCurve,
    Malformed::UnknownAlgorithm,
    Malformed::SignatureMissing,
    Malformed::KeyMissing,
];

/// A row as its columns have it.
#[derive(Clone, Default)]
pub(crate) struct Row {
    pub(super) id: String,
    pub(super) is_algorithm_known: bool,
    pub(super) key: Option<Vec<u8>>,
    pub(super) input: Vec<u8>,
    pub(super) signature: Option<Vec<u8>>,
}

/// A row that waits for its signature.
struct Draft {
    key: usize,
    message: Vec<u8>,
    digest: Vec<u8>,
}

/// The parts of a row before they are encoded.
struct Parts {
    message: Vec<u8>,
    digest: Vec<u8>,
    point: Vec<u8>,
    r: Vec<u8>,
    s: Vec<u8>,
}

impl Maker<'_> {
    /// Makes rows from this index on; their signatures are made in one call.
    pub(super) fn fill(&self, first: u64, rows: &mut [Row]) {
        let drafts: Vec<Draft> = (first..)
            .take(rows.len())
            .map(|index| self.draft(index))
            .collect();
        let jobs = drafts.iter();
        let jobs = jobs.map(|draft| (&self.keys.key(draft.key).secret, &draft.digest[..]));
        let jobs: Vec<_> = jobs.collect();
        let signatures = AnySigningKey::sign_prehash_many(&jobs, SignatureFormat::P1363);
        let made = iter::zip(first.., iter::zip(drafts, signatures));
        for (row, (index, (draft, signature))) in iter::zip(rows, made) {
            let signature = signature.expect("a digest that is not empty can be signed");
            *row = self.row(index, draft, signature);
        }
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
        let hash = self.choices.curve.default_algorithm().hash;
        Draft {
            key,
            digest: hash.digest(message.as_bytes()).to_vec(),
            message: message.into_bytes(),
        }
    }

    fn row(&self, index: u64, draft: Draft, mut r: Vec<u8>) -> Row {
        let (key, other) = (self.keys.key(draft.key), self.keys.other(draft.key));
        let is_compressed = self.choices.key_format == KeyFormat::Sec1Compressed;
        let s = r.split_off(r.len() / 2);
        let mut parts = Parts {
            message: draft.message,
            digest: draft.digest,
            point: key.point(is_compressed).to_vec(),
            r,
            s,
        };
        let number = index + 1;
        match self.choices.plan.expected(index) {
            Expected::Valid => parts.encode(self.choices, key, format!("valid-{number}")),
            Expected::Invalid(n) => {
                INVALID[(n % INVALID.len() as u64) as usize](
                    &mut parts,
                    other.point(is_compressed),
                );
                parts.encode(self.choices, key, format!("invalid-{number}"))
            }
            Expected::Malformed(n) => {
                let how = MALFORMED[(n % MALFORMED.len() as u64) as usize];
                let id = format!("malformed-{number}");
                malformed(parts, how, self.choices, key, id)
            }
        }
    }
}

impl Parts {
    fn encode(self, choices: &Choices, key: &Key, id: String) -> Row {
        let signature = match choices.format {
            SignatureFormat::P1363 => [self.r, self.s].concat(),
            _ => der(&self.r, &self.s),
        };
        let encoded = match choices.key_format {
            KeyFormat::Sec1 | KeyFormat::Sec1Compressed => self.point,
            KeyFormat::Spki => spki(key, &self.point),
            KeyFormat::Pem => {
                let spki = spki(key, &self.point);
                // Fails only for a label that is none.
                pem_rfc7468::encode_string("PUBLIC KEY", LineEnding::LF, &spki)
                    .expect("the label is well formed")
                    .into_bytes()
            }
        };
        Row {
            id,
            is_algorithm_known: true,
            key: Some(encoded),
            input: if choices.are_digests {
                self.digest
            } else {
                self.message
            },
            signature: Some(signature),
        }
    }
}

fn malformed(mut parts: Parts, how: Malformed, choices: &Choices, key: &Key, id: String) -> Row {
    match how {
        Malformed::RZero => parts.r.fill(0),
        // All ones is above every order.
        Malformed::SOutOfRange => parts.s.fill(0xff),
        Malformed::KeyNotOnCurve => {
            // An x has two y, p apart in sum, and the changed one is neither; a compressed point
            // gets the next x without a y.
            while AnyVerifyingKey::from_sec1_bytes(choices.curve, &parts.point).is_ok() {
                if let Some(last) = parts.point.last_mut() {
                    *last = last.wrapping_add(1);
                }
            }
        }
        _ => {}
    }
    let mut row = parts.encode(choices, key, id);
    match how {
        Malformed::SignatureTruncated => {
            if let Some(signature) = &mut row.signature {
                signature.pop();
            }
        }
        Malformed::UnknownAlgorithm => row.is_algorithm_known = false,
        Malformed::SignatureMissing => row.signature = None,
        Malformed::KeyMissing => row.key = None,
        _ => {}
    }
    row
}

/// Another digit in the message, another bit in the digest.
fn change_input(parts: &mut Parts) {
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

/// ECDSA-Sig-Value (RFC 3279 §2.2.3) of any two numbers, which no `Signature` could hold.
fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integer = |number: &[u8]| {
        let zeros = number.iter().take_while(|&&byte| byte == 0).count();
        let digits = &number[zeros.min(number.len() - 1)..];
        let sign: &[u8] = if digits[0] >= 0x80 { &[0] } else { &[] };
        // 67 bytes at most.
        [&[0x02, (sign.len() + digits.len()) as u8], sign, digits].concat()
    };
    let body = [integer(r), integer(s)].concat();
    // 138 bytes at most.
    let length: &[u8] = match body.len() as u8 {
        len @ ..0x80 => &[len],
        len => &[0x81, len],
    };
    [&[0x30], length, &body].concat()
}

/// SPKI of a key with another point in it, uncompressed (RFC 5480 §2).
fn spki(key: &Key, point: &[u8]) -> Vec<u8> {
    let mut spki = key.secret.verifying_key().to_public_key_der();
    let start = spki.len() - point.len();
    spki[start..].copy_from_slice(point);
    spki
}
