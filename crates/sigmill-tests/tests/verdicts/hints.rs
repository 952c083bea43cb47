//! Hints to R: right, wrong, malformed, or another signature's. (`strategies::hinted` checks the
//! effect of hints for every signature of the other tests.)

use num_bigint::BigUint;
use sigmill::ecdsa::{FullSignature, Signature};
use sigmill::hazmat::KeyParts as _;
use sigmill::hazmat::SignatureParts as _;
use sigmill::hazmat::curve::{Curve as _, NamedCurve};
use sigmill::hazmat::ecdsa::{KnownPoint, LeadsTo, Verify};
use sigmill::hazmat::field::PrimeField as _;
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::{
    AnyVerifyingKey, CurveName, Error, Hint, Input, Policy, RecoveryId, SignatureFormat,
    VerifyOptions,
};
use sigmill_tests::numbers::{big, random_below, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{
    curves, is_on, on_every_backend_without_doubles, unless_again, unless_shared,
};
use sigmill_tests::referee::{Referee, sign};
use sigmill_tests::strategies::hinted;
use sigmill_tests::tiny::{Tiny, TinyCurve};
use sigmill_tests::{for_curve, for_each_curve, rounds, tiny_curve};

tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_BELOW, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_ABOVE, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_ABOVE, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 4);
tiny_curve!(GENERAL_BELOW, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);
tiny_curve!(ENDOMORPHISM_7, p = 13, n = 7, a = 0, b = 6, G = (2, 1), window 1,
    endomorphism beta = 9, split by 1 and 2);
tiny_curve!(ENDOMORPHISM_13, p = 19, n = 13, a = 0, b = 2, G = (4, 3), window 3,
    endomorphism beta = 7, split by 1 and 3);

/// Every key, digest and (every `step`-th) signature, with every hint: each id, every y, and some
/// that are not coordinates.
fn every_hint<C: TinyCurve>(tiny: &Tiny<C>, step: usize) {
    let (n, p, curve) = (tiny.n, tiny.p, tiny.curve);
    let multiples = tiny.multiples();
    let bits = 64 - (n as u64).leading_zeros();
    let (mut valid, mut led) = (0, 0);
    for case in (0..(n - 1).pow(3) << bits).step_by(step) {
        let e = case % (1 << bits);
        let case = case >> bits;
        let [d, r, s] = [1, n - 1, (n - 1).pow(2)].map(|power| 1 + case / power % (n - 1));
        let (x, y) = multiples[d as usize].unwrap();
        let key = VerifyingKey::from_sec1_bytes_on(curve, &[4, x as u8, y as u8]).unwrap();
        let signature = Signature::from_scalars_on(curve, &[r as u8], &[s as u8]).unwrap();
        let digest = [(e as u8) << (8 - bits)];
        let w = sigmill_tests::tiny::inverse(s, n);
        let sum = multiples[((e + r * d) * w % n) as usize];
        let is_valid = sum.is_some_and(|(x, _)| x % n == r);
        assert_eq!(is_valid, tiny.plain_verify(&multiples, d, e % n, r, s));
        let context = || format!("{}: d {d}, e {e}, r {r}, s {s}", curve.label());
        let verdict = is_valid.then_some(()).ok_or(Error::SignatureMismatch);
        let right = sum.filter(|_| is_valid);
        let right = right.map(|(x, y)| RecoveryId::new(y % 2 == 1, x >= n));
        assert_eq!(
            key.verify_prehash_recoverable(&digest, &signature).ok(),
            right,
            "{}",
            context()
        );
        let leads = |hint: Hint<'_>| {
            let verify = Verify {
                strategy: key.strategy(),
                digest: &digest,
                signature: signature.scalars(),
            };
            let point = KnownPoint::Hint(hint);
            curve.dispatch(LeadsTo { verify, point })
        };
        let with = |hint: Hint<'_>| {
            let options = VerifyOptions::new().hint(hint);
            key.verify_with(Input::Digest(&digest), &signature, &options)
        };
        for id in RecoveryId::ALL {
            let expected = right == Some(id);
            assert_eq!(leads(Hint::Id(id)), expected, "{} {id:?}", context());
            assert_eq!(with(Hint::Id(id)), verdict, "{} {id:?}", context());
            led += usize::from(expected);
        }
        // A y may belong to r and to r + n.
        for y in 0..=p {
            let bytes = [y as u8];
            let named = [r, r + n]
                .into_iter()
                .find(|&x| x < p && y < p && multiples.contains(&Some((x, y))));
            let expected = named.is_some_and(|x| Some((x, y)) == sum);
            assert_eq!(leads(Hint::Y(&bytes)), expected, "{} y {y}", context());
        }
        assert_eq!(with(Hint::Y(&[(e % p) as u8])), verdict, "{}", context());
        valid += usize::from(is_valid);
    }
    assert!(valid > 0 && valid == led, "{valid} {led}");
}

