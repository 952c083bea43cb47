//! Columns of values of one length in contiguous memory: NumPy arrays, and other objects with the
//! buffer protocol.
//!
//! The GIL does not keep writers away from an array while rows are judged. A length that is read
//! must not change before it is used. So only memory marked as read-only is read in place; other
//! memory is copied first, to a copy that nobody else has.

use std::slice;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyMemoryView;
use sigmill::bulk::Column;

use super::Kind;
use crate::errors;

/// Values of one length, concatenated.
pub(crate) struct Buffer {
    memory: Memory,
    rows: usize,
    width: usize,
}

enum Memory {
    ReadOnly(PyUntypedBuffer),
    Copy(PyBackedBytes),
}

impl Buffer {
    /// Takes an array of dtype S or V, or a two-dimensional array of bytes; `None` if the object
    /// does not implement the protocol.
    pub(super) fn of(name: &str, object: &Bound<'_, PyAny>, kind: Kind) -> PyResult<Option<Self>> {
        let py = object.py();
        let refuse = |rule: &str| errors::column(py, name, rule);
        let Ok(buffer) = PyUntypedBuffer::get(object) else {
            return Ok(None);
        };
        // The buffer of a masked NumPy array includes the masked values.
        if object.hasattr(intern!(py, "mask"))? {
            return Err(refuse(
                "must not be masked; use a list with None in masked rows",
            ));
        }
        let format = buffer.format().to_bytes().to_vec();
        let size = buffer.item_size();
        let (rows, width) = match (buffer.shape(), &format[..]) {
            (&[rows], b"B" | b"b") if kind == Kind::Ids => (rows, 1),
            (&[rows, width], b"B" | b"b") => (rows, width),
            // "65s", "65x", and NumPy's formats of a single byte.
            (&[rows], [digits @ .., b's' | b'x']) if digits.iter().all(u8::is_ascii_digit) => {
                (rows, size)
            }
            _ => {
                let format = String::from_utf8_lossy(&format);
                let wanted = kind.wanted();
                let rule = format!(
                    "must be {wanted}: a NumPy array of dtype S or V, or of uint8 with two \
                     dimensions, not of format {format:?} with {}",
                    buffer.dimensions()
                );
                return Err(refuse(&rule));
            }
        };
        if !buffer.is_c_contiguous() {
            return Err(refuse("must be contiguous (see numpy.ascontiguousarray)"));
        }
        if rows.checked_mul(width) != Some(buffer.len_bytes()) {
            return Err(refuse("the shape must match the memory"));
        }
        if width == 0 && rows > 0 {
            return Err(refuse("values of fixed length must have at least one byte"));
        }
        let memory = match buffer.readonly() {
            true => Memory::ReadOnly(buffer),
            false => {
                // The interpreter copies, as in `bytes(array)`, under its own locks.
                let view = PyMemoryView::from(object)?;
                let copy: PyBackedBytes = view.call_method0(intern!(py, "tobytes"))?.extract()?;
                if copy.len() != rows * width {
                    return Err(refuse("the memory changed its length"));
                }
                Memory::Copy(copy)
            }
        };
        Ok(Some(Self {
            memory,
            rows,
            width,
        }))
    }

    /// The same as the library's type.
    pub(super) fn column(&self) -> Column<'_> {
        match self.bytes() {
            [] => Column::slices(&[]),
            bytes => Column::fixed(bytes, self.width),
        }
    }

    /// The value of each row.
    pub(super) fn slices(&self) -> Vec<Option<&[u8]>> {
        let values = self.bytes().chunks_exact(self.width.max(1));
        values.map(Some).collect()
    }

    fn bytes(&self) -> &[u8] {
        let buffer = match &self.memory {
            Memory::ReadOnly(buffer) => buffer,
            Memory::Copy(bytes) => return bytes,
        };
        let begin = buffer.buf_ptr().cast::<u8>().cast_const();
        if self.rows == 0 || begin.is_null() {
            return &[];
        }
        // SAFETY: the memory is pinned while the buffer exists, and has the length that it reports.
        // It is marked as read-only; the documentation requires callers not to write to it in
        // another way during a call.
        unsafe { slice::from_raw_parts(begin, self.rows * self.width) }
    }
}
