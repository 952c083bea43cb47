//! The memory of a call stays in the process between calls.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::process::Command;

use sigmill::bulk::{Column, Engine, Hints, Inputs, Rows, Signatures, Speed};
use sigmill::{AnySigningKey, CurveName, Policy, SignatureFormat};

/// This many rows need some three megabytes: hundreds of pages per call, if they are allocated
/// anew.
const ROWS: usize = 4096;

/// Marks a process that runs this test alone: in other processes memory comes and goes.
const ALONE: &str = "SIGMILL_TESTS_ALONE";

const CALLS_TAKE_FEW_PAGES: &str = "bulk::memory::calls_after_the_first_take_few_pages";

#[test]
fn calls_after_the_first_take_few_pages() {
    if std::env::var_os(ALONE).is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", CALLS_TAKE_FEW_PAGES])
            .env(ALONE, "1")
            .env_remove("GLIBC_TUNABLES")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("1 passed"), "{text}");
        return;
    }
    let signers = AnySigningKey::generate_many(CurveName::P256, ROWS).unwrap();
    let (mut keys, mut digests, mut signatures, mut ids) = (vec![], vec![], vec![], vec![]);
    for (key, i) in signers.iter().zip(0_u64..) {
        let mut digest = [7; 32];
        digest[..8].copy_from_slice(&i.to_le_bytes());
        let signed = key.sign_prehash_recoverable(&digest, SignatureFormat::P1363);
        let (signature, id) = signed.unwrap();
        keys.extend(key.verifying_key().to_sec1_bytes(false));
        digests.extend(digest);
        signatures.extend(signature);
        ids.push(id.to_byte());
    }
    let rows = Rows::new(
        CurveName::P256.default_algorithm(),
        Column::fixed(&keys, 65),
        Inputs::Digests(Column::fixed(&digests, 32)),
        Signatures::P1363(Column::fixed(&signatures, 64)),
    );
    let rows = rows.unwrap().hints(Hints::Ids(Column::fixed(&ids, 1)));
    let rows = rows.unwrap();
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .key_memory(0)
        .policy(Policy::default().with_batch(true));
    let engine = engine.build().unwrap();
    let call = || assert_eq!(engine.verify(&rows).valid(), ROWS);
    call();
    call();
    let before = pages_taken();
    for _ in 0..8 {
        call();
    }
    let taken = pages_taken() - before;
    assert!(taken < 8 * 60, "eight calls took {taken} pages");
}

/// The pages that this process has requested from the system: minor faults (`proc(5)`).
fn pages_taken() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, behind_name) = stat.rsplit_once(')').unwrap();
    behind_name
        .split_whitespace()
        .nth(7)
        .unwrap()
        .parse()
        .unwrap()
}
