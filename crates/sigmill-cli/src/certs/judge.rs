//! Judges every certificate against its possible issuers.

use rayon::prelude::*;
use sigmill::bulk::{Engine, Input, Row};
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName, SignatureFormat};
use x509_parser::objects::{oid_registry, oid2sn};
use x509_parser::oid_registry::{
    OID_SIG_ECDSA_WITH_SHA256, OID_SIG_ECDSA_WITH_SHA384, OID_SIG_ECDSA_WITH_SHA512, Oid,
};
use x509_parser::prelude::X509Certificate;

use super::issuers::Issuers;
use super::verdict::{Defect, Verdict};

/// A parsed certificate, or its defect.
pub(super) type Parsed<'a> = Result<X509Certificate<'a>, Defect>;

/// The maximum number of keys tried for a certificate. Each key costs a verification, and the
/// author of a bundle can put as many keys under one name as there are certificates.
pub(super) const MOST_KEYS: usize = 16;

/// Judges all certificates of a bundle, in order.
pub(super) fn judge(certificates: &[Parsed<'_>], engine: &Engine) -> Vec<Verdict> {
    let issuers = Issuers::new(certificates);
    certificates
        .par_iter()
        .enumerate()
        .map(|(index, parsed)| match parsed {
            Ok(certificate) => judge_one(index, certificate, &issuers, engine),
            Err(defect) => Verdict::Rejected(defect.clone()),
        })
        .collect()
}

fn judge_one(
    index: usize,
    certificate: &X509Certificate<'_>,
    issuers: &Issuers<'_>,
    engine: &Engine,
) -> Verdict {
    let oid = &certificate.signature_algorithm.algorithm;
    let name = oid_name(oid);
    let Some(hash) = ecdsa_hash(oid) else {
        return Verdict::NotJudged { algorithm: name };
    };
    // Reasons against the certificate, if no issuer's key fits.
    let mut unsupported = None;
    let mut defect = None;
    let mut digest = None;
    let mut tried = Vec::with_capacity(MOST_KEYS);
    for candidate in issuers.of(index, certificate) {
        if tried.contains(&candidate.key) {
            continue;
        }
        if tried.len() == MOST_KEYS {
            return Verdict::Rejected(Defect::TooManyIssuers { limit: MOST_KEYS });
        }
        tried.push(candidate.key);
        let issuer = candidate.certificate;
        let signed = certificate.tbs_certificate.as_ref();
        let digest = digest.get_or_insert_with(|| hash.digest(signed));
        let signature = &certificate.signature_value.data;
        match verify(digest, signature, hash, issuer, engine) {
            Ok(algorithm) => {
                let algorithm = format!("{name} on {}", algorithm.curve);
                return Verdict::Valid {
                    issuer: candidate.index,
                    algorithm,
                };
            }
            Err(Error::SpkiCurveUnknown | Error::SpkiParametersNotNamedCurve) => {
                unsupported = Some(format!("{name} on {}", curve_name(issuer)));
            }
            Err(Error::SpkiAlgorithmNotEc) => {
                defect.get_or_insert(Defect::IssuerKeyNotEc);
            }
            // An error with a key that could have signed says more than one with a key that could
            // not.
            Err(error) => match &defect {
                None | Some(Defect::IssuerKeyNotEc) => defect = Some(error.into()),
                Some(_) => {}
            },
        }
    }
    match (unsupported, defect) {
        // The issuer with the unsupported curve may be the right one.
        (Some(algorithm), _) => Verdict::NotJudged { algorithm },
        (None, Some(defect)) => Verdict::Rejected(defect),
        (None, None) => {
            debug_assert!(tried.is_empty());
            Verdict::IssuerMissing
        }
    }
}

/// Verifies a signature over `digest` with the key of `issuer`, and returns the algorithm.
fn verify(
    digest: &[u8],
    signature: &[u8],
    hash: HashName,
    issuer: &X509Certificate<'_>,
    engine: &Engine,
) -> Result<Algorithm, Error> {
    let key = issuer.public_key().raw;
    let curve = AnyVerifyingKey::from_public_key_der(key)?.curve();
    let algorithm = Algorithm::new(curve, hash);
    engine.verify_row(&Row::new(
        algorithm,
        key,
        Input::Digest(digest),
        signature,
        SignatureFormat::Der,
    ))?;
    Ok(algorithm)
}

/// Returns the hash of an ECDSA algorithm that is judged (RFC 5758 §3.2).
fn ecdsa_hash(oid: &Oid<'_>) -> Option<HashName> {
    [
        (OID_SIG_ECDSA_WITH_SHA256, HashName::Sha256),
        (OID_SIG_ECDSA_WITH_SHA384, HashName::Sha384),
        (OID_SIG_ECDSA_WITH_SHA512, HashName::Sha512),
    ]
    .into_iter()
    .find_map(|(known, hash)| (known == *oid).then_some(hash))
}

/// Returns the name of an algorithm or curve, or its object identifier in numbers.
fn oid_name(oid: &Oid<'_>) -> String {
    if let Ok(name) = oid2sn(oid, oid_registry()) {
        return name.into();
    }
    // The registry lacks some curves, and RFC 3279 §2.2.3.
    let numbers = oid.to_id_string();
    let mut curves = CurveName::ALL.iter();
    if let Some(curve) = curves.find(|curve| curve.object_identifier() == numbers) {
        return curve.to_string();
    }
    match numbers.as_str() {
        "1.2.840.10045.4.1" => "ecdsa-with-SHA1".into(),
        _ => numbers,
    }
}

/// Returns the name of the curve in a certificate's key.
fn curve_name(certificate: &X509Certificate<'_>) -> String {
    let parameters = certificate.public_key().algorithm.parameters.as_ref();
    parameters
        .and_then(|any| any.as_oid().ok())
        .map_or_else(|| "an unnamed curve".into(), |oid| oid_name(&oid))
}
