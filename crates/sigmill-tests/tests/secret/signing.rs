//! Signatures: the numbers of RFC 6979, tiny curves in plain integers, OpenSSL and RustCrypto, and
//! the traits of crate `signature`.

use num_bigint::BigUint;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{Curve as _, NamedCurve};
use sigmill::hazmat::field::PrimeField;
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::{CurveName, Error, HashName, Input, Policy, SignOptions, VerifyOptions};
use signature::hazmat::{PrehashSigner, RandomizedPrehashSigner};
use signature::{Keypair, Signer, Verifier};

use sigmill_tests::numbers::{hex_bytes, nasty_below, rng, to_bytes};
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::referee::Referee;
use sigmill_tests::tiny::Tiny;
use sigmill_tests::{for_each_curve, rounds, tiny_curve};

/// RFC 6979 A.2.5, A.2.6 and A.2.7: hash, message, r, s.
type Vector = (HashName, &'static str, &'static str, &'static str);

const P256_KEY: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
const P256_VECTORS: [Vector; 6] = [
    (
        HashName::Sha256,
        "sample",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ),
    (
        HashName::Sha384,
        "sample",
        "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef7719",
        "4861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954",
    ),
    (
        HashName::Sha512,
        "sample",
        "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00",
        "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
    ),
    (
        HashName::Sha256,
        "test",
        "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
        "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
    ),
    (
        HashName::Sha384,
        "test",
        "83910e8b48bb0c74244ebdf7f07a1c5413d61472bd941ef3920e623fbccebeb6",
        "8ddbec54cf8cd5874883841d712142a56a8d0f218f5003cb0296b6b509619f2c",
    ),
    (
        HashName::Sha512,
        "test",
        "461d93f31b6540894788fd206c07cfa0cc35f46fa3c91816fff1040ad1581a04",
        "39af9f15de0db8d97e72719c74820d304ce5226e32dedae67519e840d1194e55",
    ),
];

const P384_KEY: &str = "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
                        96d5724e4c70a825f872c9ea60d2edf5";
const P384_VECTORS: [Vector; 6] = [
    (
        HashName::Sha256,
        "sample",
        "21b13d1e013c7fa1392d03c5f99af8b30c570c6f98d4ea8e354b63a21d3daa33\
         bde1e888e63355d92fa2b3c36d8fb2cd",
        "f3aa443fb107745bf4bd77cb3891674632068a10ca67e3d45db2266fa7d1feeb\
         efdc63eccd1ac42ec0cb8668a4fa0ab0",
    ),
    (
        HashName::Sha384,
        "sample",
        "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c\
         81a648152e44acf96e36dd1e80fabe46",
        "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94f\
         a329c145786e679e7b82c71a38628ac8",
    ),
    (
        HashName::Sha512,
        "sample",
        "ed0959d5880ab2d869ae7f6c2915c6d60f96507f9cb3e047c0046861da4a799c\
         fe30f35cc900056d7c99cd7882433709",
        "512c8cceee3890a84058ce1e22dbc2198f42323ce8aca9135329f03c068e5112\
         dc7cc3ef3446defceb01a45c2667fdd5",
    ),
    (
        HashName::Sha256,
        "test",
        "6d6defac9ab64dabafe36c6bf510352a4cc27001263638e5b16d9bb51d451559\
         f918eedaf2293be5b475cc8f0188636b",
        "2d46f3becbcc523d5f1a1256bf0c9b024d879ba9e838144c8ba6baeb4b53b47d\
         51ab373f9845c0514eefb14024787265",
    ),
    (
        HashName::Sha384,
        "test",
        "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb\
         0542a7f0812998da8f1dd3ca3cf023db",
        "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e0\
         6a739f040649a667bf3b828246baa5a5",
    ),
    (
        HashName::Sha512,
        "test",
        "a0d5d090c9980faf3c2ce57b7ae951d31977dd11c775d314af55f76c676447d0\
         6fb6495cd21b4b6e340fc236584fb277",
        "976984e59b4c77b0e8e4460dca3d9f20e07b9bb1f63beefaf576f6b2e8b22463\
         4a2092cd3792e0159ad9cee37659c736",
    ),
];

const P521_KEY: &str = "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75ca\
                        a896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538";
const P521_VECTORS: [Vector; 6] = [
    (
        HashName::Sha256,
        "sample",
        "01511bb4d675114fe266fc4372b87682baecc01d3cc62cf2303c92b3526012659d\
         16876e25c7c1e57648f23b73564d67f61c6f14d527d54972810421e7d87589e1a7",
        "004a171143a83163d6df460aaf61522695f207a58b95c0644d87e52aa1a347916e\
         4f7a72930b1bc06dbe22ce3f58264afd23704cbb63b29b931f7de6c9d949a7ecfc",
    ),
    (
        HashName::Sha384,
        "sample",
        "01ea842a0e17d2de4f92c15315c63ddf72685c18195c2bb95e572b9c5136ca4b4b\
         576ad712a52be9730627d16054ba40cc0b8d3ff035b12ae75168397f5d50c67451",
        "01f21a3cee066e1961025fb048bd5fe2b7924d0cd797babe0a83b66f1e35eeaf5f\
         de143fa85dc394a7dee766523393784484bdf3e00114a1c857cde1aa203db65d61",
    ),
    (
        HashName::Sha512,
        "sample",
        "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f17\
         4e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa",
        "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af28\
         2623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a",
    ),
    (
        HashName::Sha256,
        "test",
        "000e871c4a14f993c6c7369501900c4bc1e9c7b0b4ba44e04868b30b41d8071042\
         eb28c4c250411d0ce08cd197e4188ea4876f279f90b3d8d74a3c76e6f1e4656aa8",
        "00cd52dbaa33b063c3a6cd8058a1fb0a46a4754b034fcc644766ca14da8ca5ca9f\
         de00e88c1ad60ccba759025299079d7a427ec3cc5b619bfbc828e7769bcd694e86",
    ),
    (
        HashName::Sha384,
        "test",
        "014bee21a18b6d8b3c93fab08d43e739707953244fdbe924fa926d76669e7ac8c8\
         9df62ed8975c2d8397a65a49dcc09f6b0ac62272741924d479354d74ff6075578c",
        "0133330865c067a0eaf72362a65e2d7bc4e461e8c8995c3b6226a21bd1aa78f0ed\
         94fe536a0dca35534f0cd1510c41525d163fe9d74d134881e35141ed5e8e95b979",
    ),
    (
        HashName::Sha512,
        "test",
        "013e99020abf5cee7525d16b69b229652ab6bdf2affcaef38773b4b7d08725f10c\
         db93482fdcc54edcee91eca4166b2a7c6265ef0ce2bd7051b7cef945babd47ee6d",
        "01fbd0013c674aa79cb39849527916ce301c66ea7ce8b80682786ad60f98f7e78a\
         19ca69eff5c57400e3b3a0ad66ce0978214d13baf4e9ac60752f7b155e2de4dce3",
    ),
];

fn check_vectors<C: NamedCurve + Default>(key: &str, vectors: &[Vector]) {
    let key = SigningKey::<C>::from_be_bytes(&hex_bytes(key)).unwrap();
    for &(hash, message, r, s) in vectors {
        let expected = Signature::from_scalars(&hex_bytes(r), &hex_bytes(s)).unwrap();
        let options = SignOptions::new().hash(hash);
        let sign = |input| key.sign_with(input, &options).unwrap().0;
        assert_eq!(sign(Input::Message(message.as_bytes())), expected);
        let digest = hash.digest(message.as_bytes());
        assert_eq!(sign(Input::Digest(&digest)), expected);
        if hash == key.verifying_key().algorithm().hash {
            assert_eq!(key.sign(message.as_bytes()), expected);
            assert_eq!(key.sign_prehash(&digest), Ok(expected));
            assert_eq!(Signer::sign(&key, message.as_bytes()), expected);
            let signature: Signature<C> = PrehashSigner::sign_prehash(&key, &digest).unwrap();
            assert_eq!(signature, expected);
        }
    }
}

#[test]
fn numbers_of_rfc_6979() {
    check_vectors::<sigmill::curves::P256>(P256_KEY, &P256_VECTORS);
    check_vectors::<sigmill::curves::P384>(P384_KEY, &P384_VECTORS);
    check_vectors::<sigmill::curves::P521>(P521_KEY, &P521_VECTORS);
}

tiny_curve!(MINUS_THREE_23, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_23, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);
tiny_curve!(GENERAL_257, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);

/// Signatures of every digest by every key, verified in plain integers.
fn every_signature(tiny: &Tiny, step: usize) {
    let multiples = tiny.multiples();
    let length = tiny.curve.scalar_field().bytes();
    let bits = tiny.curve.scalar_field().bits();
    for d in (1..tiny.n).step_by(step) {
        let bytes = &d.to_be_bytes()[8 - length..];
        let key = SigningKey::from_be_bytes_on(tiny.curve, bytes).unwrap();
        assert_eq!(
            tiny.plain_point(key.verifying_key().as_affine()),
            multiples[d as usize]
        );
        for e in (0..1i64 << bits).step_by(step) {
            // The leftmost bits of the digest are e.
            let digest = (e << (8 * length as u32 - bits)).to_be_bytes();
            let digest = &digest[8 - length..];
            for entropy in [&[][..], b"more"] {
                let options = SignOptions::new().entropy(entropy);
                let (signature, _) = key.sign_with(Input::Digest(digest), &options).unwrap();
                let [r, s] = [signature.r(), signature.s()].map(|scalar| scalar.as_ref()[0] as i64);
                assert!(tiny.plain_verify(&multiples, d, e % tiny.n, r, s));
                key.verifying_key()
                    .verify_prehash(digest, &signature)
                    .unwrap();
            }
        }
    }
}

#[test]
fn every_key_and_digest_on_tiny_curves() {
    every_signature(&MINUS_THREE_23, 1);
    every_signature(&ZERO_31, 1);
    every_signature(&GENERAL_23, 1);
    every_signature(&GENERAL_257, rounds(23, 3));
}

#[test]
fn every_backend() {
    let on_tiny_curves = "signing::every_key_and_digest_on_tiny_curves";
    on_every_backend_without_doubles(on_tiny_curves, on_tiny_curves);
}

/// Hard and random keys and digests: OpenSSL and RustCrypto accept the signatures.
fn others_accept<C: NamedCurve + Default>(name: CurveName, nasty_step: usize, random: usize) {
    let referee = Referee::new(name);
    let length = name.order_len();
    let mut rng = rng(45);
    let check = |key: &SigningKey<C>, digest: &[u8]| {
        let signature = key.sign_prehash(digest).unwrap();
        let p1363 = signature.to_p1363();
        let [r, s] = [&p1363[..length], &p1363[length..]].map(BigUint::from_bytes_be);
        let public = key.verifying_key().to_sec1_bytes(false);
        assert!(referee.openssl(&public, digest, &r, &s));
        let verdict = referee.rust_crypto(&public, digest, &r, &s);
        assert_eq!(verdict, referee.has_rust_crypto().then_some(true));
        key.verifying_key()
            .verify_prehash(digest, &signature)
            .unwrap();
    };
    let n = referee.n.clone();
    for d in nasty_below(&n).iter().skip(1).step_by(nasty_step) {
        let key = SigningKey::from_be_bytes(&to_bytes(d, length)).unwrap();
        check(&key, &to_bytes(&(&n - d), length));
        check(&key, &vec![0; length]);
        check(&key, &vec![0xff; length]);
    }
    for i in 0..random {
        let key = SigningKey::generate_from_rng(&mut rng).unwrap();
        let digest = HashName::Sha384.digest(&i.to_be_bytes());
        check(&key, &digest[..length.min(48)]);
    }
}

#[test]
fn openssl_and_rustcrypto_accept() {
    for_each_curve!(C => {
        let name = C::default().name();
        match name.order_len() {
            32 => others_accept::<C>(name, rounds(61, 7), rounds(10, 200)),
            _ => others_accept::<C>(name, rounds(211, 31), rounds(5, 50)),
        }
    });
}

#[test]
fn the_same_signature_as_rustcrypto() {
    macro_rules! check {
        ($ours:ident, $theirs:ident) => {
            let mut rng = rng(46);
            for i in 0..rounds(10, 200) {
                let key = sigmill::$ours::SigningKey::generate_from_rng(&mut rng)
                    .unwrap()
                    .with_policy(Policy::LOW_S);
                let theirs = $theirs::ecdsa::SigningKey::from_slice(&key.to_be_bytes()).unwrap();
                let digest = HashName::Sha256.digest(&i.to_be_bytes());
                let expected: $theirs::ecdsa::Signature = theirs.sign_prehash(&digest).unwrap();
                assert_eq!(
                    key.sign_prehash(&digest).unwrap().to_p1363(),
                    expected.normalize_s().to_bytes().as_slice()
                );
            }
        };
    }
    check!(p256, p256);
    check!(secp256k1, k256);
}

#[test]
fn low_s_where_the_policy_asks_for_it() {
    let mut rng = rng(47);
    let mut high = 0;
    for i in 0..20u8 {
        let key = sigmill::p384::SigningKey::generate_from_rng(&mut rng).unwrap();
        assert_eq!(key.policy(), Policy::default());
        let any = key.sign(&[i]);
        let strict = key.clone().with_policy(Policy::LOW_S);
        let low = strict.sign(&[i]);
        assert!(!low.is_high_s());
        assert_eq!(low, any.normalize_s());
        assert_eq!(strict.verifying_key().verify(&[i], &low), Ok(()));
        if any.is_high_s() {
            high += 1;
            let message = Input::Message(&[i]);
            let verify = |policy| {
                let options = VerifyOptions::new().policy(policy);
                key.verifying_key().verify_with(message, &any, &options)
            };
            assert_eq!(verify(Policy::LOW_S), Err(Error::HighS));
            let prepared = key.verifying_key().prepare_with_window(2).unwrap();
            let options = VerifyOptions::new().policy(Policy::LOW_S);
            let strict = prepared.verify_with(message, &any, &options);
            assert_eq!(strict, Err(Error::HighS));
            assert_eq!(prepared.verify(&[i], &any), Ok(()));
            assert_eq!(verify(Policy::default()), Ok(()));
        }
    }
    assert!((1..20).contains(&high));
}

#[test]
fn entropy_changes_the_signature_and_not_its_validity() {
    let mut rng = rng(48);
    let key = sigmill::p256::SigningKey::generate().unwrap();
    let digest = HashName::Sha256.digest(b"message");
    let plain = key.sign_prehash(&digest).unwrap();
    let mut seen = vec![plain];
    for _ in 0..3 {
        let signature: Signature<_> = key.sign_prehash_with_rng(&mut rng, &digest).unwrap();
        assert!(!seen.contains(&signature));
        seen.push(signature);
    }
    for signature in &seen {
        let public: VerifyingKey<_> = Keypair::verifying_key(&key);
        Verifier::verify(&public, b"message", signature).unwrap();
    }
    assert_eq!(key.sign_prehash(&digest), Ok(plain));
}

#[test]
fn no_digest_no_signature() {
    let key = sigmill::p256::SigningKey::generate().unwrap();
    assert_eq!(key.sign_prehash(&[]), Err(Error::DigestEmpty));
}
