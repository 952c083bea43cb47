//! Judges tokens, many at a time.

use sigmill::SignatureFormat;
use sigmill::bulk::{Engine, Input, Row, Rows};
use sigmill::jose::{CompactToken, Error, ResolvedToken};

use super::keys::Keys;

/// A rejected token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// The kid of its header, if the header could be read.
    pub(super) kid: Option<String>,
    pub(super) error: Error,
}

/// Judges tokens in compact form, all in one call of the engine.
pub(super) fn judge<'a>(
    tokens: impl Iterator<Item = &'a [u8]>,
    keys: &'a Keys,
    engine: &Engine,
) -> Vec<Result<(), Rejected>> {
    let read: Vec<_> = tokens.map(|token| read(token, keys)).collect();
    let rows: Vec<Row<'_>> = read
        .iter()
        .flatten()
        .map(|token| row(token, keys))
        .collect();
    let verdicts = engine.verify(&Rows::from(&rows));
    let mut verdicts = verdicts.as_slice().iter();
    read.into_iter()
        .map(|read| {
            let read = read?;
            // Each row has a verdict; a row without one would count as not judged.
            let verdict = verdicts.next().copied();
            verdict
                .unwrap_or(Err(sigmill::Error::NotJudged))
                .map_err(|error| Rejected {
                    kid: read.header().kid().map(str::to_owned),
                    error: Error::Signature(error),
                })
        })
        .collect()
}

fn row<'a>(token: &'a ResolvedToken<'_, '_>, keys: &'a Keys) -> Row<'a> {
    Row::new(
        token.key().key().algorithm(),
        &keys.points[token.key_index()],
        Input::Message(token.signing_input()),
        token.signature(),
        SignatureFormat::P1363,
    )
}

/// Checks everything except the signature itself.
fn read<'a>(token: &'a [u8], keys: &'a Keys) -> Result<ResolvedToken<'a, 'a>, Rejected> {
    let token = CompactToken::parse(token).map_err(|error| Rejected { kid: None, error })?;
    let kid = token.header().kid().map(str::to_owned);
    token
        .resolve(&keys.set)
        .map_err(|error| Rejected { kid, error })
}
