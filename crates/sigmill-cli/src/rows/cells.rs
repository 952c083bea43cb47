//! Decoded cells of rows, and their columns in the form that the engine accepts.

use std::collections::HashMap;
use std::path::Path;

use sigmill::MessageDigest;
use sigmill::bulk::{Algorithms, Column, Hints, Input, Inputs, Rows, ShapeError, Signatures};
use sigmill::{Algorithm, CurveName, HashName, KeyPurpose, SignatureFormat};

use crate::encoding::{MessageEncoding, TextEncoding, decode};
use crate::error::CliError;
use crate::keyfile::{self, KeyCurve};
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Column as InputColumn, Field, RawRow, SharedPlace};
use crate::rows::hint;
use crate::rows::strings::Strings;

/// The length at which an error message truncates an algorithm's name.
const MAX_NAME_LEN: usize = 40;

/// The way to read cells.
#[derive(Clone, Debug)]
pub(crate) struct ReadOptions {
    /// The columns to look for.
    pub(crate) wanted: Wanted,
    /// Encodings of keys, signatures and digests in text columns.
    pub(crate) key_encoding: TextEncoding,
    pub(crate) signature_encoding: TextEncoding,
    pub(crate) digest_encoding: TextEncoding,
    /// Encoding of messages in text columns.
    pub(crate) message_encoding: MessageEncoding,
    pub(crate) signature_format: SignatureFormat,
    /// The algorithm of every row, instead of a column.
    pub(crate) algorithm: Option<Algorithm>,
    /// The key of every row, instead of a column.
    pub(crate) key: Option<Vec<u8>>,
}

impl ReadOptions {
    /// Creates options that detect encodings and formats. If an algorithm or the file of a key is
    /// given, it is that of every row, and the column is not read.
    pub(crate) fn new(
        names: ColumnNames,
        algorithm: Option<Algorithm>,
        key: Option<&Path>,
    ) -> Result<Self, CliError> {
        let key = key.map(|path| {
            // The algorithm's curve decides; no curve is guessed.
            let known = algorithm.map(|algorithm| KeyCurve::Is(algorithm.curve));
            let curve = known.unwrap_or(KeyCurve::NamedBy("--alg"));
            keyfile::read(path, KeyPurpose::Verify, curve)
        });
        let key = key.transpose()?;
        let without: &[InputColumn] = match (algorithm, &key) {
            (None, None) => &[],
            (Some(_), None) => &[InputColumn::Alg],
            (None, Some(_)) => &[InputColumn::Key],
            (Some(_), Some(_)) => &[InputColumn::Alg, InputColumn::Key],
        };
        Ok(Self {
            wanted: Wanted::new(names, without)?,
            key_encoding: TextEncoding::Auto,
            signature_encoding: TextEncoding::Auto,
            digest_encoding: TextEncoding::Auto,
            message_encoding: MessageEncoding::Utf8,
            signature_format: SignatureFormat::Auto,
            algorithm,
            // The DER names the curve, so that rows of another algorithm are rejected.
            key: key.map(|key| key.to_public_key_der()),
        })
    }
}

/// The signed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    Message,
    Digest,
}

/// Well-formed, decoded rows that wait to be judged. Keeps its buffers from one chunk to the next.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// The number of each row in its chunk.
    numbers: Vec<u64>,
    algorithms: Vec<Algorithm>,
    keys: Strings,
    inputs: Strings,
    kinds: Vec<InputKind>,
    signatures: Strings,
    /// Recovery ids, or [`hint::NONE`].
    hints: Vec<u8>,
    digests: SharedDigests,
    /// Buffers for the cells of one row.
    key: Vec<u8>,
    input: Vec<u8>,
    signature: Vec<u8>,
}

impl Cells {
    /// Adds the row with this number in its chunk, if its cells are well formed.
    pub(crate) fn push(
        &mut self,
        number: u64,
        row: &RawRow<'_>,
        options: &ReadOptions,
    ) -> Result<(), RowDefect> {
        row.check_id()?;
        let algorithm = match options.algorithm {
            Some(algorithm) => algorithm,
            None => parse_algorithm(text(&row.alg, "alg")?)?,
        };
        row.key.check_len("key")?;
        let key = match (&options.key, &row.key) {
            (Some(_), _) => None,
            // PEM and JWK are text that needs no decoding.
            (None, Field::Text(text)) if is_pem_or_jwk(text) => Some(text.as_ref()),
            (None, field) => Some(bytes(
                field,
                "key",
                Some(options.key_encoding),
                &mut self.key,
            )?),
        };
        row.signature.check_len("signature")?;
        let signature = bytes(
            &row.signature,
            "signature",
            Some(options.signature_encoding),
            &mut self.signature,
        )?;
        let (signature, recovery_id) = hint::split(signature, algorithm, options.signature_format);
        let shared = self
            .digests
            .digest(row, algorithm, options, &mut self.input)?;
        let (kind, input) = match &shared {
            Some(digest) => (InputKind::Digest, digest.as_ref()),
            None => input(row, algorithm, options, &mut self.input)?,
        };
        self.numbers.push(number);
        self.algorithms.push(algorithm);
        if let Some(key) = key {
            self.keys.push(key);
        }
        self.kinds.push(kind);
        self.inputs.push(input);
        self.signatures.push(signature);
        self.hints.push(match hint::of_cell(&row.hint) {
            hint::NONE => recovery_id,
            id => id,
        });
        Ok(())
    }

