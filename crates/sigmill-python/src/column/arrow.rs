//! Arrow columns that Python passes by the PyCapsule interface.

use std::ffi::CStr;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use sigmill::bulk::Column;
use sigmill_arrow::{ArrayError, ArrowArray, ArrowSchema, Bytes, Fields, room};

use super::Kind;
use super::c_data::{ArrowStream, OwnedStruct, Struct};
use crate::errors;

/// A schema, and all arrays of a Python object that have it.
pub(crate) struct Arrow {
    schema: OwnedStruct<ArrowSchema>,
    chunks: Vec<OwnedStruct<ArrowArray>>,
}

/// One column of it.
pub(crate) struct Values<'a>(Shape<'a>);

enum Shape<'a> {
    /// The single array, as it is.
    One(Bytes<'a>),
    /// References to the values of several arrays.
    Slices(Vec<Option<&'a [u8]>>),
    /// The given number of rows, all null.
    Nulls(usize),
    /// The values of all dictionaries, and the index of each row's value.
    Dictionary(Vec<Option<&'a [u8]>>, Vec<u32>),
}

impl Arrow {
    /// Takes an object's schema and arrays; `None` if the object does not implement the interface.
    pub(crate) fn of(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        let refuse = |rule: String| errors::column(py, name, &rule);
        // Special methods are looked up on the class.
        let class = object.get_type();
        if class.hasattr(intern!(py, "__arrow_c_stream__"))? {
            let capsule = object.call_method0(intern!(py, "__arrow_c_stream__"))?;
            // SAFETY: a capsule of this name points to a stream.
            let stream = unsafe { take::<ArrowStream>(name, &capsule, c"arrow_array_stream") }?;
            let Some(mut stream) = stream else {
                return Err(refuse("the stream was already consumed".into()));
            };
            let schema = stream.schema().map_err(refuse)?;
            let mut chunks = vec![];
            while let Some(array) = stream.next().map_err(refuse)? {
                chunks.push(array);
                py.check_signals()?;
            }
            return Ok(Some(Self { schema, chunks }));
        }
        if class.hasattr(intern!(py, "__arrow_c_array__"))? {
            let capsules = object.call_method0(intern!(py, "__arrow_c_array__"))?;
            let Ok((schema, array)) = capsules.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()
            else {
                let rule = "__arrow_c_array__ must return two capsules";
                return Err(refuse(rule.into()));
            };
            // SAFETY: a capsule of this name points to a schema.
            let schema = unsafe { take::<ArrowSchema>(name, &schema, c"arrow_schema") }?;
            // SAFETY: a capsule of this name points to an array.
            let array = unsafe { take::<ArrowArray>(name, &array, c"arrow_array") }?;
            let (Some(schema), Some(array)) = (schema, array) else {
                return Err(refuse("the array was already consumed".into()));
            };
            let chunks = vec![array];
            return Ok(Some(Self { schema, chunks }));
        }
        Ok(None)
    }

    /// The values of the column: the arrays, or the only field of arrays that are structs.
    pub(super) fn values(&self, kind: Kind) -> Result<Values<'_>, String> {
        match self.fields()? {
            None => self.gather(|array| {
                // SAFETY: schema and array came through the interface, and were not released.
                unsafe { Bytes::read(&self.schema, array, &kind.accepted()) }
            }),
            Some(fields) if fields.count() == 1 => self.field(fields, 0, kind),
            Some(fields) => {
                let count = fields.count();
                Err(format!("must have one column, not {count}"))
            }
        }
    }

    /// The field of this name.
    pub(super) fn named(&self, name: &str, kind: Kind) -> Result<Values<'_>, String> {
        let fields = self.fields()?.ok_or("must be a table")?;
        let number = fields.find(name)?;
        let number = number.ok_or_else(|| format!("no column {name:?}"))?;
        self.field(fields, number, kind)
    }

    fn fields(&self) -> Result<Option<Fields<'_>>, String> {
        // SAFETY: the schema came through the interface, and was not released.
        Ok(unsafe { Fields::of(&self.schema) }?)
    }

    fn field<'a>(
        &'a self,
        fields: Fields<'a>,
        number: usize,
        kind: Kind,
    ) -> Result<Values<'a>, String> {
        self.gather(|array| {
            // SAFETY: the array came through the interface, and was not released.
            let rows = unsafe { fields.rows(array) }?;
            rows.column(number, &kind.accepted())
        })
    }

    /// The values of all arrays as one column. Several arrays need memory for each row; no value is
    /// copied.
    fn gather<'a>(
        &'a self,
        read: impl Fn(&'a ArrowArray) -> Result<Bytes<'a>, ArrayError>,
    ) -> Result<Values<'a>, String> {
        let mut chunks = room(self.chunks.len())?;
        for array in &self.chunks {
            chunks.push(read(array)?);
        }
        if chunks.len() == 1 {
            return Ok(Values(Shape::One(chunks.remove(0))));
        }
        chunks.retain(|chunk| chunk.rows() > 0);
        let rows = chunks.iter().map(Bytes::rows);
        let rows = rows.fold(0_usize, usize::saturating_add);
        if chunks.iter().all(Bytes::is_null) {
            return Ok(Values(Shape::Nulls(rows)));
        }
        let mut values = chunks.iter().map(Bytes::dictionary_len);
        let values = values.try_fold(0_usize, |sum, len| sum.checked_add(len?));
        // Otherwise the dictionaries are larger than what they save.
        let values = values.filter(|&len| len <= rows && u32::try_from(len).is_ok());
        let Some(len) = values else {
            let mut slices = room(rows)?;
            for chunk in &chunks {
                for row in 0..chunk.rows() {
                    slices.push(chunk.value(row)?);
                }
            }
            return Ok(Values(Shape::Slices(slices)));
        };
        // An extra entry without a value follows all values, for null rows.
        let mut slices = room(len + 1)?;
        let mut indices = room(rows)?;
        for chunk in &chunks {
            let first = slices.len();
            for at in 0..chunk.dictionary_len().unwrap_or(0) {
                slices.push(chunk.own_value(at)?);
            }
            for row in 0..chunk.rows() {
                indices.push(chunk.index(row)?.map_or(len, |at| first + at) as u32);
            }
        }
        slices.push(None);
        Ok(Values(Shape::Dictionary(slices, indices)))
    }
}

