//! A saved store of keys from bytes: an accepted store stays within the budget, and is saved and
//! loaded again unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use sigmill::bulk::KeyStore;
use sigmill::{AnyVerifyingKey, CurveName};

fn check(bytes: &[u8], memory: usize) -> bool {
    let store = KeyStore::new(memory);
    let before = store.stats();
    let result = store.load(bytes);
    let stats = store.stats();
    assert!(stats.bytes_used <= stats.bytes_limit);
    let Ok(loaded) = result else {
        assert_eq!(stats, before);
        return false;
    };
    assert_eq!(stats.tables, loaded.tables);
    let mut saved = vec![];
    assert_eq!(store.save(&mut saved).unwrap(), stats.tables);
    let again = KeyStore::new(memory);
    let loaded = again.load(&saved[..]).unwrap();
    assert_eq!((loaded.keys, loaded.tables), (stats.tables, 0));
    let mut empty = vec![];
    assert_eq!(again.save(&mut empty).unwrap(), 0);
    true
}

fuzz_target!(|input: (u8, u16, bool, &[u8])| {
    let (window, memory, patch, bytes) = input;
    let memory = 16 * usize::from(memory);
    check(bytes, memory);
    let sealed = |content: &[u8]| [content, &Sha256::digest(content)[..]].concat();
    check(&sealed(bytes), memory);
    if patch {
        // A good file of two keys, one of them pinned, with the input written over a part of it.
        let store = KeyStore::new(1 << 20);
        let mut point = [0; 33];
        point.copy_from_slice(&[
            0x03, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63,
            0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39,
            0x45, 0xd8, 0x98, 0xc2, 0x96,
        ]);
        for tag in [2, 3] {
            point[0] = tag;
            let key = AnyVerifyingKey::from_sec1_bytes(CurveName::P256, &point).unwrap();
            store.pin(&key, 1 + u32::from(window % 4)).unwrap();
            if tag == 2 {
                store.unpin(&key);
            }
        }
        let mut good = vec![];
        store.save(&mut good).unwrap();
        assert!(check(&good, memory));
        let Some((&at, overlay)) = bytes.split_first() else {
            return;
        };
        let mut content = good[..good.len() - 32].to_vec();
        let at = usize::from(at) % content.len();
        for (place, byte) in content[at..].iter_mut().zip(overlay) {
            *place = *byte;
        }
        check(&sealed(&content), memory);
    }
});
