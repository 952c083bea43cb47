//! A public key with a table of its multiples.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::VerifyingKey;
use crate::curve::{
    AffinePoint, BaseElement, Curve, Domain, Group, LanesOf, LanesOperation, NamedCurve,
    ScalarLanesOf,
};
use crate::ecdsa::Strategy;
use crate::error::Error;
use crate::field::PrimeField;
use crate::table::WindowTable;

/// The default window, the same for every curve.
pub(super) const DEFAULT_WINDOW: u32 = 7;

/// A public key on curve `C` with a table of its multiples: verification without doublings. Created
/// by [`VerifyingKey::prepare`].
///
/// ```
/// use sigmill::p256::{Signature, VerifyingKey};
///
/// # let hex = |digits: &str| -> Vec<u8> {
/// #     let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
/// #     (0..digits.len()).step_by(2).map(byte).collect()
/// # };
/// # let key = hex("0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6");
/// # let signature = Signature::from_p1363(&hex(concat!(
/// #     "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
/// #     "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
/// # )))?;
/// let key = VerifyingKey::from_sec1_bytes(&key)?.prepare();
/// assert_eq!(key.memory_bytes(), 151_552);
/// key.verify(b"sample", &signature)?;
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct PreparedKey<C: Domain> {
    key: VerifyingKey<C>,
    table: WindowTable<BaseElement<C>>,
}

impl<C: Domain> PreparedKey<C> {
    /// Creates a prepared key. The caller ensures that the table is the key's.
    pub(super) fn new(key: VerifyingKey<C>, table: WindowTable<BaseElement<C>>) -> Self {
        Self { key, table }
    }

    /// The key.
    pub fn verifying_key(&self) -> &VerifyingKey<C> {
        &self.key
    }

    /// The domain parameters.
    pub(crate) fn domain(&self) -> C {
        self.key.domain()
    }

    /// The window of the table, in bits.
    pub fn window(&self) -> u32 {
        self.table.window()
    }

    /// The memory that the table needs, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }

    /// The rows of the table: row i holds j 2^(w i) Q for j = 1 .. 2^(w-1), with window w.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[AffinePoint<BaseElement<C>>]> {
        self.table.points().chunks_exact(self.table.row_length())
    }

    /// The points of the table as plain numbers, x and y: row i holds j 2^(w i) Q for j =
    /// 1 .. 2^(w-1), with window w.
    pub fn coordinates(&self) -> impl Iterator<Item = [TableCoordinate; 2]> {
        let field = self.key.domain().curve().base_field();
        let coordinate = move |value: &BaseElement<C>| {
            let mut bytes = vec![0; field.bytes()];
            field.write_be_bytes(value, &mut bytes);
            TableCoordinate {
                limbs: words(field, value),
                bytes,
            }
        };
        let points = self.table.points().iter();
        points.map(move |point| [coordinate(&point.x), coordinate(&point.y)])
    }

    /// The strategy that multiplies this key: its table.
    pub(crate) fn strategy(&self) -> Strategy<'_, BaseElement<C>> {
        Strategy::Prepared(self.table.rows())
    }
}

impl<C: Domain> VerifyingKey<C> {
    /// [`prepare`](Self::prepare) with windows of `window` bits, 1 to 11. Each further bit needs
    /// nearly twice the memory and twice the time to build the table.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`].
    pub fn prepare_with_window(&self, window: u32) -> Result<PreparedKey<C>, Error> {
        let table = self.domain().curve().dispatch_lanes(BuildTable {
            point: self.as_affine(),
            window,
        })?;
        Ok(PreparedKey::new(*self, table))
    }

    /// The memory that the table of [`prepare_with_window`](Self::prepare_with_window) needs, in
    /// bytes.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`].
    pub fn table_bytes(&self, window: u32) -> Result<usize, Error> {
        WindowTable::memory_bytes_of(self.domain().curve(), window)
    }
}

impl<C: NamedCurve> VerifyingKey<C> {
    /// Returns the key with a table of its multiples, which makes every verification several times
    /// faster. The table has windows of 7 bits: 151,552 bytes on P-256. It costs about as much as
    /// three to six verifications without a table, depending on the CPU and the curve.
    #[must_use]
    pub fn prepare(&self) -> PreparedKey<C> {
        match self.prepare_with_window(DEFAULT_WINDOW) {
            Ok(prepared) => prepared,
            Err(_) => unreachable!("the orders of named curves are wide enough"),
        }
    }
}

/// A coordinate of a point of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCoordinate {
    /// The stored form, little-endian in limbs: the Montgomery form x 2^(64 k) mod p for k limbs,
    /// or x itself on secp256k1.
    pub limbs: Vec<u64>,
    /// x, big-endian, in full length.
    pub bytes: Vec<u8>,
}

/// Writes the key, and the window of its table.
impl<C: Domain> fmt::Debug for PreparedKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedKey({:?}, window {})", self.key, self.window())
    }
}

fn words<F: PrimeField>(_: F, element: &F::Element) -> Vec<u64> {
    F::to_words(element).as_ref().to_vec()
}

struct BuildTable<'a, E> {
    point: &'a AffinePoint<E>,
    window: u32,
}

impl<C: Curve> LanesOperation<C> for BuildTable<'_, C::BaseElement> {
    type Output = Result<WindowTable<C::BaseElement>, Error>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, _: S) -> Self::Output {
        WindowTable::build_lanes_vartime(&Group::wide(curve, base), self.point, self.window)
    }
}
