//! Every certificate against those that may have issued it.

use std::collections::HashMap;

use rayon::prelude::*;
use sigmill::bulk::{Engine, Input, Row};
use sigmill::{Algorithm, AnyVerifyingKey, Error, HashName, SignatureFormat};
use x509_parser::objects::{oid_registry, oid2sn};
use x509_parser::oid_registry::{
    OID_SIG_ECDSA_WITH_SHA256, OID_SIG_ECDSA_WITH_SHA384, OID_SIG_ECDSA_WITH_SHA512, Oid,
};
use x509_parser::prelude::{ParsedExtension, X509Certificate};

use super::verdict::{Defect, Verdict};

/// A certificate that parses, or what is wrong with it.
pub(super) type Parsed<'a> = Result<X509Certificate<'a>, Defect>;

/// Judges all certificates of a bundle, in order.
pub(super) fn judge(certificates: &[Parsed<'_>], engine: &Engine) -> Vec<Verdict> {
    let issuers = Issuers::new(certificates);
    certificates
        .par_iter()
        .map(|parsed| match parsed {
            Ok(certificate) => judge_one(certificate, &issuers, engine),
            Err(defect) => Verdict::Rejected(defect.clone()),
        })
        .collect()
}

/// The certificates by the DER of their subjects.
struct Issuers<'a> {
    certificates: &'a [Parsed<'a>],
    by_subject: HashMap<&'a [u8], Vec<usize>>,
}

impl<'a> Issuers<'a> {
    fn new(certificates: &'a [Parsed<'a>]) -> Self {
        let mut by_subject: HashMap<_, Vec<_>> = HashMap::new();
        for (index, parsed) in certificates.iter().enumerate() {
            if let Ok(certificate) = parsed {
                by_subject
                    .entry(certificate.subject().as_raw())
                    .or_default()
                    .push(index);
            }
        }
        Self {
            certificates,
            by_subject,
        }
    }

    /// Those whose subject is the certificate's issuer and whose key identifier is the one it names, where both are
    /// there. An identifier that cannot be read counts as absent: which key made the signature is for the signature to
    /// say.
    fn of(
        &self,
        certificate: &X509Certificate<'_>,
    ) -> impl Iterator<Item = (usize, &X509Certificate<'_>)> {
        let wanted = authority_key_identifier(certificate).map(<[u8]>::to_vec);
        self.by_subject
            .get(certificate.issuer().as_raw())
            .into_iter()
            .flatten()
            .filter_map(|&index| Some((index, self.certificates[index].as_ref().ok()?)))
            .filter(
                move |(_, issuer)| match (wanted.as_deref(), subject_key_identifier(issuer)) {
                    (Some(wanted), Some(found)) => wanted == found,
                    _ => true,
                },
            )
    }
}

fn authority_key_identifier<'a>(certificate: &'a X509Certificate<'_>) -> Option<&'a [u8]> {
    certificate
        .iter_extensions()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityKeyIdentifier(id) => {
                id.key_identifier.as_ref().map(|key| key.0)
            }
            _ => None,
        })
}

fn subject_key_identifier<'a>(certificate: &'a X509Certificate<'_>) -> Option<&'a [u8]> {
    certificate
        .iter_extensions()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0),
            _ => None,
        })
}

fn judge_one(certificate: &X509Certificate<'_>, issuers: &Issuers<'_>, engine: &Engine) -> Verdict {
    let oid = &certificate.signature_algorithm.algorithm;
    let name = oid_name(oid);
    let Some(hash) = ecdsa_hash(oid) else {
        return Verdict::NotJudged { algorithm: name };
    };
    // What speaks against the certificate if no issuer speaks for it.
    let mut unsupported = None;
    let mut defect = None;
    let mut is_issuer_missing = true;
    for (index, issuer) in issuers.of(certificate) {
        is_issuer_missing = false;
        match verify(certificate, hash, issuer, engine) {
            Ok(algorithm) => {
                let algorithm = format!("{name} on {}", algorithm.curve);
                return Verdict::Valid {
                    issuer: index,
                    algorithm,
                };
            }
            Err(Error::SpkiCurveUnknown | Error::SpkiParametersNotNamedCurve) => {
                unsupported = Some(format!("{name} on {}", curve_name(issuer)));
            }
            Err(Error::SpkiAlgorithmNotEc) => {
                defect.get_or_insert(Defect::IssuerKeyNotEc);
            }
            // What a key that could have signed says tells more than that another could not have.
            Err(error) => match &defect {
                None | Some(Defect::IssuerKeyNotEc) => defect = Some(error.into()),
                Some(_) => {}
            },
        }
    }
    match (unsupported, defect) {
        // The issuer with the other curve may be the one.
        (Some(algorithm), _) => Verdict::NotJudged { algorithm },
        (None, Some(defect)) => Verdict::Rejected(defect),
        (None, None) => {
            debug_assert!(is_issuer_missing);
            Verdict::IssuerMissing
        }
    }
}

/// Whether the key of `issuer` signed `certificate`; says with which algorithm.
fn verify(
    certificate: &X509Certificate<'_>,
    hash: HashName,
    issuer: &X509Certificate<'_>,
    engine: &Engine,
) -> Result<Algorithm, Error> {
    let key = issuer.public_key().raw;
    let curve = AnyVerifyingKey::from_public_key_der(key)?.curve();
    let algorithm = Algorithm { curve, hash };
    engine.verify_row(&Row {
        algorithm,
        key,
        input: Input::Message(certificate.tbs_certificate.as_ref()),
        signature: &certificate.signature_value.data,
        format: SignatureFormat::Der,
    })?;
    Ok(algorithm)
}

/// The hash of an ECDSA algorithm that is judged (RFC 5758 §3.2).
fn ecdsa_hash(oid: &Oid<'_>) -> Option<HashName> {
    [
        (OID_SIG_ECDSA_WITH_SHA256, HashName::Sha256),
        (OID_SIG_ECDSA_WITH_SHA384, HashName::Sha384),
        (OID_SIG_ECDSA_WITH_SHA512, HashName::Sha512),
    ]
    .into_iter()
    .find_map(|(known, hash)| (known == *oid).then_some(hash))
}

/// The name of an algorithm or curve, or the numbers of its identifier.
fn oid_name(oid: &Oid<'_>) -> String {
    if let Ok(name) = oid2sn(oid, oid_registry()) {
        return name.into();
    }
    // Those that the registry lacks (SEC 2 §A.2.1, RFC 3279 §2.2.3).
    match oid.to_id_string().as_str() {
        "1.2.840.10045.4.1" => "ecdsa-with-SHA1".into(),
        "1.3.132.0.10" => "secp256k1".into(),
        numbers => numbers.into(),
    }
}

/// The name of the curve in a certificate's key.
fn curve_name(certificate: &X509Certificate<'_>) -> String {
    let parameters = certificate.public_key().algorithm.parameters.as_ref();
    parameters
        .and_then(|any| any.as_oid().ok())
        .map_or_else(|| "an unnamed curve".into(), |oid| oid_name(&oid))
}
