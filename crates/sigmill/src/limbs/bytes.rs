//! Bytes and hexadecimal digits to limbs and back. Byte strings are big-endian, as in SEC 1 and
//! FIPS 186-5; limbs are little-endian.

/// Reads a big-endian byte string of any length.
///
/// `None` when the value does not fit into `N` limbs (leading zero bytes are fine). The time
/// depends on the length, and on the position of a byte that does not fit.
pub fn from_be_bytes<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut limbs = [0; N];
    for (i, &byte) in bytes.iter().rev().enumerate() {
        match limbs.get_mut(i / 8) {
            Some(limb) => *limb |= u64::from(byte) << (8 * (i % 8)),
            None if byte == 0 => {}
            None => return None,
        }
    }
    Some(limbs)
}

/// Writes the low `8 * limbs.len()` bits big-endian into `bytes`, filling from the end.
///
/// A longer `bytes` gets leading zeros; a shorter one keeps the low bytes (the caller knows that
/// the rest is zero). The time depends on the lengths only.
pub fn write_be_bytes(limbs: &[u64], bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().rev().enumerate() {
        *byte = limbs
            .get(i / 8)
            .map_or(0, |limb| (limb >> (8 * (i % 8))) as u8);
    }
}

/// Reads hexadecimal digits (spaces and underscores are skipped) at compile time.
///
/// # Panics
/// On any other character, and when the number does not fit: for constants only.
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
    }

    #[test]
    fn hexadecimal_constants() {
        const VALUE: [u64; 2] = from_hex("1 0000_0000 FFFFFFFe");
        assert_eq!(VALUE, [0xffff_fffe, 1]);
    }
}
