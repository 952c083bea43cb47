//! The byte format of prepared keys: writing and reading.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic number, `sigmtbl` and a zero byte |
//! | 2 | version, 1 |
//! | 2 | curve: 1 for P-256, 2 for P-384, 3 for secp256k1, 4 for brainpoolP256r1, 5 for P-521 |
//! | 2 | window, 1 to 11 |
//! | 2 | zero |
//! | 1 + 2l | the key, SEC 1 uncompressed, with l the length of a coordinate |
//! | 2l each | the points, row by row: x and y, big-endian |
//! | 32 | SHA-256 of all preceding bytes |
//!
//! Numbers are big-endian. A table decides which signatures are valid, so its bytes are trusted no
//! more than a key is. Reading rebuilds the table from the key and compares every point.

use alloc::vec;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use super::{PreparedKey, VerifyingKey};
use crate::curve::{Curve as _, CurveName, NamedCurve};
use crate::error::Error;
use crate::field::PrimeField as _;
use crate::recode::booth_digits;
use crate::table::MAX_WINDOW;

const MAGIC: &[u8; 8] = b"sigmtbl\0";
const VERSION: u16 = 1;
const HEADER: usize = 16;
const CHECKSUM: usize = 32;

/// Returns the curve that the header of a table names.
///
/// # Errors
/// [`Error::TableMagic`], [`Error::TableVersion`], [`Error::TableCurve`].
pub(super) fn curve_of(bytes: &[u8]) -> Result<CurveName, Error> {
    if bytes.len() < HEADER || &bytes[..8] != MAGIC {
        return Err(Error::TableMagic);
    }
    if number(bytes, 8) != VERSION || number(bytes, 14) != 0 {
        return Err(Error::TableVersion);
    }
    let curve = CurveName::ALL
        .iter()
        .find(|&&curve| curve.table_number() == number(bytes, 10));
    curve.copied().ok_or(Error::TableCurve)
}

fn number(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

impl<C: NamedCurve> PreparedKey<C> {
    /// Writes the key and its table in a portable format: 151,665 bytes for P-256 and window 7. The
    /// policy is not included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let domain = self.verifying_key().domain();
        let field = domain.curve().base_field();
        let mut coordinate = vec![0; field.bytes()];
        let length = HEADER + (self.table().points().len() + 1) * 2 * coordinate.len() + 33;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_be_bytes());
        bytes.extend_from_slice(&domain.name().table_number().to_be_bytes());
        bytes.extend_from_slice(&(self.window() as u16).to_be_bytes());
        bytes.extend_from_slice(&[0; 2]);
        bytes.extend_from_slice(&self.verifying_key().to_sec1_bytes(false));
        for point in self.table().points() {
            for value in [&point.x, &point.y] {
                field.write_be_bytes(value, &mut coordinate);
                bytes.extend_from_slice(&coordinate);
            }
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// [`from_bytes`](Self::from_bytes) on a curve known at run time.
    ///
    /// # Errors
    /// Those of [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_on(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        if curve_of(bytes)? != domain.name() {
            return Err(Error::TableCurve);
        }
        let window = u32::from(number(bytes, 12));
        if !(1..=MAX_WINDOW).contains(&window) {
            return Err(Error::TableWindow);
        }
        let curve = domain.curve();
        let coordinate = curve.base_field().bytes();
        let rows = booth_digits(curve.scalar_field().bits(), window) as usize;
        let key_length = 1 + 2 * coordinate;
        let points_length = (rows << (window - 1)) * 2 * coordinate;
        if bytes.len() != HEADER + key_length + points_length + CHECKSUM {
            return Err(Error::TableLength);
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if Sha256::digest(content)[..] != *checksum {
            return Err(Error::TableChecksum);
        }
        let key = &content[HEADER..HEADER + key_length];
        let prepared =
            VerifyingKey::from_sec1_bytes_on(domain, key)?.prepare_with_window(window)?;
        if prepared.to_bytes() != bytes {
            return Err(Error::TablePoint);
        }
        Ok(prepared)
    }
}

/// Constructors for curve types that name one curve.
impl<C: NamedCurve + Default> PreparedKey<C> {
    /// Reads the output of [`to_bytes`](Self::to_bytes), and checks all of it. It rebuilds the
    /// table from the key, and so costs no less time than [`VerifyingKey::prepare_with_window`].
    ///
    /// # Errors
    /// One of the `Table...` variants of [`Error`], or those of [`VerifyingKey::from_sec1_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes_on(C::default(), bytes)
    }
}
