//! Arrow arrays as columns, and recovered keys as an Arrow array, without copying a value.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, FixedSizeBinaryArray, NullArray, UInt8Array};

use super::column::{Column, Values};
use super::layout::Integer;
use super::recovered::Recovered;
use super::shape_error::ShapeError;

impl<'a> Column<'a> {
    /// Returns a column over the values of an Arrow array. Accepts `Binary`, `LargeBinary`,
    /// `BinaryView`, `FixedSizeBinary`, the text types `Utf8`, `LargeUtf8` and `Utf8View` (for keys
    /// in PEM or JWK), `Null`, and dictionaries of these with keys of any integer
    /// type. Nothing is copied.
    ///
    /// A row whose value is null is rejected with the reason `key-null`, `input-null` or
    /// `signature-null`.
    ///
    /// ```
    /// use arrow_array::{Array, BinaryArray, FixedSizeBinaryArray};
    /// use sigmill::Algorithm;
    /// use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
    ///
    /// let keys = BinaryArray::from_opt_vec(vec![Some(&[4; 65][..]), None]);
    /// let digests = BinaryArray::from_vec(vec![&[1; 32], &[2; 32]]);
    /// let signatures = FixedSizeBinaryArray::try_from_iter([[1; 64], [2; 64]].iter())?;
    /// let rows = Rows::new(
    ///     Algorithm::ES256,
    ///     Column::from_arrow(&keys)?,
    ///     Inputs::Digests(Column::from_arrow(&digests)?),
    ///     Signatures::P1363(Column::from_arrow(&signatures)?),
    /// )?;
    /// let reasons = Engine::builder().build()?.verify(&rows).reasons();
    /// assert_eq!((reasons["key-not-on-curve"], reasons["key-null"]), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] `arrow-type` for arrays of other types, and for dictionaries of dictionaries.
    pub fn from_arrow(array: &'a dyn Array) -> Result<Self, ShapeError> {
        let column = flat(array).or_else(|| dictionary(array)).ok_or_else(|| {
            let rule = "column: the array must hold bytes or text";
            ShapeError::new("arrow-type", format!("{rule}, not {}", array.data_type()))
        })?;
        Ok(with_nulls(column, array))
    }
}

impl Recovered {
    /// Returns the keys as an Arrow array, null where a row has no key. No key is copied.
    ///
    /// ```
    /// use arrow_array::{Array, FixedSizeBinaryArray};
    /// use sigmill::Algorithm;
    /// use sigmill::bulk::{Column, Engine, Inputs, RecoverRows};
    ///
    /// let digests = FixedSizeBinaryArray::try_from_iter([[1; 32], [2; 32]].iter())?;
    /// let signatures = FixedSizeBinaryArray::try_from_iter([[1; 65], [0; 65]].iter())?;
    /// let rows = RecoverRows::new(
    ///     Algorithm::ES256K,
    ///     Inputs::Digests(Column::from_arrow(&digests)?),
    ///     Column::from_arrow(&signatures)?,
    /// )?;
    /// let keys = Engine::builder().build()?.recover(&rows).into_arrow();
    /// assert_eq!((keys.len(), keys.null_count(), keys.value(0).len()), (2, 1, 65));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn into_arrow(self) -> FixedSizeBinaryArray {
        let len = self.key_len() as i32;
        let verdicts = self.verdicts().as_slice();
        let is_there: Vec<bool> = verdicts.iter().map(Result::is_ok).collect();
        let (_, keys, _) = UInt8Array::from(self.into_keys()).into_parts();
        FixedSizeBinaryArray::new(len, keys.into_inner(), Some(is_there.into()))
    }
}

/// Adds the array's validity to its column.
fn with_nulls<'a>(column: Column<'a>, array: &'a dyn Array) -> Column<'a> {
    match array.nulls() {
        Some(nulls) => column.with_validity(nulls.validity(), nulls.offset()),
        None => column,
    }
}

/// Returns the column of an array that holds its own values.
fn flat(array: &dyn Array) -> Option<Column<'_>> {
    if let Some(array) = array.as_binary_opt::<i32>() {
        return Some(Column::variable(array.value_data(), array.value_offsets()));
    }
    if let Some(array) = array.as_binary_opt::<i64>() {
        return Some(Column::variable(array.value_data(), array.value_offsets()));
    }
    if let Some(array) = array.as_string_opt::<i32>() {
        return Some(Column::variable(array.value_data(), array.value_offsets()));
    }
    if let Some(array) = array.as_string_opt::<i64>() {
        return Some(Column::variable(array.value_data(), array.value_offsets()));
    }
    if let Some(array) = array.as_fixed_size_binary_opt() {
        return Some(Column::fixed(array.value_data(), array.value_size()));
    }
    if let Some(array) = array.as_binary_view_opt() {
        return Some(Column::new(Values::BinaryView(array)));
    }
    if let Some(array) = array.as_string_view_opt() {
        return Some(Column::new(Values::StringView(array)));
    }
    let nulls = array.as_any().downcast_ref::<NullArray>()?;
    Some(Column::nulls(nulls.len()))
}

/// Returns the column of an array of indices into a flat one.
fn dictionary(array: &dyn Array) -> Option<Column<'_>> {
    fn of_type<'a, K: ArrowDictionaryKeyType>(array: &'a dyn Array) -> Option<Column<'a>>
    where
        K::Native: Integer,
    {
        let array = array.as_dictionary_opt::<K>()?;
        let values = array.values().as_ref();
        let values = with_nulls(flat(values)?, values);
        Some(values.dictionary(&array.keys().values()[..]))
    }
    of_type::<Int32Type>(array)
        .or_else(|| of_type::<Int8Type>(array))
        .or_else(|| of_type::<Int16Type>(array))
        .or_else(|| of_type::<Int64Type>(array))
        .or_else(|| of_type::<UInt8Type>(array))
        .or_else(|| of_type::<UInt16Type>(array))
        .or_else(|| of_type::<UInt32Type>(array))
        .or_else(|| of_type::<UInt64Type>(array))
}
