//! Lists of points to add up, and their division among lanes.

use alloc::vec;
use alloc::vec::Vec;

/// The most points that are added up in one lane. A longer list is cut, and its sums form a list
/// again. So even the longest list does not leave the other lanes idle. Measure with `bench --
/// --only 'p256/verify/hinted/*'` after a change.
pub(super) const LONGEST: usize = 32;

/// A reference to a point of some slice, to add or to subtract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(u32);

impl Entry {
    /// Creates an entry for the point of this index, which must be below 2^31.
    #[inline(always)]
    pub(super) fn new(index: usize, negative: bool) -> Self {
        debug_assert!(index < 1 << 31);
        Self((index as u32) << 1 | u32::from(negative))
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// 1 for a point to subtract, otherwise 0.
    #[inline(always)]
    pub(super) fn sign(self) -> u64 {
        u64::from(self.0 & 1)
    }
}

/// A list of entries, which are stored together.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// A number that identifies the sum.
    pub(super) key: u32,
    /// The place of its first entry.
    pub(super) start: u32,
    /// The number of its entries: at least one.
    pub(super) length: u32,
}

/// A part of a list that one lane adds up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) list: List,
    /// True if it is the whole list.
    pub(super) is_whole: bool,
}

/// Cuts lists into runs, ordered by length, so that runs in neighbouring lanes have about the same
/// length.
#[inline(never)]
pub(super) fn cut(lists: &[List]) -> Vec<Run> {
    let mut counts = [0_usize; LONGEST + 1];
    let of = |list: &List| (list.length as usize).div_ceil(LONGEST);
    for list in lists {
        debug_assert!(list.length > 0);
        counts[LONGEST] += of(list) - 1;
        counts[list.length as usize - LONGEST * (of(list) - 1)] += 1;
    }
    let mut places = [0; LONGEST + 1];
    for length in (0..LONGEST).rev() {
        places[length] = places[length + 1] + counts[length + 1];
    }
    let none = List {
        key: 0,
        start: 0,
        length: 0,
    };
    let none = Run {
        list: none,
        is_whole: false,
    };
    let mut runs = vec![none; places[0]];
    for list in lists {
        let end = list.start + list.length;
        for start in (list.start..end).step_by(LONGEST) {
            let length = (end - start).min(LONGEST as u32);
            let place = &mut places[length as usize];
            runs[*place] = Run {
                list: List {
                    key: list.key,
                    start,
                    length,
                },
                is_whole: length == list.length,
            };
            *place += 1;
        }
    }
    runs
}

/// Sorts entries into lists by their keys.
pub(super) fn lists_of(mut keyed: Vec<(u32, Entry)>) -> (Vec<Entry>, Vec<List>) {
    let most = keyed
        .iter()
        .map(|&(key, _)| key as usize + 1)
        .max()
        .unwrap_or(0);
    let (mut entries, mut lists) = (Vec::with_capacity(keyed.len()), Vec::new());
    if most > 8 * keyed.len() {
        // Few entries: avoid a table of all keys.
        keyed.sort_unstable_by_key(|&(key, _)| key);
        for &(key, entry) in &keyed {
            push(&mut lists, key, entries.len());
            entries.push(entry);
        }
        return (entries, lists);
    }
    let mut ends = vec![0_u32; most];
    for &(key, _) in &keyed {
        ends[key as usize] += 1;
    }
    let mut start = 0;
    for (end, key) in ends.iter_mut().zip(0..) {
        let length = *end;
        if length > 0 {
            lists.push(List { key, start, length });
        }
        *end = start;
        start += length;
    }
    entries.resize(keyed.len(), Entry::new(0, false));
    for &(key, entry) in &keyed {
        let end = &mut ends[key as usize];
        entries[*end as usize] = entry;
        *end += 1;
    }
    (entries, lists)
}

fn push(lists: &mut Vec<List>, key: u32, start: usize) {
    match lists.last_mut() {
        Some(list) if list.key == key => list.length += 1,
        _ => lists.push(List {
            key,
            start: start as u32,
            length: 1,
        }),
    }
}
