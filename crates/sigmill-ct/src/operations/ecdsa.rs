//! Private keys, signing, and agreement with private keys.

use sigmill::agreement::{EphemeralSecret, SharedSecret, diffie_hellman, diffie_hellman_sha256};
use sigmill::curves::NamedCurve;
use sigmill::for_each_curve;
use sigmill::hazmat::ct;
use sigmill::hazmat::curve::Curve as _;
use sigmill::keys::{SecretScalar, SigningKey, public_keys, sign_prehash_many};
use sigmill::{AnySigningKey, HashName, Input, Policy, SignOptions, SignatureFormat};
use subtle::ConstantTimeEq;

use super::inputs::{SecretRng, bytes, is_public, secret_bytes, stays_secret};
use super::multiply::Width;
use super::{Operation, prefix};

/// A secret key. The highest byte is public, so that the key is below every order.
pub(super) fn key<C: NamedCurve + Default>(seed: u64) -> SigningKey<C> {
    let mut bytes: [u8; 66] = secret_bytes(seed);
    let name = C::default().name();
    bytes[0] = 0x7f >> (8 * name.order_len() as u32 - name.order_bits());
    SigningKey::from_be_bytes(&bytes[..name.order_len()]).expect("below the order")
}

/// The public key must be public.
fn told<C: NamedCurve + Default>(key: &SigningKey<C>) {
    // As bytes, since the type has padding.
    let point = key.verifying_key().to_sec1_bytes(true);
    is_public(*point.first_chunk::<33>().expect("a compressed point"));
}

fn sign<C: NamedCurve + Default>(hash: HashName, entropy: &[u8]) {
    let digest: [u8; 64] = bytes(2);
    let input = Input::Digest(&digest[..hash.output_len()]);
    let options = SignOptions::new().hash(hash).entropy(entropy);
    let (signature, _) = key::<C>(1).sign_with(input, &options).expect("a digest");
    is_public(signature);
}

fn agree<C: NamedCurve + Default>(seed: u64) -> SharedSecret {
    let peer = *key::<C>(7).verifying_key();
    diffie_hellman(key::<C>(seed).secret_scalar(), &peer)
}

/// The shared secret must be secret.
pub(super) fn shared(secret: &SharedSecret) {
    stays_secret(
        *secret
            .as_bytes()
            .first_chunk::<32>()
            .expect("32 bytes at least"),
    );
}

