//! PEM bundles: no block that another reader finds is dropped.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sigmill::bulk::Engine;
use sigmill_cli::fuzzing::judge_bundle;

fuzz_target!(|text: &[u8]| {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::builder().build().expect("default settings"));
    let (certificates, valid) = judge_bundle(text, engine);
    assert!(valid <= certificates);
    if let Ok(text) = std::str::from_utf8(text)
        && let Ok((label, _)) = pem_rfc7468::decode_vec(text.as_bytes())
    {
        assert!(label != "CERTIFICATE" || certificates >= 1);
    }
});
