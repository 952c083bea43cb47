//! The id of R among the points with x(R) mod n = r.

use crate::error::Error;

/// The part of R that a signature lacks for recovery of the public key: whether y(R) is odd, and
/// whether x(R) was n or more, so that r = x(R) - n.
///
/// As a byte, bit 0 is the parity of y, and bit 1 is set if x was reduced. Bitcoin adds 27 (31 for
/// a compressed key). Ethereum adds 27 or, by EIP-155, 35 and twice the chain's number. Newer
/// transactions carry it unchanged (`yParity`), without bit 1.
///
/// ```
/// use sigmill::RecoveryId;
///
/// let id = RecoveryId::from_byte(1)?;
/// assert!(id.is_y_odd() && !id.is_x_reduced());
/// assert_eq!(RecoveryId::new(true, false).to_byte(), 1);
/// assert_eq!(RecoveryId::from_byte(4), Err(sigmill::Error::RecoveryIdOutOfRange));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecoveryId(u8);

impl RecoveryId {
    /// All four ids, in the order of their bytes.
    pub const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    /// The id of a friendly signature: y(R) is even and x(R) = r.
    pub const FRIENDLY: Self = Self(0);

    /// Creates the id of a point R from the parity of y and whether x was n or more.
    #[must_use]
    pub const fn new(is_y_odd: bool, is_x_reduced: bool) -> Self {
        Self(is_y_odd as u8 | (is_x_reduced as u8) << 1)
    }

    /// Reads 0, 1, 2 or 3.
    ///
    /// # Errors
    /// [`Error::RecoveryIdOutOfRange`].
    pub const fn from_byte(byte: u8) -> Result<Self, Error> {
        match byte {
            0..=3 => Ok(Self(byte)),
            _ => Err(Error::RecoveryIdOutOfRange),
        }
    }

    /// Reads v in Ethereum's form: 0 to 3 as [`from_byte`](Self::from_byte) does, or 27 or 28 for 0
    /// or 1. A v of 29 or more is ambiguous: Bitcoin goes up to 34, and EIP-155 begins at 35.
    ///
    /// # Errors
    /// [`Error::RecoveryByteOutOfRange`].
    pub const fn from_v(v: u8) -> Result<Self, Error> {
        match v {
            0..=3 => Ok(Self(v)),
            27 | 28 => Ok(Self(v - 27)),
            _ => Err(Error::RecoveryByteOutOfRange { v }),
        }
    }

    /// Returns the v that wallets and contracts of Ethereum expect: 27 or 28. The ids 2 and 3 have
    /// no such v and are returned unchanged. At most one signature in 2^127 has them.
    #[must_use]
    pub const fn to_v(self) -> u8 {
        match self.0 {
            0 | 1 => 27 + self.0,
            id => id,
        }
    }

    /// 0, 1, 2 or 3.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// Reports whether y(R) is odd.
    #[must_use]
    pub const fn is_y_odd(self) -> bool {
        self.0 & 1 == 1
    }

    /// Reports whether x(R) = r + n.
    #[must_use]
    pub const fn is_x_reduced(self) -> bool {
        self.0 & 2 == 2
    }

    /// Reports whether a signature with this id is friendly.
    #[must_use]
    pub const fn is_friendly(self) -> bool {
        self.0 == Self::FRIENDLY.0
    }

    /// Returns the id of -R if `condition` holds. It belongs to n - s in place of s.
    #[must_use]
    pub(super) const fn negate_if(self, condition: bool) -> Self {
        Self(self.0 ^ condition as u8)
    }
}
