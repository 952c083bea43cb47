//! Hashes of messages.

use core::fmt;
use core::ops::Deref;

use sha2::Digest as _;

/// A hash function of the SHA-2 family (FIPS 180-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HashName {
    /// SHA-256, 32 bytes.
    Sha256,
    /// SHA-384, 48 bytes.
    Sha384,
    /// SHA-512, 64 bytes.
    Sha512,
}

/// The longest digest of a [`HashName`].
const MAX_OUTPUT_LEN: usize = 64;

/// A digest of a message, up to 64 bytes, stored without the heap. Dereferences to its bytes.
#[derive(Clone, Copy)]
pub struct MessageDigest {
    bytes: [u8; MAX_OUTPUT_LEN],
    len: usize,
}

impl HashName {
    /// Every hash, ordered by output length.
    pub const ALL: &'static [HashName] = &[HashName::Sha256, HashName::Sha384, HashName::Sha512];

    /// Returns the length of the digest in bytes: 32, 48 or 64.
    #[must_use]
    pub const fn output_len(self) -> usize {
        match self {
            HashName::Sha256 => 32,
            HashName::Sha384 => 48,
            HashName::Sha512 => 64,
        }
    }

    /// Returns the hash used with a curve whose order has this length in bytes.
    pub(crate) const fn of_order(len: usize) -> Self {
        match len {
            ..=32 => HashName::Sha256,
            33..=48 => HashName::Sha384,
            _ => HashName::Sha512,
        }
    }

    /// Returns the digest of a message of any length.
    ///
    /// ```
    /// use sigmill::HashName;
    ///
    /// let digest = HashName::Sha256.digest(b"abc");
    /// assert_eq!(digest.len(), 32);
    /// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
    /// ```
    #[must_use]
    pub fn digest(self, message: &[u8]) -> MessageDigest {
        match self {
            HashName::Sha256 => MessageDigest::new(&sha2::Sha256::digest(message)),
            HashName::Sha384 => MessageDigest::new(&sha2::Sha384::digest(message)),
            HashName::Sha512 => MessageDigest::new(&sha2::Sha512::digest(message)),
        }
    }

    /// Returns the name in FIPS 180-4: "SHA-256", "SHA-384", "SHA-512".
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            HashName::Sha256 => "SHA-256",
            HashName::Sha384 => "SHA-384",
            HashName::Sha512 => "SHA-512",
        }
    }

    /// Returns the name without the hyphen, as in the names of algorithms.
    pub(crate) const fn compact_str(self) -> &'static str {
        match self {
            HashName::Sha256 => "SHA256",
            HashName::Sha384 => "SHA384",
            HashName::Sha512 => "SHA512",
        }
    }
}

impl fmt::Display for HashName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl MessageDigest {
    fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; MAX_OUTPUT_LEN];
        bytes[..digest.len()].copy_from_slice(digest);
        Self {
            bytes,
            len: digest.len(),
        }
    }
}

impl Deref for MessageDigest {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl fmt::Debug for MessageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageDigest(")?;
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    // FIPS 180-4 examples: the digests of "abc".
    #[test]
    fn digests_of_abc() {
        let begins: [&[u8]; 3] = [
            &[0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea],
            &[0xcb, 0x00, 0x75, 0x3f, 0x45, 0xa3, 0x5e, 0x8b],
            &[0xdd, 0xaf, 0x35, 0xa1, 0x93, 0x61, 0x7a, 0xba],
        ];
        for (&hash, begin) in HashName::ALL.iter().zip(begins) {
            let digest = hash.digest(b"abc");
            assert_eq!(digest.len(), hash.output_len());
            assert!(digest.starts_with(begin), "{hash}: {digest:?}");
        }
        assert!(
            format!("{:?}", HashName::Sha256.digest(b"abc")).starts_with("MessageDigest(ba7816bf")
        );
    }
}
