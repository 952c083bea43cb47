//! Compact tokens: the steps of RFC 7515 §5.2.

use alloc::vec::Vec;

use super::{Error, Header, Jwk, JwkSet, MAX_TOKEN_LEN};
use crate::SignatureFormat;
use crate::encoding::base64url;

/// Verifies the signature of a compact JWS token (a JWT) with the keys of a set, and the signature
/// ONLY.
///
/// The caller must judge whether the token is still valid (`exp`, `nbf`), who made it for whom
/// (`iss`, `aud`), and what it is (`typ`), from [`VerifiedToken::payload`] and
/// [`VerifiedToken::header`].
///
/// The token is text, or the bytes of a text: three parts in base64url without padding. Each part
/// must have its one canonical form. The header is JSON that every reader reads alike, and has no
/// `crit`. The key is the one in the set with the header's `kid`. Without a `kid`, it is the only
/// key for the header's `alg`. The algorithm is the key's, and the header must name the same. The
/// signature is r and s (RFC 7518 §3.4); every s from 1 to n - 1 is accepted.
///
/// Costs one verification, or several times less if the set is [prepared](JwkSet::prepare).
///
/// ```
/// use sigmill::jose::{Error, JwkSet, verify_compact};
/// use sigmill::{AnySigningKey, CurveName, SignatureFormat};
///
/// # fn base64url(bytes: &[u8]) -> String {
/// #     use base64ct::{Base64UrlUnpadded, Encoding as _};
/// #     Base64UrlUnpadded::encode_string(bytes)
/// # }
/// let key = AnySigningKey::generate(CurveName::P384)?;
/// let jwk = key.verifying_key().to_jwk_str().expect("JOSE has a name for P-384");
/// let keys = JwkSet::from_json(&format!(r#"{{"keys":[{jwk}]}}"#))?;
///
/// let header = base64url(br#"{"alg":"ES384","typ":"JWT"}"#);
/// let input = format!("{header}.{}", base64url(br#"{"sub":"alice"}"#));
/// let signature = key.sign(input.as_bytes(), SignatureFormat::P1363);
/// let token = format!("{input}.{}", base64url(&signature));
///
/// let verified = verify_compact(&token, &keys)?;
/// assert_eq!(verified.payload(), br#"{"sub":"alice"}"#);
/// assert_eq!(verified.header().typ(), Some("JWT"));
///
/// let forged = token.replace('.', ".e");
/// assert!(matches!(verify_compact(&forged, &keys), Err(Error::PayloadEncoding)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every variant of [`Error`] except [`Error::KeySetJson`]: those of [`CompactToken::parse`],
/// [`CompactToken::resolve`] and [`ResolvedToken::verify`].
pub fn verify_compact<'k>(
    token: &(impl AsRef<[u8]> + ?Sized),
    keys: &'k JwkSet,
) -> Result<VerifiedToken<'k>, Error> {
    CompactToken::parse(token)?.resolve(keys)?.verify()
}

/// A compact token with three parts and a readable header: steps 1 to 4 of RFC 7515 §5.2. Nothing
/// in it has been verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactToken<'t> {
    header: Header,
    /// The signed bytes: everything before the second dot, unchanged.
    signing_input: &'t [u8],
    payload: &'t [u8],
    signature: &'t [u8],
}

impl<'t> CompactToken<'t> {
    /// Splits a token and reads its header.
    ///
    /// # Errors
    /// [`Error::TokenTooLong`], [`Error::TokenParts`], [`Error::TokenEncrypted`],
    /// [`Error::HeaderEncoding`], [`Error::HeaderJson`].
    pub fn parse(token: &'t (impl AsRef<[u8]> + ?Sized)) -> Result<Self, Error> {
        let token = token.as_ref();
        if token.len() > MAX_TOKEN_LEN {
            return Err(Error::TokenTooLong);
        }
        // Step 1.
        let [header, payload, signature] = parts(token)?;
        // Step 2.
        let header = base64url::decode(header).ok_or(Error::HeaderEncoding)?;
        Ok(Self {
            // Steps 3 and 4.
            header: Header::read(&header)?,
            signing_input: &token[..token.len() - signature.len() - 1],
            payload,
            signature,
        })
    }

