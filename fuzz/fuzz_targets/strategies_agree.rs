//! A signature built from a private key and chosen u1 and u2: every strategy accepts it, and none
//! accepts a changed one that RustCrypto rejects.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sigmill::{AnyVerifyingKey, CurveName, SignatureFormat};

/// A scalar that is small, sparse, near the order, or anything.
#[derive(Arbitrary, Debug)]
enum Number {
    Small(u8),
    Negative(u8),
    PowerOfTwo(u8, bool),
    Any([u8; 32]),
}

#[derive(Arbitrary, Debug)]
struct Case {
    p384: bool,
    d: Number,
    u1: Number,
    u2: Number,
    /// u1 = +- u2 d plus the value of u1.
    meet: Option<bool>,
    window: u8,
    change: Option<(u8, u8)>,
}

macro_rules! run {
    ($case:expr, $module:ident, $curve:expr, $length:literal) => {{
        use $module::elliptic_curve::PrimeField;
        use $module::elliptic_curve::ops::Reduce;
        use $module::elliptic_curve::sec1::ToSec1Point;
        use $module::{FieldBytes, ProjectivePoint, Scalar};
        let scalar = |number: &Number| match *number {
            Number::Small(value) => Scalar::from(u64::from(value)),
            Number::Negative(value) => -Scalar::from(u64::from(value)),
            Number::PowerOfTwo(power, negative) => {
                let power = (0..power).fold(Scalar::ONE, |value, _| value + value);
                if negative { -power } else { power }
            }
            Number::Any(bytes) => {
                let mut wide = FieldBytes::default();
                wide[$length - 32..].copy_from_slice(&bytes);
                <Scalar as Reduce<FieldBytes>>::reduce(&wide)
            }
        };
        let (d, u2) = (scalar(&$case.d), scalar(&$case.u2));
        let u1 = scalar(&$case.u1)
            + match $case.meet {
                Some(true) => u2 * d,
                Some(false) => -(u2 * d),
                None => Scalar::ZERO,
            };
        let Some(w) = Option::<Scalar>::from(u2.invert()) else {
            return;
        };
        let k = u1 + u2 * d;
        if d == Scalar::ZERO || k == Scalar::ZERO {
            return;
        }
        let point = (ProjectivePoint::GENERATOR * k)
            .to_affine()
            .to_sec1_point(false);
        let r = <Scalar as Reduce<FieldBytes>>::reduce(point.x().unwrap());
        if r == Scalar::ZERO {
            return;
        }
        let s = r * w;
        let mut digest = (u1 * s).to_repr().to_vec();
        let mut signature = [r.to_repr().to_vec(), s.to_repr().to_vec()].concat();
        if let Some((place, value)) = $case.change {
            let place = usize::from(place) % (3 * $length);
            let byte = match place.checked_sub($length) {
                None => &mut digest[place],
                Some(place) => &mut signature[place],
            };
            *byte ^= value;
        }
        let key = (ProjectivePoint::GENERATOR * d)
            .to_affine()
            .to_sec1_point(false);
        let expected = {
            use $module::ecdsa::signature::hazmat::PrehashVerifier;
            use $module::ecdsa::{Signature, VerifyingKey};
            let key = VerifyingKey::from_sec1_bytes(key.as_bytes()).unwrap();
            Signature::from_slice(&signature)
                .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok())
        };
        if $case.change.is_none_or(|(_, value)| value == 0) {
            assert!(expected);
        }
        let key = AnyVerifyingKey::from_sec1_bytes($curve, key.as_bytes()).unwrap();
        let format = SignatureFormat::P1363;
        let fresh = key.verify_prehash(&digest, &signature, format);
        assert_eq!(fresh.is_ok(), expected, "fresh: {fresh:?}");
        let prepared = key
            .prepare_with_window(1 + u32::from($case.window % 8))
            .unwrap();
        let prepared = prepared.verify_prehash(&digest, &signature, format);
        assert_eq!(prepared, fresh);
    }};
}

fuzz_target!(|case: Case| {
    if case.p384 {
        run!(case, p384, CurveName::P384, 48);
    } else {
        run!(case, p256, CurveName::P256, 32);
    }
});
