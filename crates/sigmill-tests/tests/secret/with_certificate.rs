//! Agreement combined with a certificate: against separate agreement and verification, and, for bad
//! certificates, against the formula with OpenSSL's points.

use num_bigint::BigUint;
use sigmill::agreement::{
    CertificateSignature, EphemeralKeyPair, SharedSecret, diffie_hellman,
    diffie_hellman_with_certificate, diffie_hellman_with_certificate_from_rng, ecmqv,
    ecmqv_one_pass_respond, ecmqv_one_pass_respond_with_certificate, ecmqv_with_certificate,
};
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::NamedCurve;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey};
use sigmill::{Error, Hint, RecoveryId};

use sigmill_tests::given::Given;
use sigmill_tests::numbers::{big, invert, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{curves, on_every_backend_without_doubles};
use sigmill_tests::referee::{Forged, Referee, digest_integer, sign};
use sigmill_tests::tiny::{Tiny, inverse};
use sigmill_tests::{for_curve, rounds, tiny_curve};

/// A certificate in numbers, and whether its signature is valid.
#[derive(Clone)]
struct Case {
    issuer: Vec<u8>,
    digest: Vec<u8>,
    r: BigUint,
    s: BigUint,
    /// R, uncompressed.
    point: Vec<u8>,
    valid: bool,
}

/// K = a B + l (s^-1 (e G + r Q) - R), its x; `None` for infinity.
fn formula(referee: &Referee, a: &BigUint, b: &[u8], case: &Case, l: &BigUint) -> Option<Vec<u8>> {
    let n = &referee.n;
    let w = invert(&case.s, n);
    let e = digest_integer(&case.digest, n);
    let u1 = e * &w % n * l % n;
    let u2 = &case.r * &w % n * l % n;
    let minus_l = n - l % n;
    let parts = [
        referee.combination(&u1, &u2, &case.issuer),
        referee.combination(&BigUint::ZERO, &minus_l, &case.point),
        referee.combination(&BigUint::ZERO, a, b),
    ];
    let sum = parts
        .iter()
        .fold(vec![0], |sum, part| match (&sum[..], &part[..]) {
            ([0], other) | (other, [0]) => other.to_vec(),
            _ => referee.sum(&sum, part),
        });
    (sum != [0]).then(|| sum[1..][..referee.name.field_len()].to_vec())
}

struct Parts<C: NamedCurve + Default> {
    issuer: VerifyingKey<C>,
    signature: Signature<C>,
    y: Vec<u8>,
}

impl<C: NamedCurve + Default> Parts<C> {
    fn new(case: &Case) -> Self {
        let length = C::default().name().order_len();
        let [r, s] = [&case.r, &case.s].map(|number| to_bytes(number, length));
        Self {
            issuer: VerifyingKey::from_sec1_bytes(&case.issuer).unwrap(),
            signature: Signature::from_scalars(&r, &s).unwrap(),
            y: case.point[1 + C::default().name().field_len()..].to_vec(),
        }
    }

    fn certificate<'a>(&'a self, digest: &'a [u8], hint: Hint<'a>) -> CertificateSignature<'a, C> {
        CertificateSignature {
            issuer: &self.issuer,
            digest,
            signature: &self.signature,
            hint,
        }
    }
}

