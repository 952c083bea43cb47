//! Arrays of parameters, to read and to answer.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::{ptr, slice};

use zeroize::Zeroizing;

use crate::abi::{
    OSSL_PARAM_INTEGER, OSSL_PARAM_OCTET_PTR, OSSL_PARAM_OCTET_STRING, OSSL_PARAM_UNMODIFIED,
    OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_UTF8_PTR, OSSL_PARAM_UTF8_STRING, OsslParam,
};

/// The end of an array.
pub(crate) const END: OsslParam = OsslParam {
    key: ptr::null(),
    data_type: 0,
    data: ptr::null_mut(),
    data_size: 0,
    return_size: 0,
};

/// An entry of a list of the available parameters.
pub(crate) const fn described(key: &'static CStr, data_type: c_uint) -> OsslParam {
    OsslParam {
        key: key.as_ptr(),
        data_type,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: OSSL_PARAM_UNMODIFIED,
    }
}

/// A parameter with its value, to read while the value exists.
pub(crate) const fn given<T>(key: &'static CStr, data_type: c_uint, value: &[T]) -> OsslParam {
    OsslParam {
        key: key.as_ptr(),
        data_type,
        data: value.as_ptr().cast_mut().cast(),
        data_size: size_of_val(value),
        return_size: OSSL_PARAM_UNMODIFIED,
    }
}

/// An array of parameters that were passed to us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassedParams<'a> {
    first: *const OsslParam,
    borrowed: PhantomData<&'a OsslParam>,
}

/// One parameter that was passed to us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a>(&'a OsslParam);

impl<'a> PassedParams<'a> {
    /// # Safety
    /// `first` is null, or the start of an array that ends with a null key. The array and
    /// everything that it points to are valid and unchanged for `'a`.
    pub(crate) unsafe fn new(first: *const OsslParam) -> Self {
        Self {
            first,
            borrowed: PhantomData,
        }
    }

    /// Returns the first parameter with this name.
    pub(crate) fn get(self, name: &CStr) -> Option<Value<'a>> {
        let mut at = self.first;
        if at.is_null() {
            return None;
        }
        loop {
            // SAFETY: `new` requires that the array extends to its end.
            let param: &'a OsslParam = unsafe { &*at };
            if param.key.is_null() {
                return None;
            }
            // SAFETY: keys are strings.
            if unsafe { CStr::from_ptr(param.key) } == name {
                return Some(Value(param));
            }
            at = at.wrapping_add(1);
        }
    }
}

impl<'a> Value<'a> {
    fn bytes(self) -> Option<&'a [u8]> {
        let Self(param) = self;
        // Null is not even an empty value: OpenSSL refuses it, too.
        if param.data.is_null() {
            return None;
        }
        // SAFETY: `PassedParams::new` requires that the value exists with this length.
        Some(unsafe { slice::from_raw_parts(param.data.cast_const().cast(), param.data_size) })
    }

    /// Returns the text of a string, up to the first zero byte, or `None` for another type or
    /// encoding.
    pub(crate) fn text(self) -> Option<&'a str> {
        let bytes = match self.0.data_type {
            OSSL_PARAM_UTF8_STRING => self.bytes()?,
            OSSL_PARAM_UTF8_PTR if !self.0.data.is_null() => {
                // SAFETY: a value of this type is a pointer to a string.
                let text = unsafe { self.0.data.cast::<*const c_char>().read_unaligned() };
                if text.is_null() {
                    return None;
                }
                // SAFETY: as above.
                unsafe { CStr::from_ptr(text) }.to_bytes()
            }
            _ => return None,
        };
        let end = bytes.iter().position(|&byte| byte == 0);
        str::from_utf8(&bytes[..end.unwrap_or(bytes.len())]).ok()
    }

    /// Returns true if there are no bytes.
    pub(crate) fn is_empty(self) -> bool {
        self.0.data.is_null() || self.0.data_size == 0
    }

    /// Returns the bytes of an octet string, or `None` for another type.
    pub(crate) fn octets(self) -> Option<&'a [u8]> {
        match self.0.data_type {
            OSSL_PARAM_OCTET_STRING => self.bytes(),
            _ => None,
        }
    }

    /// Returns an unsigned integer as `length` bytes, big-endian, or `None` if it is longer or of
    /// another type. Constant time, except for its length. The copy is wiped when it is dropped.
    pub(crate) fn big_endian(self, length: usize) -> Option<Zeroizing<Vec<u8>>> {
        if self.0.data_type != OSSL_PARAM_UNSIGNED_INTEGER {
            return None;
        }
        let bytes = self.bytes()?;
        let mut integer = Zeroizing::new(vec![0; length]);
        let mut beyond = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            let place = if cfg!(target_endian = "little") {
                i
            } else {
                bytes.len() - 1 - i
            };
            match length.checked_sub(place + 1) {
                Some(place) => integer[place] = byte,
                None => beyond |= byte,
            }
        }
        (beyond == 0).then_some(integer)
    }

    /// Returns an integer of up to 15 bytes. One that was parsed from text has as few as possible.
    pub(crate) fn signed(self) -> Option<i128> {
        let bytes = self.bytes()?;
        let is_signed = match self.0.data_type {
            OSSL_PARAM_INTEGER => true,
            OSSL_PARAM_UNSIGNED_INTEGER => false,
            _ => return None,
        };
        if bytes.is_empty() || bytes.len() > 15 {
            return None;
        }
        let mut integer = bytes.to_vec();
        if cfg!(target_endian = "big") {
            integer.reverse();
        }
        let is_negative = is_signed && integer[integer.len() - 1] & 0x80 != 0;
        integer.resize(16, if is_negative { 0xff } else { 0 });
        Some(i128::from_le_bytes(integer.try_into().ok()?))
    }

    /// Returns [`signed`](Self::signed) if it is not negative and fits.
    pub(crate) fn number(self) -> Option<usize> {
        self.signed()?.try_into().ok()
    }
}

