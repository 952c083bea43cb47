//! The keys of a JWK set, in the form that the engine accepts.

use sigmill::jose::{Error, Jwk, JwkSet};

/// The keys of a set, each also as an uncompressed SEC 1 point.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) set: JwkSet,
    pub(super) points: Vec<Vec<u8>>,
}

impl Keys {
    /// Reads the JSON text of a set. An error is the rule that it breaks.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let set = JwkSet::from_json(text).map_err(|error| match error {
            Error::KeySetJson { detail } => {
                format!("must be a JSON object with an array of keys: {detail}")
            }
            other => other.to_string(),
        })?;
        let point = |jwk: &Jwk| jwk.key().to_sec1_bytes(false);
        let points = set.keys().iter().map(point).collect();
        Ok(Self { set, points })
    }

    /// Describes the malformed keys: the first ones by their index in the set and the rule they
    /// break, then the number of the others.
    pub(super) fn malformed(&self) -> impl Iterator<Item = String> {
        let first = self.set.malformed();
        let more = self.set.malformed_count() - first.len();
        first
            .map(|(index, rule)| format!("keys[{index}]: {rule}"))
            .chain((more > 0).then(|| format!("{more} more keys are malformed")))
    }
}