/// Checks the combined computation of a case, with R in full and with two bits of it.
fn check<C: NamedCurve + Default>(referee: &Referee, a: &BigUint, b: &BigUint, case: &Case) {
    let length = referee.name.order_len();
    let ours = SecretScalar::<C>::from_be_bytes(&to_bytes(a, length)).unwrap();
    let peer = SecretScalar::<C>::from_be_bytes(&to_bytes(b, length)).unwrap();
    let public = peer.public_key();
    let plain = diffie_hellman(&ours, &public);
    let parts = Parts::<C>::new(case);
    let verdict = parts.issuer.verify_prehash(&case.digest, &parts.signature);
    assert!(!case.valid || verdict == Ok(()));

    let is_reduced = referee.x(&case.point) != case.r;
    let id = RecoveryId::new(
        case.point[2 * referee.name.field_len()] & 1 == 1,
        is_reduced,
    );
    let b = public.to_sec1_bytes(false);
    for hint in [Hint::Y(&parts.y), Hint::Id(id)] {
        let certificate = parts.certificate(&case.digest, hint);
        // Extreme weights, and one in between.
        for bytes in [[0; 16], [0xff; 16], *b"any will do here"] {
            let weight = BigUint::from_bytes_be(&bytes) * 2u32 + 1u32;
            // The blinding of the sum makes no difference.
            let mut given = Given([bytes, *b"begin anywhere!!"].concat());
            let shared =
                diffie_hellman_with_certificate_from_rng(&ours, &public, &certificate, &mut given);
            let expected = formula(referee, a, &b, case, &weight);
            match (&shared, expected) {
                (Ok(shared), Some(expected)) => assert_eq!(shared.as_bytes(), expected),
                (Err(error), None) => assert_eq!(*error, Error::SharedInfinity),
                other => panic!("{other:?}"),
            }
            assert_eq!(shared.as_ref() == Ok(&plain), case.valid);
        }
        // Two weights of the operating system's generator differ.
        let [first, second] =
            [(); 2].map(|()| diffie_hellman_with_certificate(&ours, &public, &certificate));
        assert_eq!(first.as_ref() == Ok(&plain), case.valid);
        assert_eq!(first == second, case.valid);
    }
}

/// Valid certificates, and others with one defect each.
fn cases(referee: &Referee, seed: u64, with: &BigUint) -> Vec<Case> {
    let n = &referee.n;
    let mut rng = rng(seed);
    let [d, k, e] = [(); 3].map(|()| random_nonzero(&mut rng, n));
    let of = |d: &BigUint, k: &BigUint, e: &BigUint| {
        let (r, s) = sign(referee, d, k, e);
        Case {
            issuer: referee.generator_multiple(d),
            digest: referee.digest(e),
            r,
            s,
            point: referee.generator_multiple(k),
            valid: true,
        }
    };
    let good = of(&d, &k, &e);
    let bad = |change: &dyn Fn(&mut Case)| {
        let mut case = Case {
            valid: false,
            ..good.clone()
        };
        change(&mut case);
        case
    };
    let opposite = |point: &[u8]| referee.combination(&BigUint::ZERO, &(n - 1u32), point);
    let mut cases = vec![
        good.clone(),
        // Digest 0, and digests longer and shorter than n.
        of(&d, &k, &BigUint::ZERO),
        of(&d, &k, &big(1)),
        bad(&|case| case.digest[0] ^= 1),
        bad(&|case| case.digest.fill(0)),
        bad(&|case| case.s = n - &case.s),
        bad(&|case| case.s = &case.s % (n - 1u32) + 1u32),
        bad(&|case| case.point = opposite(&case.point)),
        bad(&|case| case.issuer = referee.generator_multiple(&(n - &d))),
        bad(&|case| case.issuer = referee.generator_multiple(&big(1))),
        // Another r, with its own point.
        bad(&|case| {
            case.point = referee.generator_multiple(&(&k + 1u32));
            case.r = referee.x(&case.point) % n;
        }),
        // (r, n - s) is valid with -R.
        Case {
            s: n - &good.s,
            point: opposite(&good.point),
            ..good.clone()
        },
        // All are multiples of the generator, or of the peer's key: the points meet in every
        // window.
        of(&big(1), &big(1), &big(1)),
        of(&big(1), &big(2), &e),
        of(with, with, &e),
        of(with, &(n - with), &e),
        of(&(with * 2u32 % n), with, &big(3)),
    ];
    // A key crafted so that R is the attacker's choice: a multiple of the peer's key.
    let point = referee.generator_multiple(&(with * 3u32 % n));
    let r = referee.x(&point) % n;
    let Forged { key, e, r, s } = referee.forge_key(&point, &r, &big(5), &big(7));
    cases.push(Case {
        issuer: key,
        digest: referee.digest(&e),
        r,
        s,
        point,
        valid: true,
    });
    cases
}