#[test]
fn every_hint_on_tiny_curves() {
    let step = |step| step * unless_again(1, 5);
    every_hint(&ENDOMORPHISM_7, 1);
    every_hint(&ENDOMORPHISM_13, step(rounds(3, 1)));
    every_hint(&MINUS_THREE_BELOW, step(rounds(61, 1)));
    every_hint(&MINUS_THREE_ABOVE, step(rounds(61, 1)));
    every_hint(&GENERAL_ABOVE, step(rounds(101, 3)));
    every_hint(&GENERAL_BELOW, step(rounds(101, 3)));
    every_hint(&ZERO_ABOVE, step(rounds(301, 7)));
}

/// Hints of all kinds for a valid signature, and for it with another digest.
fn no_hint_changes_a_verdict<C: NamedCurve + Default>() {
    let curve = C::default();
    if !is_on(curve.name()) {
        return;
    }
    let length = curve.name().field_len();
    let mut rng = rng(152);
    let mut others: Vec<Vec<u8>> = vec![vec![], vec![0], vec![0; length], vec![0xff; length]];
    let mut p = vec![0; length];
    sigmill::hazmat::limbs::write_be_bytes(curve.curve().base_field().modulus().as_ref(), &mut p);
    others.push(p);
    let full = rounds(3, unless_shared(curve.name(), 20, 8));
    for i in 0..unless_again(full, 3) as u8 {
        let key = SigningKey::<C>::generate_from_rng(&mut rng).unwrap();
        let public = key.verifying_key();
        let digest = [i + 1; 48];
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        let full = FullSignature::new(&signature, id).unwrap().to_bytes(false);
        let y = full[1 + length..][..length].to_vec();
        let minus = RecoveryId::new(!id.is_y_odd(), id.is_x_reduced());
        let minus = FullSignature::new(&signature, minus)
            .unwrap()
            .to_bytes(false);
        others.push(minus[1 + length..][..length].to_vec());
        // Of other lengths: with leading zeros, which is the same; truncated; with trailing bytes.
        others.extend([
            [vec![0], y.clone()].concat(),
            y[1..].to_vec(),
            [y.clone(), vec![0]].concat(),
        ]);
        others.push(y);
        for digest in [digest, [i; 48]] {
            let expected = public.verify_prehash(&digest, &signature);
            assert_eq!(expected.is_ok(), digest[0] != i);
            let any = AnyVerifyingKey::from_sec1_bytes(curve.name(), &public.to_sec1_bytes(true))
                .unwrap();
            let der = signature.to_der();
            // Includes those of earlier signatures.
            let ids = RecoveryId::ALL.map(Hint::Id).into_iter();
            for hint in ids.chain(others.iter().map(|y| Hint::Y(y))) {
                let (input, options) = (Input::Digest(&digest), VerifyOptions::new().hint(hint));
                let verdict = public.verify_with(input, &signature, &options);
                assert_eq!(verdict, expected, "{hint:?}");
                let format = SignatureFormat::Der;
                let verdict = any.verify_with(input, &der, format, &options);
                assert_eq!(verdict, expected, "{hint:?}");
            }
        }
        let message = [i];
        let signature = key.sign(&message);
        let options = VerifyOptions::new().hint(Hint::Id(id));
        let of_message = public.verify_with(Input::Message(&message), &signature, &options);
        assert_eq!(of_message, Ok(()));
        let empty = public.verify_with(Input::Digest(&[]), &signature, &options);
        assert_eq!(empty, Err(Error::DigestEmpty));
    }
}

#[test]
fn no_hint_changes_a_verdict_on_any_curve() {
    for_each_curve!(C => { no_hint_changes_a_verdict::<C>() });
}

/// x(R) = r + n: a hint can express it, a friendly signature cannot.
#[test]
fn x_at_or_above_the_order() {
    for &name in curves() {
        for_curve!(name, C => { reduced::<C>(name) });
    }
}

