//! The columns of an Arrow record batch, read row by row.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
    LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::{DataType, Schema};

use crate::error::CliError;
use crate::rows::columns::Wanted;
use crate::rows::fields::{Column, Field, RawRow, SharedPlace};

/// The positions of the columns in a table.
#[derive(Debug)]
pub(crate) struct BatchHeader {
    columns: Vec<(Column, usize)>,
    keeps_messages: bool,
}

impl BatchHeader {
    /// Reads the schema of `file`, and checks the types of the columns.
    pub(crate) fn new(schema: &Schema, file: &str, wanted: &Wanted) -> Result<Self, CliError> {
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let columns = wanted.locate(file, &names)?;
        for &(column, i) in &columns {
            let data_type = schema.field(i).data_type();
            if !is_readable(column, data_type) {
                return Err(CliError::file(
                    file,
                    format!(
                        "column {:?}: must hold {}, not {data_type}",
                        names[i],
                        readable(column)
                    ),
                ));
            }
        }
        Ok(Self {
            columns,
            keeps_messages: wanted.keeps_messages(),
        })
    }

    /// Returns the positions of the columns to read, in order.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut positions: Vec<usize> = self.columns.iter().map(|&(_, i)| i).collect();
        positions.sort_unstable();
        positions
    }

    /// Returns the same columns for a table that contains only these, in their original order.
    pub(crate) fn projected(&self) -> Self {
        let mut columns = self.columns.clone();
        columns.sort_by_key(|&(_, i)| i);
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(i, (column, _))| (column, i))
            .collect();
        Self {
            columns,
            keeps_messages: self.keeps_messages,
        }
    }
}

/// Describes the types that a column may have.
fn readable(column: Column) -> &'static str {
    match column {
        Column::Alg => "text",
        Column::Id => "text, bytes or integers",
        Column::Hint => "text, bytes or numbers",
        _ => "text or bytes",
    }
}

fn is_readable(column: Column, data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => {
            !matches!(**values, DataType::Dictionary(..)) && is_readable(column, values)
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        // Values of no bytes would let a small file claim any number of rows.
        DataType::FixedSizeBinary(0) => false,
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => column != Column::Alg,
        // A column without a single value has this type.
        DataType::Null => matches!(
            column,
            Column::Id | Column::Message | Column::Digest | Column::Hint
        ),
        // Some programs write integers as floats if some values are missing.
        DataType::Float32 | DataType::Float64 => column == Column::Hint,
        other => matches!(column, Column::Id | Column::Hint) && other.is_integer(),
    }
}

/// The columns of one batch, with their types resolved once for all rows. Values are not copied,
/// however many rows share them.
pub(crate) struct BatchRows<'a> {
    columns: Vec<(Column, Values<'a>)>,
    len: usize,
    keeps_messages: bool,
}

enum Values<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    FixedSizeBinary(&'a FixedSizeBinaryArray),
    /// Numbers. Only their text matters.
    Numbers(&'a dyn Array, fn(&dyn Array, usize) -> String),
    /// For each row the place of its value.
    Dictionary(Vec<Option<usize>>, Box<Values<'a>>),
    Null,
}

impl<'a> BatchRows<'a> {
    pub(crate) fn new(batch: &'a RecordBatch, header: &BatchHeader) -> Self {
        let columns = header
            .columns
            .iter()
            .map(|&(column, i)| (column, values(batch.column(i))))
            .collect();
        Self {
            columns,
            len: batch.num_rows(),
            keeps_messages: header.keeps_messages,
        }
    }

    /// Returns the number of rows from `start` on, at least one and at most `most`, whose copied
    /// values have at most `bytes` bytes. Many rows may share one value of the batch.
    pub(crate) fn rows_within(&self, start: usize, most: usize, bytes: usize) -> usize {
        let mut taken = 0;
        let rows = start..self.len.min(start + most);
        let fitting = rows.take_while(|&i| {
            taken += self.copied_len(i);
            taken <= bytes
        });
        fitting.count().max(1)
    }

    fn copied_len(&self, i: usize) -> usize {
        let copied = self
            .columns
            .iter()
            .filter(|(column, _)| *column != Column::Message || self.keeps_messages);
        copied.map(|(_, values)| values.field(i).len()).sum()
    }

    /// Returns every row, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = RawRow<'_>> {
        (0..self.len).map(|i| {
            let mut row = RawRow::default();
            for (column, values) in &self.columns {
                let field = values.field(i);
                if *column == Column::Message && values.may_share() {
                    row.shared_message = place(&field);
                }
                *row.field_mut(*column) = field;
            }
            row
        })
    }
}

fn values(array: &ArrayRef) -> Values<'_> {
    macro_rules! numbers {
        ($type:ty) => {
            Values::Numbers(array, |array, i| {
                array.as_primitive::<$type>().value(i).to_string()
            })
        };
    }
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let keys = dictionary.keys();
        // An empty dictionary has no places.
        let places = match dictionary.values().is_empty() {
            true => vec![0; keys.len()],
            false => dictionary.normalized_keys(),
        };
        let places = (0..).zip(places);
        let places = places.map(|(row, place)| keys.is_valid(row).then_some(place));
        return Values::Dictionary(places.collect(), Box::new(values(dictionary.values())));
    }
    match array.data_type() {
        DataType::Utf8 => Values::Utf8(array.as_string()),
        DataType::LargeUtf8 => Values::LargeUtf8(array.as_string()),
        DataType::Utf8View => Values::Utf8View(array.as_string_view()),
        DataType::Binary => Values::Binary(array.as_binary()),
        DataType::LargeBinary => Values::LargeBinary(array.as_binary()),
        DataType::BinaryView => Values::BinaryView(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => Values::FixedSizeBinary(array.as_fixed_size_binary()),
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        // The header admits no other type.
        _ => Values::Null,
    }
}

/// Returns the place of a value in memory.
fn place(field: &Field<'_>) -> Option<SharedPlace> {
    match field {
        Field::Text(Cow::Borrowed(value)) | Field::Bytes(value) => {
            Some((value.as_ptr().addr(), value.len()))
        }
        _ => None,
    }
}

impl Values<'_> {
    /// Returns true if several rows may share a value in one place.
    fn may_share(&self) -> bool {
        matches!(
            self,
            Self::Dictionary(..) | Self::Utf8View(_) | Self::BinaryView(_)
        )
    }

    fn field(&self, i: usize) -> Field<'_> {
        fn text(text: &str) -> Field<'_> {
            Field::Text(Cow::Borrowed(text.as_bytes()))
        }
        match self {
            Self::Utf8(a) if a.is_valid(i) => text(a.value(i)),
            Self::LargeUtf8(a) if a.is_valid(i) => text(a.value(i)),
            Self::Utf8View(a) if a.is_valid(i) => text(a.value(i)),
            Self::Binary(a) if a.is_valid(i) => Field::Bytes(a.value(i)),
            Self::LargeBinary(a) if a.is_valid(i) => Field::Bytes(a.value(i)),
            Self::BinaryView(a) if a.is_valid(i) => Field::Bytes(a.value(i)),
            Self::FixedSizeBinary(a) if a.is_valid(i) => Field::Bytes(a.value(i)),
            Self::Numbers(numbers, text) if numbers.is_valid(i) => {
                Field::Text(Cow::Owned(text(*numbers, i).into_bytes()))
            }
            Self::Dictionary(places, values) => match places[i] {
                Some(place) => values.field(place),
                None => Field::Null,
            },
            _ => Field::Null,
        }
    }
}
