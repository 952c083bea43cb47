//! Walks over Parquet metadata, in the compact protocol of Thrift, before it is parsed.
//!
//! The parser trusts the number of elements that a list claims, and reads truth values in lists
//! from no bytes at all. So a list of a few bytes could keep it busy for any length of time.

use std::io::{BufRead, Seek};

/// The maximum depth of nested structures. The parser goes no deeper.
const MAX_DEPTH: u32 = 64;

/// Types of fields and elements.
const TRUTH: [u8; 2] = [1, 2];
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Walks over a structure. An error is a rule of the format that is broken.
pub(super) struct Walker<'r, R> {
    reader: &'r mut R,
    /// The number of bytes that may still be read.
    left: u64,
}

impl<'r, R: BufRead + Seek> Walker<'r, R> {
    /// Creates a walker that reads at most `left` bytes of `reader`.
    pub(super) fn new(reader: &'r mut R, left: u64) -> Self {
        Self { reader, left }
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Walks over a structure. Returns the 32-bit numbers in its fields 1 to 3, as far as present.
    pub(super) fn structure(&mut self) -> Result<[Option<i32>; 3], String> {
        self.fields(MAX_DEPTH)
    }

    /// Skips `len` bytes.
    pub(super) fn skip(&mut self, len: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(len).ok_or("truncated")?;
        let len = i64::try_from(len).map_err(|_| "length out of range")?;
        self.reader.seek_relative(len).map_err(|e| e.to_string())
    }

    fn fields(&mut self, depth: u32) -> Result<[Option<i32>; 3], String> {
        let mut numbers = [None; 3];
        let mut id = 0_i64;
        loop {
            let header = self.byte()?;
            let (delta, kind) = (header >> 4, header & 15);
            if header == 0 {
                return Ok(numbers);
            }
            id = match delta {
                0 => zigzag(self.number()?),
                delta => id.saturating_add(delta.into()),
            };
            let number = usize::try_from(id.wrapping_sub(1)).ok();
            match number.and_then(|i| numbers.get_mut(i)) {
                Some(number) if kind == I32 => {
                    let value = zigzag(self.number()?);
                    *number = Some(i32::try_from(value).map_err(|_| "number out of range")?);
                }
                _ if TRUTH.contains(&kind) => {}
                _ => self.value(kind, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, depth: u32) -> Result<(), String> {
        let depth = depth.checked_sub(1).ok_or("nested too deeply")?;
        match kind {
            BYTE => self.skip(1),
            I16 | I32 | I64 => self.number().map(drop),
            DOUBLE => self.skip(8),
            UUID => self.skip(16),
            BINARY => {
                let len = self.number()?;
                self.skip(len)
            }
            LIST | SET => {
                let header = self.byte()?;
                let size = match header >> 4 {
                    15 => self.number()?,
                    size => size.into(),
                };
                self.elements(size, &[header & 15], depth)
            }
            MAP => match self.number()? {
                0 => Ok(()),
                size => {
                    let kinds = self.byte()?;
                    self.elements(size, &[kinds >> 4, kinds & 15], depth)
                }
            },
            STRUCT => self.fields(depth).map(drop),
            _ => Err("field has no type".into()),
        }
    }

    /// Walks over `size` values of each of `kinds`. Each value needs at least one byte. Truth
    /// values are refused: only some readers use a byte for them, and no metadata contains a list
    /// of them.
    fn elements(&mut self, size: u64, kinds: &[u8], depth: u32) -> Result<(), String> {
        if size > self.left {
            return Err("list is longer than the file".into());
        }
        if size > 0 && kinds.iter().any(|kind| TRUTH.contains(kind)) {
            return Err("list must not hold booleans".into());
        }
        for _ in 0..size {
            for &kind in kinds {
                self.value(kind, depth)?;
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.left = self.left.checked_sub(1).ok_or("truncated")?;
        let mut byte = [0];
        self.reader
            .read_exact(&mut byte)
            .map_err(|e| e.to_string())?;
        Ok(byte[0])
    }

    /// Reads a number of seven bits per byte, the lowest first.
    fn number(&mut self) -> Result<u64, String> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("number out of range".into())
    }
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn walk(bytes: &[u8]) -> Result<[Option<i32>; 3], String> {
        Walker::new(&mut Cursor::new(bytes), bytes.len() as u64).structure()
    }

    #[test]
    fn fields_and_values_of_every_type() {
        let bytes: Vec<u8> = [
            &[0x15, 0x02][..],               // field 1: i32, 1
            &[0x15, 0x03],                   // field 2: i32, -2
            &[0x05, 0x06, 0x80, 0x01],       // field 3 by its number: i32, 64
            &[0x11, 0x12, 0x13, 7],          // true, false, a byte
            &[0x17, 0, 0, 0, 0, 0, 0, 0, 0], // a double
            &[0x18, 2, b'a', b'b'],          // text
            &[0x19, 0x25, 1, 2],             // two i32
            &[0x1a, 0xf3, 3, 1, 2, 3],       // a set of three bytes, its size by itself
            &[0x1b, 1, 0x58, 1, 1, b'x'],    // a map of i32 to text
            &[0x1b, 0],                      // an empty one
            &[0x1c, 0x15, 9, 0],             // a structure
            &[0x19, 0x02, 0x19, 0x01],       // empty lists, of stops and of truth values
            &[0x1d],
            &[0; 16],
            &[0],
        ]
        .concat();
        assert_eq!(walk(&bytes), Ok([Some(1), Some(-2), Some(64)]));
        for len in 0..bytes.len() {
            assert!(walk(&bytes[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn what_is_only_claimed_is_refused() {
        let nested = [[0x1c; 70].as_slice(), &[0; 71]].concat();
        for (bytes, rule) in [
            (
                &[0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0][..],
                "longer than the file",
            ),
            (&[0x19, 0x21, 0, 0, 0, 0, 0], "booleans"),
            (&[0x1b, 2, 0x13, 0, 0, 0, 0, 0], "booleans"),
            (&[0x1b, 0xff, 0xff, 3, 0x33, 0], "longer than the file"),
            (&[0x18, 0xff, 0x7f, 0], "truncated"),
            (&[0x1f, 0], "no type"),
            (&nested, "too deeply"),
        ] {
            let error = walk(bytes).unwrap_err();
            assert!(error.contains(rule), "{bytes:?}: {error}");
        }
    }
}
