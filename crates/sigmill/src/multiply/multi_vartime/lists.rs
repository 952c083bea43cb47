//! Lists of points to add up, and how they are cut for lanes.

use alloc::vec;
use alloc::vec::Vec;

/// The most points that are added up in one lane; a longer list is cut, and its sums make a list
/// again. So no list, however long, leaves the other lanes idle.
pub(super) const LONGEST: usize = 32;

/// A point of some slice to add, or to subtract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(u32);

impl Entry {
    /// The point of this index, which is below 2^31.
    #[inline(always)]
    pub(super) fn new(index: usize, negative: bool) -> Self {
        debug_assert!(index < 1 << 31);
        Self((index as u32) << 1 | u32::from(negative))
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// 1 for a point to subtract, else 0.
    #[inline(always)]
    pub(super) fn sign(self) -> u64 {
        u64::from(self.0 & 1)
    }
}

/// A list of entries, which stand together.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// What the sum is of: any number.
    pub(super) key: u32,
    /// Where its entries begin.
    pub(super) start: u32,
    /// How many they are: at least one.
    pub(super) length: u32,
}

/// A part of a list that one lane adds up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) list: List,
    /// Whether it is the whole list.
    pub(super) is_whole: bool,
}

/// Cuts lists into runs, in order of their lengths: so those of neighbouring lanes are about
/// equally long.
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

/// Points with keys as lists: those of a key stand together.
pub(super) fn gather_lists(keys: &[u32]) -> (Vec<Entry>, Vec<List>) {
    let keyed: Vec<_> = keys
        .iter()
        .zip(0..)
        .map(|(&key, i)| (key, Entry::new(i, false)))
        .collect();
    lists_of(keyed)
}

/// Entries with keys as lists: those of a key stand together.
pub(super) fn lists_of(mut keyed: Vec<(u32, Entry)>) -> (Vec<Entry>, Vec<List>) {
    let most = keyed
        .iter()
        .map(|&(key, _)| key as usize + 1)
        .max()
        .unwrap_or(0);
    let (mut entries, mut lists) = (Vec::with_capacity(keyed.len()), Vec::new());
    if most > 8 * keyed.len() {
        // Few entries: no table of all keys.
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
