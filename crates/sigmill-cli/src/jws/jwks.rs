//! The keys of a JWK set (RFC 7517 §5), and which of them a token means.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::value::RawValue;
use sigmill::{Algorithm, AnyVerifyingKey, CurveName};

use super::defect::Defect;

/// The keys of a JWK set.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    keys: Vec<Key>,
    by_kid: HashMap<String, Vec<usize>>,
}

/// One key of a set.
#[derive(Debug)]
enum Key {
    /// It may verify signatures of one algorithm.
    Usable(VerifyingKey),
    /// It is something else, or for something else: what.
    Unusable(String),
}

/// A key that may verify.
#[derive(Debug)]
pub(super) struct VerifyingKey {
    /// The algorithm that goes with the curve, and its JOSE name.
    pub(super) algorithm: Algorithm,
    alg: &'static str,
    /// An uncompressed SEC 1 point.
    pub(super) point: Vec<u8>,
}

/// The set. Other members are skipped.
#[derive(Deserialize)]
struct SetMembers<'a> {
    #[serde(borrow)]
    keys: Vec<&'a RawValue>,
}

/// What a key says of itself. The rest is the library's business.
#[derive(Deserialize)]
struct KeyMembers {
    kty: String,
    crv: Option<String>,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
}

/// The algorithms of JOSE that are judged: RFC 7518 §3.4, RFC 8812 §3.2.
pub(super) const ALGORITHMS: [(&str, Algorithm); 3] = [
    ("ES256", Algorithm::ES256),
    ("ES384", Algorithm::ES384),
    ("ES256K", Algorithm::ES256K),
];

impl KeySet {
    /// Reads the JSON text of a set.
    ///
    /// A key of another type or for another purpose is kept as unusable; a malformed one is an error that names its
    /// index, counted from 0, and the rule it breaks.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        // Derived deserialization would take an array for an object.
        if !text.trim_start().starts_with('{') {
            return Err("it must be a JSON object with an array of keys".into());
        }
        let members: SetMembers<'_> = serde_json::from_str(text)
            .map_err(|e| format!("it must be a JSON object with an array of keys: {e}"))?;
        let mut set = Self::default();
        for (index, json) in members.keys.iter().enumerate() {
            let (kid, key) =
                Key::read(json.get()).map_err(|rule| format!("keys[{index}]: {rule}"))?;
            if let Some(kid) = kid {
                set.by_kid.entry(kid).or_default().push(index);
            }
            set.keys.push(key);
        }
        Ok(set)
    }

    /// How many keys may verify.
    pub(super) fn usable(&self) -> usize {
        self.keys
            .iter()
            .filter(|key| matches!(key, Key::Usable(_)))
            .count()
    }

    /// How many keys may not, by what they are.
    pub(super) fn unusable(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for key in &self.keys {
            if let Key::Unusable(what) = key {
                *counts.entry(what.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// The one key that a header with this `alg` and `kid` means.
    pub(super) fn find(&self, alg: &str, kid: Option<&str>) -> Result<&VerifyingKey, Defect> {
        let Some(&(alg, _)) = ALGORITHMS.iter().find(|(name, _)| *name == alg) else {
            return Err(match alg {
                "none" => Defect::AlgNone,
                other => Defect::AlgUnsupported(other.into()),
            });
        };
        let Some(kid) = kid else {
            return only(self.keys.iter(), alg)
                .map_err(|matches| Defect::KidMissing { matches, alg });
        };
        let named = self.by_kid.get(kid).ok_or(Defect::KidUnknown)?;
        let keys = || named.iter().map(|&index| &self.keys[index]);
        only(keys(), alg).map_err(|matches| match (matches, keys().next()) {
            (0, Some(Key::Usable(key))) => Defect::AlgMismatch {
                alg,
                key_alg: key.alg,
            },
            (0, Some(Key::Unusable(what))) => Defect::KeyUnusable(what.clone()),
            _ => Defect::KidAmbiguous { matches, alg },
        })
    }
}

/// The one key among `keys` that fits `alg`, or how many there are.
fn only<'a>(keys: impl Iterator<Item = &'a Key>, alg: &str) -> Result<&'a VerifyingKey, usize> {
    let mut fitting = keys.filter_map(|key| match key {
        Key::Usable(key) if key.alg == alg => Some(key),
        _ => None,
    });
    match (fitting.next(), fitting.count()) {
        (Some(key), 0) => Ok(key),
        (first, more) => Err(usize::from(first.is_some()) + more),
    }
}

impl Key {
    /// Reads one key of the set; returns its kid too.
    fn read(json: &str) -> Result<(Option<String>, Self), String> {
        if !json.starts_with('{') {
            return Err("it must be a JSON object".into());
        }
        let members: KeyMembers = serde_json::from_str(json).map_err(|e| e.to_string())?;
        let unusable = |what: String| Ok(Self::Unusable(what));
        let key = if members.kty != "EC" {
            unusable(format!("kty {}", members.kty))
        } else {
            match members.crv.as_deref() {
                // The library says what is wrong with a key without a curve.
                Some(crv) if !CurveName::ALL.iter().any(|curve| curve.as_str() == crv) => {
                    unusable(format!("EC {crv}"))
                }
                _ => Self::read_ec(json, &members),
            }
        }?;
        Ok((members.kid, key))
    }

    fn read_ec(json: &str, members: &KeyMembers) -> Result<Self, String> {
        let key = AnyVerifyingKey::from_jwk_str(json).map_err(|e| e.to_string())?;
        let algorithm = key.algorithm();
        let Some(&(alg, _)) = ALGORITHMS.iter().find(|(_, known)| *known == algorithm) else {
            return Ok(Self::Unusable(format!("EC {}", key.curve())));
        };
        // RFC 7517 §4.2 to §4.4: what the key is for.
        Ok(match members {
            KeyMembers {
                usage: Some(usage), ..
            } if usage != "sig" => Self::Unusable(format!("use {usage}")),
            KeyMembers {
                key_ops: Some(operations),
                ..
            } if !operations.iter().any(|operation| operation == "verify") => {
                Self::Unusable("key_ops without verify".into())
            }
            KeyMembers { alg: Some(own), .. } if own != alg => {
                Self::Unusable(format!("alg {own} on {}", key.curve()))
            }
            _ => Self::Usable(VerifyingKey {
                algorithm,
                alg,
                point: key.to_sec1_bytes(false),
            }),
        })
    }
}
