//! A prepared key from bytes: only bytes that `to_bytes` writes are accepted, even with a right
//! checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use sigmill::{AnyPreparedKey, p256};

fuzz_target!(|input: (u8, bool, &[u8])| {
    let (window, patch, bytes) = input;
    let check = |bytes: &[u8]| {
        if let Ok(key) = AnyPreparedKey::from_bytes(bytes) {
            assert_eq!(key.to_bytes(), bytes);
        }
    };
    check(bytes);
    let sealed = |content: &[u8]| [content, &Sha256::digest(content)[..]].concat();
    check(&sealed(bytes));
    if patch {
        // A good file, with the input written over a part of it.
        let g = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
        let g: Vec<u8> = (0..66)
            .step_by(2)
            .map(|i| u8::from_str_radix(&g[i..i + 2], 16).unwrap())
            .collect();
        let key = p256::VerifyingKey::from_sec1_bytes(&g).unwrap();
        let good = key
            .prepare_with_window(1 + u32::from(window % 4))
            .unwrap()
            .to_bytes();
        let Some((at, overlay)) = bytes.split_first_chunk::<2>() else {
            return;
        };
        let mut content = good[..good.len() - 32].to_vec();
        let at = usize::from(u16::from_be_bytes(*at)) % content.len();
        for (place, byte) in content[at..].iter_mut().zip(overlay) {
            *place = *byte;
        }
        let changed = content != good[..good.len() - 32];
        let verdict = AnyPreparedKey::from_bytes(&sealed(&content));
        assert_eq!(verdict.is_err(), changed);
    }
});
