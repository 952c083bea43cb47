//! Recovering public keys from signatures: libsecp256k1, tiny curves, and signatures without a key.

use num_bigint::BigUint;
use secp256k1::Message;
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId as LibraryId};
use sigmill::RecoveryId;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{BrainpoolP256r1, Curve, Domain, P256, P384, P521};
use sigmill::hazmat::ecdsa::{Recover, recover_many_vartime};
use sigmill::hazmat::field::PrimeField as _;
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::secp256k1::{SigningKey as Secp256k1Key, VerifyingKey as Secp256k1PublicKey};
use sigmill::{AnyVerifyingKey, CurveName, Error, HashName, Policy, SignatureFormat};

use sigmill_tests::numbers::{big, nasty_below, pick, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{is_on, on_every_backend, on_every_backend_without_doubles};
use sigmill_tests::referee::{Referee, sign};
use sigmill_tests::tiny::{Tiny, TinyCurve, inverse};
use sigmill_tests::{rounds, tiny_curve};

/// The point that libsecp256k1 recovers; `None` if there is none.
fn library(digest: &[u8; 32], p1363: &[u8; 64], id: u8) -> Option<Vec<u8>> {
    let id = LibraryId::try_from(i32::from(id)).ok()?;
    let signature = RecoverableSignature::from_compact(p1363, id).ok()?;
    let key = signature.recover(Message::from_digest(*digest)).ok()?;
    Some(key.serialize_uncompressed().to_vec())
}

/// sigmill's result; libsecp256k1 must agree, except for the reason of an error.
#[track_caller]
fn recover(digest: &[u8; 32], r: &BigUint, s: &BigUint, id: u8) -> Result<Vec<u8>, Error> {
    let p1363: [u8; 64] = [to_bytes(r, 32), to_bytes(s, 32)]
        .concat()
        .try_into()
        .unwrap();
    let ours = Signature::from_p1363(&p1363).and_then(|signature| {
        let id = RecoveryId::from_byte(id)?;
        let key = Secp256k1PublicKey::recover_from_prehash(digest, &signature, id)?;
        key.verify_prehash(digest, &signature).unwrap();
        Ok(key.to_sec1_bytes(false))
    });
    assert_eq!(
        ours.clone().ok(),
        library(digest, &p1363, id),
        "{r:x} {s:x} {id}"
    );
    ours
}

fn digest_of(e: &BigUint) -> [u8; 32] {
    to_bytes(e, 32).try_into().unwrap()
}

#[test]
fn as_libsecp256k1_on_nasty_and_random_signatures() {
    let referee = Referee::new(CurveName::Secp256k1);
    let n = &referee.n;
    let nasty = nasty_below(n);
    let mut rng = rng(60);
    let mut found = [0; 2];
    for _ in 0..rounds(40, 2_000) {
        let [e, r, s] = [(); 3].map(|()| pick(&mut rng, &nasty, n));
        for id in 0..5 {
            let key = recover(&digest_of(&e), &r, &s, id);
            found[usize::from(key.is_ok())] += 1;
        }
        // Also signatures by a key: one id recovers the key, and the other does with the higher s.
        let [d, k] = [(); 2].map(|()| random_nonzero(&mut rng, n));
        let (r, s) = sign(&referee, &d, &k, &e);
        let key = referee.generator_multiple(&d);
        let point = referee.generator_multiple(&k);
        let id = point[64] & 1;
        assert_eq!(recover(&digest_of(&e), &r, &s, id).as_ref(), Ok(&key));
        assert_eq!(recover(&digest_of(&e), &r, &(n - &s), id ^ 1), Ok(key));
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

#[test]
fn x_at_or_above_the_order() {
    let referee = Referee::new(CurveName::Secp256k1);
    let n = &referee.n;
    let mut rng = rng(61);
    let (mut recovered, mut beyond) = (0, 0);
    let highest = &referee.p - n;
    for offset in 1..rounds(20, 100) as u32 {
        let [e, s] = [(); 2].map(|()| random_nonzero(&mut rng, n));
        for r in [big(offset.into()), &highest - offset] {
            for id in 2..4 {
                match recover(&digest_of(&e), &r, &s, id) {
                    Ok(_) => recovered += 1,
                    Err(error) => assert_eq!(error, Error::RecoveryNotOnCurve),
                }
            }
        }
        let r = &highest + (offset - 1);
        for id in 2..4 {
            let error = recover(&digest_of(&e), &r, &s, id);
            assert_eq!(error, Err(Error::RecoveryXOutOfRange));
            beyond += 1;
        }
    }
    assert!(recovered > 20 && beyond > 20);
}

#[test]
fn every_rule() {
    let referee = Referee::new(CurveName::Secp256k1);
    let n = &referee.n;
    let (g, s) = (referee.generator_multiple(&big(1)), big(7));
    let gx = referee.x(&g);
    let id = g[64] & 1;
    // s R = e G for R = G and s = e: Q is infinity.
    assert_eq!(
        recover(&digest_of(&s), &gx, &s, id),
        Err(Error::RecoveredInfinity)
    );
    assert!(recover(&digest_of(&s), &gx, &s, id ^ 1).is_ok());
    assert_eq!(
        recover(&digest_of(&s), &gx, &s, 4),
        Err(Error::RecoveryIdOutOfRange)
    );
    // 5 is not the x of a point.
    assert_eq!(
        recover(&digest_of(&s), &big(5), &s, 0),
        Err(Error::RecoveryNotOnCurve)
    );
    for e in [big(0), n.clone(), n + 1u32] {
        assert!(recover(&digest_of(&e), &gx, &s, 0).is_ok());
    }
    let zero = big(0);
    assert_eq!(recover(&digest_of(&s), &zero, &s, 0), Err(Error::RZero));
    assert_eq!(recover(&digest_of(&s), &gx, &zero, 0), Err(Error::SZero));
    let signature = Signature::from_scalars(&to_bytes(&gx, 32), &[7]).unwrap();
    let id = RecoveryId::ALL[0];
    assert_eq!(
        Secp256k1PublicKey::recover_from_prehash(&[], &signature, id),
        Err(Error::DigestEmpty)
    );
    let high = Signature::from_scalars(&to_bytes(&gx, 32), &to_bytes(&(n - 7u32), 32)).unwrap();
    let with =
        |policy| Secp256k1PublicKey::recover_from_prehash_with_policy(&[1], &high, id, policy);
    assert!(with(Policy::ETHEREUM_PRECOMPILE).is_ok());
    assert_eq!(with(Policy::ETHEREUM_TRANSACTION), Err(Error::HighS));
    // The ids 2 and 3, with and without a point: for small r, r + n is below the prime.
    for r in (1..20).map(big).chain([gx]) {
        let signature = Signature::from_scalars(&to_bytes(&r, 32), &[7]).unwrap();
        for id in RecoveryId::ALL {
            let with = |policy| {
                Secp256k1PublicKey::recover_from_prehash_with_policy(&[1], &signature, id, policy)
            };
            let any = with(Policy::default());
            for policy in [Policy::ETHEREUM_PRECOMPILE, Policy::ETHEREUM_TRANSACTION] {
                match id.is_x_reduced() {
                    true => assert_eq!(with(policy), Err(Error::RecoveryIdReduced)),
                    false => assert_eq!(with(policy), any),
                }
            }
            assert_eq!(with(Policy::LOW_S), any);
            assert_ne!(any, Err(Error::RecoveryIdReduced));
        }
    }
}

fn signed_keys_come_back<C: sigmill::curves::NamedCurve + Default>(count: usize) {
    let mut rng = rng(62);
    let mut ids = [0; 4];
    for i in 0..count as u64 {
        let policy = [Policy::default(), Policy::LOW_S][i as usize % 2];
        let key = SigningKey::<C>::generate_from_rng(&mut rng)
            .unwrap()
            .with_policy(policy);
        let digest = HashName::Sha384.digest(&i.to_be_bytes());
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        assert_eq!(key.sign_prehash(&digest), Ok(signature));
        ids[usize::from(id.to_byte())] += 1;
        let public = VerifyingKey::recover_from_prehash(&digest, &signature, id);
        assert_eq!(public.as_ref(), Ok(key.verifying_key()));
        // From bytes, on a curve that is known only at run time.
        let (curve, der) = (C::default().name(), SignatureFormat::Der);
        let signature = signature.to_der();
        let recover = |signature: &[u8], format| {
            AnyVerifyingKey::recover_from_prehash(curve, &digest, signature, format, id)
        };
        let public = recover(&signature, der).unwrap();
        assert_eq!(
            public.to_sec1_bytes(true),
            key.verifying_key().to_sec1_bytes(true)
        );
        assert_eq!(public.curve(), curve);
        assert!(recover(&signature[1..], der).is_err());
        assert!(recover(&signature, SignatureFormat::P1363).is_err());
    }
    assert!(ids[0] > 0 && ids[1] > 0);
}

#[test]
fn signed_keys_come_back_on_every_curve() {
    signed_keys_come_back::<sigmill::curves::Secp256k1>(rounds(20, 500));
    signed_keys_come_back::<P256>(rounds(10, 100));
    signed_keys_come_back::<P384>(rounds(10, 50));
    signed_keys_come_back::<BrainpoolP256r1>(rounds(10, 50));
    signed_keys_come_back::<P521>(rounds(10, 50));
    let key = Secp256k1Key::generate().unwrap();
    assert_eq!(key.sign_prehash_recoverable(&[]), Err(Error::DigestEmpty));
}

tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_BELOW, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(GENERAL_BELOW, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);
tiny_curve!(ENDOMORPHISM_7, p = 13, n = 7, a = 0, b = 6, G = (2, 1), window 1,
    endomorphism beta = 9, split by 1 and 2);
tiny_curve!(ENDOMORPHISM_13, p = 19, n = 13, a = 0, b = 2, G = (4, 3), window 3,
    endomorphism beta = 7, split by 1 and 3);

/// Every digest, signature and id.
fn recover_everything<C: TinyCurve>(tiny: &Tiny<C>) {
    let multiples = tiny.multiples();
    let (n, p) = (tiny.n, tiny.p);
    let bits = 64 - (n as u64).leading_zeros();
    for e in 0..1i64 << bits {
        let digest = [(e as u8) << (8 - bits)];
        let mut signatures = vec![];
        let mut expected_of_rows = vec![];
        for (r, s) in (1..n).flat_map(|r| (1..n).map(move |s| (r, s))) {
            let signature = Signature::from_scalars_on(tiny.curve, &[r as u8], &[s as u8]).unwrap();
            for id in RecoveryId::ALL {
                let x = r + n * i64::from(id.is_x_reduced());
                let odd = i64::from(id.is_y_odd());
                let point = (1..n).find(|&k| {
                    let (px, py) = multiples[k as usize].unwrap();
                    px == x && py % 2 == odd
                });
                let expected = match point {
                    _ if x >= p => Err(Error::RecoveryXOutOfRange),
                    None => Err(Error::RecoveryNotOnCurve),
                    Some(k) => {
                        let d = ((s * k - e) * inverse(r, n)).rem_euclid(n);
                        multiples[d as usize]
                            .map(Some)
                            .ok_or(Error::RecoveredInfinity)
                    }
                };
                let key = VerifyingKey::recover_from_prehash(&digest, &signature, id);
                signatures.push((signature, id));
                expected_of_rows.push(key);
                let key = key.map(|key| tiny.plain_point(key.as_affine()));
                assert_eq!(key, expected, "{}: {e} {r} {s} {id:?}", tiny.curve.label());
            }
        }
        assert_eq!(
            many(tiny.curve, &digest, &signatures),
            expected_of_rows,
            "{}: {e}",
            tiny.curve.label()
        );
    }
}

/// Keys from signatures of one digest, in one call.
fn many<C: Domain>(
    domain: C,
    digest: &[u8],
    signatures: &[(Signature<C>, RecoveryId)],
) -> Vec<Result<VerifyingKey<C>, Error>> {
    let mut rows = vec![];
    for (signature, id) in signatures {
        let id = *id;
        rows.push(Recover {
            digest,
            signature: signature.scalars(),
            id,
        });
    }
    recover_many_vartime(domain, &rows)
}

/// Calls of every size: signatures by keys, random ones, and some without a key.
fn many_are_single_ones<C: sigmill::curves::NamedCurve + Default>(
    sizes: impl Iterator<Item = usize>,
) {
    if !is_on(C::default().name()) {
        return;
    }
    let mut rng = rng(63);
    let digest = [0x5a; 32];
    let key = SigningKey::<C>::generate_from_rng(&mut rng).unwrap();
    let curve = C::default().curve();
    let field = curve.base_field();
    let mut x = vec![0; field.bytes()];
    field.write_be_bytes(&curve.generator().x, &mut x);
    for size in sizes {
        let signatures: Vec<_> = (0..size)
            .map(|i| match i % 5 {
                0 => key.sign_prehash_recoverable(&digest).unwrap(),
                // Q is infinity, or 2 G.
                1 => (
                    Signature::from_scalars(&x, &digest).unwrap(),
                    RecoveryId::ALL[i / 5 % 2],
                ),
                // Every second x is on the curve; r + n is almost never below p.
                _ => (
                    Signature::from_scalars(&[1 + i as u8, i as u8], &[9]).unwrap(),
                    RecoveryId::ALL[[i % 2, i % 4][usize::from(i % 7 == 0)]],
                ),
            })
            .collect();
        let keys = many(C::default(), &digest, &signatures);
        for (i, (key, (signature, id))) in keys.into_iter().zip(&signatures).enumerate() {
            let single = VerifyingKey::recover_from_prehash(&digest, signature, *id);
            assert_eq!(key, single, "{}: row {i} of {size}", curve.label());
        }
    }
}

#[test]
fn many_keys_are_those_of_single_calls() {
    many_are_single_ones::<sigmill::curves::Secp256k1>((0..rounds(12, 40)).chain([67, 258]));
    many_are_single_ones::<P256>([0, 1, 19].into_iter());
    many_are_single_ones::<P384>([0, 1, 19, 258].into_iter());
    many_are_single_ones::<BrainpoolP256r1>([0, 1, 19, 258].into_iter());
    many_are_single_ones::<P521>([0, 1, 19, 258].into_iter());
}

#[test]
fn every_backend() {
    on_every_backend(
        "recover::many",
        "recover::many_keys_are_those_of_single_calls",
    );
    let on_tiny_curves = "recover::every_signature_on_tiny_curves";
    on_every_backend_without_doubles(on_tiny_curves, on_tiny_curves);
}

#[test]
fn every_signature_on_tiny_curves() {
    recover_everything(&MINUS_THREE_ABOVE);
    recover_everything(&MINUS_THREE_BELOW);
    recover_everything(&GENERAL_BELOW);
    recover_everything(&ENDOMORPHISM_7);
    recover_everything(&ENDOMORPHISM_13);
}

/// The generator equals libsecp256k1's.
#[test]
fn the_generator_is_that_of_libsecp256k1() {
    let one = secp256k1::SecretKey::from_secret_bytes(to_bytes(&big(1), 32).try_into().unwrap());
    let point = one.unwrap().public_key();
    let ours = Secp256k1Key::from_be_bytes(&to_bytes(&big(1), 32)).unwrap();
    assert_eq!(
        ours.verifying_key().to_sec1_bytes(false),
        point.serialize_uncompressed()
    );
    assert_eq!(sigmill::curves::Secp256k1.label(), "secp256k1");
}
