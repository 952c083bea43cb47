//! The provider, shared by all versions of jsonwebtoken, whose types have the same names.

/// The module of a version: its crate, and the method that returns the bytes of an `EncodingKey`.
macro_rules! provider {
    ($jsonwebtoken:ident, $bytes:ident) => {
        use std::sync::LazyLock;

        use signature::{Error, Signer, Verifier};
        #[cfg(feature = "aws_lc_rs")]
        use $jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER as BACKEND;
        #[cfg(not(feature = "aws_lc_rs"))]
        use $jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER as BACKEND;
        use $jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier};
        use $jsonwebtoken::errors::Result;
        use $jsonwebtoken::{Algorithm, AlgorithmFamily};
        use $jsonwebtoken::{DecodingKey, DecodingKeyKind, EncodingKey};

        use crate::point::Point;
        use crate::secret::Secret;

        /// Returns a provider with ES256 and ES384 by sigmill, and everything else by the backend
        /// that the features select. Call `provider().install_default()` once, before the first
        /// token.
        pub fn provider() -> &'static CryptoProvider {
            static PROVIDER: LazyLock<CryptoProvider> = LazyLock::new(|| CryptoProvider {
                signer_factory: signer,
                verifier_factory: verifier,
                ..BACKEND.clone()
            });
            &PROVIDER
        }

        /// Sigmill's name of an algorithm, if it is ES256 or ES384 and the key has its family.
        fn ours(algorithm: Algorithm, family: AlgorithmFamily) -> Option<sigmill::Algorithm> {
            match algorithm {
                _ if family != AlgorithmFamily::Ec => None,
                Algorithm::ES256 => Some(sigmill::Algorithm::ES256),
                Algorithm::ES384 => Some(sigmill::Algorithm::ES384),
                _ => None,
            }
        }

        /// Called for each token, so the state is in the engine.
        fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
            let point = || match key.kind() {
                DecodingKeyKind::SecretOrDer(bytes) => {
                    Point::new(ours(*algorithm, key.family())?, bytes)
                }
                DecodingKeyKind::RsaModulusExponent { .. } => None,
            };
            let algorithm = *algorithm;
            match point() {
                Some(point) => Ok(Box::new(PointVerifier { algorithm, point })),
                None => (BACKEND.verifier_factory)(&algorithm, key),
            }
        }

        struct PointVerifier {
            algorithm: Algorithm,
            point: Point,
        }

        impl Verifier<Vec<u8>> for PointVerifier {
            fn verify(
                &self,
                message: &[u8],
                signature: &Vec<u8>,
            ) -> std::result::Result<(), Error> {
                let verdict = self.point.verify(message, signature);
                verdict.map_err(Error::from_source)
            }
        }

        impl JwtVerifier for PointVerifier {
            fn algorithm(&self) -> Algorithm {
                self.algorithm
            }
        }

        /// Called for each token. Private keys are not remembered.
        fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
            let algorithm = *algorithm;
            let ours = ours(algorithm, key.family());
            match ours.and_then(|ours| Secret::read(ours.curve, key.$bytes())) {
                Some(secret) => Ok(Box::new(SecretSigner { algorithm, secret })),
                None => (BACKEND.signer_factory)(&algorithm, key),
            }
        }

        struct SecretSigner {
            algorithm: Algorithm,
            secret: Secret,
        }

        impl Signer<Vec<u8>> for SecretSigner {
            fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
                Ok(self.secret.sign(message))
            }
        }

        impl JwtSigner for SecretSigner {
            fn algorithm(&self) -> Algorithm {
                self.algorithm
            }
        }
    };
}