impl Values<'_> {
    /// The same as the library's type.
    pub(super) fn column(&self) -> Column<'_> {
        match &self.0 {
            Shape::One(bytes) => bytes.column(),
            Shape::Slices(values) => Column::optional_slices(values),
            Shape::Nulls(rows) => Column::nulls(*rows),
            Shape::Dictionary(values, indices) => {
                Column::optional_slices(values).dictionary(indices)
            }
        }
    }
}

impl<'a> Values<'a> {
    /// The value of each row, if memory suffices for the results of all rows.
    pub(super) fn slices(&self) -> Result<Vec<Option<&'a [u8]>>, String> {
        match &self.0 {
            Shape::One(bytes) => {
                drop(room::<[u8; 128]>(bytes.rows())?);
                let mut values = room(bytes.rows())?;
                for row in 0..bytes.rows() {
                    values.push(bytes.value(row)?);
                }
                Ok(values)
            }
            Shape::Slices(values) => Ok(values.clone()),
            Shape::Nulls(rows) => {
                drop(room::<[u8; 128]>(*rows)?);
                let mut values = room(*rows)?;
                values.resize(*rows, None);
                Ok(values)
            }
            Shape::Dictionary(values, indices) => {
                let mut slices = room(indices.len())?;
                slices.extend(indices.iter().map(|&index| values[index as usize]));
                Ok(slices)
            }
        }
    }
}

/// Takes what a capsule of this name points to; `None` if it was taken before.
///
/// # Safety
/// Capsules of this name must point to a `T`.
unsafe fn take<T: Struct>(
    column: &str,
    capsule: &Bound<'_, PyAny>,
    name: &'static CStr,
) -> PyResult<Option<OwnedStruct<T>>> {
    let pointer = capsule.cast::<PyCapsule>().ok();
    let pointer = pointer.and_then(|capsule| capsule.pointer_checked(Some(name)).ok());
    let place = pointer.ok_or_else(|| {
        let rule = format!("must be in capsules named {:?}", name.to_string_lossy());
        errors::column(capsule.py(), column, &rule)
    })?;
    // Threads that share a capsule take turns, even without the GIL.
    Ok(with_critical_section(capsule, || {
        // SAFETY: the caller guarantees the type; the capsule keeps the struct, and this thread
        // holds the capsule.
        unsafe { OwnedStruct::take(place) }
    }))
}
