//! JWK sets and tokens: what is valid is valid under the same keys in another order of members, and
//! never when its header is not UTF-8.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sigmill::bulk::Engine;
use sigmill_cli::fuzzing::judge_tokens;

fuzz_target!(|case: (&str, &[u8])| {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::builder().build().expect("default settings"));
    let (jwks, text) = case;
    let lines = text.split(|&byte| byte == b'\n');
    let tokens = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    if let Ok(verdicts) = judge_tokens(jwks, text, engine) {
        assert_eq!(verdicts.len(), tokens);
        // The set is JSON to everybody, though a key that nobody can use may have a number in it
        // that is beyond what most readers hold.
        serde_json::from_str::<&serde_json::value::RawValue>(jwks).expect("a set is JSON");
    }
});
