//! Every certificate against those that may have issued it.

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

/// A certificate that parses, or what is wrong with it.
pub(super) type Parsed<'a> = Result<X509Certificate<'a>, Defect>;

/// So many keys are tried for a certificate: each is a verification, and whoever makes a bundle may
/// give as many keys the same name as it holds certificates.
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
    // What speaks against the certificate if no issuer speaks for it.
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
            debug_assert!(tried.is_empty());
            Verdict::IssuerMissing
        }
    }
}

/// Whether the key of `issuer` made this signature of what has this digest; says with which
/// algorithm.
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
    // What the registry lacks: some curves, and RFC 3279 §2.2.3.
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

/// The name of the curve in a certificate's key.
fn curve_name(certificate: &X509Certificate<'_>) -> String {
    let parameters = certificate.public_key().algorithm.parameters.as_ref();
    parameters
        .and_then(|any| any.as_oid().ok())
        .map_or_else(|| "an unnamed curve".into(), |oid| oid_name(&oid))
}
