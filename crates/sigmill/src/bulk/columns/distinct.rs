//! The distinct keys of a range of rows, each found once.

use std::ops::Range;
use std::ptr;

use hashbrown::HashTable;

use super::column::Column;
use super::keys::{Keys, ParsedKey, RowKey};
use super::rows::Rows;
use crate::{AnyVerifyingKey, CurveName};

/// The distinct keys of some rows, in the order of their first rows.
///
/// Encoded keys are distinguished by curve and bytes: one key in two encodings counts as two.
/// Parsed keys are distinguished by curve and value.
#[derive(Debug, Default)]
pub(in crate::bulk) struct DistinctKeys<'a> {
    pub(in crate::bulk) keys: Vec<RowKey<'a>>,
    /// The hash of each key, by the caller's hash function.
    pub(in crate::bulk) hashes: Vec<u64>,
    /// For each row, the place of its key in `keys`.
    pub(in crate::bulk) of_row: Vec<u32>,
}

/// Marks a value of a dictionary that no row has used so far.
const UNSEEN: u32 = u32::MAX;

impl<'a> DistinctKeys<'a> {
    /// Returns the number of rows of each key.
    pub(in crate::bulk) fn row_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.keys.len()];
        for &key in &self.of_row {
            counts[key as usize] += 1;
        }
        counts
    }

    /// Finds the keys of a range of rows, at most 2^32 - 1.
    ///
    /// A row whose key came recently costs a comparison, any other row a hash; an index into a
    /// dictionary costs neither. `hash` must be one for which nobody can choose colliding keys.
    pub(in crate::bulk) fn find(
        rows: &Rows<'a>,
        range: Range<usize>,
        hash: impl Fn(&RowKey<'a>) -> u64,
    ) -> Self {
        debug_assert!(u32::try_from(range.len()).is_ok());
        let mut distinct = Self {
            keys: vec![],
            hashes: vec![],
            of_row: Vec::with_capacity(range.len()),
        };
        match rows.keys() {
            Some(keys) if keys.is_same() && rows.same_algorithm().is_some() => {
                if let Some(first) = range.clone().next() {
                    distinct.push(rows.key(first), &hash);
                }
                distinct.of_row.resize(range.len(), 0);
            }
            Some(Keys::Encoded(column)) => match column.dictionary_len() {
                // A dictionary far larger than the rows is not worth a place for each of its
                // values.
                Some(values) if values / 4 <= range.len() => {
                    distinct.find_by_index(rows, column, values, range, &hash);
                }
                _ => distinct.find_by_bytes(rows, range, |row| column.value(row), hash),
            },
            Some(Keys::Parsed(keys)) => distinct.find_by_value(rows, range, |row| keys[row], hash),
            Some(Keys::Same(key)) => distinct.find_by_value(rows, range, |_| key, hash),
            None => distinct.find_by_bytes(rows, range, |row| rows.own_key(row), hash),
        }
        distinct
    }

    fn push(&mut self, key: RowKey<'a>, hash: &impl Fn(&RowKey<'a>) -> u64) {
        self.hashes.push(hash(&key));
        self.keys.push(key);
    }

    fn find_by_index(
        &mut self,
        rows: &Rows<'a>,
        column: &Column<'a>,
        values: usize,
        range: Range<usize>,
        hash: &impl Fn(&RowKey<'a>) -> u64,
    ) {
        // One table for each curve that occurs, with one extra place for rows without a key.
        let mut tables: Vec<(CurveName, Vec<u32>)> = vec![];
        for row in range {
            let curve = rows.algorithm(row).curve;
            let index = column.dictionary_index(row);
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
                self.push(RowKey::Encoded(curve, column.value(row)), hash);
            }
            self.of_row.push(*place);
        }
    }

    fn find_by_bytes(
        &mut self,
        rows: &Rows<'a>,
        range: Range<usize>,
        bytes: impl Fn(usize) -> Option<&'a [u8]>,
        hash: impl Fn(&RowKey<'a>) -> u64,
    ) {
        let key = |row| {
            let key = bytes(row);
            let mark = mark(key.unwrap_or_default());
            (RowKey::Encoded(rows.algorithm(row).curve, key), mark)
        };
        self.find_by(range, key, hash);
    }

    fn find_by_value(
        &mut self,
        rows: &Rows<'a>,
        range: Range<usize>,
        parsed: impl Fn(usize) -> &'a AnyVerifyingKey,
        hash: impl Fn(&RowKey<'a>) -> u64,
    ) {
        let key = |row| {
            let key = parsed(row);
            let curve = rows.algorithm(row).curve;
            (RowKey::Parsed(curve, ParsedKey(key)), mark_of_parsed(key))
        };
        self.find_by(range, key, hash);
    }

    /// Finds the place of each row's key. `key` returns the key with its mark.
    fn find_by(
        &mut self,
        range: Range<usize>,
        key: impl Fn(usize) -> (RowKey<'a>, u64),
        hash: impl Fn(&RowKey<'a>) -> u64,
    ) {
        let mut places = Places::new(range.len());
        for row in range {
            let (key, mark) = key(row);
            self.of_row.push(places.of(key, mark, &hash));
        }
        (self.keys, self.hashes) = (places.keys, places.hashes);
    }
}

/// The most keys that are remembered as recent: 16 KiB of places.
const MOST_LATELY: usize = 1 << 12;

/// Distinct keys and their places, in the order of their first rows.
///
/// A hash with a random secret, for which nobody can choose colliding keys, costs some 90 cycles a
/// key; a key that came recently costs 10. So alternating keys are first looked up by a mark: a few
/// of their bytes, or their address. An attacker who chooses equal marks only forces the hash.
struct Places<K> {
    keys: Vec<K>,
    hashes: Vec<u64>,
    by_hash: HashTable<u32>,
    /// The place of the last key with each mark; the length is a power of two.
    lately: Vec<u32>,
}

impl<K: Copy + Eq> Places<K> {
    /// Creates places for this number of rows.
    fn new(rows: usize) -> Self {
        let lately = rows.next_power_of_two().min(MOST_LATELY);
        Self {
            keys: vec![],
            hashes: vec![],
            by_hash: HashTable::new(),
            lately: vec![UNSEEN; lately],
        }
    }

    /// Returns the place of a key; a new key is assigned the next one. Equal keys have one place,
    /// whatever their marks; with equal marks they are found sooner.
    fn of(&mut self, key: K, mark: u64, hash: impl Fn(&K) -> u64) -> u32 {
        let last = self.lately.len() - 1;
        let lately = &mut self.lately[mark as usize & last];
        if self.keys.get(*lately as usize) == Some(&key) {
            return *lately;
        }
        let (keys, hashes) = (&mut self.keys, &mut self.hashes);
        let hash = hash(&key);
        let is = |&place: &u32| hashes[place as usize] == hash && keys[place as usize] == key;
        *lately = match self.by_hash.find(hash, is) {
            Some(&place) => place,
            None => {
                let next = keys.len() as u32;
                let of_place = |&place: &u32| hashes[place as usize];
                self.by_hash.insert_unique(hash, next, of_place);
                keys.push(key);
                hashes.push(hash);
                next
            }
        };
        *lately
    }
}

/// Returns a number that few keys share. It depends on eight bytes in the middle, which are part of
/// a coordinate in every encoding, and on the last eight.
fn mark(key: &[u8]) -> u64 {
    let word = |at: usize| match key[at..].first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => 0,
    };
    let (middle, last) = (word(key.len() / 2), word(key.len().saturating_sub(8)));
    spread(middle.wrapping_add(last.rotate_left(32)))
}

/// Returns the mark of a parsed key. It depends on the address only, so the key is not read.
fn mark_of_parsed(key: &AnyVerifyingKey) -> u64 {
    spread(ptr::from_ref(key).addr() as u64)
}

/// Returns a number whose low bits depend on all bits of the sum: multiplying by the golden ratio
/// carries these into the upper half.
fn spread(sum: u64) -> u64 {
    sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::{BuildHasher, Hash, Hasher, RandomState};

    use super::super::inputs::Inputs;
    use super::super::rows::Algorithms;
    use super::super::signatures::Signatures;
    use super::*;
    use crate::{Algorithm, HashName};

    /// Checks that every row's key is the one found for it, that no key is found twice, and the
    /// order.
    fn check(rows: &Rows<'_>, range: Range<usize>) {
        let state = RandomState::new();
        let distinct = DistinctKeys::find(rows, range.clone(), |key| state.hash_one(key));
        assert_eq!(distinct.of_row.len(), range.len());
        let hashes = distinct.keys.iter().map(|key| state.hash_one(key));
        assert!(hashes.eq(distinct.hashes.iter().copied()));
        let mut seen = 0;
        for (row, &place) in range.zip(&distinct.of_row) {
            assert!(place <= seen);
            seen = seen.max(place + 1);
            assert_eq!(distinct.keys[place as usize], rows.key(row));
        }
        assert_eq!(distinct.keys.len(), seen as usize);
        for (i, key) in distinct.keys.iter().enumerate() {
            // Two values of a dictionary may be equal; the store then looks up both.
            let is_dictionary = matches!(
                rows.keys(),
                Some(Keys::Encoded(column)) if column.dictionary_len().is_some()
            );
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
            let signatures = || Signatures::P1363(Column::same(&[1]));
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

    #[test]
    fn parsed_keys_are_told_apart_by_curve_and_value() {
        // The generators of P-256 and secp256k1, and two of P-256.
        let points = [
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
            "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        ];
        let curves = [CurveName::P256, CurveName::Secp256k1, CurveName::P256];
        let parse = |i: usize| {
            let byte = |at| u8::from_str_radix(&points[i][at..at + 2], 16).unwrap();
            let x = (0..64).step_by(2).map(byte);
            let point: Vec<u8> = [3 - u8::from(i == 1)].into_iter().chain(x).collect();
            AnyVerifyingKey::from_sec1_bytes(curves[i], &point).unwrap()
        };
        // Each key at several addresses, and each address in several rows.
        let keys: Vec<AnyVerifyingKey> = (0..12).map(|i| parse(i % 3)).collect();
        let of_row: Vec<&AnyVerifyingKey> = (0..40).map(|i| &keys[i * 5 % 12]).collect();
        let algorithms: Vec<Algorithm> = (0..40)
            .map(|i| curves[i / 7 % 2].default_algorithm())
            .collect();
        let inputs = || Inputs::Digests(Column::same(&[1]));
        let signatures = || Signatures::P1363(Column::fixed(&[1; 40], 1));
        for algorithms in [
            Algorithms::Same(Algorithm::ES256),
            Algorithms::from(&algorithms),
        ] {
            let rows = Rows::new(algorithms, &of_row, inputs(), signatures()).unwrap();
            let same = Rows::new(algorithms, &keys[1], inputs(), signatures()).unwrap();
            for range in [0..40, 7..21, 9..9, 39..40] {
                check(&rows, range.clone());
                check(&same, range);
            }
            let curves = match algorithms {
                Algorithms::Same(_) => 1,
                Algorithms::Each(_) => 2,
            };
            // Some of them with hashes that are all the same.
            let find = |rows: &Rows<'_>| DistinctKeys::find(rows, 0..40, |_| 1).keys.len();
            assert_eq!((find(&rows), find(&same)), (3 * curves, curves));
        }
        // Marks decide nothing.
        let (mut places, state) = (Places::new(40), RandomState::new());
        let found: Vec<u32> = (of_row.iter().zip(0..))
            .map(|(key, row)| places.of(ParsedKey(key), row / 2 % 3, |key| state.hash_one(key)))
            .collect();
        let expected = of_row.iter().map(|key| {
            let mut different = (0..3).filter(|&i| *places.keys[i].0 == **key);
            different.next().unwrap() as u32
        });
        assert!(found.iter().copied().eq(expected));
    }

    /// A key that counts its comparisons.
    #[derive(Clone, Copy)]
    struct Counted<'a>(&'a [u8], &'a Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    /// Keys that a weak hash would map together, in two rows each, need only a few comparisons
    /// each.
    #[test]
    fn chosen_keys_are_found_by_few_comparisons() {
        const KEYS: u64 = 1 << 15;
        // Each function writes a number into 65 bytes.
        let families: [fn(u64, &mut [u8]); 6] = [
            |i, key| key[1..9].copy_from_slice(&i.to_le_bytes()),
            |i, key| key[57..].copy_from_slice(&i.to_le_bytes()),
            |i, key| key[57..].copy_from_slice(&(i << 49).to_le_bytes()),
            // All multiples of a stride; then those of the inverse of the factor of marks.
            |i, key| key[57..].copy_from_slice(&(i << 12).to_le_bytes()),
            |i, key| {
                let inverse = 0xf1de_83e1_9937_733d_u64;
                key[32..40].fill(0);
                key[57..].copy_from_slice(&i.wrapping_mul(inverse).rotate_right(32).to_le_bytes());
                assert_eq!(mark(key), 0);
            },
            // One bit in every second byte: few bits differ, and marks are equal all the same.
            |i, key| (0..15).for_each(|bit| key[1 + 2 * bit] = (i >> bit) as u8 & 1),
        ];
        for (number, family) in families.iter().enumerate() {
            let (mut keys, count) = (vec![[4; 65]; KEYS as usize], Cell::new(0));
            for (i, key) in (0..).zip(&mut keys) {
                family(i, key);
            }
            let (mut places, state) = (Places::new(2 * keys.len()), RandomState::new());
            for (i, key) in keys.iter().chain(&keys).enumerate() {
                let place = places.of(Counted(key, &count), mark(key), |key| state.hash_one(key));
                assert_eq!(place as usize, i % keys.len());
            }
            // At most one comparison with a recent key and one by hash, with one in ten to spare.
            let most = 2 * 2 * keys.len() * 11 / 10;
            assert!(count.get() <= most, "family {number}: {}", count.get());
        }
    }

    /// Alternating keys are hashed once each, whatever their encoding.
    #[test]
    fn keys_that_take_turns_are_not_hashed_again() {
        let pem = |i: u8| {
            let digits = format!("{:016x}", 0x0123_4567_89ab_cdef * u64::from(i + 1)).repeat(4);
            format!("-----BEGIN PUBLIC KEY-----\n{digits}\n{digits}\n-----END PUBLIC KEY-----\n")
        };
        let point = |i: u8| [&[4][..], &[i; 64]].concat();
        for encode in [&(|i| pem(i).into_bytes()) as &dyn Fn(u8) -> Vec<u8>, &point] {
            let (keys, count) = ((0..16).map(encode).collect::<Vec<_>>(), Cell::new(0));
            let (mut places, state) = (Places::new(1 << 16), RandomState::new());
            for key in keys.iter().cycle().take(1 << 12) {
                places.of(Counted(key, &count), mark(key), |key| state.hash_one(key));
            }
            // Two of them may have one mark.
            assert!(count.get() < 5 << 10, "{}", count.get());
        }
    }
}