fn every_case<C: NamedCurve + Default>(count: u64) {
    let referee = Referee::new(C::default().name());
    let mut rng = rng(71);
    for seed in 0..count {
        let [a, b] = [(); 2].map(|()| random_nonzero(&mut rng, &referee.n));
        for case in cases(&referee, seed, &b) {
            check::<C>(&referee, &a, &b, &case);
            if seed == 0 {
                // The peer's key is the generator, and ours is -1.
                check::<C>(&referee, &a, &big(1), &case);
                check::<C>(&referee, &(&referee.n - 1u32), &b, &case);
            }
        }
    }
}

#[test]
fn as_by_the_formula() {
    for &curve in curves() {
        for_curve!(curve, C => { every_case::<C>(rounds(1, 5) as u64) });
    }
}

/// A weight for which aB and the weighted defect cancel.
fn infinity<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let n = &referee.n;
    let mut rng = rng(72);
    let [d, k, e, b] = [(); 4].map(|()| random_nonzero(&mut rng, n));
    let (r, s) = sign(&referee, &d, &k, &e);
    // The defect with -R in place of R is 2k G; with weight l = 2j + 1, a = -2 k l / b.
    let j = big(0x1234_5678_9abc);
    let l = &j * 2u32 + 1u32;
    let a = (n - &k * 2u32 % n * &l % n) * invert(&b, n) % n;
    let case = Case {
        issuer: referee.generator_multiple(&d),
        digest: referee.digest(&e),
        r,
        s,
        point: referee.generator_multiple(&(n - &k)),
        valid: false,
    };
    let parts = Parts::<C>::new(&case);
    let length = referee.name.order_len();
    let ours = SecretScalar::<C>::from_be_bytes(&to_bytes(&a, length)).unwrap();
    let peer = SecretScalar::<C>::from_be_bytes(&to_bytes(&b, length)).unwrap();
    let certificate = parts.certificate(&case.digest, Hint::Y(&parts.y));
    let shared = diffie_hellman_with_certificate_from_rng(
        &ours,
        &peer.public_key(),
        &certificate,
        &mut Given([to_bytes(&j, 16), vec![7; 16]].concat()),
    );
    assert_eq!(shared, Err(Error::SharedInfinity));
    check::<C>(&referee, &a, &b, &case);
}

#[test]
fn a_sum_that_is_infinity_is_an_error() {
    for &curve in curves() {
        for_curve!(curve, C => { infinity::<C>() });
    }
}

