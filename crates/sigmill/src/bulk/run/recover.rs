//! Recovers public keys from rows of signatures.

use super::block::{BLOCK_ROWS, SMALLEST_BLOCK};
use super::call::Call;
use crate::Error;
use crate::bulk::columns::{Digests, RecoverRows, Recovered, RowDigest, key_len};
use crate::curve::{NamedCurve, for_curve};
use crate::ecdsa::{Recover, RecoveryId, Signature};
use crate::keys::recover_many_vartime;

/// Returns the public keys of all rows of a call, in their order, or the reason why a row has none.
pub(super) fn recover(rows: &RecoverRows<'_>, call: &Call<'_>) -> Recovered {
    for_curve!(rows.caller_algorithm().curve, domain => recover_on(domain, rows, call))
}

fn recover_on<C: NamedCurve>(domain: C, rows: &RecoverRows<'_>, call: &Call<'_>) -> Recovered {
    let (len, key_len) = (rows.len(), key_len(domain.name()));
    let mut keys = vec![0; len * key_len];
    let mut results = vec![Err(Error::NotJudged); len];
    // Each thread gets the same number of blocks.
    let threads = call.threads;
    let blocks = len.div_ceil(BLOCK_ROWS).next_multiple_of(threads.count());
    let block = len.div_ceil(blocks.max(1)).max(SMALLEST_BLOCK);
    let keys_of_block = keys.chunks_mut(block * key_len);
    let tasks = keys_of_block.zip(results.chunks_mut(block)).enumerate();
    threads.for_each(tasks.collect(), |(number, (keys, results))| {
        if call.is_cancelled() {
            return;
        }
        recover_block(domain, call, rows, number * block, keys, results);
        call.advance(results.len());
    });
    Recovered::new(domain.name(), keys, results)
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
    domain: C,
    call: &Call<'_>,
    rows: &RecoverRows<'_>,
    first: usize,
    keys: &mut [u8],
    results: &mut [Result<(), Error>],
) {
    let mut digests = Digests::default();
    let mut parsed = Vec::with_capacity(results.len());
    for (place, result) in results.iter_mut().enumerate() {
        match parse(domain, call, rows, first + place, &mut digests) {
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
        signature: row.signature.scalars(),
        id: row.id,
    });
    let jobs: Vec<_> = jobs.collect();
    let recovered = recover_many_vartime(domain, &jobs);
    let len = key_len(domain.name());
    for (row, key) in parsed.iter().zip(recovered) {
        results[row.place] = key.map(|key| {
            keys[row.place * len..][..len].copy_from_slice(&key.to_sec1_bytes(false));
        });
    }
}

/// Makes the checks of the single call that come before the equation, in the same order.
fn parse<'a, C: NamedCurve>(
    domain: C,
    call: &Call<'_>,
    rows: &RecoverRows<'a>,
    row: usize,
    digests: &mut Digests,
) -> Result<(Signature<C>, RecoveryId, RowDigest<'a>), Error> {
    let input = rows.input(row).ok_or(Error::InputNull)?;
    let bytes = rows.signature(row).ok_or(Error::SignatureNull)?;
    let (signature, id) = Signature::from_rsv_on(domain, bytes)?;
    call.policy.check_recoverable(&signature, id)?;
    let digest = digests.add(input, rows.caller_algorithm().hash)?;
    Ok((signature, id, digest))
}
