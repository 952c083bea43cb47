//! Batches: types that own or borrow columns.

use super::recover_rows::RecoverRows;
use super::row_buffer::{RecoverBuffer, RowBuffer};
use super::rows::Rows;
use super::shape_error::ShapeError;

/// A type that owns or borrows the columns of a batch to verify. In a pair, the second element is
/// anything that the caller wants back with the batch.
pub trait AsRows {
    /// Returns the rows of the batch.
    ///
    /// # Errors
    /// The rule of [`ShapeError`] that the columns break.
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError>;
}

/// A type that owns or borrows the columns of a batch to recover keys from. In a pair, the second
/// element is anything that the caller wants back with the batch.
pub trait AsRecoverRows {
    /// Returns the rows of the batch.
    ///
    /// # Errors
    /// The rule of [`ShapeError`] that the columns break.
    fn as_recover_rows(&self) -> Result<RecoverRows<'_>, ShapeError>;
}

impl AsRows for RowBuffer {
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
        Ok(Rows::from(self))
    }
}

impl AsRecoverRows for RecoverBuffer {
    fn as_recover_rows(&self) -> Result<RecoverRows<'_>, ShapeError> {
        self.rows()
    }
}

macro_rules! batches {
    ($($as_rows:ident, $method:ident, $rows:ident;)*) => {
        $(
            impl $as_rows for $rows<'_> {
                fn $method(&self) -> Result<$rows<'_>, ShapeError> {
                    Ok(self.clone())
                }
            }

            impl<T: $as_rows + ?Sized> $as_rows for &T {
                fn $method(&self) -> Result<$rows<'_>, ShapeError> {
                    (**self).$method()
                }
            }

            impl<T: $as_rows + ?Sized> $as_rows for Box<T> {
                fn $method(&self) -> Result<$rows<'_>, ShapeError> {
                    (**self).$method()
                }
            }

            impl<T: $as_rows, U> $as_rows for (T, U) {
                fn $method(&self) -> Result<$rows<'_>, ShapeError> {
                    self.0.$method()
                }
            }
        )*
    };
}

batches! {
    AsRows, as_rows, Rows;
    AsRecoverRows, as_recover_rows, RecoverRows;
}
