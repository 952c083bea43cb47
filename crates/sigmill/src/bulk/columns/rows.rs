//! The rows that a call judges, as columns.

use super::hints::Hints;
use super::inputs::Inputs;
use super::keys::{Keys, RowKey};
use super::layout::Length;
use super::row::{KeyedRow, Row};
use super::shape_error::{Field, ShapeError};
use super::signatures::Signatures;
use crate::ecdsa::Hint;
use crate::keys::Input;
use crate::{Algorithm, SignatureFormat};

/// The algorithm of each row.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Algorithms<'a> {
    /// One algorithm for all rows.
    Same(Algorithm),
    /// One for each row.
    Each(&'a [Algorithm]),
}

/// Rows to verify: columns of algorithms, keys, messages or digests, and signatures. They are
/// borrowed and have one length.
///
/// ```
/// use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
/// use sigmill::{Algorithm, Error};
///
/// let (keys, digests, signatures) = (vec![4; 3 * 65], vec![1; 3 * 32], vec![1; 3 * 64]);
/// let rows = Rows::new(
///     Algorithm::ES256,
///     Column::fixed(&keys, 65),
///     Inputs::Digests(Column::fixed(&digests, 32)),
///     Signatures::P1363(Column::fixed(&signatures, 64)),
/// )?;
/// assert_eq!(rows.len(), 3);
///
/// let engine = Engine::builder().build()?;
/// let verdicts = engine.verify(&rows);
/// assert_eq!(verdicts.rejected(), 3);
/// assert_eq!(verdicts.get(0), Err(Error::KeyNotOnCurve));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    len: usize,
    source: Source<'a>,
    hints: Option<Hints<'a>>,
}

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one of it a call, and it is read at every row"
)]
enum Source<'a> {
    Columns {
        algorithms: Algorithms<'a>,
        keys: Keys<'a>,
        inputs: Inputs<'a>,
        signatures: Signatures<'a>,
    },
    Rows(&'a [Row<'a>]),
}

impl<'a> Rows<'a> {
    /// Creates rows from columns. Keys are a [`Column`](super::Column) of encoded keys, or parsed
    /// keys, one for each row or one for all; see [`Keys`].
    ///
    /// This reads every offset and index once, but no value.
    ///
    /// # Errors
    /// The rule of [`ShapeError`] that a column breaks.
    pub fn new(
        algorithms: impl Into<Algorithms<'a>>,
        keys: impl Into<Keys<'a>>,
        inputs: Inputs<'a>,
        signatures: Signatures<'a>,
    ) -> Result<Self, ShapeError> {
        let (algorithms, keys) = (algorithms.into(), keys.into());
        let mut length = Length::default();
        if let Algorithms::Each(each) = algorithms {
            length.meet(Field::Algorithm, Some(each.len()))?;
        }
        length.meet(Field::Key, keys.check()?)?;
        length.meet(Field::Input, inputs.check()?)?;
        length.meet(
            Field::Signature,
            signatures.column().check(Field::Signature)?,
        )?;
        Ok(Self {
            len: length.rows()?,
            source: Source::Columns {
                algorithms,
                keys,
                inputs,
                signatures,
            },
            hints: None,
        })
    }

    /// Sets hints about the points R of the signatures. They change no verdict, whatever they say,
    /// except for the 2^-120 of [`Policy::with_batch`](crate::Policy::with_batch). Without that
    /// policy, hints are ignored.
    ///
    /// # Errors
    /// The rule of [`ShapeError`] that the hints break.
    pub fn hints(mut self, hints: Hints<'a>) -> Result<Self, ShapeError> {
        hints.check(self.len)?;
        self.hints = Some(hints);
        Ok(self)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns one row, if it has an input and a signature.
    pub(in crate::bulk) fn row(&self, row: usize) -> Option<KeyedRow<'a>> {
        Some(KeyedRow {
            key: self.key(row),
            hash: self.algorithm(row).hash,
            input: self.input(row)?,
            signature: self.signature(row)?,
            format: self.signature_format(row),
        })
    }

    pub(in crate::bulk) fn caller_hints(&self) -> Option<&Hints<'a>> {
        self.hints.as_ref()
    }

    /// Returns the keys as a column; `None` if each row holds its own.
    pub(super) fn keys(&self) -> Option<&Keys<'a>> {
        match &self.source {
            Source::Columns { keys, .. } => Some(keys),
            Source::Rows(_) => None,
        }
    }

    /// Returns the algorithm of all rows, if they have one in common.
    pub(super) fn same_algorithm(&self) -> Option<Algorithm> {
        match self.source {
            Source::Columns {
                algorithms: Algorithms::Same(algorithm),
                ..
            } => Some(algorithm),
            _ => None,
        }
    }

    // The accessors of a row accept numbers below the length only.

    #[inline]
    pub(in crate::bulk) fn algorithm(&self, row: usize) -> Algorithm {
        match &self.source {
            Source::Columns { algorithms, .. } => match algorithms {
                Algorithms::Same(algorithm) => *algorithm,
                Algorithms::Each(each) => each[row],
            },
            Source::Rows(rows) => rows[row].algorithm,
        }
    }

    pub(super) fn key(&self, row: usize) -> RowKey<'a> {
        let curve = self.algorithm(row).curve;
        match &self.source {
            Source::Columns { keys, .. } => keys.of_row(row, curve),
            Source::Rows(_) => RowKey::Encoded(curve, self.own_key(row)),
        }
    }

    /// Returns the encoded key of a row that holds its own; `None` if keys are a column.
    #[inline]
    pub(super) fn own_key(&self, row: usize) -> Option<&'a [u8]> {
        match &self.source {
            Source::Columns { .. } => None,
            Source::Rows(rows) => Some(rows[row].key),
        }
    }

    #[inline]
    pub(in crate::bulk) fn input(&self, row: usize) -> Option<Input<'a>> {
        match &self.source {
            Source::Columns { inputs, .. } => inputs.value(row),
            Source::Rows(rows) => Some(rows[row].input),
        }
    }

    #[inline]
    pub(in crate::bulk) fn signature(&self, row: usize) -> Option<&'a [u8]> {
        match &self.source {
            Source::Columns { signatures, .. } => signatures.column().value(row),
            Source::Rows(rows) => Some(rows[row].signature),
        }
    }

    /// Returns the hint of a row, if it has one that is well formed.
    #[inline]
    pub(in crate::bulk) fn hint(&self, row: usize) -> Option<Hint<'a>> {
        self.hints.as_ref()?.value(row)
    }

    #[inline]
    pub(in crate::bulk) fn signature_format(&self, row: usize) -> SignatureFormat {
        match &self.source {
            Source::Columns { signatures, .. } => signatures.format(),
            Source::Rows(rows) => rows[row].format,
        }
    }
}

impl<'a, T: AsRef<[Row<'a>]> + ?Sized> From<&'a T> for Rows<'a> {
    /// Creates rows that each hold their own algorithm, key, input and signature.
    fn from(rows: &'a T) -> Self {
        let rows = rows.as_ref();
        Self {
            len: rows.len(),
            source: Source::Rows(rows),
            hints: None,
        }
    }
}

impl From<Algorithm> for Algorithms<'_> {
    fn from(algorithm: Algorithm) -> Self {
        Self::Same(algorithm)
    }
}

impl<'a, T: AsRef<[Algorithm]> + ?Sized> From<&'a T> for Algorithms<'a> {
    fn from(each: &'a T) -> Self {
        Self::Each(each.as_ref())
    }
}
