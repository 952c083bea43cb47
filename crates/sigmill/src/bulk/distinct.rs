//! The different keys of a run of rows, each found once.

use std::collections::HashMap;
use std::ops::Range;

use super::rows::Rows;
use crate::CurveName;

/// A key as the rows have it: which curve it is to be on, and its bytes; `None` where a row has no
/// key.
pub(super) type EncodedKey<'a> = (CurveName, Option<&'a [u8]>);

/// The different keys of some rows, in the order in which they first come.
///
/// Keys are told apart by curve and bytes: one key in two encodings is two here.
#[derive(Debug, Default)]
pub(super) struct DistinctKeys<'a> {
    pub(super) keys: Vec<EncodedKey<'a>>,
    /// For each row the place of its key in `keys`.
    pub(super) of_row: Vec<u32>,
}

/// The place of a dictionary's value that no row had so far.
const UNSEEN: u32 = u32::MAX;

impl<'a> DistinctKeys<'a> {
    /// Reads the keys of a range of rows, at most 2^32 - 1.
    ///
    /// A row whose key equals that of the row before costs a comparison, another one a hash; a
    /// dictionary's index costs neither. The hash is keyed at random (`foldhash`), so that nobody
    /// can choose keys whose hashes collide.
    pub(super) fn find(rows: &Rows<'a>, range: Range<usize>, hasher: &Hasher) -> Self {
        debug_assert!(u32::try_from(range.len()).is_ok());
        let mut distinct = Self {
            keys: vec![],
            of_row: Vec::with_capacity(range.len()),
        };
        let column = rows.key_column();
        let same_curve = rows.same_algorithm().map(|algorithm| algorithm.curve);
        match (column, same_curve) {
            (Some(column), Some(curve)) if column.is_same() => {
                if let Some(first) = range.clone().next() {
                    distinct.keys.push((curve, rows.key(first)));
                }
                distinct.of_row.resize(range.len(), 0);
            }
            // A dictionary far larger than the rows is not worth a place for each of its values.
            (Some(column), _)
                if column
                    .dictionary_len()
                    .is_some_and(|values| values / 4 <= range.len()) =>
            {
                distinct.find_by_index(rows, range, column.dictionary_len().unwrap_or(0));
            }
            _ => distinct.find_by_bytes(rows, range, hasher),
        }
        distinct
    }

    fn find_by_index(&mut self, rows: &Rows<'a>, range: Range<usize>, values: usize) {
        // A table for each curve that comes, with a place more for rows without a key.
        let mut tables: Vec<(CurveName, Vec<u32>)> = vec![];
        for row in range {
            let curve = rows.algorithm(row).curve;
            let index = rows
                .key_column()
                .and_then(|keys| keys.dictionary_index(row));
            let at = match tables.iter().position(|(known, _)| *known == curve) {
                Some(at) => at,
                None => {
                    tables.push((curve, vec![UNSEEN; values + 1]));
                    tables.len() - 1
                }
            };
            let place = &mut tables[at].1[index.unwrap_or(values)];
            if *place == UNSEEN {
                *place = self.keys.len() as u32;
                self.keys.push((curve, rows.key(row)));
            }
            self.of_row.push(*place);
        }
    }

    fn find_by_bytes(&mut self, rows: &Rows<'a>, range: Range<usize>, hasher: &Hasher) {
        let mut places: HashMap<EncodedKey<'a>, u32, Hasher> = HashMap::with_hasher(hasher.clone());
        let mut last: Option<(EncodedKey<'a>, u32)> = None;
        for row in range {
            let key = (rows.algorithm(row).curve, rows.key(row));
            let place = match last {
                Some((before, place)) if before == key => place,
                _ => {
                    let next = self.keys.len() as u32;
                    let place = *places.entry(key).or_insert(next);
                    if place == next {
                        self.keys.push(key);
                    }
                    last = Some((key, place));
                    place
                }
            };
            self.of_row.push(place);
        }
    }
}

/// Keyed at random once per engine.
pub(super) type Hasher = foldhash::fast::RandomState;
