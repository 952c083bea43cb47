//! What the integration tests share: seeded randomness, referees, and every way to verify.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

pub mod backends;
pub mod der;
#[cfg(feature = "std")]
pub mod expect;
pub mod moduli;
pub mod numbers;
pub mod referee;
#[cfg(feature = "std")]
pub mod strategies;
pub mod tiny;

/// More rounds where the optimizer helps: `debug` in debug builds, `release` in others.
pub const fn rounds(debug: usize, release: usize) -> usize {
    if cfg!(debug_assertions) {
        debug
    } else {
        release
    }
}
