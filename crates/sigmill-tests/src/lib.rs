//! What the tests of `sigmill` share: seeded randomness, referees, curves tied to one backend, tiny
//! curves, and every way to verify. The tests are in `tests/`; `examples/` counts the operations of the essays.
//!
//! A package of its own, because a profile can then compile what only tests need (a dozen curves, each
//! with all strategies) with less optimisation than the library, whose code for the real curves is
//! shared, not compiled again.
#![allow(missing_docs, reason = "read beside the tests, not as a library")]

pub mod der;
pub mod expect;
pub mod kernels;
pub mod moduli;
pub mod numbers;
pub mod processes;
pub mod referee;
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

/// A test that calls a function, generic over the curve, for all of them.
#[macro_export]
macro_rules! on_all_curves {
    ($test:ident: $function:ident) => {
        #[test]
        fn $test() {
            $function::<sigmill::curve::P256>();
            $function::<sigmill::curve::P384>();
            $function::<sigmill::curve::Secp256k1>();
        }
    };
}
