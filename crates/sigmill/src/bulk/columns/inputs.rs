//! What was signed, as a column.

use super::column::Column;
use super::row::Input;
use super::shape_error::{Field, ShapeError};

/// What was signed, for each row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inputs<'a> {
    /// Messages, to be hashed with the algorithm's hash.
    Messages(Column<'a>),
    /// Digests, of any length but 0; their leftmost bits count, as many as the order has.
    Digests(Column<'a>),
    /// Either, row by row.
    Each(&'a [Input<'a>]),
}

impl<'a> Inputs<'a> {
    /// Checks the layout and gives the number of rows; `None` where one value stands for any
    /// number.
    pub(super) fn check(&self) -> Result<Option<usize>, ShapeError> {
        match self {
            Self::Messages(column) | Self::Digests(column) => {
                column.check(Field::Input)?;
                Ok(column.len())
            }
            Self::Each(each) => Ok(Some(each.len())),
        }
    }

    /// That of a row below the number of rows, if it has one.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<Input<'a>> {
        match self {
            Self::Messages(column) => column.value(row).map(Input::Message),
            Self::Digests(column) => column.value(row).map(Input::Digest),
            Self::Each(each) => Some(each[row]),
        }
    }
}
