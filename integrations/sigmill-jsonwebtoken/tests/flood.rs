//! A flood of keys that occur once needs no memory beyond the limit, and evicts no table of a
//! frequent key.

use std::sync::Arc;

use jsonwebtoken::{Algorithm, DecodingKey};
use sigmill::bulk::Engine;
use sigmill::p256::SigningKey;
use sigmill_jsonwebtoken::{engine, set_engine, sigmill, v11};

const MEMORY: usize = 1 << 20;

#[test]
fn a_flood_of_keys() {
    let small = Engine::builder().key_memory(MEMORY).build().unwrap();
    assert!(set_engine(Arc::new(small)).is_ok());
    let again = Engine::builder().key_memory(0).build().unwrap();
    assert!(set_engine(Arc::new(again)).is_err());

    let verify = |key: &[u8], signature: &[u8]| {
        let key = DecodingKey::from_ec_der(key);
        let verifier = (v11::provider().verifier_factory)(&Algorithm::ES256, &key).unwrap();
        verifier.verify(b"m", &signature.to_vec()).is_ok()
    };
    let hot = SigningKey::generate().unwrap();
    let point = hot.verifying_key().to_sec1_bytes(false);
    let signature = hot.sign(b"m").to_p1363();
    for _ in 0..20 {
        assert!(verify(&point, &signature));
    }
    let stats = engine().key_store().stats();
    assert_eq!(stats.tables, 1);

    let flood = SigningKey::generate_many(6000).unwrap();
    for (i, key) in flood.iter().enumerate() {
        assert!(!verify(
            &key.verifying_key().to_sec1_bytes(false),
            &signature
        ));
        if i % 16 == 0 {
            assert!(verify(&point, &signature));
        }
    }
    let after = engine().key_store().stats();
    assert_eq!((after.tables, after.evictions), (1, 0));
    assert!(after.bytes_used <= MEMORY as u64, "{after:?}");
    assert_eq!(after.misses - stats.misses, 6000, "{after:?}");
}
