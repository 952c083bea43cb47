//! The columns of an Arrow record batch, read row by row.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
    LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::take::take;

use crate::error::CliError;
use crate::rows::columns::Wanted;
use crate::rows::fields::{Column, Field, RawRow};

/// Where the columns of a table stand.
#[derive(Debug)]
pub(crate) struct BatchHeader {
    columns: Vec<(Column, usize)>,
}

impl BatchHeader {
    /// Takes the schema of `file`; checks that the columns hold text or bytes.
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
                        "column {:?} must hold text or bytes, not {data_type}",
                        names[i]
                    ),
                ));
            }
        }
        Ok(Self { columns })
    }

    /// The positions of the columns that are read.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|&(_, i)| i)
    }

    /// The same columns in a table that has only those, in the order in which they stood.
    pub(crate) fn projected(&self) -> Self {
        let mut columns = self.columns.clone();
        columns.sort_by_key(|&(_, i)| i);
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(i, (column, _))| (column, i))
            .collect();
        Self { columns }
    }
}

fn is_readable(column: Column, data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_readable(column, values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => column != Column::Alg,
        // A column without a single value has this type.
        DataType::Null => true,
        other => column == Column::Id && other.is_integer(),
    }
}

/// The columns of one batch, with their types resolved once for all rows.
pub(crate) struct BatchRows<'a> {
    columns: Vec<(Column, Values<'a>)>,
    len: usize,
}

enum Values<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    FixedSizeBinary(&'a FixedSizeBinaryArray),
    /// Integers, of which only the text matters.
    Integers(Vec<Option<String>>),
    Null,
}

/// Replaces the dictionary columns of `batch` by their values.
pub(crate) fn without_dictionaries(batch: &RecordBatch) -> Result<Vec<ArrayRef>, ArrowError> {
    batch
        .columns()
        .iter()
        .map(|array| match array.as_any_dictionary_opt() {
            Some(dictionary) => take(dictionary.values().as_ref(), dictionary.keys(), None),
            None => Ok(array.clone()),
        })
        .collect()
}

impl<'a> BatchRows<'a> {
    /// `columns` are the ones of the batch, [without dictionaries](without_dictionaries).
    pub(crate) fn new(columns: &'a [ArrayRef], len: usize, header: &BatchHeader) -> Self {
        let columns = header
            .columns
            .iter()
            .map(|&(column, i)| (column, values(&columns[i])))
            .collect();
        Self { columns, len }
    }

    /// Every row, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = RawRow<'_>> {
        (0..self.len).map(|i| {
            let mut row = RawRow::default();
            for (column, values) in &self.columns {
                *row.field_mut(*column) = values.field(i);
            }
            row
        })
    }
}

fn values(array: &ArrayRef) -> Values<'_> {
    macro_rules! integers {
        ($type:ty) => {
            Values::Integers(
                array
                    .as_primitive::<$type>()
                    .iter()
                    .map(|n| n.map(|n| n.to_string()))
                    .collect(),
            )
        };
    }
    match array.data_type() {
        DataType::Utf8 => Values::Utf8(array.as_string()),
        DataType::LargeUtf8 => Values::LargeUtf8(array.as_string()),
        DataType::Utf8View => Values::Utf8View(array.as_string_view()),
        DataType::Binary => Values::Binary(array.as_binary()),
        DataType::LargeBinary => Values::LargeBinary(array.as_binary()),
        DataType::BinaryView => Values::BinaryView(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => Values::FixedSizeBinary(array.as_fixed_size_binary()),
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        // The header admits nothing else.
        _ => Values::Null,
    }
}

impl Values<'_> {
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
            Self::Integers(numbers) => match &numbers[i] {
                Some(number) => text(number),
                None => Field::Null,
            },
            _ => Field::Null,
        }
    }
}