/// ECMQV and ephemeral secrets: the same as without a certificate, if and only if it is valid.
fn other_agreements<C: NamedCurve + Default>() {
    let mut rng = rng(73);
    let Ok(ours) = SigningKey::<C>::generate_from_rng(&mut rng);
    let Ok(peer) = SigningKey::<C>::generate_from_rng(&mut rng);
    let Ok(issuer) = SigningKey::<C>::generate_from_rng(&mut rng);
    let digest = [7; 66];
    let digest = &digest[..C::default().name().order_len()];
    let (signature, id) = issuer.sign_prehash_recoverable(digest).unwrap();
    let good = CertificateSignature {
        issuer: issuer.verifying_key(),
        digest,
        signature: &signature,
        hint: Hint::Id(id),
    };
    let bad = [
        CertificateSignature {
            digest: &[8; 32],
            ..good
        },
        CertificateSignature {
            issuer: peer.verifying_key(),
            ..good
        },
        CertificateSignature {
            hint: Hint::Id(RecoveryId::new(!id.is_y_odd(), id.is_x_reduced())),
            ..good
        },
    ];
    let ephemeral = |seed: u8| {
        let length = C::default().name().order_len();
        let mut bytes = vec![seed; length];
        bytes[0] = 0;
        let Ok(pair) = EphemeralKeyPair::<C>::generate_from_rng(&mut Given(bytes));
        pair
    };
    let theirs = *ephemeral(9).public_key();
    let sent = *ephemeral(8).public_key();
    let (secret, public) = (ours.secret_scalar(), peer.verifying_key());
    let full = ecmqv(secret, ephemeral(8), public, &theirs).unwrap();
    let one_pass = ecmqv_one_pass_respond(&ours, public, &theirs).unwrap();
    let initiated = ecmqv(secret, ephemeral(8), public, public).unwrap();

    for (certificate, is_good) in [(&good, true)]
        .into_iter()
        .chain(bad.iter().map(|c| (c, false)))
    {
        let shared = ecmqv_with_certificate(secret, ephemeral(8), public, &theirs, certificate);
        assert_eq!(shared.as_ref() == Ok(&full), is_good);
        assert!(shared.is_ok());
        let shared = ecmqv_with_certificate(secret, ephemeral(8), public, public, certificate);
        assert_eq!(shared.as_ref() == Ok(&initiated), is_good);
        let shared = ecmqv_one_pass_respond_with_certificate(&ours, public, &theirs, certificate);
        assert_eq!(shared.as_ref() == Ok(&one_pass), is_good);
    }
    // The peer has no certificate to check, and gets the same secret.
    let same = ecmqv(
        peer.secret_scalar(),
        ephemeral(9),
        ours.verifying_key(),
        &sent,
    );
    assert_eq!(same.unwrap(), full);
}

#[test]
fn ecmqv_and_ephemeral_secrets() {
    for &curve in curves() {
        for_curve!(curve, C => { other_agreements::<C>() });
    }
}

/// A generator that fails.
struct Failing;

impl rand_core::TryRng for Failing {
    type Error = std::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(std::fmt::Error)
    }
}

impl rand_core::TryCryptoRng for Failing {}

fn malformed<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let case = &cases(&referee, 74, &big(3))[0];
    let parts = Parts::<C>::new(case);
    let Ok(ours) = SecretScalar::<C>::generate_from_rng(&mut rng(75));
    let peer = ours.public_key();
    let agree = |digest: &[u8], hint: Hint<'_>| {
        diffie_hellman_with_certificate(&ours, &peer, &parts.certificate(digest, hint))
    };
    let y = Hint::Y(&parts.y);
    assert!(agree(&case.digest, y).is_ok());
    assert_eq!(agree(&[], y), Err(Error::DigestEmpty));
    // A y that does not belong to this x, one above p, an empty one, and r + n, which is above p.
    for bytes in [&[1][..], &[0xff; 80], &[]] {
        let shared = agree(&case.digest, Hint::Y(bytes));
        assert_eq!(shared, Err(Error::HintNotOnCurve));
    }
    let reduced = Hint::Id(RecoveryId::new(false, true));
    assert_eq!(agree(&case.digest, reduced), Err(Error::HintNotOnCurve));
    // An x without a point, which is detected when the multiples of R are computed.
    let of_r = |r: u64| Case {
        r: big(r),
        ..case.clone()
    };
    let off_the_curve = (1..).map(|r| Parts::<C>::new(&of_r(r))).find(|parts| {
        let id = RecoveryId::new(false, false);
        VerifyingKey::recover_from_prehash(&case.digest, &parts.signature, id)
            == Err(Error::RecoveryNotOnCurve)
    });
    let off_the_curve = off_the_curve.unwrap();
    for is_y_odd in [false, true] {
        let hint = Hint::Id(RecoveryId::new(is_y_odd, false));
        let certificate = off_the_curve.certificate(&case.digest, hint);
        let shared = diffie_hellman_with_certificate(&ours, &peer, &certificate);
        assert_eq!(shared, Err(Error::HintNotOnCurve));
    }
    let certificate = parts.certificate(&case.digest, y);
    let shared = diffie_hellman_with_certificate_from_rng(&ours, &peer, &certificate, &mut Failing);
    assert_eq!(shared, Err(Error::RandomnessUnavailable));
}

