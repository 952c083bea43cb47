//! The columns of structs, as which tables come.

use std::ffi::CStr;

use crate::abi::{ArrowArray, ArrowSchema};
use crate::buffers::{Part, Source, count, format_of, is_there};
use crate::bytes::{Accepted, Bytes};
use crate::error::ErrorKind::{Children, Columns, Nulls, Released};
use crate::error::{ArrayError, room};

/// The columns that a schema has, whose type is a struct.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    schema: &'a ArrowSchema,
    count: usize,
}

/// The rows of a struct, none of which is null as a whole.
#[derive(Debug)]
pub struct StructRows<'a> {
    columns: Vec<(&'a ArrowSchema, &'a ArrowArray)>,
    rows: Part,
}

impl<'a> Fields<'a> {
    /// The columns of a schema; none if its type is not a struct.
    ///
    /// # Errors
    /// The rule that the schema breaks.
    ///
    /// # Safety
    /// As of [`Bytes::read`], of this schema and of all that it points to.
    pub unsafe fn of(schema: &'a ArrowSchema) -> Result<Option<Self>, ArrayError> {
        if schema.release.is_none() {
            return Err(ArrayError::new(Released, "the schema was released"));
        }
        // SAFETY: as the caller says.
        if unsafe { format_of(schema) }? != b"+s" {
            return Ok(None);
        }
        let count = count(Children, schema.n_children, "columns")?;
        Ok(Some(Self { schema, count }))
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of the column with this name, if there is one. A column without a name has none.
    ///
    /// # Errors
    /// [`ErrorKind::Columns`](crate::ErrorKind::Columns) where there are several.
    pub fn find(&self, name: &str) -> Result<Option<usize>, ArrayError> {
        let mut found = None;
        for number in 0..self.count {
            let column = self.schema(number)?;
            // SAFETY: a name that is there ends with a zero byte (`of`).
            let is_named = !column.name.is_null()
                && unsafe { CStr::from_ptr(column.name) }.to_bytes() == name.as_bytes();
            if is_named && found.replace(number).is_some() {
                let rule = format!("there must be one column {name:?}");
                return Err(ArrayError::new(Columns, rule));
            }
        }
        Ok(found)
    }

    fn schema(&self, number: usize) -> Result<&'a ArrowSchema, ArrayError> {
        assert!(number < self.count, "there are {} columns", self.count);
        // SAFETY: there are as many pointers as the schema says (`of`).
        unsafe { child(self.schema.children, number, "columns of the schema") }
    }

    /// The rows of an array that has this schema.
    ///
    /// # Errors
    /// The rule that the array breaks.
    ///
    /// # Safety
    /// As of [`Bytes::read`], of this array and of all that it points to.
    pub unsafe fn rows(&self, array: &'a ArrowArray) -> Result<StructRows<'a>, ArrayError> {
        let rows = Part::of(array)?;
        // SAFETY: as the caller says; a struct has one buffer.
        let validity = unsafe { Source::new(array, rows, 1..=1) }?.validity()?;
        if let Some(row) = (0..rows.len).find(|&row| !is_there(validity, row)) {
            let rule = format!("row {row} must not be null as a whole");
            return Err(ArrayError::new(Nulls, rule));
        }
        if array.n_children != self.schema.n_children {
            let rule = "schema and array must have as many columns";
            return Err(ArrayError::new(Children, rule));
        }
        let mut columns = room(self.count)?;
        for number in 0..self.count {
            let schema = self.schema(number)?;
            // SAFETY: as the caller says; there are as many pointers as the array says.
            let array = unsafe { child(array.children, number, "columns") }?;
            columns.push((schema, array));
        }
        Ok(StructRows { columns, rows })
    }
}

impl<'a> StructRows<'a> {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.rows.len
    }

    /// The column with this number, below [`Fields::count`].
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn column(&self, number: usize, accepted: &Accepted) -> Result<Bytes<'a>, ArrayError> {
        let (schema, array) = self.columns[number];
        let part = Part::of(array)?.narrow(self.rows)?;
        // SAFETY: as the caller of `Fields::of` and `Fields::rows` says.
        unsafe { Bytes::part(schema, array, part, accepted) }
    }
}

/// What one of some pointers points to.
///
/// # Safety
/// If they are not NULL, there are more pointers than that, to structs that live during `'a`, or
/// NULL.
unsafe fn child<'a, T>(
    children: *const *const T,
    number: usize,
    what: &str,
) -> Result<&'a T, ArrayError> {
    let wrong = |rule| ArrayError::new(Children, format!("the {what} must be {rule}"));
    if children.is_null() || !children.is_aligned() {
        return Err(wrong("there"));
    }
    // SAFETY: as the caller says.
    let child = unsafe { *children.add(number) };
    if child.is_null() || !child.is_aligned() {
        return Err(wrong("there, each of them, and aligned"));
    }
    // SAFETY: the same.
    Ok(unsafe { &*child })
}
