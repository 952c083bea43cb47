//! Signatures, as a column with its format.

use super::column::Column;
use crate::SignatureFormat;

/// The signatures of rows with their format. No other format is accepted.
///
/// Use [`P1363`](Self::P1363) for the bytes of a token (JOSE, RFC 7518 §3.4), and
/// [`Der`](Self::Der) for those of a certificate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Signatures<'a> {
    /// r and s in full length, one after the other; see [`SignatureFormat::P1363`].
    P1363(Column<'a>),
    /// A SEQUENCE of two INTEGERs; see [`SignatureFormat::Der`].
    Der(Column<'a>),
    /// Either format, distinguished by length; see [`SignatureFormat::Auto`].
    Auto(Column<'a>),
}

impl<'a> Signatures<'a> {
    /// Creates signatures in a format that is known only at run time.
    #[must_use]
    pub fn new(format: SignatureFormat, column: Column<'a>) -> Self {
        match format {
            SignatureFormat::P1363 => Self::P1363(column),
            SignatureFormat::Der => Self::Der(column),
            SignatureFormat::Auto => Self::Auto(column),
        }
    }

    /// Returns the format.
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
