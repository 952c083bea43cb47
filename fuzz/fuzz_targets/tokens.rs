//! JWK sets and tokens: many tokens get the verdicts of the single call, with tables and without,
//! and a valid token is valid in its one form only.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sigmill::bulk::Engine;
use sigmill::jose::{JwkSet, verify_compact};
use sigmill_cli::fuzzing::judge_tokens;

fuzz_target!(|case: (&str, &[u8])| {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::builder().build().expect("default settings"));
    let (jwks, text) = case;
    let lines = text.split(|&byte| byte == b'\n');
    let tokens: Vec<_> = lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .collect();
    let verdicts = judge_tokens(jwks, text, engine);
    let keys = JwkSet::from_json(jwks);
    assert_eq!(verdicts.is_ok(), keys.is_ok());
    if let (Ok(verdicts), Ok(keys)) = (verdicts, keys) {
        assert_eq!(verdicts.len(), tokens.len());
        // Only for a few keys, as building a table takes time.
        let prepared = (keys.keys().len() <= 2).then(|| keys.clone().prepare());
        for (token, is_valid) in tokens.into_iter().zip(verdicts) {
            let verified = verify_compact(token, &keys);
            assert_eq!(verified.is_ok(), is_valid);
            if let Some(prepared) = &prepared {
                assert_eq!(
                    verify_compact(token, prepared).map(|token| token.into_payload()),
                    verified.map(|token| token.into_payload()),
                );
            }
        }
        // Every JSON reader reads the set. But a key that nobody can use may contain a number
        // beyond the range of most readers.
        serde_json::from_str::<&serde_json::value::RawValue>(jwks).expect("a set is JSON");
    }
});
