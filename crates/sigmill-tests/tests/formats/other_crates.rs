//! Conversions of keys and signatures to crates `p256` and `k256`, and the traits of `signature` 2.

use sigmill::ecdsa::Signature;
use sigmill::keys::{PreparedKey, SigningKey, VerifyingKey};
use sigmill_tests::numbers::rng;
use signature_2::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use signature_2::{Keypair, SignatureEncoding, Signer, Verifier};

macro_rules! both_ways {
    ($test:ident: $theirs:ident, $ours:ident) => {
        #[test]
        fn $test() {
            use $theirs::ecdsa::signature::{Signer as _, Verifier as _};

            let ours = sigmill::$ours::SigningKey::generate_from_rng(&mut rng(72)).unwrap();
            let public = *ours.verifying_key();

            let theirs = $theirs::SecretKey::from(&ours);
            assert_eq!(theirs.to_bytes().as_slice(), &ours.to_be_bytes()[..]);
            assert_eq!(SigningKey::from(&theirs), ours);
            let signing = $theirs::ecdsa::SigningKey::from(&ours);
            assert_eq!(SigningKey::from(&signing), ours);

            let their_public = $theirs::PublicKey::from(public);
            assert_eq!(their_public, theirs.public_key());
            assert_eq!(VerifyingKey::from(their_public), public);
            let verifying = $theirs::ecdsa::VerifyingKey::from(public);
            assert_eq!(&verifying, signing.verifying_key());
            assert_eq!(VerifyingKey::from(verifying), public);

            // Signed by the other crate and verified here, and vice versa.
            let theirs: $theirs::ecdsa::Signature = signing.sign(b"a message");
            let signature = Signature::from(theirs);
            public.verify(b"a message", &signature).unwrap();
            assert_eq!($theirs::ecdsa::Signature::from(signature), theirs);
            let signature = $theirs::ecdsa::Signature::from(ours.sign(b"another one"));
            verifying.verify(b"another one", &signature).unwrap();
            assert!(verifying.verify(b"a message", &signature).is_err());
        }
    };
}

both_ways!(keys_and_signatures_of_p256: p256, p256);
both_ways!(keys_and_signatures_of_k256: k256, secp256k1);

/// Code of programs that are generic over `signature` 2.
fn sign_and_verify<S, K, V>(signer: &K, verifiers: [&dyn Verifier<S>; 2], by_digest: &V)
where
    S: SignatureEncoding + PartialEq + std::fmt::Debug,
    K: Signer<S> + PrehashSigner<S> + RandomizedPrehashSigner<S> + Keypair,
    V: PrehashVerifier<S>,
{
    let signature = signer.try_sign(b"a message").unwrap();
    for verifier in verifiers {
        verifier.verify(b"a message", &signature).unwrap();
        verifier.verify(b"another one", &signature).unwrap_err();
    }
    let repr = signature.to_bytes();
    assert_eq!(S::try_from(repr.as_ref()).ok().as_ref(), Some(&signature));

    let (digest, other) = ([7; 32], [8; 32]);
    let signature = signer.sign_prehash(&digest).unwrap();
    by_digest.verify_prehash(&digest, &signature).unwrap();
    by_digest.verify_prehash(&other, &signature).unwrap_err();
    by_digest.verify_prehash(&[], &signature).unwrap_err();
    let hedged = signer
        .sign_prehash_with_rng(&mut Counter(0), &digest)
        .unwrap();
    assert_ne!(hedged, signature);
    by_digest.verify_prehash(&digest, &hedged).unwrap();
}

/// A deterministic generator.
struct Counter(u64);

impl signature_2::rand_core::RngCore for Counter {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next_u64() as u8);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), signature_2::rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl signature_2::rand_core::CryptoRng for Counter {}

#[test]
fn the_traits_of_signature_2() {
    let key = sigmill::p256::SigningKey::generate_from_rng(&mut rng(73)).unwrap();
    let public = Keypair::verifying_key(&key);
    let prepared: PreparedKey<_> = public.prepare();
    sign_and_verify(&key, [&public, &prepared], &public);
    sign_and_verify(&key, [&public, &prepared], &prepared);
    let key = sigmill::p384::SigningKey::generate_from_rng(&mut rng(74)).unwrap();
    let public = *key.verifying_key();
    sign_and_verify(&key, [&public, &public.prepare()], &public);
}
