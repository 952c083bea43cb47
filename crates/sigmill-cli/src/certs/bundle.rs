//! A PEM bundle, split into certificates.

use std::io::Cursor;

use der::asn1::BitStringRef;
use der::{Decode, Reader, SliceReader};
use spki::AlgorithmIdentifierRef;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::verdict::Defect;

const BEGIN: &[u8] = b"-----BEGIN ";
const BEGIN_LINE: &[u8] = b"-----BEGIN CERTIFICATE-----";
const END_LINE: &[u8] = b"-----END CERTIFICATE-----";
const LABEL: &str = "CERTIFICATE";

/// The blocks of a bundle.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    /// The DER of each certificate in order, or the defect of its PEM block.
    pub(super) certificates: Vec<Result<Vec<u8>, Defect>>,
    /// The number of blocks that hold something else (keys, revocation lists).
    pub(super) other_blocks: u64,
}

impl Bundle {
    /// Splits `text` at the lines that begin or end a block, so that a broken block does not affect
    /// others. Text between blocks is skipped. A line that nearly matches such a line is treated as
    /// a damaged one: its block is malformed.
    pub(super) fn read(text: &[u8]) -> Self {
        let mut bundle = Self::default();
        let mut begin = None;
        let mut at = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let end = at + line.len();
            match Mark::of(line) {
                Some(Mark::Begin) => {
                    if let Some(begin) = begin.replace(at) {
                        bundle.push(&text[begin..at]);
                    }
                }
                Some(Mark::End) => bundle.push(&text[begin.take().unwrap_or(at)..end]),
                None => {}
            }
            at = end;
        }
        if let Some(begin) = begin {
            bundle.push(&text[begin..]);
        }
        bundle
    }

    fn push(&mut self, block: &[u8]) {
        match read_block(block) {
            Ok(Some(der)) => self.certificates.push(Ok(der)),
            Ok(None) => self.other_blocks += 1,
            Err(defect) => self.certificates.push(Err(defect)),
        }
    }
}

/// A line that begins or ends a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Begin,
    End,
}

impl Mark {
    /// Classifies `line`, even if it is damaged: dashes may be missing on either side, and white
    /// space may precede it. A mark in the middle of a line of text does not begin a block, but the
    /// end of a certificate shows that one was there.
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let has = |words: &str| memchr::memmem::find(line, words.as_bytes()).is_some();
        let is_ruled = line.starts_with(b"--");
        if is_ruled && has("BEGIN ") {
            Some(Self::Begin)
        } else if is_ruled && has("END ") || has("END CERTIFICATE") {
            Some(Self::End)
        } else {
            None
        }
    }
}

/// Returns the content of a block if it is a certificate. The block reaches from its first line to
/// its last, as far as they exist. An unreadable block counts as a certificate unless its label
/// names something else.
fn read_block(block: &[u8]) -> Result<Option<Vec<u8>>, Defect> {
    let mut lines = block.split(|&byte| byte == b'\n');
    let begins = lines.next().unwrap_or_default().trim_ascii_end() == BEGIN_LINE;
    let last = block.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
    let ends = last == Some(END_LINE);
    let malformed = |rule: &str| Err(Defect::Pem(rule.into()));
    if !block.starts_with(BEGIN) {
        return match memchr::memmem::find(block, LABEL.as_bytes()) {
            Some(_) => malformed("missing BEGIN line"),
            None => Ok(None),
        };
    }
    match Pem::read(Cursor::new(block)) {
        Ok((pem, _)) if begins && ends => Ok(Some(pem.contents)),
        Ok((pem, _)) if begins || pem.label == LABEL => {
            malformed("the BEGIN line and the END line must say CERTIFICATE")
        }
        _ if ends && !begins => malformed("the BEGIN line must say CERTIFICATE"),
        Ok(_) => Ok(None),
        Err(_) if !block[BEGIN.len()..].starts_with(LABEL.as_bytes()) => Ok(None),
        Err(error) => malformed(&error.to_string()),
    }
}

