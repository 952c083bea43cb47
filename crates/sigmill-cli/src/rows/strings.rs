//! Byte strings as a growing column.

use sigmill::bulk::Column;

/// Byte strings of any length, one after the other.
#[derive(Debug)]
pub(crate) struct Strings {
    bytes: Vec<u8>,
    /// The start of each string, and the end of the last one.
    offsets: Vec<i64>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            offsets: vec![0],
        }
    }
}

impl Strings {
    pub(crate) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        // Memory holds less than 2^63 bytes.
        self.offsets.push(self.bytes.len() as i64);
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.truncate(1);
    }

    /// Returns the memory of the strings in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn column(&self) -> Column<'_> {
        Column::variable(&self.bytes, &self.offsets)
    }

    pub(crate) fn value(&self, place: usize) -> &[u8] {
        &self.bytes[self.offsets[place] as usize..self.offsets[place + 1] as usize]
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &[u8]> {
        let ranges = self.offsets.windows(2);
        ranges.map(|range| &self.bytes[range[0] as usize..range[1] as usize])
    }
}
