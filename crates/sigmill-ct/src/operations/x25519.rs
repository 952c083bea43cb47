//! X25519.

use sigmill::agreement::x25519::{
    EphemeralSecret, PublicKey, StaticSecret, diffie_hellman_many, public_keys, x25519,
};
use subtle::ConstantTimeEq;

use super::Operation;
use super::inputs::{SecretRng, bytes, is_public, secret_bytes, stays_secret};

/// A public key of the prime-order subgroup.
fn theirs() -> PublicKey {
    PublicKey::from(&StaticSecret::from(bytes(1)))
}

pub(super) fn list(operations: &mut Vec<Operation>) {
    let all: [(&str, fn()); 8] = [
        ("x25519/function", || {
            // A point may be secret too, such as a blinded one.
            stays_secret(x25519(secret_bytes(2), secret_bytes(3)));
        }),
        ("x25519/public-key", || {
            let secret = StaticSecret::from(secret_bytes(4));
            is_public(PublicKey::from(&secret).to_bytes());
        }),
        ("x25519/agree/static", || {
            let secret = StaticSecret::from(secret_bytes(5));
            let shared = secret.diffie_hellman(&theirs()).expect("of large order");
            stays_secret(*shared.as_bytes());
        }),
        ("x25519/agree/ephemeral", || {
            let secret = EphemeralSecret::generate_from_rng(&mut SecretRng::new(6));
            is_public(PublicKey::from(&secret).to_bytes());
            let shared = secret.diffie_hellman(&theirs()).expect("of large order");
            stays_secret(*shared.as_bytes());
        }),
        ("x25519/agree/small-order", || {
            let secret = StaticSecret::from(secret_bytes(7));
            assert!(secret.diffie_hellman(&PublicKey::from([0; 32])).is_err());
        }),
        ("x25519/many/agree", || {
            let theirs = theirs();
            // A block and a part of one; in one lane the shared secret is zero.
            let secrets: Vec<_> = (0..67)
                .map(|i| StaticSecret::from(secret_bytes(10 + i)))
                .collect();
            let mut rows: Vec<_> = secrets.iter().map(|secret| (secret, &theirs)).collect();
            let zero = PublicKey::from([0; 32]);
            rows[2].1 = &zero;
            for (i, shared) in diffie_hellman_many(&rows).iter().enumerate() {
                match shared {
                    Ok(shared) => stays_secret(*shared.as_bytes()),
                    Err(_) => assert_eq!(i, 2),
                }
            }
        }),
        ("x25519/many/public-keys", || {
            let secrets: Vec<_> = (0..9)
                .map(|i| StaticSecret::from(secret_bytes(10 + i)))
                .collect();
            public_keys(&secrets)
                .iter()
                .for_each(|key| is_public(key.to_bytes()));
        }),
        ("x25519/equal", || {
            let [a, b] = [8, 9].map(|seed| StaticSecret::from(secret_bytes(seed)));
            stays_secret(a.ct_eq(&b).unwrap_u8());
        }),
    ];
    operations.extend(all.map(|(name, run)| Operation::new(name, run)));
}
