//! Verification of certificates and of the peer's handshake signatures.

use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use sigmill::bulk::{Input, Row};
use sigmill::{Algorithm, CurveName, HashName, SignatureFormat};

use crate::engine::engine;

type Verifier = &'static dyn SignatureVerificationAlgorithm;

/// A sigmill algorithm that replaces another one.
#[derive(Debug)]
struct Spliced {
    algorithm: Algorithm,
    /// Also judges keys that are not uncompressed points: some providers accept other forms.
    replaced: Verifier,
}

impl Spliced {
    /// Replaces an algorithm; `None` if sigmill lacks it.
    fn of(replaced: Verifier) -> Option<Self> {
        let curve = match replaced.public_key_alg_id() {
            alg_id::ECDSA_P256 => CurveName::P256,
            alg_id::ECDSA_P384 => CurveName::P384,
            _ => return None,
        };
        let hash = match replaced.signature_alg_id() {
            alg_id::ECDSA_SHA256 => HashName::Sha256,
            alg_id::ECDSA_SHA384 => HashName::Sha384,
            alg_id::ECDSA_SHA512 => HashName::Sha512,
            _ => return None,
        };
        Some(Self {
            algorithm: Algorithm::new(curve, hash),
            replaced,
        })
    }
}

impl SignatureVerificationAlgorithm for Spliced {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let length = 1 + 2 * self.algorithm.curve.field_len();
        if public_key.len() != length || public_key.first() != Some(&4) {
            return (self.replaced).verify_signature(public_key, message, signature);
        }
        // A frequent key, such as an issuer's, has a table.
        let verdict = engine().verify_row(&Row::new(
            self.algorithm,
            public_key,
            Input::Message(message),
            signature,
            SignatureFormat::Der,
        ));
        verdict.map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.replaced.public_key_alg_id()
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.replaced.signature_alg_id()
    }
}

/// The algorithms, with sigmill's in place of the original ones.
pub(crate) fn splice(algorithms: WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    let splice_all = |verifiers: &[Verifier]| -> &'static [Verifier] {
        let spliced = verifiers
            .iter()
            .map(|&verifier| match Spliced::of(verifier) {
                Some(ours) => Box::leak(Box::new(ours)),
                None => verifier,
            });
        Vec::leak(spliced.collect())
    };
    let mapping = algorithms.mapping.iter();
    let mapping: Vec<(SignatureScheme, &'static [Verifier])> = mapping
        .map(|(scheme, verifiers)| (*scheme, splice_all(verifiers)))
        .collect();
    WebPkiSupportedAlgorithms {
        all: splice_all(algorithms.all),
        mapping: Vec::leak(mapping),
    }
}