fn reduced<C: NamedCurve + Default>(name: CurveName) {
    let referee = Referee::new(name);
    let (n, length) = (&referee.n, referee.length());
    let mut rng = rng(153);
    let mut found = 0;
    for offset in 1..unless_again(rounds(8, 40), 12) as u64 {
        let is_odd = offset % 2 == 1;
        let Some(point) = referee.lift_x(&(n + offset), is_odd) else {
            continue;
        };
        found += 1;
        let (u1, u2) = (random_below(&mut rng, n), random_nonzero(&mut rng, n));
        let case = referee.forge_key(&point, &big(offset), &u1, &u2);
        let key = VerifyingKey::<C>::from_sec1_bytes(&case.key).unwrap();
        let digest = referee.digest(&case.e);
        let signature =
            Signature::from_scalars(&to_bytes(&case.r, length), &to_bytes(&case.s, length))
                .unwrap();
        let id = RecoveryId::new(is_odd, true);
        assert_eq!(key.verify_prehash_recoverable(&digest, &signature), Ok(id));
        assert_eq!(hinted(&key, None, &digest, &signature), Ok(()));
        assert_eq!(signature.to_friendly(id), Err(Error::CannotBeFriendly));
        let any = AnyVerifyingKey::from_sec1_bytes(C::default().name(), &case.key).unwrap();
        let p1363 = signature.to_p1363();
        let friendly = any.to_friendly_prehash(&digest, &p1363, SignatureFormat::P1363);
        assert_eq!(friendly, Err(Error::CannotBeFriendly));
        let (input, plain) = (Input::Digest(&digest), VerifyOptions::new());
        let friendly = plain.policy(Policy::FRIENDLY);
        for signature in [signature, signature.normalize_s()] {
            assert_eq!(
                key.verify_with(input, &signature, &friendly),
                Err(Error::NotFriendly)
            );
        }
        let full = FullSignature::new(&signature, id).unwrap();
        assert_eq!(full.to_bytes(false)[..1 + 2 * length], point);
        assert_eq!(full.recovery_id(), id);
        for compressed in [false, true] {
            let read = FullSignature::from_bytes(&full.to_bytes(compressed));
            assert_eq!(read, Ok(full));
        }
        assert_eq!(key.verify_full(input, &full, &plain), Ok(()));
        assert_eq!(
            key.verify_full(input, &full, &friendly),
            Err(Error::NotFriendly)
        );
    }
    assert!(found >= 2, "{found}");
}

/// e = 0, Q = G and Q = -G, R = Q and R = -Q, R = G and u2 near 0, 1 and n, with the sums that
/// result from the halves.
#[test]
fn points_that_meet() {
    for &name in curves() {
        for_curve!(name, C => { meeting::<C>(name) });
    }
}

fn meeting<C: NamedCurve + Default>(name: CurveName) {
    let referee = Referee::new(name);
    let (n, length) = (&referee.n, referee.length());
    let bits = n.bits();
    let mut scalars: Vec<BigUint> = [1u64, 2, 3].map(big).into();
    scalars.extend([bits / 2 - 1, bits.div_ceil(2), bits - 1].map(|power| big(1) << power));
    let negatives: Vec<_> = scalars.iter().map(|scalar| n - scalar).collect();
    scalars.extend(negatives);
    let full = rounds(2, unless_shared(name, 1, 3));
    for d in scalars.iter().step_by(unless_again(full, 4)) {
        let key = VerifyingKey::<C>::from_sec1_bytes(&referee.generator_multiple(d)).unwrap();
        for k in &scalars {
            // R = k G, which is also k / d times Q. With e = 0, u1 = 0 and u2 = k / d.
            for e in [big(0), big(1), k.clone()] {
                let (r, s) = sign(&referee, d, k, &e);
                if s == BigUint::ZERO {
                    continue;
                }
                let [r, s] = [r, s].map(|scalar| to_bytes(&scalar, length));
                let signature = Signature::from_scalars(&r, &s).unwrap();
                assert_eq!(hinted(&key, None, &referee.digest(&e), &signature), Ok(()));
                let other = referee.digest(&(e + 1u32));
                let verdict = hinted(&key, None, &other, &signature);
                assert_eq!(verdict, key.verify_prehash(&other, &signature));
            }
        }
    }
}

#[test]
fn every_backend() {
    on_every_backend_without_doubles("hints::", "hints::points_that_meet");
}