/// An array of parameters that are queried.
#[derive(Debug)]
pub(crate) struct QueriedParams<'a> {
    first: *mut OsslParam,
    borrowed: PhantomData<&'a mut OsslParam>,
}

impl QueriedParams<'_> {
    /// # Safety
    /// `first` is null, or the start of an array that ends with a null key. Its places can be
    /// written in the lengths stated there, for the lifetime.
    pub(crate) unsafe fn new(first: *mut OsslParam) -> Self {
        Self {
            first,
            borrowed: PhantomData,
        }
    }

    fn get(&mut self, name: &CStr) -> Option<&mut OsslParam> {
        let mut at = self.first;
        if at.is_null() {
            return None;
        }
        loop {
            // SAFETY: `new` requires that the array extends to its end and can be written.
            let param = unsafe { &mut *at };
            if param.key.is_null() {
                return None;
            }
            // SAFETY: keys are strings.
            if unsafe { CStr::from_ptr(param.key) } == name {
                return Some(param);
            }
            at = at.wrapping_add(1);
        }
    }

    /// Returns true if this parameter is queried.
    pub(crate) fn has(&mut self, name: &CStr) -> bool {
        self.get(name).is_some()
    }

    /// Answers with a number if this parameter is queried. Returns `false` if it does not fit.
    pub(crate) fn number(&mut self, name: &CStr, value: u32) -> bool {
        self.integer(name, value.into())
    }

    /// Answers with a number of bytes if this parameter is queried. Returns `false` if it does not
    /// fit.
    pub(crate) fn size(&mut self, name: &CStr, value: usize) -> bool {
        self.integer(name, value as u64)
    }

    fn integer(&mut self, name: &CStr, value: u64) -> bool {
        let Some(param) = self.get(name) else {
            return true;
        };
        let bits = match param.data_type {
            OSSL_PARAM_INTEGER => 8 * param.data_size.max(4) - 1,
            OSSL_PARAM_UNSIGNED_INTEGER => 8 * param.data_size.max(4),
            _ => return false,
        };
        let fits = bits >= 64 || value >> bits == 0;
        match param.data_size {
            4 if fits => put(param, &(value as u32).to_ne_bytes()),
            8 if fits => put(param, &value.to_ne_bytes()),
            _ if param.data.is_null() => put(param, &value.to_ne_bytes()),
            _ => false,
        }
    }

    /// Answers with a text if this parameter is queried. Returns `false` if it does not fit.
    pub(crate) fn text(&mut self, name: &CStr, value: &'static CStr) -> bool {
        let Some(param) = self.get(name) else {
            return true;
        };
        match param.data_type {
            OSSL_PARAM_UTF8_PTR => {
                param.return_size = value.count_bytes();
                if !param.data.is_null() {
                    let place = param.data.cast::<*const c_char>();
                    // SAFETY: a place of this type is for a pointer.
                    unsafe { place.write_unaligned(value.as_ptr()) };
                }
                true
            }
            OSSL_PARAM_UTF8_STRING => {
                let with_zero = value.to_bytes_with_nul();
                let fits = with_zero.len() <= param.data_size;
                let bytes = if fits { with_zero } else { value.to_bytes() };
                let is_put = put(param, bytes);
                param.return_size = value.count_bytes();
                is_put
            }
            _ => false,
        }
    }

    /// Answers with bytes, or with a pointer to them if the place is for one, if this parameter is
    /// queried. Returns `false` if they do not fit.
    pub(crate) fn octets_where_they_are(&mut self, name: &CStr, value: &[u8]) -> bool {
        let Some(param) = self.get(name) else {
            return true;
        };
        if param.data_type != OSSL_PARAM_OCTET_PTR {
            return self.octets(name, value);
        }
        param.return_size = value.len();
        if !param.data.is_null() {
            let first = if value.is_empty() {
                ptr::null()
            } else {
                value.as_ptr()
            };
            // SAFETY: a place of this type is for a pointer.
            unsafe { param.data.cast::<*const u8>().write_unaligned(first) };
        }
        true
    }

    /// Answers with bytes if this parameter is queried. Returns `false` if they do not fit.
    pub(crate) fn octets(&mut self, name: &CStr, value: &[u8]) -> bool {
        match self.get(name) {
            None => true,
            Some(param) => param.data_type == OSSL_PARAM_OCTET_STRING && put(param, value),
        }
    }
}

