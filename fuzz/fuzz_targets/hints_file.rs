//! A file of hints from bytes: an accepted file has a place for each row that it names, and is not
//! accepted shorter or longer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use sigmill_cli::fuzzing::hints_file;

fn check(bytes: &[u8]) {
    let Some(rows) = hints_file(bytes) else {
        return;
    };
    assert_eq!(bytes.len() as u64, 16 + rows.div_ceil(2) + 72);
    assert_eq!(hints_file(&bytes[..bytes.len() - 1]), None);
    assert_eq!(hints_file(&[bytes, &[0xff]].concat()), None);
}

fuzz_target!(|input: (u64, &[u8])| {
    let (rows, bytes) = input;
    check(bytes);
    let sealed = |content: &[u8]| [content, &Sha256::digest(content)[..]].concat();
    check(&sealed(bytes));
    // With a right header, any half bytes, and a number of rows that is right or only claimed.
    for rows in [
        rows,
        2 * bytes.len() as u64,
        (2 * bytes.len() as u64).saturating_sub(1),
    ] {
        let header = b"sigmhnt\0\0\x01\0\0\0\0\0\0";
        check(&sealed(
            &[&header[..], bytes, &rows.to_be_bytes(), &[7; 32]].concat(),
        ));
    }
});
