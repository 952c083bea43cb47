//! A record batch as rows to verify.

use std::ffi::CStr;
use std::slice;

use super::abi::{ArrowArray, ArrowSchema};
use super::array::Bytes;
use super::source::{Part, format_of, refuse};
use crate::error::sigmill_error::*;
use crate::rows::Refusal;

/// The columns of rows.
pub(crate) struct Batch<'a> {
    pub(crate) len: usize,
    pub(crate) are_messages: bool,
    pub(crate) keys: Bytes<'a>,
    pub(crate) inputs: Bytes<'a>,
    pub(crate) signatures: Bytes<'a>,
}

/// A child of the struct, with its name.
type Child<'a> = (&'a [u8], &'a ArrowSchema, &'a ArrowArray);

impl<'a> Batch<'a> {
    /// Reads a struct array.
    ///
    /// # Safety
    /// Schema and array are as the Arrow C Data Interface wants them, as far as it cannot be seen:
    /// texts end with a zero byte, and arrays have the length that is said beside them.
    pub(crate) unsafe fn read(
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
    ) -> Result<Self, Refusal> {
        if schema.release.is_none() || array.release.is_none() {
            return Err(SIGMILL_ERROR_ARROW_RELEASED.into());
        }
        // SAFETY: as the caller says.
        let format = unsafe { format_of("rows", schema) }?;
        if format != b"+s" {
            let rule = "the format must be +s, a struct";
            return Err(refuse(SIGMILL_ERROR_ARROW_FORMAT, "rows", rule));
        }
        // SAFETY: as the caller says.
        let rows = unsafe { Part::of_struct(array) }?;
        // SAFETY: as the caller says.
        let children = unsafe { children(schema, array) }?;

        let find = |name: &'static str| -> Result<Option<Child<'a>>, Refusal> {
            let mut found = children.iter().filter(|child| child.0 == name.as_bytes());
            match (found.next(), found.next()) {
                (child, None) => Ok(child.copied()),
                (_, Some(_)) => {
                    let rule = "there must be one column of this name";
                    Err(refuse(SIGMILL_ERROR_ARROW_COLUMNS, name, rule))
                }
            }
        };
        let need = |name: &'static str| {
            let missing = || refuse(SIGMILL_ERROR_ARROW_COLUMNS, name, "the column is missing");
            find(name)?.ok_or_else(missing)
        };
        let read = |name: &'static str, (_, schema, array): Child<'a>| {
            // SAFETY: as the caller says.
            unsafe { Bytes::read(name, schema, array, rows) }
        };
        let (are_messages, inputs) = match (find("message")?, find("digest")?) {
            (Some(child), None) => (true, read("message", child)?),
            (None, Some(child)) => (false, read("digest", child)?),
            _ => {
                let rule = "there must be a column message or a column digest, and not both";
                return Err(refuse(SIGMILL_ERROR_ARROW_COLUMNS, "rows", rule));
            }
        };
        Ok(Self {
            len: rows.len,
            are_messages,
            keys: read("key", need("key")?)?,
            inputs,
            signatures: read("signature", need("signature")?)?,
        })
    }
}

/// The children of a struct.
///
/// # Safety
/// As of [`Batch::read`].
unsafe fn children<'a>(
    schema: &'a ArrowSchema,
    array: &'a ArrowArray,
) -> Result<Vec<Child<'a>>, Refusal> {
    let wrong = |rule| refuse(SIGMILL_ERROR_ARROW_CHILDREN, "rows", rule);
    if schema.n_children != array.n_children {
        return Err(wrong("schema and array must have as many children"));
    }
    let count = usize::try_from(array.n_children);
    let count = count.map_err(|_| wrong("the number of children must not be negative"))?;
    if count == 0 {
        return Ok(vec![]);
    }
    if schema.children.is_null() || array.children.is_null() {
        return Err(wrong("the children must not be NULL"));
    }
    if count > isize::MAX as usize / size_of::<*const ArrowArray>() {
        return Err(wrong("there must be memory for the children"));
    }
    // SAFETY: as the caller says; so many pointers can be memory.
    let schemas = unsafe { slice::from_raw_parts(schema.children, count) };
    // SAFETY: the same.
    let arrays = unsafe { slice::from_raw_parts(array.children, count) };
    let mut children = vec![];
    for (schema, array) in schemas.iter().zip(arrays) {
        // SAFETY: as the caller says; NULL is looked at.
        let (schema, array) = unsafe { (schema.as_ref(), array.as_ref()) };
        let (Some(schema), Some(array)) = (schema, array) else {
            return Err(wrong("a child must not be NULL"));
        };
        // A column without a name is none of ours.
        if !schema.name.is_null() {
            // SAFETY: as the caller says.
            let name = unsafe { CStr::from_ptr(schema.name) };
            children.push((name.to_bytes(), schema, array));
        }
    }
    Ok(children)
}
