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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::{Column, Inputs};
    use crate::{Algorithm, HashName};

    /// Every row's key is the one found for it, no key is found twice, and in the order of rows.
    fn check(rows: &Rows<'_>, range: Range<usize>) {
        let distinct = DistinctKeys::find(rows, range.clone(), &Hasher::default());
        assert_eq!(distinct.of_row.len(), range.len());
        let mut seen = 0;
        for (row, &place) in range.zip(&distinct.of_row) {
            assert!(place <= seen);
            seen = seen.max(place + 1);
            let key = (rows.algorithm(row).curve, rows.key(row));
            assert_eq!(distinct.keys[place as usize], key);
        }
        assert_eq!(distinct.keys.len(), seen as usize);
        for (i, key) in distinct.keys.iter().enumerate() {
            // Two values of a dictionary may be equal; they are then two keys to the store too.
            let is_dictionary = rows
                .key_column()
                .is_some_and(|keys| keys.dictionary_len().is_some());
            assert!(is_dictionary || !distinct.keys[..i].contains(key));
        }
    }

    #[test]
    fn keys_are_told_apart_by_curve_and_bytes() {
        let values: Vec<Vec<u8>> = (0..40_u8)
            .map(|i| vec![i % 7; usize::from(i % 3)])
            .collect();
        let slices: Vec<Option<&[u8]>> = values
            .iter()
            .enumerate()
            .map(|(i, value)| (i % 11 != 3).then_some(&value[..]))
            .collect();
        let algorithms: Vec<Algorithm> = (0..40)
            .map(|i| Algorithm {
                curve: CurveName::ALL[i / 5 % 3],
                hash: HashName::ALL[i % 3],
            })
            .collect();
        let indices: Vec<u16> = (0..40).map(|i| i * 17 % 40).collect();
        let columns = [
            Column::optional_slices(&slices),
            Column::optional_slices(&slices).dictionary(&indices),
            Column::optional_slices(&slices[..1]).dictionary(&[0_u16; 40]),
            Column::same(&[1, 2, 3]),
        ];
        for column in columns {
            let inputs = || Inputs::Digests(Column::same(&[1]));
            let signatures = || Column::same(&[1]);
            let rows = Rows::new(&algorithms, column.clone(), inputs(), signatures()).unwrap();
            check(&rows, 0..40);
            check(&rows, 7..21);
            check(&rows, 9..9);
            if let Ok(rows) = Rows::new(Algorithm::ES256, column, inputs(), signatures()) {
                check(&rows, 0..40);
                check(&rows, 39..40);
            }
        }
    }
}