    /// The header of the token, not verified.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Finds the key that the token means, and reads the other parts: steps 5 to 7.
    ///
    /// # Errors
    /// [`Error::HeaderCrit`], [`Error::HeaderB64`]; for the key, one of the variants whose names
    /// begin with `Alg`, `Kid` and `Key` (except [`Error::KeySetJson`]);
    /// [`Error::PayloadEncoding`], [`Error::SignatureEncoding`].
    pub fn resolve<'k>(self, keys: &'k JwkSet) -> Result<ResolvedToken<'t, 'k>, Error> {
        // Step 5.
        self.header.check_extensions()?;
        let key_index = keys.find(&self.header)?;
        // Step 6, without the bytes.
        if !base64url::is_well_formed(self.payload) {
            return Err(Error::PayloadEncoding);
        }
        // Step 7.
        let signature = base64url::decode(self.signature).ok_or(Error::SignatureEncoding)?;
        Ok(ResolvedToken {
            token: self,
            signature,
            keys,
            key_index,
        })
    }
}

fn parts(token: &[u8]) -> Result<[&[u8]; 3], Error> {
    let mut parts = token.split(|&byte| byte == b'.');
    match (parts.next(), parts.next(), parts.next(), parts.count()) {
        (Some(header), Some(payload), Some(signature), 0) => Ok([header, payload, signature]),
        (_, _, Some(_), 2) => Err(Error::TokenEncrypted),
        (_, _, Some(_), more) => Err(Error::TokenParts { actual: 3 + more }),
        (_, second, None, _) => Err(Error::TokenParts {
            actual: 1 + usize::from(second.is_some()),
        }),
    }
}

/// A token and the key that it means. Everything except the signature has been checked.
/// [`verify`](Self::verify) checks the signature; [`bulk::Row`](crate::bulk::Row) is for callers
/// with many tokens.
#[derive(Clone, Debug)]
pub struct ResolvedToken<'t, 'k> {
    token: CompactToken<'t>,
    signature: Vec<u8>,
    keys: &'k JwkSet,
    key_index: usize,
}

impl<'t, 'k> ResolvedToken<'t, 'k> {
    /// The header of the token. Its algorithm is that of the key.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.token.header
    }

    /// The key that the token means.
    #[must_use]
    pub fn key(&self) -> &'k Jwk {
        &self.keys.keys()[self.key_index]
    }

    /// The place of the key in [`JwkSet::keys`].
    #[must_use]
    pub fn key_index(&self) -> usize {
        self.key_index
    }

    /// The signed bytes (RFC 7515 §5.1 step 5): the header and the payload as they appear in the
    /// token, with the dot between them.
    #[must_use]
    pub fn signing_input(&self) -> &'t [u8] {
        self.token.signing_input
    }

    /// The bytes of the signature. In a valid token they are r and s, each of the length of the
    /// order ([`SignatureFormat::P1363`]).
    #[must_use]
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }

    /// Verifies the signature (step 8), and nothing else; see [`verify_compact`].
    ///
    /// # Errors
    /// [`Error::Signature`] with those of
    /// [`Signature::from_p1363`](crate::ecdsa::Signature::from_p1363), or with
    /// [`SignatureMismatch`](crate::Error::SignatureMismatch).
    pub fn verify(self) -> Result<VerifiedToken<'k>, Error> {
        let (message, format) = (self.signing_input(), SignatureFormat::P1363);
        let verdict = match self.keys.prepared(self.key_index) {
            Some(key) => key.verify(message, &self.signature, format),
            None => self.key().key().verify(message, &self.signature, format),
        };
        verdict.map_err(Error::Signature)?;
        Ok(VerifiedToken {
            key: self.key(),
            key_index: self.key_index,
            payload: base64url::decode(self.token.payload).ok_or(Error::PayloadEncoding)?,
            header: self.token.header,
        })
    }
}

/// A token with a valid signature: the owner of the private key has signed this header and this
/// payload. Their content has not been judged: no date, no issuer, no audience, no type.
#[derive(Clone, Debug)]
pub struct VerifiedToken<'k> {
    header: Header,
    payload: Vec<u8>,
    key: &'k Jwk,
    key_index: usize,
}

impl<'k> VerifiedToken<'k> {
    /// The header of the token.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes that were signed: for a JWT, the claims as JSON.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Returns the bytes that were signed, without a copy.
    #[must_use]
    pub fn into_payload(self) -> Vec<u8> {
        self.payload
    }

    /// The key of the signature.
    #[must_use]
    pub fn key(&self) -> &'k Jwk {
        self.key
    }

    /// The place of the key in [`JwkSet::keys`].
    #[must_use]
    pub fn key_index(&self) -> usize {
        self.key_index
    }
}
