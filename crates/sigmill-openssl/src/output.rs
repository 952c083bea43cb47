//! Output of signatures.

use std::ffi::c_uchar;
use std::ptr;

use crate::provider::Reason;

/// The place for a signature.
pub(crate) struct Output {
    pub(crate) first: *mut c_uchar,
    pub(crate) length: *mut usize,
    pub(crate) size: usize,
}

impl Output {
    /// Writes a signature. If `first` is null, writes only the length of the longest one.
    ///
    /// # Safety
    /// `first` is null or can be written for `size` bytes, and `length` is null or can be written.
    pub(crate) unsafe fn fill(
        &self,
        provider_error: impl FnOnce(Reason),
        max_len: Option<usize>,
        sign: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<()> {
        let max_len = max_len?;
        // SAFETY: the caller guarantees this; a null pointer becomes `None`.
        let length = unsafe { self.length.as_mut() }?;
        if self.first.is_null() {
            *length = max_len;
            return Some(());
        }
        if self.size < max_len {
            provider_error(Reason::OutputTooSmall);
            return None;
        }
        let signature = sign()?;
        debug_assert!(signature.len() <= max_len);
        // SAFETY: the caller guarantees this; no signature is longer than `max_len`.
        unsafe { ptr::copy_nonoverlapping(signature.as_ptr(), self.first, signature.len()) };
        *length = signature.len();
        Some(())
    }
}
