//! Hints, as a column with its encoding.

use super::column::Column;
use super::layout::Length;
use super::shape_error::{Field, ShapeError};
use crate::ecdsa::{Hint, RecoveryId};

/// Information about the points R of the signatures in addition to r, one value for each row.
///
/// No hint, right or wrong, changes a verdict: a row whose hint is missing, malformed or wrong is
/// judged without it. With [`Policy::with_batch`](crate::Policy::with_batch), rows with right hints
/// are judged many at once. This accepts a row that is not valid with a probability of at most
/// 2^-120, whatever the hints are. Under [`Policy::FRIENDLY`](crate::Policy::FRIENDLY), rows
/// without hints are judged in the same way: the policy determines their R.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Hints<'a> {
    /// Recovery ids of one byte: 0 to 3, or 27 or 28 as Ethereum writes 0 and 1
    /// ([`RecoveryId::from_v`]). R then costs a square root.
    Ids(Column<'a>),
    /// y(R), big-endian: 32 bytes on P-256. This is the fastest kind of hint, if there is room for
    /// it.
    Y(Column<'a>),
}

impl<'a> Hints<'a> {
    fn column(&self) -> &Column<'a> {
        match self {
            Self::Ids(column) | Self::Y(column) => column,
        }
    }

    /// Checks the shape of the column for this number of rows.
    pub(super) fn check(&self, rows: usize) -> Result<(), ShapeError> {
        Length::of(rows).meet(Field::Hint, self.column().check(Field::Hint)?)
    }

    /// Returns true if R costs a square root.
    pub(in crate::bulk) fn are_ids(&self) -> bool {
        matches!(self, Self::Ids(_))
    }

    /// Returns the hint of a row, if it has one that is well formed.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<Hint<'a>> {
        match self {
            Self::Ids(column) => match column.value(row)? {
                &[v] => RecoveryId::from_v(v).ok().map(Hint::Id),
                _ => None,
            },
            Self::Y(column) => column.value(row).map(Hint::Y),
        }
    }
}
