//! Addresses of accounts, and the checksum in their capital letters.

use core::fmt;
use core::str::FromStr;

use sha3::{Digest as _, Keccak256};

use crate::curve::Secp256k1;
use crate::error::Error;
use crate::keys::VerifyingKey;

/// The address of an account on Ethereum: the last 20 bytes of Keccak-256 (the hash before FIPS
/// 202, not SHA3-256) of x and y of its public key.
///
/// An address is written as 0x and 40 digits whose capital letters are a checksum (EIP-55). It is
/// read with or without 0x, in lower case, in upper case, or in mixed case with the right checksum.
///
/// ```
/// use sigmill::Error;
/// use sigmill::ethereum::Address;
/// use sigmill::secp256k1::SigningKey;
///
/// let mut one = [0; 32];
/// one[31] = 1;
/// let key = SigningKey::from_be_bytes(&one)?;
/// let address = Address::of(key.verifying_key());
/// assert_eq!(address.to_string(), "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf");
/// assert_eq!("7e5f4552091a69125d5dfcb7b8c2659029395bdf".parse(), Ok(address));
///
/// let mistyped = "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf";
/// assert_eq!(mistyped.parse::<Address>(), Err(Error::AddressChecksum));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address([u8; 20]);

impl Address {
    /// The digits of an address, without 0x.
    const DIGITS: usize = 40;

    /// Returns the address of the account whose public key is `key`. Costs one permutation of
    /// Keccak.
    #[must_use]
    pub fn of(key: &VerifyingKey<Secp256k1>) -> Self {
        let point = key.to_sec1_bytes(false);
        // Skips the 04 of an uncompressed point.
        let hash = Keccak256::digest(&point[1..]);
        let mut address = [0; 20];
        address.copy_from_slice(&hash[12..]);
        Self(address)
    }

    /// Creates an address from its 20 bytes. Every value is an address.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Returns the 20 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The digits with the capital letters of EIP-55: a letter is a capital if the digit at the
    /// same place in the hash of the lower-case digits is 8 or more.
    fn checksummed(&self) -> [u8; Self::DIGITS] {
        let nibble = |bytes: &[u8], i: usize| bytes[i / 2] >> (4 * (1 - i % 2)) & 15;
        let mut digits = [0; Self::DIGITS];
        for (i, digit) in digits.iter_mut().enumerate() {
            *digit = b"0123456789abcdef"[usize::from(nibble(&self.0, i))];
        }
        let hash = Keccak256::digest(digits);
        for (i, digit) in digits.iter_mut().enumerate() {
            if nibble(&hash, i) >= 8 {
                digit.make_ascii_uppercase();
            }
        }
        digits
    }
}

/// 0x and 40 digits with the checksum of EIP-55.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 2 + Self::DIGITS];
        text[..2].copy_from_slice(b"0x");
        text[2..].copy_from_slice(&self.checksummed());
        f.pad(core::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl FromStr for Address {
    type Err = Error;

    /// Reads 40 hexadecimal digits, with or without 0x before them. Letters that are all small or
    /// all capital carry no checksum. In mixed case, the capitals must be those of EIP-55.
    ///
    /// # Errors
    /// [`Error::AddressDigit`], [`Error::AddressLength`], [`Error::AddressChecksum`], in this
    /// order.
    fn from_str(text: &str) -> Result<Self, Error> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let skipped = text.len() - digits.len();
        if let Some(i) = digits.chars().position(|c| !c.is_ascii_hexdigit()) {
            return Err(Error::AddressDigit {
                position: skipped + i + 1,
            });
        }
        let actual = digits.len();
        let digits: [u8; Self::DIGITS] = digits
            .as_bytes()
            .try_into()
            .map_err(|_| Error::AddressLength { actual })?;
        let value = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            _ => (digit | 0x20) - b'a' + 10,
        };
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        let address = Self(bytes);
        let has_small = digits.iter().any(u8::is_ascii_lowercase);
        let has_capital = digits.iter().any(u8::is_ascii_uppercase);
        if has_small && has_capital && digits != address.checksummed() {
            return Err(Error::AddressChecksum);
        }
        Ok(address)
    }
}
