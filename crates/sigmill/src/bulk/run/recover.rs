//! From rows of signatures to public keys.

use super::call::Run;
use super::control::Control;
use super::engine::Engine;
use super::section::{FRESH_BLOCK, SMALLEST_BLOCK};
use crate::bulk::columns::{Digests, RecoverRows, Recovered, RowDigest, key_len};
use crate::curve::{NamedCurve, P256, P384, Secp256k1};
use crate::ecdsa::{Recover, RecoveryId, Signature, recover_many_vartime};
use crate::{CurveName, Error};

impl Engine {
    /// The public keys of all rows, in their order, or why there is none.
    ///
    /// The policy is the engine's. The default takes every s and every recovery id;
    /// [`Policy::ETHEREUM_PRECOMPILE`](crate::Policy::ETHEREUM_PRECOMPILE) takes the ids 0 and 1
    /// only, and [`Policy::ETHEREUM_TRANSACTION`](crate::Policy::ETHEREUM_TRANSACTION) no high s
    /// either. A row costs about what a row of a key never seen before does in
    /// [`verify`](Self::verify), and a square root; nothing is remembered. Takes about 90 bytes of
    /// memory a row.
    pub fn recover(&self, rows: &RecoverRows<'_>) -> Recovered {
        self.recover_with(rows, &Control::default())
    }

    /// [`recover`](Self::recover), steered and watched. There is no plan, so
    /// [`explain`](Control::explain) asks for nothing.
    pub fn recover_with(&self, rows: &RecoverRows<'_>, control: &Control<'_>) -> Recovered {
        self.recover_in(rows, Run::new(control, None, self.threads(), rows.len()))
    }

    /// [`recover`](Self::recover) as part of a call.
    pub(super) fn recover_in(&self, rows: &RecoverRows<'_>, run: Run<'_>) -> Recovered {
        match rows.caller_algorithm().curve {
            CurveName::P256 => recover_on::<P256>(self, rows, &run),
            CurveName::P384 => recover_on::<P384>(self, rows, &run),
            CurveName::Secp256k1 => recover_on::<Secp256k1>(self, rows, &run),
        }
    }
}

fn recover_on<C: NamedCurve>(engine: &Engine, rows: &RecoverRows<'_>, run: &Run<'_>) -> Recovered {
    let (len, key_len) = (rows.len(), key_len(C::NAME));
    let mut keys = vec![0; len * key_len];
    let mut results = vec![Err(Error::NotJudged); len];
    // As many blocks for each thread as for the others.
    let threads = run.threads();
    let blocks = len.div_ceil(FRESH_BLOCK).next_multiple_of(threads.count());
    let block = len.div_ceil(blocks.max(1)).max(SMALLEST_BLOCK);
    let keys_of_block = keys.chunks_mut(block * key_len);
    let tasks = keys_of_block.zip(results.chunks_mut(block)).enumerate();
    threads.for_each(tasks.collect(), |(number, (keys, results))| {
        if run.is_cancelled() {
            return;
        }
        recover_block::<C>(engine, rows, number * block, keys, results);
        run.advance(results.len());
    });
    Recovered::new(C::NAME, keys, results)
}

/// A row that is well formed.
struct Parsed<'a, C: NamedCurve> {
    signature: Signature<C>,
    id: RecoveryId,
    digest: RowDigest<'a>,
    /// Its place in the block.
    place: usize,
}

/// Recovers the keys of a block, which begins at row `first` of the call.
fn recover_block<C: NamedCurve>(
    engine: &Engine,
    rows: &RecoverRows<'_>,
    first: usize,
    keys: &mut [u8],
    results: &mut [Result<(), Error>],
) {
    let mut digests = Digests::default();
    let mut parsed = Vec::with_capacity(results.len());
    for (place, result) in results.iter_mut().enumerate() {
        match parse::<C>(engine, rows, first + place, &mut digests) {
            Ok((signature, id, digest)) => parsed.push(Parsed {
                signature,
                id,
                digest,
                place,
            }),
            Err(error) => *result = Err(error),
        }
    }
    let jobs = parsed.iter().map(|row: &Parsed<'_, C>| Recover {
        digest: digests.get(row.digest),
        signature: &row.signature,
        id: row.id,
    });
    let jobs: Vec<_> = jobs.collect();
    let mut recovered = vec![Err(Error::NotJudged); jobs.len()];
    recover_many_vartime(&jobs, &mut recovered);
    let len = key_len(C::NAME);
    for (row, key) in parsed.iter().zip(recovered) {
        results[row.place] = key.map(|key| {
            keys[row.place * len..][..len].copy_from_slice(&key.to_sec1_bytes(false));
        });
    }
}

/// What the single call looks at before the equation, in its order.
fn parse<'a, C: NamedCurve>(
    engine: &Engine,
    rows: &RecoverRows<'a>,
    row: usize,
    digests: &mut Digests,
) -> Result<(Signature<C>, RecoveryId, RowDigest<'a>), Error> {
    let input = rows.input(row).ok_or(Error::InputNull)?;
    let bytes = rows.signature(row).ok_or(Error::SignatureNull)?;
    let (signature, id) = Signature::<C>::from_rsv(bytes)?;
    engine.policy().check_recoverable(&signature, id)?;
    let digest = digests.add(input, rows.caller_algorithm().hash)?;
    Ok((signature, id, digest))
}
