//! Addresses, and signatures of 65 bytes.

use sigmill::ethereum::Address;
use sigmill::secp256k1::{Signature, SigningKey};
use sigmill::{Error, RecoveryId};

/// The examples of EIP-55: all capital, all small, mixed.
const EIP_55: [&str; 8] = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

/// Private keys and their addresses: 1, 2 and 3; EIP-155's example; the first account of the
/// mnemonic "test test test test test test test test test test test junk", the default of Hardhat
/// and Anvil.
const KEYS: [(&str, &str); 5] = [
    ("01", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"),
    ("02", "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"),
    ("03", "0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69"),
    (
        "4646464646464646464646464646464646464646464646464646464646464646",
        "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F",
    ),
    (
        "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
        "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    ),
];

fn key(hex: &str) -> SigningKey {
    let value = num_bigint::BigUint::parse_bytes(hex.as_bytes(), 16).unwrap();
    SigningKey::from_be_bytes(&sigmill_tests::numbers::to_bytes(&value, 32)).unwrap()
}

#[test]
fn the_examples_of_eip_55_are_read_and_written() {
    for text in EIP_55 {
        let address: Address = text.parse().unwrap();
        assert_eq!(address.to_string(), text);
        assert_eq!(format!("{address:?}"), format!("Address({text})"));
        let digits = &text[2..];
        for other in [
            digits.to_owned(),
            digits.to_lowercase(),
            digits.to_uppercase(),
            format!("0x{}", digits.to_lowercase()),
            format!("0x{}", digits.to_uppercase()),
        ] {
            assert_eq!(other.parse(), Ok(address), "{other}");
        }
        assert_eq!(Address::from_bytes(*address.as_bytes()), address);
    }
}

#[test]
fn every_letter_of_a_checksum_counts() {
    let mut refused = 0;
    for text in EIP_55 {
        let address: Address = text.parse().unwrap();
        for i in 2..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[i] ^= if other[i].is_ascii_alphabetic() {
                0x20
            } else {
                0
            };
            let other = String::from_utf8(other).unwrap();
            if other == text {
                continue;
            }
            assert_eq!(
                other.parse::<Address>(),
                Err(Error::AddressChecksum),
                "{other}"
            );
            refused += 1;
        }
        // Changes a digit, so that the checksum fails.
        let last = text.len() - 1;
        let other = format!(
            "{}{}",
            &text[..last],
            if text.ends_with('1') { 2 } else { 1 }
        );
        assert_ne!(other.parse(), Ok(address), "{other}");
    }
    assert_eq!(refused, 111);
}

#[test]
fn each_broken_rule_has_its_error() {
    let digits = "7e5f4552091a69125d5dfcb7b8c2659029395bdf";
    let cases = [
        (String::new(), Error::AddressLength { actual: 0 }),
        ("0x".into(), Error::AddressLength { actual: 0 }),
        (digits[1..].into(), Error::AddressLength { actual: 39 }),
        (format!("0x{digits}0"), Error::AddressLength { actual: 41 }),
        (format!("0X{digits}"), Error::AddressDigit { position: 2 }),
        (format!("0x0x{digits}"), Error::AddressDigit { position: 4 }),
        (format!(" {digits}"), Error::AddressDigit { position: 1 }),
        (
            format!("0x{digits}\n"),
            Error::AddressDigit { position: 43 },
        ),
        (
            digits.replace('5', "g"),
            Error::AddressDigit { position: 3 },
        ),
        (
            digits.replace("7e", "\u{e9}e"),
            Error::AddressDigit { position: 1 },
        ),
        (digits.replace("7e", "7E"), Error::AddressChecksum),
    ];
    for (text, error) in cases {
        assert_eq!(text.parse::<Address>(), Err(error), "{text:?}");
    }
}

#[test]
fn addresses_of_known_keys() {
    for (secret, address) in KEYS {
        let key = key(secret);
        assert_eq!(Address::of(key.verifying_key()).to_string(), address);
        assert_eq!(address.parse(), Ok(Address::of(key.verifying_key())));
    }
}

#[test]
fn r_s_and_v() {
    let key = key(KEYS[4].0);
    let mut parities = [0; 2];
    for byte in 0..20 {
        let (signature, id) = key.sign_prehash_recoverable(&[byte; 32]).unwrap();
        let bytes = signature.to_rsv(id);
        assert_eq!(bytes[64], 27 + id.to_byte());
        assert_eq!(Signature::from_rsv(&bytes), Ok((signature, id)));
        parities[usize::from(id.to_byte())] += 1;
    }
    assert!(parities.iter().all(|&count| count > 3));
    let signature = Signature::from_p1363(&[1; 64]).unwrap();
    for v in 0..=255 {
        let mut bytes = [1; 65];
        bytes[64] = v;
        let id = match v {
            0..=3 => RecoveryId::from_byte(v),
            27 | 28 => RecoveryId::from_byte(v - 27),
            _ => Err(Error::RecoveryByteOutOfRange { v }),
        };
        assert_eq!(Signature::from_rsv(&bytes), id.map(|id| (signature, id)));
    }
    for id in RecoveryId::ALL {
        let bytes = signature.to_rsv(id);
        assert_eq!(Signature::from_rsv(&bytes), Ok((signature, id)));
    }
    let zero_r = [[0; 32], [1; 32]].concat();
    for (bytes, error) in [
        (
            vec![],
            Error::RecoverableSignatureLength {
                expected: 65,
                actual: 0,
            },
        ),
        (
            vec![1; 64],
            Error::RecoverableSignatureLength {
                expected: 65,
                actual: 64,
            },
        ),
        (
            vec![1; 66],
            Error::RecoverableSignatureLength {
                expected: 65,
                actual: 66,
            },
        ),
        ([&zero_r[..], &[27]].concat(), Error::RZero),
        (vec![0xff; 65], Error::RecoveryByteOutOfRange { v: 0xff }),
        ([&[0xff; 64][..], &[0]].concat(), Error::ROutOfRange),
    ] {
        assert_eq!(Signature::from_rsv(&bytes), Err(error));
    }
}
