//! Rows of any bytes: the engine's verdict is that of the single call, each time that a key comes.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sigmill::bulk::{Engine, Input, Row, Speed};
use sigmill::{
    Algorithm, AnySigningKey, AnyVerifyingKey, CurveName, HashName, Policy, SignatureFormat,
    VerifyOptions,
};

#[derive(Arbitrary, Debug)]
struct AnyRow<'a> {
    curve: u8,
    hash: u8,
    key: &'a [u8],
    /// Use G as the key: random bytes are hardly ever a key.
    generator: bool,
    digest: bool,
    input: &'a [u8],
    signature: &'a [u8],
    format: u8,
}

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    rows: Vec<AnyRow<'a>>,
    memory: u32,
    window: u8,
    low_s: bool,
}

fn generator(curve: CurveName) -> Vec<u8> {
    let mut one = vec![0; curve.order_len()];
    one[curve.order_len() - 1] = 1;
    let key = AnySigningKey::from_be_bytes(curve, &one).unwrap();
    key.verifying_key().to_sec1_bytes(true)
}

fuzz_target!(|case: Case<'_>| {
    let policy = match case.low_s {
        true => Policy::LOW_S,
        false => Policy::default(),
    };
    let builder = Engine::builder()
        .speed(Speed::Fixed)
        .key_memory(case.memory as usize % (1 << 20));
    let engine = builder
        .window(1 + u32::from(case.window % 6))
        .policy(policy)
        .build()
        .unwrap();
    for row in &case.rows {
        let curve = CurveName::ALL[usize::from(row.curve) % CurveName::ALL.len()];
        let hash = HashName::ALL[usize::from(row.hash) % 3];
        let format = [
            SignatureFormat::Auto,
            SignatureFormat::Der,
            SignatureFormat::P1363,
        ][usize::from(row.format) % 3];
        let key = if row.generator {
            generator(curve)
        } else {
            row.key.to_vec()
        };
        let hashed = hash.digest(row.input);
        let digest = if row.digest { row.input } else { &hashed };
        let expected = AnyVerifyingKey::from_encoded(Some(curve), &key).and_then(|key| {
            let options = VerifyOptions::new().policy(policy);
            key.verify_with(Input::Digest(digest), row.signature, format, &options)
        });
        let input = if row.digest {
            Input::Digest(row.input)
        } else {
            Input::Message(row.input)
        };
        let algorithm = Algorithm::new(curve, hash);
        let row = Row::new(algorithm, &key, input, row.signature, format);
        // The table is built on the way.
        for _ in 0..7 {
            assert_eq!(engine.verify_row(&row), expected);
        }
    }
    assert!(engine.key_store().stats().table_bytes < 1 << 20);
});
