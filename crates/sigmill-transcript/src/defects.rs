//! Malformed keys, signatures and files: each breaks the same rule on every CPU, in particular
//! those that claim a length which only some CPUs can address.

use sha2::{Digest, Sha256};
use sigmill::bulk::{KeyStore, LoadError};
use sigmill::{AnySigningKey, AnyVerifyingKey, Error, SignatureFormat};

use crate::inputs::{Inputs, changed};
use crate::transcript::{Section, Transcript};

/// Lengths in DER that are longer than the content, or not allowed: in one octet, in several,
/// larger than 32 bits can count, and larger than any CPU can count.
const LENGTHS: [&[u8]; 12] = [
    &[0x00],
    &[0x7f],
    &[0x80],
    &[0x81, 0xff],
    &[0x82, 0xff, 0xff],
    &[0x83, 0x01, 0x00, 0x00],
    &[0x84, 0x7f, 0xff, 0xff, 0xff],
    &[0x84, 0xff, 0xff, 0xff, 0xff],
    &[0x85, 0x01, 0x00, 0x00, 0x00, 0x40],
    &[0x88, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x40],
    &[0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0xff],
];

pub(crate) fn sections(transcript: &mut Transcript, inputs: &[Inputs]) {
    let inputs = &inputs[0];
    let key = &inputs.public_keys[2];
    let private = inputs.keys[2].to_pkcs8_der();
    let public = key.to_public_key_der();
    let signature = inputs.keys[2].sign(b"sample", SignatureFormat::Der);
    transcript.section("defects/der", |section| {
        of_der(section, &signature, |der| {
            key.verify(b"sample", der, SignatureFormat::Der)
        });
        of_der(section, &public, |der| {
            AnyVerifyingKey::from_public_key_der(der).map(drop)
        });
        of_der(section, &private, |der| {
            AnySigningKey::from_pkcs8_der(der).map(drop)
        });
    });
    let store = KeyStore::new(1 << 20);
    store.pin(key, 2).expect("memory");
    let saved = crate::bulk::saved(&store);
    transcript.section("defects/key-stores", |section| {
        of_file(section, &saved, load);
        // The number of keys.
        for claimed in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let mut bytes = saved.clone();
            bytes[12..16].copy_from_slice(&u32::to_be_bytes(claimed));
            section.verdict(load(&sealed(&bytes)));
        }
    });
}

/// Every prefix of a DER file, and its first lengths replaced by others.
fn of_der(section: &mut Section, der: &[u8], read: impl Fn(&[u8]) -> Result<(), Error>) {
    assert_eq!(read(der), Ok(()));
    for end in 0..der.len() {
        section.verdict(read(&der[..end]));
    }
    for at in 1..8 {
        for length in LENGTHS {
            section.verdict(read(&[&der[..at], length, &der[at + 1..]].concat()));
        }
    }
}

/// Every prefix of a file, and a changed bit in each byte before its checksum, which is corrected
/// or not.
fn of_file(section: &mut Section, file: &[u8], read: impl Fn(&[u8]) -> Result<(), Error>) {
    assert_eq!(read(file), Ok(()));
    assert_eq!(sealed(file), file);
    for end in 0..file.len() {
        section.verdict(read(&file[..end]));
    }
    for at in 0..file.len() - 32 {
        section.verdict(read(&sealed(&changed(file, at, 1))));
        section.verdict(read(&changed(file, at, 0x80)));
    }
}

fn load(bytes: &[u8]) -> Result<(), Error> {
    match KeyStore::new(1 << 20).load(bytes) {
        Ok(_) => Ok(()),
        Err(LoadError::Invalid(error)) => Err(error),
        Err(error) => panic!("reading memory: {error}"),
    }
}

/// The file with a correct checksum.
fn sealed(file: &[u8]) -> Vec<u8> {
    let content = &file[..file.len() - 32];
    [content, &Sha256::digest(content)[..]].concat()
}