#[test]
fn malformed_certificates_are_errors() {
    for &curve in curves() {
        for_curve!(curve, C => { malformed::<C>() });
    }
}

tiny_curve!(MINUS_THREE_19, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_23, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);

/// Keys, digests, s, R and weights of a tiny curve, every `stride`-th combination.
fn many_cases(tiny: &Tiny, stride: usize) {
    let multiples = tiny.multiples();
    let n = tiny.n;
    let secrets: Vec<_> = (1..n)
        .map(|d| SecretScalar::from_be_bytes_on(tiny.curve, &[d as u8]).unwrap())
        .collect();
    let publics: Vec<_> = secrets.iter().map(SecretScalar::public_key).collect();
    let sizes = [n - 1, n - 1, n - 1, n, n - 1, n - 1, 8, 4];
    let total: i64 = sizes.iter().product();
    let [mut infinite, mut valid] = [0; 2];
    for case in (0..total).step_by(stride) {
        let mut rest = case;
        let [a, b, q, e, s, rho, weight, start] = sizes.map(|size| {
            let digit = rest % size;
            rest /= size;
            digit
        });
        let [a, b, q, s, rho] = [a, b, q, s, rho].map(|value| value + 1);
        let (x, y) = multiples[rho as usize].unwrap();
        let r = x % n;
        if r == 0 {
            continue;
        }
        let signature = Signature::from_scalars_on(tiny.curve, &[r as u8], &[s as u8]).unwrap();
        let certificate = CertificateSignature {
            issuer: &publics[q as usize - 1],
            digest: &[(e << 3) as u8],
            signature: &signature,
            hint: match case / stride as i64 % 2 {
                0 => Hint::Y(&[y as u8]),
                _ => Hint::Id(RecoveryId::new(y & 1 == 1, x >= n)),
            },
        };
        // (r, y) is tried before (r + n, y): on these curves no two points have both.
        let shared = diffie_hellman_with_certificate_from_rng(
            &secrets[a as usize - 1],
            &publics[b as usize - 1],
            &certificate,
            &mut Given(
                [
                    vec![0; 15],
                    vec![weight as u8],
                    vec![0; 15],
                    vec![start as u8],
                ]
                .concat(),
            ),
        );
        let l = 2 * weight + 1;
        let defect = (inverse(s, n) * (e + r * q) - rho).rem_euclid(n);
        let k = (a * b + l * defect).rem_euclid(n);
        let expected = multiples[k as usize].map(|(x, _)| vec![x as u8]);
        let bytes = shared.as_ref().map(SharedSecret::as_bytes);
        let expected = expected.as_deref().ok_or(&Error::SharedInfinity);
        assert_eq!(
            bytes, expected,
            "a {a} b {b} q {q} e {e} s {s} R {rho} l {l}"
        );
        infinite += usize::from(k == 0);
        valid += usize::from(defect == 0);
    }
    assert!(infinite > 500 && valid > 500);
}

#[test]
fn many_cases_on_tiny_curves() {
    many_cases(&MINUS_THREE_19, rounds(19_997, 1999));
    many_cases(&GENERAL_23, rounds(79_999, 7919));
    many_cases(&ZERO_31, rounds(799_999, 79_999));
}

#[test]
fn every_backend() {
    let witness = "with_certificate::as_by_the_formula";
    on_every_backend_without_doubles(witness, witness);
    let malformed = "with_certificate::malformed_certificates_are_errors";
    on_every_backend_without_doubles(malformed, malformed);
}
