//! A search for words of secrets in the memory of this process.
//!
//! The process reads itself as a debugger would, through a file, so no unsafe code is needed. The
//! words to search for are masked: otherwise the search would find its own list.

use std::fs::File;
use std::io::Read as _;
use std::mem::take;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use super::STACK;

/// Masked bytes are XORed with this.
const MASK: u8 = 0xa5;

/// Masks or unmasks each byte.
pub(super) fn mask(bytes: &mut [u8]) {
    for byte in bytes {
        *byte ^= MASK;
    }
}

/// Eight-byte words of secrets, masked, each with the place of its name.
pub(super) struct Words {
    /// Sorted.
    words: Vec<(u64, usize)>,
    /// True for each pair of bytes that some word begins with. Few words of memory begin so.
    begins: Vec<bool>,
}

impl Words {
    /// From masked strings; bytes of a string beyond whole words do not count.
    pub(super) fn of_masked<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut words = vec![];
        for (name, string) in strings.enumerate() {
            for word in string.as_chunks::<8>().0 {
                let masked = u64::from_le_bytes(*word);
                let bare = masked ^ u64::from_le_bytes([MASK; 8]);
                // Small numbers of either sign and their multiples by powers of two are everywhere.
                let is_small = |word: u64| word >> 32 == 0 || !word >> 32 == 0;
                if !is_small(bare) && !is_small(bare.swap_bytes()) {
                    words.push((masked, name));
                }
            }
        }
        words.sort_unstable();
        let mut begins = vec![false; 1 << 16];
        for (word, _) in &words {
            begins[*word as usize & 0xffff] = true;
        }
        Self { words, begins }
    }

    /// Reports the names of the words at every place of `memory`, with the places.
    fn find(&self, memory: &[u8], mut found: impl FnMut(usize, usize)) {
        for (place, bytes) in memory.windows(8).enumerate() {
            let bytes: &[u8; 8] = bytes.try_into().expect("windows of eight");
            let masked = u64::from_le_bytes(*bytes) ^ u64::from_le_bytes([MASK; 8]);
            if !self.begins[masked as usize & 0xffff] {
                continue;
            }
            let at = self.words.partition_point(|(word, _)| *word < masked);
            if let Some((word, name)) = self.words.get(at)
                && *word == masked
            {
                found(*name, place);
            }
        }
    }
}

/// The writable memory of this process, and buffers to read it into. A search allocates nothing
/// until it finds something: allocations would overwrite freed memory.
pub(super) struct Memory {
    file: File,
    buffer: Vec<u8>,
    maps: String,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            file: File::open("/proc/self/mem").unwrap(),
            buffer: vec![0; 1 << 13],
            maps: String::with_capacity(1 << 16),
        }
    }

    /// The names of words found anywhere except in the buffer, each with its place: the region, or
    /// the distance below the caller's frame.
    pub(super) fn find(&mut self, words: &Words) -> Vec<(usize, String)> {
        let mut all = vec![];
        let frame = self.frame();
        let own = self.buffer.as_ptr() as usize;
        let own = own..own + self.buffer.len();
        let mut maps = take(&mut self.maps);
        maps.clear();
        let mut file = File::open("/proc/self/maps").unwrap();
        file.read_to_string(&mut maps).unwrap();
        let mut regions = 0;
        for (range, region) in maps.lines().filter_map(writable) {
            regions += 1;
            let (before, after) = (range.end.min(own.start), range.start.max(own.end));
            for part in [range.start..before, after..range.end] {
                self.read(part, |start, bytes| {
                    words.find(bytes, |name, place| {
                        let address = start + place;
                        let place = match frame.checked_sub(address) {
                            Some(below) if below < STACK => format!("{below} bytes down the stack"),
                            _ => format!("{region} + {:#x}", address - range.start),
                        };
                        all.push((name, place));
                    });
                });
            }
        }
        assert!(regions > 3, "{maps}");
        self.maps = maps;
        all
    }

    /// An address in or near the caller's frame.
    #[inline(always)]
    fn frame(&self) -> usize {
        let local = 0u8;
        std::hint::black_box(&raw const local) as usize
    }

    /// Reads a part of the memory, in pieces that overlap by seven bytes, so that no word is split;
    /// pieces of zeros are skipped.
    fn read(&mut self, part: Range<usize>, mut piece: impl FnMut(usize, &[u8])) {
        let mut start = part.start;
        while start + 8 <= part.end {
            let length = self.buffer.len().min(part.end - start);
            let bytes = &mut self.buffer[..length];
            let is_read = self.file.read_exact_at(bytes, start as u64).is_ok();
            if is_read && bytes.iter().any(|&byte| byte != 0) {
                piece(start, bytes);
            }
            start += length - 7;
        }
    }
}

/// The region on a line of the map, with its name, if it is writable.
fn writable(line: &str) -> Option<(Range<usize>, &str)> {
    let mut fields = line.split_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let number = |digits| usize::from_str_radix(digits, 16).ok();
    let range = number(start)?..number(end)?;
    let is_writable = fields.next()?.starts_with("rw");
    is_writable.then(|| (range, fields.nth(3).unwrap_or("memory without a name")))
}
