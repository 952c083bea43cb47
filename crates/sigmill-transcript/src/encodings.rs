//! Keys in every available encoding.

use sigmill::ethereum::Address;
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, secp256k1};

use crate::inputs::Inputs;
use crate::transcript::{Section, Transcript};

pub(crate) fn sections(transcript: &mut Transcript, inputs: &Inputs) {
    let curve = inputs.curve;
    transcript.section(format!("{curve}/keys"), |section| {
        for key in &inputs.keys {
            section.bytes(&*key.to_be_bytes());
        }
    });
    transcript.section(format!("{curve}/private-key-files"), |section| {
        for key in &inputs.keys {
            private_key(section, key);
        }
    });
    transcript.section(format!("{curve}/public-key-files"), |section| {
        for key in &inputs.public_keys {
            public_key(section, key);
        }
    });
    if curve == CurveName::Secp256k1 {
        transcript.section("ethereum-addresses", |section| {
            for key in &inputs.public_keys {
                let key = secp256k1::VerifyingKey::from_sec1_bytes(&key.to_sec1_bytes(false));
                let address = Address::of(&key.expect("a key that was written"));
                section.bytes(address.as_bytes());
                section.bytes(address.to_string());
            }
        });
    }
}

/// Every file format of a private key; each is read again.
fn private_key(section: &mut Section, key: &AnySigningKey) {
    let files = [
        key.to_pkcs8_der().to_vec(),
        key.to_sec1_der().to_vec(),
        key.to_pkcs8_pem().as_bytes().to_vec(),
        key.to_sec1_pem().as_bytes().to_vec(),
    ];
    for file in files {
        assert_eq!(AnySigningKey::from_encoded(&file).as_ref(), Ok(key));
        section.bytes(file);
    }
}

/// Every encoding of a public key; each is read again.
fn public_key(section: &mut Section, key: &AnyVerifyingKey) {
    let mut encodings = vec![
        key.to_sec1_bytes(true),
        key.to_sec1_bytes(false),
        key.to_public_key_der(),
        key.to_public_key_pem().into_bytes(),
    ];
    encodings.extend(key.to_jwk_str().map(String::into_bytes));
    for encoding in encodings {
        let again = AnyVerifyingKey::from_encoded(Some(key.curve()), &encoding);
        assert_eq!(again.as_ref(), Ok(key));
        section.bytes(encoding);
    }
    let (x, y) = key.to_coordinates();
    section.bytes(x);
    section.bytes(y);
}
