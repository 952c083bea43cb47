//! Rows with secrets, in blocks.

use alloc::vec::Vec;

use crate::ct;
use crate::curve::Domain;

/// The number of rows that share inversions. Their nonces, points and tables (640 bytes for each
/// agreement on curves of 256 bits in eight lanes, 1,152 in four) stay in a second-level cache of 2
/// MB. Measure with `bench -- --only 'p256/ecdh/*'` after a change.
const BLOCK_ROWS: usize = 1024;

/// Returns what `make` adds for each block of rows, and wipes the stack. `domains` are those of all
/// keys in the rows.
///
/// # Panics
/// Panics if the keys are on several curves of one type.
pub(crate) fn in_blocks_of_secrets<D: Domain, R, T>(
    rows: &[R],
    mut domains: impl Iterator<Item = D>,
    mut make: impl FnMut(D, &[R], &mut Vec<T>),
) -> Vec<T> {
    ct::wiping_stack(ct::Depth::Many, || {
        let mut made = Vec::with_capacity(rows.len());
        if let Some(domain) = domains.next() {
            assert!(domains.all(|other| other == domain), "keys on one curve");
            for block in rows.chunks(BLOCK_ROWS) {
                make(domain, block, &mut made);
            }
        }
        made
    })
}
