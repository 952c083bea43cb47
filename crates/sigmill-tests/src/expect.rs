//! Verdicts of every verifier on a signature: this crate in every way, OpenSSL and RustCrypto.

use num_bigint::BigUint;

use super::referee::{Forged, Referee, digest_integer};
use super::strategies::Strategies;

/// Checks every verifier on one signature of the integer e, encoded as a digest of full length.
#[track_caller]
pub fn expect(referee: &Referee, strategies: &Strategies, case: &Forged, valid: bool) {
    let digest = referee.digest(&case.e);
    let verdict = strategies.verdict(&digest, &case.r, &case.s);
    assert_eq!(verdict.is_ok(), valid, "{verdict:?} {case:x?}");
    assert_eq!(
        referee.openssl(&case.key, &digest, &case.r, &case.s),
        valid,
        "OpenSSL: {case:x?}"
    );
    assert_eq!(
        referee.rust_crypto(&case.key, &digest, &case.r, &case.s),
        referee.has_rust_crypto().then_some(valid),
        "RustCrypto: {case:x?}"
    );
}

/// A valid signature, and its neighbours: the same with e, r or s changed by one.
#[track_caller]
pub fn expect_valid_but_not_its_neighbours(
    referee: &Referee,
    strategies: &Strategies,
    case: &Forged,
) {
    let n = &referee.n;
    expect(referee, strategies, case, true);
    let next = |value: &BigUint| (value + 1u32) % n;
    for neighbour in [
        Forged {
            e: next(&case.e),
            ..case.clone()
        },
        Forged {
            r: next(&case.r),
            ..case.clone()
        },
        Forged {
            s: next(&case.s),
            ..case.clone()
        },
        Forged {
            e: (n - &case.e) % n,
            ..case.clone()
        },
    ] {
        let same =
            digest_integer(&referee.digest(&neighbour.e), n) == case.e && neighbour.r == case.r;
        if !(same && neighbour.s == case.s) {
            expect(referee, strategies, &neighbour, false);
        }
    }
    // (r, n - s) is the other signature of the same message.
    let mirrored = Forged {
        s: n - &case.s,
        ..case.clone()
    };
    expect(referee, strategies, &mirrored, true);
}
