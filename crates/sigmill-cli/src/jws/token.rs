//! One token: the steps of RFC 7515 §5.2.

use data_encoding::BASE64URL_NOPAD;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use sigmill::bulk::{Engine, Input, Row, Rows};
use sigmill::{Error, SignatureFormat, Unambiguous};

use super::defect::Defect;
use super::jwks::{KeySet, VerifyingKey};

/// Longer tokens are rejected. Servers refuse headers of a hundredth of this.
pub(super) const MAX_TOKEN_LEN: usize = 1 << 20;

/// A rejected token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// The kid of its header, if that could be read.
    pub(super) kid: Option<String>,
    pub(super) defect: Defect,
}

/// The members of a header that matter here.
#[derive(Deserialize)]
struct Header {
    #[serde(default, deserialize_with = "given")]
    alg: Option<String>,
    #[serde(default, deserialize_with = "given")]
    kid: Option<String>,
    /// Whether it is there at all (RFC 7515 §4.1.11).
    #[serde(default, deserialize_with = "is_given")]
    crit: bool,
    /// RFC 7797 §3.
    #[serde(default, deserialize_with = "given")]
    b64: Option<bool>,
}

/// A member may be absent, but not null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn is_given<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(from).map(|_| true)
}

/// A token that is to be judged by its signature.
struct WellFormed<'a> {
    kid: Option<String>,
    key: &'a VerifyingKey,
    /// What was signed: all before the second dot, as it stands there.
    signed: &'a [u8],
    signature: Vec<u8>,
}

/// Judges tokens in compact form, all in one call of the engine.
pub(super) fn judge<'a>(
    tokens: impl Iterator<Item = &'a [u8]>,
    keys: &'a KeySet,
    engine: &Engine,
) -> Vec<Result<(), Rejected>> {
    let read: Vec<Result<WellFormed<'a>, Rejected>> = tokens
        .map(|token| {
            let mut kid = None;
            read(token, keys, &mut kid).map_err(|defect| Rejected { kid, defect })
        })
        .collect();
    let rows: Vec<Row<'_>> = read.iter().flatten().map(WellFormed::row).collect();
    let verdicts = engine.verify(&Rows::from(&rows));
    let mut verdicts = verdicts.as_slice().iter();
    read.into_iter()
        .map(|read| {
            let read = read?;
            // There is one for each; a row without would not be judged.
            let verdict = verdicts.next().copied();
            verdict
                .unwrap_or(Err(Error::NotJudged))
                .map_err(|error| Rejected {
                    kid: read.kid,
                    defect: error.into(),
                })
        })
        .collect()
}

impl WellFormed<'_> {
    fn row(&self) -> Row<'_> {
        Row::new(
            self.key.algorithm,
            &self.key.point,
            Input::Message(self.signed),
            &self.signature,
            SignatureFormat::P1363,
        )
    }
}

/// Looks at all but the signature itself. `kid` is that of the header as soon as it is read.
fn read<'a>(
    token: &'a [u8],
    keys: &'a KeySet,
    kid: &mut Option<String>,
) -> Result<WellFormed<'a>, Defect> {
    if token.len() > MAX_TOKEN_LEN {
        return Err(Defect::TooLong {
            limit: MAX_TOKEN_LEN,
        });
    }
    let [header, payload, signature] = parts(token)?;
    let header = read_header(&decode(header, "header")?)?;
    *kid = header.kid;
    if header.crit {
        return Err(Defect::Crit);
    }
    if header.b64 == Some(false) {
        return Err(Defect::UnencodedPayload);
    }
    let alg = header.alg.ok_or(Defect::AlgMissing)?;
    let key = keys.find(&alg, kid.as_deref())?;
    decode(payload, "payload")?;
    Ok(WellFormed {
        kid: kid.clone(),
        key,
        signed: &token[..token.len() - signature.len() - 1],
        signature: decode(signature, "signature")?,
    })
}

fn parts(token: &[u8]) -> Result<[&[u8]; 3], Defect> {
    let mut parts = token.split(|&byte| byte == b'.');
    match (parts.next(), parts.next(), parts.next(), parts.count()) {
        (Some(header), Some(payload), Some(signature), 0) => Ok([header, payload, signature]),
        (_, _, Some(_), 2) => Err(Defect::Encrypted),
        (_, _, Some(_), more) => Err(Defect::Parts { actual: 3 + more }),
        (_, second, None, _) => Err(Defect::Parts {
            actual: 1 + usize::from(second.is_some()),
        }),
    }
}

fn decode(part: &[u8], name: &'static str) -> Result<Vec<u8>, Defect> {
    BASE64URL_NOPAD
        .decode(part)
        .map_err(|_| Defect::Encoding { part: name })
}

/// The header: UTF-8, and JSON of which every reader reads the same (RFC 7515 §4, §5.2 step 3), in
/// the members that do not matter here too.
fn read_header(json: &[u8]) -> Result<Header, Defect> {
    let malformed = |e: serde_json::Error| Defect::HeaderJson(e.to_string());
    let json = std::str::from_utf8(json)
        .map_err(|e| Defect::HeaderJson(format!("byte {} is not UTF-8", e.valid_up_to() + 1)))?;
    // Derived deserialization would take an array for an object.
    if !json.trim_ascii_start().starts_with('{') {
        return Err(Defect::HeaderJson("it does not begin with {".into()));
    }
    serde_json::from_str::<Unambiguous>(json).map_err(malformed)?;
    serde_json::from_str(json).map_err(malformed)
}
