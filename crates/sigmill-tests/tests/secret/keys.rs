//! Secret keys as bytes and in files: every rule, round trips with OpenSSL, and no secrets in
//! output.

use num_bigint::BigUint;
use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use sigmill::curves::NamedCurve;
use sigmill::keys::{SecretScalar, SigningKey};
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, Error, p256, p384};
use subtle::ConstantTimeEq;

use sigmill_tests::der::der_element;
use sigmill_tests::for_each_curve;
use sigmill_tests::numbers::{hex_bytes, rng, to_bytes};
use sigmill_tests::referee::{Referee, nid};

const OID_EC: &str = "06072a8648ce3d0201";
const OID_P256: &str = "06082a8648ce3d030107";
const OID_P384: &str = "06052b81040022";
/// A binary curve.
const OID_SECT283K1: &str = "06052b81040010";

#[test]
fn secrets_are_from_1_to_n_minus_1() {
    fn check<C: NamedCurve + Default>(name: CurveName) {
        let n = Referee::new(name).n;
        let length = name.order_len();
        let read = |value: &BigUint| {
            let bytes = to_bytes(value, length);
            SecretScalar::<C>::from_be_bytes(&bytes).map(|secret| secret.to_be_bytes().to_vec())
        };
        for good in [1u32.into(), 2u32.into(), &n - 1u32, &n >> 1, &n >> 64] {
            assert_eq!(read(&good), Ok(to_bytes(&good, length)));
        }
        assert_eq!(read(&BigUint::ZERO), Err(Error::SecretZero));
        let ones = (BigUint::from(1u32) << (8 * length)) - 1u32;
        for bad in [n.clone(), &n + 1u32, ones] {
            assert_eq!(read(&bad), Err(Error::SecretOutOfRange));
        }
        for actual in [0, 1, length - 1, length + 1, 2 * length] {
            let bytes = vec![1; actual];
            let expected = Error::SecretLength {
                expected: length,
                actual,
            };
            assert_eq!(SigningKey::<C>::from_be_bytes(&bytes), Err(expected));
        }
    }
    for_each_curve!(C => { check::<C>(C::default().name()) });
}

#[test]
fn random_keys_differ_and_follow_their_generator() {
    let keys: Vec<_> = (0..4)
        .map(|_| p256::SigningKey::generate().unwrap())
        .collect();
    for (i, key) in keys.iter().enumerate() {
        assert_eq!(*key, key.clone());
        assert!(keys[..i].iter().all(|other| other != key));
        assert!(bool::from(key.ct_eq(key)));
        assert!(!bool::from(key.ct_eq(&keys[(i + 1) % 4])));
    }
    let seeded = || p384::SigningKey::generate_from_rng(&mut rng(50)).unwrap();
    assert_eq!(seeded(), seeded());
}

/// A generator that returns these strings one after the other.
struct Scripted(Vec<Vec<u8>>);

