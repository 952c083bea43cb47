//! A row before decoding, in the same form for every file format.

use std::borrow::Cow;

use crate::rows::defect::RowDefect;

/// One cell of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Field<'a> {
    /// The row does not have this column.
    #[default]
    Missing,
    /// The column exists, but the row has no value in it.
    Null,
    /// A value of a text column, to be decoded.
    Text(Cow<'a, [u8]>),
    /// A value of a binary column.
    Bytes(&'a [u8]),
    /// A value of a type that is neither text nor bytes, with the name of the type.
    Wrong(&'static str),
    /// More than one value.
    Duplicate,
}

/// The maximum length in bytes of a cell other than the message. It exceeds the longest key in PEM
/// or JWK. A column of a few bytes can give each of its rows a long value.
pub(crate) const MAX_CELL_LEN: usize = 1 << 16;

/// The cells of a row that matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawRow<'a> {
    pub(crate) id: Field<'a>,
    pub(crate) alg: Field<'a>,
    pub(crate) key: Field<'a>,
    pub(crate) message: Field<'a>,
    pub(crate) digest: Field<'a>,
    pub(crate) signature: Field<'a>,
    pub(crate) hint: Field<'a>,
    /// The place of the message in memory, if other rows may share it. Rows of a chunk with the
    /// same place have the same message.
    pub(crate) shared_message: Option<SharedPlace>,
}

/// Address and length of a value that stays in memory with its chunk.
pub(crate) type SharedPlace = (usize, usize);

impl RawRow<'_> {
    /// Returns the id as text, if the row has one. Invalid UTF-8 in a text is replaced; bytes are
    /// written in hex.
    pub(crate) fn id_text(&self) -> Option<Cow<'_, str>> {
        match &self.id {
            Field::Text(text) if text.len() <= MAX_CELL_LEN => Some(String::from_utf8_lossy(text)),
            Field::Bytes(bytes) if bytes.len() <= MAX_CELL_LEN => {
                Some(Cow::Owned(data_encoding::HEXLOWER.encode(bytes)))
            }
            _ => None,
        }
    }

    /// Checks that the id, if any, has a valid type and length.
    pub(crate) fn check_id(&self) -> Result<(), RowDefect> {
        match self.id {
            Field::Wrong(actual) => Err(RowDefect::Type {
                field: "id",
                expected: "text or a number",
                actual,
            }),
            Field::Duplicate => Err(RowDefect::Duplicate { field: "id" }),
            _ => self.id.check_len("id"),
        }
    }
}

impl Field<'_> {
    /// Returns the length of the value in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Missing | Self::Null | Self::Wrong(_) | Self::Duplicate => 0,
        }
    }

    /// Checks the length of a cell that is not a message.
    pub(crate) fn check_len(&self, name: &'static str) -> Result<(), RowDefect> {
        if self.len() > MAX_CELL_LEN {
            return Err(RowDefect::CellTooLong {
                field: name,
                limit: MAX_CELL_LEN,
            });
        }
        Ok(())
    }
}

/// One of the columns that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Id,
    Alg,
    Key,
    Message,
    Digest,
    Signature,
    /// Knowledge about the signature. It is read only if the column has a name.
    Hint,
}

impl Column {
    /// Every column.
    pub(crate) const ALL: [Column; 7] = [
        Column::Id,
        Column::Alg,
        Column::Key,
        Column::Message,
        Column::Digest,
        Column::Signature,
        Column::Hint,
    ];

    /// Returns the field that the column holds: its usual name, and its name in messages.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Column::Id => "id",
            Column::Alg => "alg",
            Column::Key => "key",
            Column::Message => "message",
            Column::Digest => "digest",
            Column::Signature => "signature",
            Column::Hint => "hint",
        }
    }
}

impl<'a> RawRow<'a> {
    /// Returns the cell of `column`.
    pub(crate) fn field_mut(&mut self, column: Column) -> &mut Field<'a> {
        match column {
            Column::Id => &mut self.id,
            Column::Alg => &mut self.alg,
            Column::Key => &mut self.key,
            Column::Message => &mut self.message,
            Column::Digest => &mut self.digest,
            Column::Signature => &mut self.signature,
            Column::Hint => &mut self.hint,
        }
    }
}
