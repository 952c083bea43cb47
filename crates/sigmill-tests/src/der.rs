//! DER encodings, without any check.

use num_bigint::BigUint;

/// A DER signature of any two non-negative integers.
pub fn der_signature(r: &BigUint, s: &BigUint) -> Vec<u8> {
    let body = [der_integer(r), der_integer(s)].concat();
    der_element(0x30, &body)
}

/// A DER INTEGER that is not negative.
pub fn der_integer(value: &BigUint) -> Vec<u8> {
    let mut bytes = value.to_bytes_be();
    if bytes[0] >= 0x80 {
        bytes.insert(0, 0);
    }
    der_element(2, &bytes)
}

/// A tag, the length in its shortest form, and the content.
pub fn der_element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = match content.len() {
        length @ 0..0x80 => vec![length as u8],
        length @ 0x80..0x100 => vec![0x81, length as u8],
        length => vec![0x82, (length >> 8) as u8, length as u8],
    };
    [&[tag], &length[..], content].concat()
}