/// Parses a certificate. Its outermost structure must be strict DER without trailing data, and both
/// algorithm fields must agree (RFC 5280 §4.1.1.2).
pub(super) fn parse(der: &[u8]) -> Result<X509Certificate<'_>, Defect> {
    check_outside(der)?;
    let (_, certificate) = X509Certificate::from_der(der).map_err(|error| {
        Defect::Malformed(match error {
            x509_parser::nom::Err::Error(e) | x509_parser::nom::Err::Failure(e) => e.to_string(),
            x509_parser::nom::Err::Incomplete(_) => "truncated".into(),
        })
    })?;
    if certificate.signature_algorithm != certificate.tbs_certificate.signature {
        return Err(Defect::AlgorithmsDiffer);
    }
    Ok(certificate)
}

/// Checks the part that the signature does not cover, because the certificate parser is lenient
/// there: a SEQUENCE of the signed part, an algorithm, and a BIT STRING of whole bytes (RFC 5280
/// §4.1).
fn check_outside(der: &[u8]) -> Result<(), Defect> {
    let malformed = |error: der::Error| Defect::Malformed(error.to_string());
    let mut reader = SliceReader::new(der).map_err(malformed)?;
    let signature = reader
        .sequence(|body| {
            body.tlv_bytes()?;
            AlgorithmIdentifierRef::decode(body)?;
            BitStringRef::decode(body)
        })
        .map_err(malformed)?;
    reader.finish().map_err(|_| Defect::TrailingData)?;
    match signature.has_unused_bits() {
        true => Err(Defect::UnusedBits),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(label: &str, base64: &str) -> String {
        format!("-----BEGIN {label}-----\n{base64}\n-----END {label}-----\n")
    }

    fn contents(text: &str) -> Vec<Option<Vec<u8>>> {
        Bundle::read(text.as_bytes())
            .certificates
            .into_iter()
            .map(Result::ok)
            .collect()
    }

    #[test]
    fn blocks_and_what_is_between_them() {
        let text = format!(
            "# a comment\n{}text -----BEGIN CERTIFICATE-----\n{}{}\n",
            block(LABEL, "AQID"),
            block("EC PRIVATE KEY", "BAUG"),
            block(LABEL, "BwgJ").replace('\n', "\r\n"),
        );
        assert_eq!(contents(&text), [Some(vec![1, 2, 3]), Some(vec![7, 8, 9])]);
        assert_eq!(Bundle::read(text.as_bytes()).other_blocks, 1);
        assert!(contents("").is_empty());
        let damaged = block("PUBLIC KEY", "AQID").replace("-----BEGIN", "----BEGIN");
        let bundle = Bundle::read(damaged.as_bytes());
        assert_eq!((bundle.certificates.len(), bundle.other_blocks), (0, 1));
    }

    #[test]
    fn a_broken_block_costs_itself_only() {
        let good = block(LABEL, "AQID");
        let broken = [
            good.replace("-----END CERTIFICATE-----\n", ""),
            good.replace("AQID", "AQ!D"),
            good.replace("AQID", "AQI"),
            good.replace("END CERTIFICATE", "END KEY"),
            "-----BEGIN CERTIFICATE\n".into(),
            // The BEGIN line is damaged: no reader accepts it, or only some do.
            good.replace("-----BEGIN", "----BEGIN"),
            good.replace("-----BEGIN", " -----BEGIN"),
            good.replace("-----BEGIN", "\u{feff}-----BEGIN"),
            good.replace("-----BEGIN", "# -----BEGIN"),
            good.replace("BEGIN CERTIFICATE", "BEGIN CERTIFICAT"),
            good.replace("BEGIN CERTIFICATE", "BEGIN CERTIFICATE-2"),
            good.replace("BEGIN CERTIFICATE-----", "BEGIN CERTIFICATE----"),
            good.replace("-----BEGIN CERTIFICATE-----\n", ""),
            good.replace("-----BEGIN", "-----BEGUN"),
            good.replace("-----", "---"),
            good.replace("-----", "----")
                .replace("----END CERTIFICATE----\n", ""),
            // The END line is damaged.
            good.replace("-----END", "----END"),
            good.replace("\n-----END", "-----END"),
            good.replace("-----END", "> -----END"),
            good.replace("END CERTIFICATE-----", "END CERTIFICATE-----x"),
        ];
        for broken in broken {
            let text = format!("{good}{broken}{good}");
            let good = Some(vec![1, 2, 3]);
            assert_eq!(contents(&text), [good.clone(), None, good], "{broken}");
            assert_eq!(Bundle::read(text.as_bytes()).other_blocks, 0, "{broken}");
            // The same holds without other blocks.
            assert_eq!(contents(&broken), [None], "{broken}");
        }
    }
}