    /// Returns the approximate memory of the rows in bytes.
    pub(crate) fn size(&self) -> usize {
        let strings = [&self.keys, &self.inputs, &self.signatures];
        strings.iter().map(|strings| strings.size()).sum()
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the numbers of the rows in their chunk, in ascending order.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Returns the hint of each row, to replace the hints of the table.
    pub(crate) fn hints_mut(&mut self) -> &mut [u8] {
        &mut self.hints
    }

    /// Passes the rows to `judge`.
    pub(crate) fn with_rows<T>(
        &self,
        options: &ReadOptions,
        judge: impl FnOnce(&Rows<'_>) -> T,
    ) -> Result<T, ShapeError> {
        let inputs: Vec<Input<'_>> = self
            .kinds
            .iter()
            .zip(self.inputs.values())
            .map(|(kind, input)| match kind {
                InputKind::Message => Input::Message(input),
                InputKind::Digest => Input::Digest(input),
            })
            .collect();
        let algorithms = match options.algorithm {
            Some(algorithm) => Algorithms::Same(algorithm),
            None => Algorithms::Each(&self.algorithms),
        };
        let keys = match &options.key {
            Some(key) => Column::same(key),
            None => self.keys.column(),
        };
        let rows = Rows::new(
            algorithms,
            keys,
            Inputs::Each(&inputs),
            Signatures::new(options.signature_format, self.signatures.column()),
        )?;
        Ok(judge(
            &match self.hints.iter().any(|&id| id != hint::NONE) {
                true => rows.hints(Hints::Ids(Column::fixed(&self.hints, 1)))?,
                false => rows,
            },
        ))
    }

    /// Returns the row at this place, which must exist.
    pub(crate) fn row<'a>(&'a self, place: usize, options: &'a ReadOptions) -> DecodedRow<'a> {
        DecodedRow {
            algorithm: self.algorithms[place],
            key: match &options.key {
                Some(key) => key,
                None => self.keys.value(place),
            },
            kind: self.kinds[place],
            input: self.inputs.value(place),
            signature: self.signatures.value(place),
            has_v: self.hints[place] != hint::NONE,
        }
    }

    /// Returns the curves that the rows name, with repetitions.
    pub(crate) fn curves<'a>(
        &'a self,
        options: &'a ReadOptions,
    ) -> impl Iterator<Item = CurveName> + 'a {
        let same = options.algorithm.iter();
        let all = same.chain(&self.algorithms);
        all.map(|algorithm| algorithm.curve)
    }

    /// Removes all rows.
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.algorithms.clear();
        self.keys.clear();
        self.inputs.clear();
        self.kinds.clear();
        self.signatures.clear();
        self.hints.clear();
        self.digests.0.clear();
    }
}

/// A well-formed row, decoded.
pub(crate) struct DecodedRow<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) key: &'a [u8],
    pub(crate) kind: InputKind,
    pub(crate) input: &'a [u8],
    pub(crate) signature: &'a [u8],
    /// True if v followed the signature, or the row has another hint.
    pub(crate) has_v: bool,
}

/// The minimum length of a message that is hashed only once for all rows that share it.
const LONG_MESSAGE: usize = 1 << 10;

/// Digests of long messages that several rows of a chunk share. Each message is read and hashed
/// once. Otherwise a few bytes of a file could demand the work of many.
#[derive(Debug, Default)]
struct SharedDigests(HashMap<(SharedPlace, HashName), Result<MessageDigest, RowDefect>>);