/// The operations of curve `C`.
fn list_of<C: NamedCurve + Default>(operations: &mut Vec<Operation>) {
    let name = prefix::<C>();
    let mut add = |operation: &str, run: fn()| {
        operations.push(Operation::new(format!("{name}/{operation}"), run));
    };
    add("key/read", || {
        let bytes = key::<C>(1).to_be_bytes();
        stays_secret(*bytes.first_chunk::<32>().expect("32 bytes at least"));
    });
    add("key/out-of-range", || {
        let bytes: [u8; 66] = ct::classify(&[0xff; 66]);
        let key = SigningKey::<C>::from_be_bytes(&bytes[..C::default().name().order_len()]);
        assert!(key.is_err());
    });
    add("key/equal", || {
        stays_secret(key::<C>(1).ct_eq(&key(2)).unwrap_u8())
    });
    add("key/equal-told", || assert!(key::<C>(1) != key(2)));
    add("key/public", || told(&key::<C>(1)));
    add("key/generate", || {
        let Ok(key) = SigningKey::<C>::generate_from_rng(&mut SecretRng::new(3));
        told(&key);
    });
    add("key/generate/rejected-once", || {
        let Ok(key) = SigningKey::<C>::generate_from_rng(&mut SecretRng::ones_first(4));
        told(&key);
    });
    add("key/der", || {
        let der = key::<C>(1).to_pkcs8_der();
        told(&SigningKey::<C>::from_pkcs8_der(&der).expect("what was written"));
    });
    add("key/any", || {
        let secret = key::<C>(1).to_be_bytes();
        let any =
            AnySigningKey::from_be_bytes(C::default().name(), &secret).expect("below the order");
        for der in [any.to_pkcs8_der(), any.to_sec1_der()] {
            assert!(AnySigningKey::from_encoded(&der).expect("what was written") == any);
        }
        let digest: [u8; 32] = bytes(2);
        let format = SignatureFormat::P1363;
        let signature = any.sign_prehash(&digest, format).expect("a digest");
        is_public(*signature.first_chunk::<64>().expect("two scalars"));
        for signature in AnySigningKey::sign_prehash_many(&[(&any, &digest[..]); 9], format) {
            let signature = signature.expect("a digest");
            is_public(*signature.first_chunk::<64>().expect("two scalars"));
        }
        shared(&any.diffie_hellman(&any.verifying_key()).expect("one curve"));
    });
    add("agree/static", || shared(&agree::<C>(8)));
    add("agree/sha256", || {
        let peer = *key::<C>(7).verifying_key();
        shared(&diffie_hellman_sha256(key::<C>(8).secret_scalar(), &peer));
    });
    add("agree/ephemeral", || {
        let Ok(secret) = EphemeralSecret::<C>::generate_from_rng(&mut SecretRng::new(9));
        let point = secret.public_key().to_sec1_bytes(true);
        is_public(*point.first_chunk::<33>().expect("a compressed point"));
        shared(&secret.diffie_hellman(key::<C>(7).verifying_key()));
    });
    add("agree/equal", || {
        let [a, b] = [agree::<C>(8), agree::<C>(9)];
        stays_secret(a.ct_eq(&b).unwrap_u8());
        assert!(a != b);
    });
    add("sign/sha256", || sign::<C>(HashName::Sha256, &[]));
    add("sign/sha384", || sign::<C>(HashName::Sha384, &[]));
    add("sign/sha512", || sign::<C>(HashName::Sha512, &[]));
    add("sign/entropy", || {
        sign::<C>(HashName::Sha256, &secret_bytes::<32>(5))
    });
    add("sign/many", || {
        let keys: Vec<_> = (1..=3).map(key::<C>).collect();
        let digest: [u8; 32] = bytes(2);
        // Two groups of lanes, the last one not full.
        let rows: Vec<_> = (0..9).map(|i| (&keys[i % 3], &digest[i..])).collect();
        for signature in sign_prehash_many(&rows) {
            is_public(signature.expect("a digest"));
        }
    });
    add("key/public-many", || {
        let secrets = (1..=9).map(|seed| key::<C>(seed).secret_scalar().clone());
        public_keys_of(&secrets.collect::<Vec<_>>());
    });
    // Enough keys for additions to share inversions in lanes. With one lane each scalar is
    // separate, and only the last inversion is shared, in blocks of sixteen.
    add("key/public-hundreds", || {
        let lanes = C::default().curve().dispatch_secret_lanes(Width);
        let count = if lanes > 1 { 48 * lanes + 6 } else { 40 };
        let secrets: Vec<_> = (1..=9)
            .map(|seed| key::<C>(seed).secret_scalar().clone())
            .collect();
        let hundreds: Vec<_> = secrets.iter().cycle().take(count).cloned().collect();
        public_keys_of(&hundreds);
    });
    add("sign/message/low-s", || {
        is_public(key::<C>(6).with_policy(Policy::LOW_S).sign(b"message"));
    });
}

fn public_keys_of<C: NamedCurve + Default>(secrets: &[SecretScalar<C>]) {
    for key in public_keys(secrets) {
        is_public(
            *key.to_sec1_bytes(true)
                .first_chunk::<33>()
                .expect("a compressed point"),
        );
    }
}

pub(super) fn list(operations: &mut Vec<Operation>) {
    for_each_curve!(C => list_of::<C>(operations));
}
