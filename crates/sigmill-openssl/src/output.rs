//! Where signatures are put.

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
    /// Puts a signature there. Where there is no place, the answer is how long one may be.
    ///
    /// # Safety
    /// `first` is null, or the place can be written in its size; so can the one for the length.
    pub(crate) unsafe fn fill(
        &self,
        provider_error: impl FnOnce(Reason),
        max_len: Option<usize>,
        sign: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<()> {
        let max_len = max_len?;
        // SAFETY: as the caller says; a null pointer is `None`.
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
        // SAFETY: as the caller says; no signature is longer than the longest.
        unsafe { ptr::copy_nonoverlapping(signature.as_ptr(), self.first, signature.len()) };
        *length = signature.len();
        Some(())
    }
}
