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

#[cfg(test)]
mod tests {
    use std::ffi::{CStr, c_void};
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::sigmill_error;

    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn release_schema(_: *mut ArrowSchema) {
        RELEASED.fetch_add(1, Ordering::Relaxed);
    }

    unsafe extern "C" fn release_array(_: *mut ArrowArray) {
        RELEASED.fetch_add(1, Ordering::Relaxed);
    }

    fn schema(format: &'static CStr, name: &'static CStr) -> ArrowSchema {
        ArrowSchema {
            format: format.as_ptr(),
            name: name.as_ptr(),
            metadata: ptr::null(),
            flags: 2,
            n_children: 0,
            children: ptr::null(),
            dictionary: ptr::null(),
            release: Some(release_schema),
            private_data: ptr::null_mut(),
        }
    }

    fn array(length: i64, buffers: &[*const c_void]) -> ArrowArray {
        ArrowArray {
            length,
            null_count: -1,
            offset: 0,
            n_buffers: buffers.len() as i64,
            n_children: 0,
            buffers: buffers.as_ptr(),
            children: ptr::null(),
            dictionary: ptr::null(),
            release: Some(release_array),
            private_data: ptr::null_mut(),
        }
    }

    /// Three columns of three rows; `change` makes them what they are in a test.
    fn read(
        change: impl FnOnce(&mut [ArrowSchema; 4], &mut [ArrowArray; 4]),
    ) -> Result<usize, sigmill_error> {
        let (bytes, offsets) = (*b"aabbcc", [0_i32, 2, 4, 6]);
        let validity = [0b101_u8];
        let pointer = |of: *const u8| of.cast::<c_void>();
        let variable = [
            pointer(validity.as_ptr()),
            offsets.as_ptr().cast(),
            pointer(bytes.as_ptr()),
        ];
        let fixed = [ptr::null(), pointer(bytes.as_ptr())];
        let none = [ptr::null()];
        let mut schemas = [
            schema(c"+s", c""),
            schema(c"z", c"key"),
            schema(c"w:2", c"digest"),
            schema(c"z", c"signature"),
        ];
        let mut arrays = [
            array(3, &none),
            array(3, &variable),
            array(3, &fixed),
            array(3, &variable),
        ];
        let schema_children: Vec<_> = schemas[1..].iter().map(ptr::from_ref).collect();
        let array_children: Vec<_> = arrays[1..].iter().map(ptr::from_ref).collect();
        (schemas[0].n_children, arrays[0].n_children) = (3, 3);
        schemas[0].children = schema_children.as_ptr();
        arrays[0].children = array_children.as_ptr();
        change(&mut schemas, &mut arrays);
        // Again, as what was changed was borrowed.
        let schema_children: Vec<_> = schemas[1..].iter().map(ptr::from_ref).collect();
        let array_children: Vec<_> = arrays[1..].iter().map(ptr::from_ref).collect();
        schemas[0].children = schema_children.as_ptr();
        arrays[0].children = array_children.as_ptr();
        // SAFETY: the arrays are as their formats and lengths say, or are refused.
        let batch = unsafe { Batch::read(&schemas[0], &arrays[0]) };
        let batch = batch.map_err(|refusal| refusal.code)?;
        assert!(!batch.are_messages);
        Ok(batch.len)
    }

    #[test]
    fn batches_and_what_is_none() {
        assert_eq!(read(|_, _| {}), Ok(3));
        assert_eq!(
            read(|_, arrays| (arrays[0].offset, arrays[0].length) = (1, 2)),
            Ok(2)
        );
        let error =
            |change: fn(&mut [ArrowSchema; 4], &mut [ArrowArray; 4])| read(change).unwrap_err();
        assert_eq!(
            error(|s, _| s[0].release = None),
            SIGMILL_ERROR_ARROW_RELEASED
        );
        assert_eq!(
            error(|_, a| a[2].release = None),
            SIGMILL_ERROR_ARROW_RELEASED
        );
        assert_eq!(
            error(|s, _| s[0].format = c"z".as_ptr()),
            SIGMILL_ERROR_ARROW_FORMAT
        );
        assert_eq!(
            error(|s, _| s[1].format = c"i".as_ptr()),
            SIGMILL_ERROR_ARROW_FORMAT
        );
        assert_eq!(
            error(|s, _| s[1].format = ptr::null()),
            SIGMILL_ERROR_ARROW_FORMAT
        );
        assert_eq!(
            error(|s, _| s[2].format = c"w:0".as_ptr()),
            SIGMILL_ERROR_ARROW_FORMAT
        );
        assert_eq!(
            error(|s, _| s[2].name = c"other".as_ptr()),
            SIGMILL_ERROR_ARROW_COLUMNS
        );
        assert_eq!(
            error(|s, _| s[2].name = c"key".as_ptr()),
            SIGMILL_ERROR_ARROW_COLUMNS
        );
        assert_eq!(
            error(|_, a| a[0].n_children = 2),
            SIGMILL_ERROR_ARROW_CHILDREN
        );
        assert_eq!(
            error(|_, a| a[1].n_children = 1),
            SIGMILL_ERROR_ARROW_CHILDREN
        );
        assert_eq!(
            error(|_, a| a[1].n_buffers = 2),
            SIGMILL_ERROR_ARROW_BUFFERS
        );
        assert_eq!(
            error(|_, a| a[3].buffers = ptr::null()),
            SIGMILL_ERROR_ARROW_BUFFERS
        );
        assert_eq!(error(|_, a| a[1].length = 2), SIGMILL_ERROR_ARROW_LENGTH);
        assert_eq!(error(|_, a| a[1].length = -1), SIGMILL_ERROR_ARROW_LENGTH);
        assert_eq!(
            error(|_, a| a[0].offset = i64::MAX),
            SIGMILL_ERROR_ARROW_LENGTH
        );
        assert_eq!(error(|_, a| a[2].offset = -1), SIGMILL_ERROR_ARROW_LENGTH);
        // It is the caller who releases.
        assert_eq!(RELEASED.load(Ordering::Relaxed), 0);
    }
}
