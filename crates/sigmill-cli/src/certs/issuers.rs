//! The keys that may have signed a certificate.

use std::collections::{HashMap, HashSet};

use x509_parser::prelude::{ParsedExtension, X509Certificate};

use super::judge::Parsed;

/// The keys of a bundle, indexed by their owners' names: the DER of the certificates' subjects.
pub(super) struct Issuers<'a> {
    certificates: &'a [Parsed<'a>],
    /// The number of each certificate's key; equal keys have equal numbers.
    keys: Vec<usize>,
    by_subject: HashMap<&'a [u8], Subject<'a>>,
}

/// The keys of one subject.
#[derive(Default)]
struct Subject<'a> {
    all: Distinct,
    /// The keys of certificates with this key identifier, or without one.
    by_identifier: HashMap<Option<&'a [u8]>, Distinct>,
}

/// Certificates with different keys, in the order of the bundle. Each key is represented by its
/// first certificate.
#[derive(Default)]
struct Distinct {
    certificates: Vec<usize>,
    keys: HashSet<usize>,
}

/// A certificate that may be the issuer of another.
pub(super) struct Candidate<'a> {
    pub(super) index: usize,
    pub(super) certificate: &'a X509Certificate<'a>,
    /// The number of its key.
    pub(super) key: usize,
}

impl<'a> Issuers<'a> {
    pub(super) fn new(certificates: &'a [Parsed<'a>]) -> Self {
        let mut numbers = HashMap::new();
        let mut keys = Vec::with_capacity(certificates.len());
        let mut by_subject: HashMap<_, Subject<'a>> = HashMap::new();
        for (index, parsed) in certificates.iter().enumerate() {
            let Ok(certificate) = parsed else {
                // A placeholder that is never used.
                keys.push(usize::MAX);
                continue;
            };
            let new = numbers.len();
            let key = *numbers.entry(certificate.public_key().raw).or_insert(new);
            keys.push(key);
            let subject = by_subject
                .entry(certificate.subject().as_raw())
                .or_default();
            subject.all.insert(index, key);
            subject
                .by_identifier
                .entry(subject_key_identifier(certificate))
                .or_default()
                .insert(index, key);
        }
        Self {
            certificates,
            keys,
            by_subject,
        }
    }

    /// Returns the candidates for the issuer of a certificate. The candidate's subject must be the
    /// certificate's issuer. Its key identifier must be the one that the certificate names, if both
    /// are present. An unreadable identifier counts as absent: the signature decides which key made
    /// it.
    ///
    /// Likely candidates come first: the certificate's own key, then those with the identifier,
    /// then those without. A key occurs up to three times.
    pub(super) fn of<'s>(
        &'s self,
        index: usize,
        certificate: &'s X509Certificate<'s>,
    ) -> impl Iterator<Item = Candidate<'s>> {
        let wanted = authority_key_identifier(certificate);
        let name = certificate.issuer().as_raw();
        let own = subject_key_identifier(certificate);
        let names_itself = name == certificate.subject().as_raw()
            && (wanted.is_none() || own.is_none() || wanted == own);
        let none: &[usize] = &[];
        let (named, others) = match (self.by_subject.get(name), wanted) {
            (None, _) => (none, none),
            (Some(subject), None) => (none, &subject.all.certificates[..]),
            (Some(subject), Some(_)) => (subject.with(wanted), subject.with(None)),
        };
        let own = names_itself.then_some(index);
        let indices = own.into_iter().chain(named.iter().copied());
        indices.chain(others.iter().copied()).filter_map(|index| {
            Some(Candidate {
                index,
                certificate: self.certificates[index].as_ref().ok()?,
                key: self.keys[index],
            })
        })
    }
}

impl<'a> Subject<'a> {
    /// Returns the certificates with this key identifier, or without one.
    fn with(&'a self, identifier: Option<&'a [u8]>) -> &'a [usize] {
        let found = self.by_identifier.get(&identifier);
        found.map_or(&[], |distinct| &distinct.certificates)
    }
}

impl Distinct {
    fn insert(&mut self, index: usize, key: usize) {
        if self.keys.insert(key) {
            self.certificates.push(index);
        }
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