impl SharedDigests {
    /// Returns the digest of the row's message, if other rows may share it.
    fn digest(
        &mut self,
        row: &RawRow<'_>,
        algorithm: Algorithm,
        options: &ReadOptions,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<MessageDigest>, RowDefect> {
        let Some(place @ (_, len)) = row.shared_message else {
            return Ok(None);
        };
        if len < LONG_MESSAGE || !matches!(row.digest, Field::Missing | Field::Null) {
            return Ok(None);
        }
        let hash = algorithm.hash;
        let read = || {
            let (_, message) = input(row, algorithm, options, buffer)?;
            Ok(hash.digest(message))
        };
        let known = self.0.entry((place, hash)).or_insert_with(read);
        known.clone().map(Some)
    }
}

/// Returns the message or the digest of a row. Exactly one of them must be present.
pub(crate) fn input<'a>(
    row: &'a RawRow<'_>,
    algorithm: Algorithm,
    options: &ReadOptions,
    buffer: &'a mut Vec<u8>,
) -> Result<(InputKind, &'a [u8]), RowDefect> {
    match (&row.message, &row.digest) {
        (Field::Missing | Field::Null, Field::Missing) => {
            let message = bytes(&row.message, "message", None, buffer)?;
            Ok((InputKind::Message, message))
        }
        (Field::Missing | Field::Null, field) => {
            field.check_len("digest")?;
            let digest = bytes(field, "digest", Some(options.digest_encoding), buffer)?;
            let expected = algorithm.hash.output_len();
            if digest.len() != expected {
                return Err(RowDefect::DigestLength {
                    hash: algorithm.hash,
                    expected,
                    actual: digest.len(),
                });
            }
            Ok((InputKind::Digest, digest))
        }
        (field, Field::Missing | Field::Null) => {
            let message = bytes(field, "message", options.message_encoding.bytes(), buffer)?;
            Ok((InputKind::Message, message))
        }
        _ => Err(RowDefect::MessageAndDigest),
    }
}

/// Reports whether a key is PEM (with or without text around it) or a JWK. No encoding of bytes
/// contains a space or a brace.
pub(crate) fn is_pem_or_jwk(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
        || memchr::memmem::find(text, b"-----BEGIN ").is_some()
}

fn parse_algorithm(name: &[u8]) -> Result<Algorithm, RowDefect> {
    std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.parse().ok())
        .ok_or_else(|| {
            let shown = &name[..name.len().min(MAX_NAME_LEN)];
            RowDefect::Algorithm(String::from_utf8_lossy(shown).into_owned())
        })
}

/// Returns the text of a cell.
fn text<'a>(field: &'a Field<'_>, name: &'static str) -> Result<&'a [u8], RowDefect> {
    match field {
        Field::Text(text) => Ok(text),
        Field::Bytes(_) => Err(RowDefect::Type {
            field: name,
            expected: "text",
            actual: "bytes",
        }),
        Field::Missing => Err(RowDefect::Missing { field: name }),
        Field::Null => Err(RowDefect::Null { field: name }),
        Field::Duplicate => Err(RowDefect::Duplicate { field: name }),
        Field::Wrong(actual) => Err(RowDefect::Type {
            field: name,
            expected: "text",
            actual,
        }),
    }
}

/// Returns the bytes of a cell. Text is decoded, or returned as it is if `encoding` is `None`.
pub(crate) fn bytes<'a>(
    field: &'a Field<'_>,
    name: &'static str,
    encoding: Option<TextEncoding>,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], RowDefect> {
    if let Field::Bytes(bytes) = field {
        return Ok(bytes);
    }
    let text = text(field, name)?;
    let Some(encoding) = encoding else {
        return Ok(text);
    };
    decode(text, encoding, buffer).map_err(|defect| RowDefect::Encoding {
        field: name,
        defect,
    })?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// The next chunk may have other bytes at the address of a message of this chunk.
    #[test]
    fn shared_messages_are_forgotten_with_their_chunk() {
        let algorithm = Some(Algorithm::ES256);
        let options = ReadOptions::new(ColumnNames::default(), algorithm, None).unwrap();
        let mut cells = Cells::default();
        let mut input_of = |byte: u8| {
            let message = vec![byte; LONG_MESSAGE];
            let text = |bytes: &'static [u8]| Field::Text(Cow::Borrowed(bytes));
            let row = RawRow {
                key: text(b"00"),
                signature: text(b"00"),
                message: Field::Text(Cow::Borrowed(&message)),
                shared_message: Some((7, message.len())),
                ..RawRow::default()
            };
            for _ in 0..2 {
                cells.push(0, &row, &options).unwrap();
            }
            let inputs: Vec<Vec<u8>> = cells.inputs.values().map(<[u8]>::to_vec).collect();
            cells.clear();
            assert_eq!(inputs[0], HashName::Sha256.digest(&message).as_ref());
            inputs
        };
        let (first, second) = (input_of(b'a'), input_of(b'b'));
        assert_eq!((&first[0], &second[0]), (&first[1], &second[1]));
        assert_ne!(first, second);
    }
}