impl rand_core::TryRng for Scripted {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unimplemented!("nobody asks for words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        unimplemented!("nobody asks for words")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.copy_from_slice(&self.0.remove(0));
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Scripted {}

#[test]
fn random_numbers_out_of_range_are_thrown_away() {
    let n = to_bytes(&Referee::new(CurveName::P256).n, 32);
    let good = [[0; 31].as_slice(), &[7]].concat();
    let strings = vec![vec![0; 32], n, vec![0xff; 32], good.clone(), vec![1; 32]];
    let mut generator = Scripted(strings);
    let secret = p256::SecretScalar::generate_from_rng(&mut generator).unwrap();
    assert_eq!(*secret.to_be_bytes(), good);
    assert_eq!(generator.0.len(), 1);
}

#[test]
fn debug_prints_the_curve_only() {
    let key = p256::SigningKey::from_be_bytes(&[7; 32]).unwrap();
    assert_eq!(format!("{key:?}"), "SigningKey(P-256)");
    assert_eq!(format!("{:?}", key.secret_scalar()), "SecretScalar(P-256)");
    let ephemeral = p384::EphemeralSecret::generate().unwrap();
    assert_eq!(format!("{ephemeral:?}"), "EphemeralSecret(P-384)");
    let peer = p384::EphemeralSecret::generate().unwrap().public_key();
    let shared = ephemeral.diffie_hellman(&peer);
    assert_eq!(format!("{shared:?}"), "SharedSecret(..)");
}

/// Keys written by OpenSSL are read here, and OpenSSL reads keys written here.
fn round_trips<C: NamedCurve + Default>(nid: Nid) {
    let group = EcGroup::from_curve_name(nid).unwrap();
    for _ in 0..10 {
        let theirs: EcKey<Private> = EcKey::generate(&group).unwrap();
        let pkey = PKey::from_ec_key(theirs.clone()).unwrap();
        let secret = theirs
            .private_key()
            .to_vec_padded(C::default().name().order_len() as i32)
            .unwrap();
        let name = C::default().name();
        let expected = AnySigningKey::from_be_bytes(name, &secret).unwrap();
        let pkcs8 = pkey.private_key_to_pkcs8().unwrap();
        let pkcs8_pem = String::from_utf8(pkey.private_key_to_pem_pkcs8().unwrap()).unwrap();
        let sec1_pem = String::from_utf8(theirs.private_key_to_pem().unwrap()).unwrap();
        let read = [
            AnySigningKey::from_pkcs8_der(&pkcs8),
            AnySigningKey::from_sec1_der(&theirs.private_key_to_der().unwrap()),
            AnySigningKey::from_pem(&pkcs8_pem),
            AnySigningKey::from_pem(&sec1_pem),
        ];
        for key in read {
            assert_eq!(key, Ok(expected.clone()));
        }
        let typed = SigningKey::<C>::from_be_bytes(&secret).unwrap();
        assert_eq!(SigningKey::from_pkcs8_der(&pkcs8), Ok(typed.clone()));
        assert_eq!(SigningKey::from_pkcs8_pem(&pkcs8_pem), Ok(typed));
        // The same bytes as OpenSSL writes.
        assert_eq!(
            *expected.to_pkcs8_der(),
            pkey.private_key_to_pkcs8().unwrap()
        );
        assert_eq!(
            *expected.to_sec1_der(),
            theirs.private_key_to_der().unwrap()
        );
        assert_eq!(
            expected.to_pkcs8_pem().as_bytes(),
            pkey.private_key_to_pem_pkcs8().unwrap()
        );
        assert_eq!(
            expected.to_sec1_pem().as_bytes(),
            theirs.private_key_to_pem().unwrap()
        );
        let public = expected.verifying_key();
        assert_eq!(
            public.to_public_key_der(),
            pkey.public_key_to_der().unwrap()
        );
        assert_eq!(
            public.to_public_key_pem().as_bytes(),
            pkey.public_key_to_pem().unwrap()
        );
        assert_eq!(
            AnyVerifyingKey::from_public_key_pem(&public.to_public_key_pem()),
            Ok(public)
        );
    }
}

#[test]
fn the_files_of_openssl() {
    for_each_curve!(C => { round_trips::<C>(nid(C::default().name())) });
}

/// The parts of a private key in a file; empty ones are omitted.
#[derive(Clone)]
struct File {
    version: u8,
    algorithm: String,
    inner_version: u8,
    secret: Vec<u8>,
    inner_curve: String,
    public: Vec<u8>,
    /// The field of PKCS#8 version 2.
    outer_public: Vec<u8>,
}

impl File {
    fn new(key: &p256::SigningKey) -> Self {
        Self {
            version: 0,
            algorithm: format!("{OID_EC}{OID_P256}"),
            inner_version: 1,
            secret: key.to_be_bytes().to_vec(),
            inner_curve: String::new(),
            public: key.verifying_key().to_sec1_bytes(false),
            outer_public: vec![],
        }
    }

    fn sec1(&self) -> Vec<u8> {
        let mut body = vec![2, 1, self.inner_version];
        body.extend(der_element(4, &self.secret));
        if !self.inner_curve.is_empty() {
            body.extend(der_element(0xa0, &hex_bytes(&self.inner_curve)));
        }
        if !self.public.is_empty() {
            let bits = der_element(3, &[&[0], &self.public[..]].concat());
            body.extend(der_element(0xa1, &bits));
        }
        der_element(0x30, &body)
    }

    fn pkcs8(&self) -> Vec<u8> {
        let mut body = vec![2, 1, self.version];
        body.extend(der_element(0x30, &hex_bytes(&self.algorithm)));
        body.extend(der_element(4, &self.sec1()));
        if !self.outer_public.is_empty() {
            body.extend(der_element(0x81, &[&[0], &self.outer_public[..]].concat()));
        }
        der_element(0x30, &body)
    }

    fn read(&self) -> Result<p256::SigningKey, Error> {
        p256::SigningKey::from_pkcs8_der(&self.pkcs8())
    }

    fn read_sec1(&self) -> Result<p256::SigningKey, Error> {
        AnySigningKey::from_sec1_der(&self.sec1())?.try_into()
    }
}

#[test]
fn every_rule_of_private_key_files() {
    let key = p256::SigningKey::from_be_bytes(&[0x2a; 32]).unwrap();
    let other = p256::SigningKey::from_be_bytes(&[0x2b; 32]).unwrap();
    let good = File::new(&key);
    let with = |change: &dyn Fn(&mut File)| {
        let mut file = good.clone();
        change(&mut file);
        file
    };
    assert_eq!(*good.pkcs8(), **key.to_pkcs8_der());

    // Other valid forms.
    let compressed = key.verifying_key().to_sec1_bytes(true);
    for file in [
        with(&|file| file.public = vec![]),
        with(&|file| file.public = compressed.clone()),
        with(&|file| file.inner_curve = OID_P256.into()),
        with(&|file| {
            file.version = 1;
            file.outer_public = compressed.clone();
        }),
    ] {
        assert_eq!(file.read(), Ok(key.clone()));
    }
    let sec1 = with(&|file| file.inner_curve = OID_P256.into());
    assert_eq!(sec1.read_sec1(), Ok(key.clone()));

    // The rules.
    let wrong_public = other.verifying_key().to_sec1_bytes(false);
    let cases = [
        (
            with(&|file| file.algorithm = "06032b6570".into()),
            Error::PrivateKeyAlgorithmNotEc,
        ),
        (
            with(&|file| file.algorithm = OID_EC.into()),
            Error::PrivateKeyCurveMissing,
        ),
        (
            with(&|file| file.algorithm = format!("{OID_EC}0500")),
            Error::PrivateKeyCurveNotNamed,
        ),
        (
            with(&|file| file.algorithm = format!("{OID_EC}{OID_SECT283K1}")),
            Error::PrivateKeyCurveUnknown,
        ),
        (
            with(&|file| file.inner_curve = OID_SECT283K1.into()),
            Error::PrivateKeyCurveUnknown,
        ),
        (
            with(&|file| file.algorithm = format!("{OID_EC}{OID_P384}")),
            Error::KeyCurveMismatch {
                expected: CurveName::P256,
                actual: CurveName::P384,
            },
        ),
        (
            with(&|file| file.inner_curve = OID_P384.into()),
            Error::PrivateKeyCurvesDiffer,
        ),
        (
            with(&|file| file.public = wrong_public.clone()),
            Error::PrivateKeyPublicMismatch,
        ),
        (
            with(&|file| {
                file.version = 1;
                file.outer_public = wrong_public.clone();
            }),
            Error::PrivateKeyPublicMismatch,
        ),
        (with(&|file| file.public[64] ^= 1), Error::KeyNotOnCurve),
        (
            with(&|file| file.secret = vec![0x2a; 31]),
            Error::SecretLength {
                expected: 32,
                actual: 31,
            },
        ),
        (with(&|file| file.secret = vec![0; 32]), Error::SecretZero),
        (
            with(&|file| file.secret = vec![0xff; 32]),
            Error::SecretOutOfRange,
        ),
        (with(&|file| file.version = 2), Error::PrivateKeyMalformed),
        (
            with(&|file| file.inner_version = 0),
            Error::PrivateKeyMalformed,
        ),
    ];
    for (file, error) in cases {
        assert_eq!(file.read(), Err(error), "{:02x?}", file.pkcs8());
    }
    assert_eq!(good.read_sec1(), Err(Error::PrivateKeyCurveMissing));

    // Every prefix, and trailing data.
    for (der, read) in [
        (
            good.pkcs8(),
            AnySigningKey::from_pkcs8_der as fn(&[u8]) -> Result<_, _>,
        ),
        (sec1.sec1(), AnySigningKey::from_sec1_der),
    ] {
        for end in 0..der.len() {
            assert_eq!(read(&der[..end]), Err(Error::PrivateKeyMalformed), "{end}");
        }
        assert_eq!(
            read(&[&der[..], &[0]].concat()),
            Err(Error::PrivateKeyTrailingData)
        );
    }
}

#[test]
fn every_rule_of_pem() {
    let key = AnySigningKey::from_be_bytes(CurveName::P256, &[0x2a; 32]).unwrap();
    let pem = key.to_pkcs8_pem();
    let read = AnySigningKey::from_pem;
    for good in [
        pem.to_string(),
        pem.replace('\n', "\r\n"),
        format!("a key\n{}", *pem),
        pem.trim_end().to_owned(),
    ] {
        assert_eq!(read(&good), Ok(key.clone()));
    }
    for label in ["PUBLIC KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY"] {
        let text = pem.replace("PRIVATE KEY", label);
        assert_eq!(read(&text), Err(Error::PrivateKeyPemLabel), "{label}");
    }
    for bad in [
        String::new(),
        pem.replace("END", "ENT"),
        pem.replacen("MI", "M!", 1),
        pem.to_string() + "MI",
    ] {
        assert_eq!(read(&bad), Err(Error::PemMalformed), "{bad}");
    }
    // SEC 1 under the label of PKCS#8.
    let text = key.to_sec1_pem().replace("EC PRIVATE", "PRIVATE");
    assert_eq!(read(&text), Err(Error::PrivateKeyMalformed));
}
