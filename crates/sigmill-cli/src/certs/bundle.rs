//! A PEM bundle cut into certificates.

use std::io::Cursor;

use der::asn1::BitStringRef;
use der::{Decode, Reader, SliceReader};
use spki::AlgorithmIdentifierRef;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::verdict::Defect;

const BEGIN: &[u8] = b"-----BEGIN ";
const LABEL: &str = "CERTIFICATE";

/// The blocks of a bundle.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    /// The DER of each certificate in turn, or what is wrong with its PEM.
    pub(super) certificates: Vec<Result<Vec<u8>, Defect>>,
    /// How many blocks hold something else (keys, revocation lists).
    pub(super) other_blocks: u64,
}

impl Bundle {
    /// Cuts `text` at the lines that begin a block, so that a broken block costs no other. Text between blocks is
    /// skipped.
    pub(super) fn read(text: &[u8]) -> Self {
        let mut bundle = Self::default();
        let mut starts = block_starts(text).peekable();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(text.len());
            match read_block(&text[start..end]) {
                Ok(Some(der)) => bundle.certificates.push(Ok(der)),
                Ok(None) => bundle.other_blocks += 1,
                Err(defect) => bundle.certificates.push(Err(defect)),
            }
        }
        bundle
    }
}

/// Where lines begin with the mark of a block.
fn block_starts(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(text, BEGIN).filter(|&at| at == 0 || text[at - 1] == b'\n')
}

/// The content of the block that `text` begins with, if it is a certificate. A block that cannot be read counts as one
/// unless its label says otherwise.
fn read_block(text: &[u8]) -> Result<Option<Vec<u8>>, Defect> {
    let end_label = |label: &str| format!("-----END {label}-----").into_bytes();
    match Pem::read(Cursor::new(text)) {
        Ok((pem, _)) if pem.label != LABEL => Ok(None),
        // The reader of blocks takes any END line.
        Ok(_) if memchr::memmem::find(text, &end_label(LABEL)).is_none() => {
            Err(Defect::Pem("the END line must say CERTIFICATE".into()))
        }
        Ok((pem, _)) => Ok(Some(pem.contents)),
        Err(_) if !text[BEGIN.len()..].starts_with(LABEL.as_bytes()) => Ok(None),
        Err(error) => Err(Defect::Pem(error.to_string())),
    }
}

/// Parses a certificate: its outermost structure is strict DER, nothing stands behind it, and its algorithm is named
/// alike in both places (RFC 5280 §4.1.1.2).
pub(super) fn parse(der: &[u8]) -> Result<X509Certificate<'_>, Defect> {
    check_outside(der)?;
    let (_, certificate) = X509Certificate::from_der(der).map_err(|error| {
        Defect::Malformed(match error {
            x509_parser::nom::Err::Error(e) | x509_parser::nom::Err::Failure(e) => e.to_string(),
            x509_parser::nom::Err::Incomplete(_) => "it is cut off".into(),
        })
    })?;
    if certificate.signature_algorithm != certificate.tbs_certificate.signature {
        return Err(Defect::AlgorithmsDiffer);
    }
    Ok(certificate)
}

/// Checks what the signature does not cover, as the parser of certificates forgives much there: a SEQUENCE of what is
/// signed, an algorithm, and a BIT STRING of whole bytes (RFC 5280 §4.1).
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
        ];
        for broken in broken {
            let text = format!("{good}{broken}{good}");
            let good = Some(vec![1, 2, 3]);
            assert_eq!(contents(&text), [good.clone(), None, good], "{broken}");
        }
    }
}
