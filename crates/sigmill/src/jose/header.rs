//! The header of a token (RFC 7515 §4).

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};

use super::Error;
use crate::encoding::json::{Names, Unambiguous};

/// The members of a token's header that matter here. They are not verified, except in the header of
/// a [`VerifiedToken`](super::VerifiedToken).
///
/// Keys that a header contains or points to (`jwk`, `x5c`, `jku`, `x5u`) are never used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    alg: Option<String>,
    kid: Option<String>,
    typ: Option<String>,
    crit: bool,
    b64: Option<bool>,
}

impl Header {
    /// The algorithm (RFC 7515 §4.1.1): "ES256". The key decides which algorithm verifies a token;
    /// this must be the same.
    #[must_use]
    pub fn alg(&self) -> Option<&str> {
        self.alg.as_deref()
    }

    /// The name of the key (RFC 7515 §4.1.4).
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The type of the token (RFC 7515 §4.1.9): "JWT", "at+jwt". A program that accepts several
    /// kinds of tokens should compare it (RFC 8725 §3.11).
    #[must_use]
    pub fn typ(&self) -> Option<&str> {
        self.typ.as_deref()
    }

    /// Reads UTF-8, and JSON that every reader reads alike (RFC 7515 §4, §5.2 steps 3 and 4).
    /// This includes the members that do not matter here.
    pub(super) fn read(json: &[u8]) -> Result<Self, Error> {
        let malformed = |detail| Error::HeaderJson { detail };
        let json = core::str::from_utf8(json)
            .map_err(|e| malformed(format!("byte {} is not UTF-8", e.valid_up_to() + 1)))?;
        if !json.trim_ascii_start().starts_with('{') {
            return Err(malformed("it does not begin with {".into()));
        }
        let mut reader = serde_json::Deserializer::from_str(json);
        let header = reader.deserialize_map(HeaderVisitor);
        let header = header.and_then(|header| reader.end().map(|()| header));
        header.map_err(|e| malformed(e.to_string()))
    }

    /// Rejects members that would change the meaning of the other parts (RFC 7515 §5.2 step 5).
    pub(super) fn check_extensions(&self) -> Result<(), Error> {
        if self.crit {
            Err(Error::HeaderCrit)
        } else if self.b64 == Some(false) {
            Err(Error::HeaderB64)
        } else {
            Ok(())
        }
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let (mut header, mut names) = (Header::default(), Names::default());
        while let Some(name) = names.next(&mut map)? {
            // A member may be absent, but not null.
            match &*name {
                "alg" => header.alg = Some(map.next_value()?),
                "kid" => header.kid = Some(map.next_value()?),
                "typ" => header.typ = Some(map.next_value()?),
                "b64" => header.b64 = Some(map.next_value()?),
                name => {
                    header.crit |= name == "crit";
                    map.next_value::<Unambiguous>()?;
                }
            }
        }
        Ok(header)
    }
}
