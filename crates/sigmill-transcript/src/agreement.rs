//! Shared secrets: ECDH on every curve, and X25519.

use rand_chacha::rand_core::Rng;
use sigmill::agreement::x25519::{self, PublicKey, StaticSecret};
use sigmill::agreement::{
    CertificateSignature, EphemeralKeyPair, diffie_hellman, diffie_hellman_many_sec1,
    diffie_hellman_sha256, diffie_hellman_with_certificate_from_rng, ecmqv,
};
use sigmill::curves::NamedCurve;
use sigmill::keys::{SecretScalar, SigningKey};
use sigmill::{CurveName, for_each_curve};

use crate::inputs::{changed, rng};
use crate::transcript::Transcript;

/// Enough rows of short numbers for lanes, if the CPU has them.
const MANY: usize = 20;

pub(crate) fn sections(transcript: &mut Transcript) {
    for_each_curve!(C => ecdh::<C>(transcript, match C::default().name() {
        CurveName::P256 | CurveName::Secp256k1 => MANY,
        _ => 4,
    }));
    for_each_curve!(C => sums::<C>(transcript));
    functions(transcript);
    keys(transcript);
}

fn ecdh<C: NamedCurve + Default>(transcript: &mut Transcript, count: usize) {
    let curve = C::default().name();
    let mut rng = rng(&format!("ecdh {curve}"));
    let secrets: Vec<SecretScalar<C>> = (0..count)
        .map(|_| {
            let Ok(secret) = SecretScalar::generate_from_rng(&mut rng);
            secret
        })
        .collect();
    let keys: Vec<_> = secrets.iter().map(SecretScalar::public_key).collect();
    transcript.section(format!("{curve}/ecdh"), |section| {
        let (ours, theirs) = (&secrets[0], &secrets[1]);
        let shared = diffie_hellman(ours, &keys[1]);
        assert_eq!(shared, diffie_hellman(theirs, &keys[0]), "{curve}");
        section.bytes(shared.as_bytes());
        section.bytes(diffie_hellman_sha256(ours, &keys[1]).as_bytes());
    });
    transcript.section(format!("{curve}/ecdh-of-many"), |section| {
        let mut points: Vec<_> = keys.iter().map(|key| key.to_sec1_bytes(true)).collect();
        // The last peer is not a point, or is another point.
        let last = points.pop().expect("peers");
        points.push(changed(&last, last.len() - 1, 1));
        let rows: Vec<_> = secrets
            .iter()
            .rev()
            .zip(points.iter().map(Vec::as_slice))
            .collect();
        for shared in diffie_hellman_many_sec1(&rows) {
            section.outcome(shared.map(|shared| shared.as_bytes().to_vec()));
        }
    });
}

/// ECMQV, and agreement with a valid and with an invalid certificate.
fn sums<C: NamedCurve + Default>(transcript: &mut Transcript) {
    let curve = C::default().name();
    let mut rng = rng(&format!("sums {curve}"));
    let Ok(ours) = SecretScalar::<C>::generate_from_rng(&mut rng);
    let Ok(peer) = SigningKey::<C>::generate_from_rng(&mut rng);
    let Ok(issuer) = SigningKey::<C>::generate_from_rng(&mut rng);
    let Ok(ephemeral) = EphemeralKeyPair::generate_from_rng(&mut rng);
    let (signature, id) = issuer.sign_prehash_recoverable(&[7; 32]).expect("a digest");
    transcript.section(format!("{curve}/sums"), |section| {
        let public = peer.verifying_key();
        let shared = ecmqv(&ours, ephemeral, public, issuer.verifying_key());
        section.outcome(shared.map(|shared| shared.as_bytes().to_vec()));
        for digest in [[7; 32], [8; 32], [0; 32]] {
            let certificate = CertificateSignature {
                issuer: issuer.verifying_key(),
                digest: &digest,
                signature: &signature,
                hint: sigmill::Hint::Id(id),
            };
            let agree = diffie_hellman_with_certificate_from_rng;
            let shared = agree(&ours, public, &certificate, &mut rng);
            let is_good = shared.as_ref() == Ok(&diffie_hellman(&ours, public));
            assert_eq!(is_good, digest == [7; 32], "{curve}");
            section.outcome(shared.map(|shared| shared.as_bytes().to_vec()));
        }
    });
}

/// The function of RFC 7748, on random numbers, on those near 0 and the prime, and on its own
/// results as in the RFC's test.
fn functions(transcript: &mut Transcript) {
    let mut rng = rng("x25519");
    let mut random = || {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    transcript.section("x25519/function", |section| {
        for _ in 0..4 {
            section.bytes(x25519::x25519(random(), random()));
        }
        let scalar = random();
        for first in [0, 1, 2, 9, 0xec, 0xed, 0xee, 0xff] {
            for others in [0, 0xff] {
                let mut u = [others; 32];
                u[0] = first;
                section.bytes(x25519::x25519(scalar, u));
                u[31] &= 0x7f;
                section.bytes(x25519::x25519(scalar, u));
            }
        }
        let (mut k, mut u) = (
            x25519::X25519_BASEPOINT_BYTES,
            x25519::X25519_BASEPOINT_BYTES,
        );
        for _ in 0..10 {
            (k, u) = (x25519::x25519(k, u), k);
        }
        section.bytes(k);
    });
}

fn keys(transcript: &mut Transcript) {
    let mut rng = rng("x25519 keys");
    let secrets: Vec<_> = (0..10)
        .map(|_| StaticSecret::generate_from_rng(&mut rng))
        .collect();
    transcript.section("x25519/keys", |section| {
        let public = x25519::public_keys(&secrets);
        for (secret, key) in secrets.iter().zip(&public) {
            assert_eq!(key.as_bytes(), PublicKey::from(secret).as_bytes());
            section.bytes(key.as_bytes());
        }
        // A point of small order is not a key.
        let mut peers: Vec<PublicKey> = public.into_iter().rev().collect();
        peers[0] = PublicKey::from([0; 32]);
        let rows: Vec<_> = secrets.iter().zip(&peers).collect();
        for (row, shared) in rows.iter().zip(x25519::diffie_hellman_many(&rows)) {
            let shared = shared.map(|shared| shared.to_bytes());
            let single = row.0.diffie_hellman(row.1).map(|shared| shared.to_bytes());
            assert_eq!(shared, single);
            section.outcome(shared);
        }
    });
}