/// Writes bytes into a place, or only their length if there is no place.
fn put(param: &mut OsslParam, bytes: &[u8]) -> bool {
    param.return_size = bytes.len();
    if param.data.is_null() {
        return true;
    }
    if param.data_size < bytes.len() {
        return false;
    }
    let place: *mut u8 = param.data.cast::<c_void>().cast();
    // SAFETY: `QueriedParams::new` requires that the place can be written in its length, which was
    // checked.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_any_length() {
        let read = |data_type, bytes: &[u8]| {
            let param = OsslParam {
                key: c"n".as_ptr(),
                data_type,
                data: bytes.as_ptr().cast_mut().cast(),
                data_size: bytes.len(),
                return_size: 0,
            };
            let value = Value(&param);
            (value.signed(), value.number())
        };
        let (signed, unsigned) = (OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER);
        assert_eq!(read(signed, &[1]), (Some(1), Some(1)));
        assert_eq!(read(signed, &[0xff]), (Some(-1), None));
        assert_eq!(read(unsigned, &[0xff]), (Some(255), Some(255)));
        assert_eq!(read(signed, &(-1_i32).to_ne_bytes()), (Some(-1), None));
        assert_eq!(
            read(unsigned, &300_u16.to_ne_bytes()),
            (Some(300), Some(300))
        );
        assert_eq!(
            read(unsigned, &u64::MAX.to_ne_bytes()),
            (Some(u64::MAX.into()), u64::MAX.try_into().ok())
        );
        for wrong in [&[][..], &[0; 16]] {
            assert_eq!(read(signed, wrong), (None, None));
        }
        assert_eq!(read(OSSL_PARAM_OCTET_STRING, &[1]), (None, None));
    }

    #[test]
    fn numbers_go_where_they_fit() {
        let answer = |data_type, size, value| {
            let mut place = [0_u8; 16];
            let mut params = [
                OsslParam {
                    key: c"n".as_ptr(),
                    data_type,
                    data: place.as_mut_ptr().cast(),
                    data_size: size,
                    return_size: OSSL_PARAM_UNMODIFIED,
                },
                END,
            ];
            // SAFETY: the array has one parameter and its end, with a place of that size.
            let is_put = unsafe { QueriedParams::new(params.as_mut_ptr()) }.size(c"n", value);
            is_put.then(|| place[..params[0].return_size].to_vec())
        };
        let (signed, unsigned) = (OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER);
        let (short, long) = (
            |n: u32| n.to_ne_bytes().to_vec(),
            |n: u64| n.to_ne_bytes().to_vec(),
        );
        assert_eq!(answer(unsigned, 4, 0xffff_ffff), Some(short(u32::MAX)));
        assert_eq!(answer(unsigned, 4, 1 << 32), None);
        assert_eq!(answer(unsigned, 8, 1 << 32), Some(long(1 << 32)));
        assert_eq!(answer(signed, 4, 0x7fff_ffff), Some(short(0x7fff_ffff)));
        assert_eq!(answer(signed, 4, 1 << 31), None);
        assert_eq!(answer(signed, 8, 1 << 31), Some(long(1 << 31)));
        for (data_type, size) in [(unsigned, 3), (unsigned, 16), (OSSL_PARAM_OCTET_STRING, 8)] {
            assert_eq!(answer(data_type, size, 1), None);
        }
    }
}
