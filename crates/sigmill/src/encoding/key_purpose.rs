//! The purpose of a key, as far as the key states it (RFC 7517 §4.2 to §4.4).

#[cfg(feature = "jwk")]
use alloc::string::String;

#[cfg(feature = "jwk")]
use crate::curve::CurveName;
#[cfg(feature = "jwk")]
use crate::error::Error;

/// The purpose that a key is wanted for. A JWK may state another purpose by its members `use`,
/// `key_ops` and `alg` (RFC 7517 §4.2 to §4.4). The other encodings state none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPurpose {
    /// Verifying signatures: `use` is "sig", `key_ops` holds "verify", and `alg` is the algorithm
    /// of the curve ("ES256" on P-256), if present.
    Verify,
    /// Signing with a private key: `use` is "sig", `key_ops` holds "sign", and `alg` is the
    /// algorithm of the curve, if present.
    Sign,
    /// Agreeing on a secret: `use` is "enc", `key_ops` holds "deriveKey" or "deriveBits" or nothing
    /// (as Web Crypto writes public keys), and `alg` is one of ECDH, if present.
    Agree,
}

/// The purpose that a JWK states: its members `use`, `key_ops` and `alg`.
#[cfg(feature = "jwk")]
pub(crate) struct Stated<'a> {
    pub(crate) usage: Option<&'a str>,
    pub(crate) operations: Option<&'a [String]>,
    pub(crate) algorithm: Option<&'a str>,
}

#[cfg(feature = "jwk")]
impl KeyPurpose {
    /// Checks that a key on this curve with these statements is for this purpose.
    pub(crate) fn check(self, curve: CurveName, stated: &Stated<'_>) -> Result<(), Error> {
        let allows = |names: &[&str]| {
            let mut operations = stated.operations.into_iter().flatten();
            stated.operations.is_none() || operations.any(|given| names.contains(&given.as_str()))
        };
        let is_algorithm = |fits: &dyn Fn(&str) -> bool| stated.algorithm.is_none_or(fits);
        let signature = |alg: &str| Some(alg) == curve.jose_algorithm();
        let (usage, operations, algorithm) = match self {
            Self::Verify => ("sig", allows(&["verify"]), is_algorithm(&signature)),
            Self::Sign => ("sig", allows(&["sign"]), is_algorithm(&signature)),
            Self::Agree => (
                "enc",
                allows(&["deriveKey", "deriveBits"]) || stated.operations == Some(&[]),
                is_algorithm(&|alg| alg.starts_with("ECDH")),
            ),
        };
        if stated.usage.is_some_and(|given| given != usage) {
            Err(Error::JwkUse)
        } else if !operations {
            Err(Error::JwkKeyOperations)
        } else if !algorithm {
            Err(Error::JwkAlgorithm)
        } else {
            Ok(())
        }
    }
}

#[cfg(all(test, feature = "jwk"))]
mod tests {
    use alloc::format;

    use base64ct::{Base64UrlUnpadded, Encoding as _};

    use super::super::jwk::decode;
    use super::*;

    fn jwk(crv: &str, len: usize) -> String {
        let ones = Base64UrlUnpadded::encode_string(&[1; 48][..len]);
        format!(r#"{{"kty":"EC","crv":"{crv}","x":"{ones}","y":"{ones}"}}"#)
    }

    #[test]
    fn a_key_is_for_what_it_says() {
        use KeyPurpose::{Agree, Sign, Verify};
        // The statements, and whether such a key is for verification, for signing and for
        // agreement.
        let usages = [
            (r#""use":"sig""#, true, true, false),
            (r#""use":"enc""#, false, false, true),
            (r#""use":"other""#, false, false, false),
            (r#""use":null,"key_ops":null,"alg":null"#, true, true, true),
        ];
        let operations = [
            (r#""key_ops":["verify"]"#, true, false, false),
            (r#""key_ops":["sign","verify"]"#, true, true, false),
            (r#""key_ops":["sign"]"#, false, true, false),
            (r#""key_ops":["deriveBits"]"#, false, false, true),
            (r#""key_ops":["deriveKey","verify"]"#, true, false, true),
            (r#""key_ops":[]"#, false, false, true),
        ];
        let algorithms = [
            (r#""alg":"ES256""#, true, true, false),
            (r#""alg":"ES256K""#, false, false, false),
            (r#""alg":"es256""#, false, false, false),
            (r#""alg":"ECDH-ES+A128KW""#, false, false, true),
        ];
        let good = jwk("P-256", 32);
        for (cases, error) in [
            (&usages[..], Error::JwkUse),
            (&operations, Error::JwkKeyOperations),
            (&algorithms, Error::JwkAlgorithm),
        ] {
            for &(members, verifies, signs, agrees) in cases {
                let text = good.replace('}', &format!(",{members}}}"));
                for (purpose, is_for) in [(Verify, verifies), (Sign, signs), (Agree, agrees)] {
                    let expected = match is_for {
                        true => decode(Verify, &good),
                        false => Err(error),
                    };
                    assert_eq!(decode(purpose, &text), expected, "{purpose:?} {members}");
                }
            }
        }
        for (crv, len, alg) in [("P-384", 48, "ES384"), ("secp256k1", 32, "ES256K")] {
            let good = jwk(crv, len);
            let with = |alg| good.replace('}', &format!(r#","alg":"{alg}"}}"#));
            assert_eq!(decode(Verify, &with(alg)), decode(Verify, &good));
            assert_eq!(decode(Verify, &with("ES256")), Err(Error::JwkAlgorithm));
        }
        // A member of the wrong type states nothing that could be respected.
        for member in [
            r#""use":7"#,
            r#""key_ops":"verify""#,
            r#""key_ops":[1]"#,
            r#""alg":[]"#,
        ] {
            let text = good.replace('}', &format!(",{member}}}"));
            assert_eq!(decode(Verify, &text), Err(Error::JwkMalformed), "{member}");
        }
    }
}
