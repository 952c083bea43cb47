//! Conversions between limbs and bytes or hexadecimal digits. Byte strings are big-endian, as in
//! SEC 1 and FIPS 186-5; limbs are little-endian.

use core::fmt;

/// Reads a big-endian byte string of any length.
///
/// Returns `None` if the value does not fit in `N` limbs (leading zero bytes are fine). The time
/// depends on the length, and on the first byte that does not fit.
pub fn from_be_bytes<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut limbs = [0; N];
    read_be_bytes(bytes, &mut limbs).then_some(limbs)
}

/// Reads a big-endian byte string of any length into limbs that are zero, and reports whether it
/// fits. The time is that of [`from_be_bytes`].
#[inline]
pub fn read_be_bytes(bytes: &[u8], limbs: &mut [u64]) -> bool {
    let (first, words) = bytes.as_rchunks::<8>();
    for (limb, word) in limbs.iter_mut().zip(words.iter().rev()) {
        *limb = u64::from_be_bytes(*word);
    }
    let first = first
        .iter()
        .fold(0, |word, &byte| word << 8 | u64::from(byte));
    match limbs.get_mut(words.len()) {
        Some(limb) => {
            *limb = first;
            true
        }
        None => {
            let beyond = words[..words.len() - limbs.len()].as_flattened();
            first == 0 && beyond.iter().all(|&byte| byte == 0)
        }
    }
}

/// Writes the low `8 * limbs.len()` bits into `bytes` in big-endian order, filling from the end.
///
/// A longer `bytes` gets leading zeros. A shorter one gets the low bytes; the caller knows that the
/// rest is zero. The time depends only on the lengths.
pub fn write_be_bytes(limbs: &[u64], bytes: &mut [u8]) {
    for (i, chunk) in bytes.rchunks_mut(8).enumerate() {
        let word = limbs.get(i).copied().unwrap_or(0).to_be_bytes();
        if chunk.len() == word.len() {
            chunk.copy_from_slice(&word);
        } else {
            chunk.copy_from_slice(&word[word.len() - chunk.len()..]);
        }
    }
}

/// Reads hexadecimal digits (spaces and underscores are skipped) at compile time.
///
/// # Panics
/// On any other character, and if the number does not fit: for constants only.
pub const fn from_hex<const N: usize>(digits: &str) -> [u64; N] {
    let digits = digits.as_bytes();
    let mut limbs = [0; N];
    let mut position = digits.len();
    let mut nibble = 0;
    while position > 0 {
        position -= 1;
        let value = match digits[position] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            digit @ b'A'..=b'F' => digit - b'A' + 10,
            b' ' | b'_' => continue,
            _ => panic!("a constant holds something that is not a hexadecimal digit"),
        };
        if nibble < 16 * N {
            limbs[nibble / 16] |= (value as u64) << (4 * (nibble % 16));
        } else {
            assert!(value == 0, "a constant does not fit into its limbs");
        }
        nibble += 1;
    }
    limbs
}

/// Displays bytes as hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Hexadecimal<'a>(pub &'a [u8]);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_and_reject_what_does_not_fit() {
        let limbs: [u64; 2] = from_be_bytes(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
        assert_eq!(limbs, [0x0203_0405_0607_0809, 1]);
        let mut bytes = [0xff; 12];
        write_be_bytes(&limbs, &mut bytes);
        assert_eq!(bytes, [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(from_be_bytes::<1>(&[0, 0, 0, 0, 0, 0, 0, 0, 7]), Some([7]));
        assert_eq!(from_be_bytes::<1>(&[1, 0, 0, 0, 0, 0, 0, 0, 7]), None);
        assert_eq!(from_be_bytes::<1>(&[]), Some([0]));
        // One whole word beyond the limbs, and one partial word.
        for length in [16, 19] {
            let mut bytes = [0; 19];
            bytes[length - 1] = 7;
            assert_eq!(from_be_bytes::<1>(&bytes[..length]), Some([7]));
            for beyond in 0..length - 8 {
                bytes[beyond] = 1;
                assert_eq!(from_be_bytes::<1>(&bytes[..length]), None, "{beyond}");
                bytes[beyond] = 0;
            }
        }
        for length in 0..=17 {
            let bytes: alloc::vec::Vec<u8> = (1..=length).collect();
            let limbs = from_be_bytes::<3>(&bytes).unwrap();
            let byte = |i: usize| (limbs[i / 8] >> (8 * (i % 8))) as u8;
            assert!((0..24).all(|i| byte(i) == (length as usize).saturating_sub(i) as u8));
            let mut again = alloc::vec![0xff; length as usize];
            write_be_bytes(&limbs, &mut again);
            assert_eq!(again, bytes);
        }
    }

    #[test]
    fn hexadecimal_constants() {
        const VALUE: [u64; 2] = from_hex("1 0000_0000 FFFFFFFe");
        assert_eq!(VALUE, [0xffff_fffe, 1]);
    }
}
