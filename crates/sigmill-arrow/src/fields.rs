//! The columns of a struct, as tables pass them.

use std::ffi::CStr;

use crate::abi::{ArrowArray, ArrowSchema};
use crate::buffers::{Part, Source, count, format_of, is_there};
use crate::bytes::{Accepted, Bytes};
use crate::error::ErrorKind::{Children, Columns, Nulls, Released};
use crate::error::{ArrayError, room};

/// The columns of a schema whose type is a struct.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    schema: &'a ArrowSchema,
    count: usize,
}

/// The rows of a struct, none of them wholly null.
#[derive(Debug)]
pub struct StructRows<'a> {
    columns: Vec<(&'a ArrowSchema, &'a ArrowArray)>,
    rows: Part,
}

impl<'a> Fields<'a> {
    /// Returns the columns of a schema, or `None` if its type is not a struct.
    ///
    /// # Errors
    /// The rule that the schema breaks.
    ///
    /// # Safety
    /// That of [`Bytes::read`], for this schema and everything that it points to.
    pub unsafe fn of(schema: &'a ArrowSchema) -> Result<Option<Self>, ArrayError> {
        if schema.release.is_none() {
            return Err(ArrayError::new(Released, "the schema was released"));
        }
        // SAFETY: the caller guarantees this.
        if unsafe { format_of(schema) }? != b"+s" {
            return Ok(None);
        }
        let count = count(Children, schema.n_children, "columns")?;
        Ok(Some(Self { schema, count }))
    }

    /// Returns the number of columns.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of the column with this name, if it exists. Columns may have no name.
    ///
    /// # Errors
    /// [`ErrorKind::Columns`](crate::ErrorKind::Columns) if there are several.
    pub fn find(&self, name: &str) -> Result<Option<usize>, ArrayError> {
        let mut found = None;
        for number in 0..self.count {
            let column = self.schema(number)?;
            // SAFETY: a name that is not NULL ends with a zero byte (`of`).
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
        // SAFETY: there are as many pointers as the schema states (`of`).
        unsafe { child(self.schema.children, number, "columns of the schema") }
    }

    /// Returns the rows of an array that has this schema.
    ///
    /// # Errors
    /// The rule that the array breaks.
    ///
    /// # Safety
    /// That of [`Bytes::read`], for this array and everything that it points to.
    pub unsafe fn rows(&self, array: &'a ArrowArray) -> Result<StructRows<'a>, ArrayError> {
        let rows = Part::of(array)?;
        // SAFETY: the caller guarantees this; a struct has one buffer.
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
            // SAFETY: the caller guarantees this; there are as many pointers as the array states.
            let array = unsafe { child(array.children, number, "columns") }?;
            columns.push((schema, array));
        }
        Ok(StructRows { columns, rows })
    }
}

impl<'a> StructRows<'a> {
    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows.len
    }

    /// Returns the column with this number, which is below [`Fields::count`].
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn column(&self, number: usize, accepted: &Accepted) -> Result<Bytes<'a>, ArrayError> {
        let (schema, array) = self.columns[number];
        let part = Part::of(array)?.narrow(self.rows)?;
        // SAFETY: the callers of `Fields::of` and `Fields::rows` guarantee this.
        unsafe { Bytes::part(schema, array, part, accepted) }
    }
}

/// Returns the child with this number.
///
/// # Safety
/// `children` is NULL, or there are more than `number` pointers, each NULL or to a struct that
/// lives during `'a`.
unsafe fn child<'a, T>(
    children: *const *const T,
    number: usize,
    what: &str,
) -> Result<&'a T, ArrayError> {
    let wrong = |rule| ArrayError::new(Children, format!("the {what} must be {rule}"));
    if children.is_null() || !children.is_aligned() {
        return Err(wrong("there"));
    }
    // SAFETY: the caller guarantees this.
    let child = unsafe { *children.add(number) };
    if child.is_null() || !child.is_aligned() {
        return Err(wrong("there, each of them, and aligned"));
    }
    // SAFETY: as above.
    Ok(unsafe { &*child })
}
