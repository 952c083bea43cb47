//! Verdicts on threads whose floating-point mode differs from Rust's assumptions: other rounding
//! modes, flushing of numbers near zero, unmasked exceptions. Lanes of doubles are not used then
//! (docs/lanes.md, "Doubles").

#![cfg(target_arch = "x86_64")]

use std::arch::asm;

use sigmill::Error;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{NamedCurve, P256, P384, Secp256k1};
use sigmill::hazmat::ecdsa::{Verify, verify_many_vartime};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{PreparedKey, SigningKey, VerifyingKey};
use sigmill_tests::processes::on_every_backend;

/// The initial mode of a thread: all exceptions masked, nothing else.
const USUAL: u32 = 0x1f80;

/// Every rounding mode, zeros in place of small results or small operands, and each exception
/// unmasked.
fn modes() -> impl Iterator<Item = u32> {
    let rounding = (0..4).map(|mode| USUAL | mode << 13);
    let small = [1 << 15, 1 << 6, 1 << 15 | 1 << 6 | 3 << 13].map(|bits| USUAL | bits);
    let unmasked = (7..13).map(|bit| USUAL & !(1 << bit));
    rounding.chain(small).chain(unmasked)
}

fn control() -> u32 {
    let mut control = 0u32;
    // SAFETY: stores four bytes at the pointer.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack)) };
    control
}

/// Computes something in another mode. Between the two changes of the mode, neither this library
/// nor this test may do arithmetic on doubles in Rust.
fn under<T>(mode: u32, run: impl FnOnce() -> T) -> T {
    let before = control();
    // SAFETY: loads four bytes at the pointer, whose reserved bits are zero; the mode is restored.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack)) };
    let result = run();
    // SAFETY: as above.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const before, options(nostack)) };
    result
}

/// A key, its table, and rows: valid signatures, and every third one for another digest.
struct Case<C: NamedCurve> {
    key: VerifyingKey<C>,
    prepared: PreparedKey<C>,
    rows: Vec<([u8; 32], Signature<C>)>,
    expected: Vec<Result<(), Error>>,
}

fn case<C: NamedCurve + Default>() -> Case<C> {
    let length = C::default().name().order_len();
    let signing = SigningKey::<C>::from_be_bytes(&[7; 66][..length]).unwrap();
    let key = *signing.verifying_key();
    let (mut rows, mut expected) = (vec![], vec![]);
    for i in 0..300u32 {
        let mut digest = [0; 32];
        digest[..4].copy_from_slice(&i.to_be_bytes());
        let signature = signing.sign_prehash(&digest).unwrap();
        digest[31] ^= u8::from(i % 3 == 0);
        rows.push((digest, signature));
        expected.push(match i % 3 {
            0 => Err(Error::SignatureMismatch),
            _ => Ok(()),
        });
    }
    Case {
        prepared: key.prepare(),
        key,
        rows,
        expected,
    }
}

fn judge<C: NamedCurve + Default>(case: &Case<C>, is_prepared: bool) -> Vec<Result<(), Error>> {
    let rows: Vec<_> = case
        .rows
        .iter()
        .map(|(digest, signature)| Verify {
            strategy: match is_prepared {
                true => case.prepared.strategy(),
                false => case.key.strategy(),
            },
            digest,
            signature: signature.scalars(),
        })
        .collect();
    let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
    verify_many_vartime(C::default().curve(), &rows, &mut verdicts);
    verdicts
}

fn check<C: NamedCurve + Default>() {
    let case = case::<C>();
    let (digest, signature) = &case.rows[1];
    for mode in modes() {
        for is_prepared in [false, true] {
            let verdicts = under(mode, || judge(&case, is_prepared));
            assert_eq!(verdicts, case.expected, "mode {mode:x}");
        }
        let single = under(mode, || case.prepared.verify_prehash(digest, signature));
        assert_eq!(single, Ok(()), "mode {mode:x}");
    }
}

#[test]
fn verdicts_are_right_in_every_mode() {
    check::<P256>();
    check::<Secp256k1>();
    check::<P384>();
}

#[test]
fn every_backend() {
    on_every_backend(
        "rounding::verdicts",
        "rounding::verdicts_are_right_in_every_mode",
    );
}
