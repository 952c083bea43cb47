//! Tests that run again in separate processes.

use std::process::Command;

use sigmill::{CurveName, cpu};

/// Marks such a process for its tests.
const MARK: &str = "SIGMILL_TESTS_AGAIN";

/// Reports whether this process runs tests that have run on another backend.
pub fn is_again() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Returns `full` on the first backend and `again` on the others: all of it on each would take
/// minutes.
pub fn unless_again(full: usize, again: usize) -> usize {
    match is_again() {
        true => again,
        false => full,
    }
}

/// Returns `full` for curves with their own code, and `shared` for curves that share code for
/// different numbers of limbs: most defects on one of them appear on the others.
pub fn unless_shared(curve: CurveName, full: usize, shared: usize) -> usize {
    match curve {
        CurveName::P256 | CurveName::Secp256k1 => full,
        _ => shared,
    }
}

/// The curves that a test runs on: all of them on the first backend. On the others, debug code
/// leaves out P-384 and P-521, whose code is that of brainpoolP256r1 with more limbs and needs
/// minutes. So does portable code for lanes if the CPU has the instructions. Lanes of doubles
/// support only three primes; tests of others would run on `adx` there.
pub fn curves() -> &'static [CurveName] {
    if is_again() && has_doubles() {
        return &[CurveName::P256, CurveName::Secp256k1, CurveName::P384];
    }
    match is_again() && (cfg!(debug_assertions) || is_twin()) {
        true => &[
            CurveName::P256,
            CurveName::Secp256k1,
            CurveName::BrainpoolP256r1,
        ],
        false => CurveName::ALL,
    }
}

/// Reports whether this process runs lanes in portable code although the CPU has the instructions
/// for them: both compute the same limbs.
pub fn is_twin() -> bool {
    let backends = cpu::backends();
    let has = |name| {
        backends
            .iter()
            .any(|backend| backend.name == name && backend.available)
    };
    has("ifma")
        && backends
            .iter()
            .any(|backend| backend.used && backend.name == "portable-lanes")
}

/// Reports whether this process runs lanes of doubles, and everything else as `adx`.
fn has_doubles() -> bool {
    cpu::backends()
        .iter()
        .any(|backend| backend.used && matches!(backend.name, "fma" | "avx512f"))
}

/// Reports whether this process runs again only for lanes: code for one lane has run before.
pub fn is_again_for_lanes() -> bool {
    is_again() && (has_doubles() || is_twin())
}

/// Reports whether a test runs on a curve: see [`curves`].
pub fn is_on(curve: CurveName) -> bool {
    curves().contains(&curve)
}

/// Runs the tests of this binary whose names contain `filter` again on each backend except the
/// current one, in separate processes: a process selects its backend once. Does nothing in such a
/// process, or if the environment names the backend for all tests.
///
/// Lanes compute the same limbs on any words, so debug code runs them once: not in portable code if
/// the CPU has the instructions, and doubles not in eight lanes if the CPU has four. Optimised code
/// runs them on all backends.
///
/// # Panics
/// If a test fails, or if the test named `witness` is not among those that ran.
pub fn on_every_backend(filter: &str, witness: &str) {
    run_again(filter, witness, |_| true);
}

/// Like [`on_every_backend`], without lanes of doubles: for tests of secrets only, of single calls
/// that use no lanes, and of curves other than P-256, secp256k1 and P-384. All of these run on
/// `adx` there.
///
/// # Panics
/// Like `on_every_backend`.
pub fn on_every_backend_without_doubles(filter: &str, witness: &str) {
    run_again(filter, witness, |name| !matches!(name, "fma" | "avx512f"));
}

fn run_again(filter: &str, witness: &str, wanted: impl Fn(&str) -> bool) {
    let is_named = std::env::var(cpu::ENVIRONMENT_VARIABLE)
        .is_ok_and(|name| !name.is_empty() && !name.eq_ignore_ascii_case("auto"));
    if is_again() || is_named {
        return;
    }
    let backends = cpu::backends();
    let has_lanes = backends.iter().any(|b| b.used && b.name == "ifma");
    let has_fma = backends.iter().any(|b| b.available && b.name == "fma");
    for backend in cpu::backends() {
        let is_twin = match backend.name {
            "portable-lanes" => has_lanes,
            "avx512f" => has_fma,
            _ => false,
        } && cfg!(debug_assertions);
        if !backend.available || backend.used || is_twin || !wanted(backend.name) {
            continue;
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .arg(filter)
            .env(cpu::ENVIRONMENT_VARIABLE, backend.name)
            .env(MARK, backend.name)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {text}", backend.name);
        let passed = format!("{witness} ... ok");
        assert!(text.contains(&passed), "{}: {text}", backend.name);
    }
}
