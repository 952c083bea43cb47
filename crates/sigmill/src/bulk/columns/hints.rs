//! Hints, as a column that says how they are written.

use super::column::Column;
use super::layout::Length;
use super::shape_error::{Field, ShapeError};
use crate::ecdsa::{Hint, RecoveryId};

/// What is known of the points R of signatures beside r, one value for each row.
///
/// No hint, right or wrong, changes a verdict: a row without one, with a malformed or with a wrong
/// one is judged without it. With [`Policy::with_batch`](crate::Policy::with_batch) rows whose
/// hints are right are judged many at once, which takes a row that is not valid for valid with a
/// probability of at most 2^-120, whatever the hints are. Under a policy with
/// [`LowS::Friendly`](crate::LowS::Friendly) so are rows without hints: the policy names their R.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Hints<'a> {
    /// Recovery ids of one byte, 0 to 3, or 27 or 28 as Ethereum writes 0 and 1
    /// ([`RecoveryId::from_v`]). R then costs a square root.
    Ids(Column<'a>),
    /// y(R), big-endian: 32 bytes on P-256. The fastest, if there is room for it.
    Y(Column<'a>),
}

impl<'a> Hints<'a> {
    fn column(&self) -> &Column<'a> {
        match self {
            Self::Ids(column) | Self::Y(column) => column,
        }
    }

    /// Checks the shape of the column, for so many rows.
    pub(super) fn check(&self, rows: usize) -> Result<(), ShapeError> {
        self.column().check(Field::Hint)?;
        let mut length = Length::default();
        length.meet(Field::Hint, Some(rows))?;
        length.meet(Field::Hint, self.column().len())
    }

    /// Whether R costs a square root.
    pub(in crate::bulk) fn are_ids(&self) -> bool {
        matches!(self, Self::Ids(_))
    }

    /// The hint of a row, if it has one that is well formed.
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
