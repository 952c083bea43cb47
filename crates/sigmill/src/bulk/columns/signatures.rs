//! Signatures, as a column that says how they are written.

use super::column::Column;
use crate::SignatureFormat;

/// The signatures of rows, and how they are written: nothing else is read as a signature.
///
/// A caller who takes the bytes of a token (JOSE, RFC 7518 §3.4) wants [`P1363`](Self::P1363), one
/// who takes those of a certificate [`Der`](Self::Der).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Signatures<'a> {
    /// r and s in full length, one after the other; see [`SignatureFormat::P1363`].
    P1363(Column<'a>),
    /// A SEQUENCE of two INTEGERs; see [`SignatureFormat::Der`].
    Der(Column<'a>),
    /// Either, told apart by their lengths; see [`SignatureFormat::Auto`].
    Auto(Column<'a>),
}

impl<'a> Signatures<'a> {
    /// Signatures in a format that is known at run time only.
    #[must_use]
    pub fn new(format: SignatureFormat, column: Column<'a>) -> Self {
        match format {
            SignatureFormat::P1363 => Self::P1363(column),
            SignatureFormat::Der => Self::Der(column),
            SignatureFormat::Auto => Self::Auto(column),
        }
    }

    /// How they are written.
    #[inline]
    pub(super) fn format(&self) -> SignatureFormat {
        match self {
            Self::P1363(_) => SignatureFormat::P1363,
            Self::Der(_) => SignatureFormat::Der,
            Self::Auto(_) => SignatureFormat::Auto,
        }
    }

    #[inline]
    pub(super) fn column(&self) -> &Column<'a> {
        match self {
            Self::P1363(column) | Self::Der(column) | Self::Auto(column) => column,
        }
    }
}
