//! The shared parts of sigmill's tests: seeded randomness, referees, curves tied to one backend,
//! tiny curves, and every way to verify. The tests are in `tests/`; `examples/` counts the
//! operations for the essays.
//!
//! A separate package, because a profile can then compile code that only tests need (a dozen
//! curves, each with all strategies) with less optimisation than the library. The library's code
//! for the real curves is shared and not compiled again.
#![allow(missing_docs, reason = "read beside the tests, not as a library")]

pub mod counting;
pub mod der;
pub mod expect;
pub mod given;
pub mod hints;
pub mod kernels;
pub mod moduli;
pub mod numbers;
pub mod processes;
pub mod referee;
pub mod strategies;
pub mod tiny;

/// True if the tests run with all their inputs: set by the feature `thorough`, for optimised code.
pub const THOROUGH: bool = cfg!(feature = "thorough");

/// Returns `few` rounds, or `many` if the tests are [`THOROUGH`].
pub const fn rounds(few: usize, many: usize) -> usize {
    if THOROUGH { many } else { few }
}

pub use sigmill::{for_each_curve, on_curve as for_curve};

/// A test that calls a function, generic over the curve, for all curves.
#[macro_export]
macro_rules! on_all_curves {
    ($test:ident: $function:ident) => {
        #[test]
        fn $test() {
            $crate::for_each_curve!(C => { $function::<C>() });
        }
    };
}

#[test]
fn every_curve_is_listed() {
    use sigmill::CurveName;
    use sigmill::curves::NamedCurve as _;
    let mut listed = vec![];
    for_each_curve!(C => { listed.push(C::default().name()) });
    assert_eq!(listed, CurveName::ALL);
    for &curve in CurveName::ALL {
        assert_eq!(for_curve!(curve, C => { C::default().name() }), curve);
    }
}
