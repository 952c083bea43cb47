//! Messages or digests that were signed, as a column.

use super::column::Column;
use super::shape_error::{Field, ShapeError};
use crate::keys::Input;

/// The message or digest of each row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inputs<'a> {
    /// Messages, which are hashed with the algorithm's hash.
    Messages(Column<'a>),
    /// Digests of any length except 0. The leftmost bits count, up to the length of the order.
    Digests(Column<'a>),
    /// A message or a digest for each row.
    Each(&'a [Input<'a>]),
}

impl<'a> Inputs<'a> {
    /// Checks the layout and returns the number of rows; `None` if one value stands for any number.
    pub(super) fn check(&self) -> Result<Option<usize>, ShapeError> {
        match self {
            Self::Messages(column) | Self::Digests(column) => column.check(Field::Input),
            Self::Each(each) => Ok(Some(each.len())),
        }
    }

    /// Returns the input of a row below the number of rows, if it has one.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<Input<'a>> {
        match self {
            Self::Messages(column) => column.value(row).map(Input::Message),
            Self::Digests(column) => column.value(row).map(Input::Digest),
            Self::Each(each) => Some(each[row]),
        }
    }
}
