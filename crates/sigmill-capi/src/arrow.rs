//! Record batches of Arrow as rows to verify. Crate sigmill-arrow reads them by the Arrow C Data
//! Interface.

use sigmill_arrow::{Accepted, ArrayError, Bytes, ErrorKind, Fields};
pub use sigmill_arrow::{ArrowArray, ArrowSchema};

use crate::error::*;
use crate::rows::Refusal;

/// The types that columns may have.
const ACCEPTED: Accepted = Accepted {
    text: true,
    integers: false,
    nulls: false,
    name: "bytes or text",
};

/// The columns of rows.
pub(crate) struct Batch<'a> {
    pub(crate) len: usize,
    pub(crate) are_messages: bool,
    pub(crate) keys: Bytes<'a>,
    pub(crate) inputs: Bytes<'a>,
    pub(crate) signatures: Bytes<'a>,
}

/// Returns the rule that a column breaks.
fn refuse(column: &str, error: &ArrayError) -> Refusal {
    let code = match error.kind {
        ErrorKind::Released => SIGMILL_ERROR_ARROW_RELEASED,
        ErrorKind::Format => SIGMILL_ERROR_ARROW_FORMAT,
        ErrorKind::Columns => SIGMILL_ERROR_ARROW_COLUMNS,
        ErrorKind::Children => SIGMILL_ERROR_ARROW_CHILDREN,
        ErrorKind::Buffers => SIGMILL_ERROR_ARROW_BUFFERS,
        ErrorKind::Length => SIGMILL_ERROR_ARROW_LENGTH,
        ErrorKind::Nulls => SIGMILL_ERROR_ARROW_NULLS,
        ErrorKind::Memory => SIGMILL_ERROR_MEMORY_UNAVAILABLE,
    };
    Refusal::new(code, format!("{column}: {}", error.rule))
}

impl<'a> Batch<'a> {
    /// Reads a struct array.
    ///
    /// # Safety
    /// Schema and array obey the Arrow C Data Interface in what cannot be checked: strings end with
    /// a zero byte, and arrays have the lengths stated next to them.
    pub(crate) unsafe fn read(
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
    ) -> Result<Self, Refusal> {
        let wrong = |error| refuse("rows", &error);
        // SAFETY: the caller guarantees this.
        let Some(fields) = unsafe { Fields::of(schema) }.map_err(wrong)? else {
            let rule = "rows: the format must be +s, a struct";
            return Err(Refusal::new(SIGMILL_ERROR_ARROW_FORMAT, rule.into()));
        };
        // SAFETY: the caller guarantees this.
        let rows = unsafe { fields.rows(array) }.map_err(wrong)?;

        let find = |name| fields.find(name).map_err(|error| refuse(name, &error));
        let need = |name| {
            let missing = || format!("{name}: the column is missing");
            find(name)?.ok_or_else(|| Refusal::new(SIGMILL_ERROR_ARROW_COLUMNS, missing()))
        };
        let read = |name, number| {
            let column = rows.column(number, &ACCEPTED);
            column.map_err(|error| refuse(name, &error))
        };
        let (are_messages, inputs) = match (find("message")?, find("digest")?) {
            (Some(number), None) => (true, read("message", number)?),
            (None, Some(number)) => (false, read("digest", number)?),
            _ => {
                let rule = "rows: exactly one of the columns message and digest must be present";
                return Err(Refusal::new(SIGMILL_ERROR_ARROW_COLUMNS, rule.into()));
            }
        };
        Ok(Self {
            len: rows.count(),
            are_messages,
            keys: read("key", need("key")?)?,
            inputs,
            signatures: read("signature", need("signature")?)?,
        })
    }
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

    /// Reads three columns of three rows, after `change` has adapted them to the test.
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
        // The pointers again, as `change` borrowed what they point to.
        let schema_children: Vec<_> = schemas[1..].iter().map(ptr::from_ref).collect();
        let array_children: Vec<_> = arrays[1..].iter().map(ptr::from_ref).collect();
        schemas[0].children = schema_children.as_ptr();
        arrays[0].children = array_children.as_ptr();
        // SAFETY: the arrays match their formats and lengths, or are rejected.
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
        // Only the caller releases.
        assert_eq!(RELEASED.load(Ordering::Relaxed), 0);
    }
}
