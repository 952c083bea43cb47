//! The operations on secrets, as a separate process runs them. No inputs or outputs may stay
//! behind, so values that hold a secret are not moved.

use std::any::Any;
use std::convert::Infallible;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sigmill::agreement::EphemeralSecret;
use sigmill::agreement::x25519::{self, PublicKey, StaticSecret};
use sigmill::agreement::{
    CertificateSignature, diffie_hellman_with_certificate_from_rng, ecmqv_one_pass_respond,
};
use sigmill::agreement::{diffie_hellman, diffie_hellman_many, diffie_hellman_sha256};
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey, public_keys, sign_prehash_many};
use sigmill::{
    AnySigningKey, CurveName, HashName, Input, RecoveryId, SignOptions, SignatureFormat,
};

use sigmill_tests::for_curve;

use super::STACK;
use super::memory::mask;

/// The input strings of an operation, masked.
pub(super) struct Inputs(pub(super) Vec<Vec<u8>>);

/// A string that wipes itself.
struct Bare(Vec<u8>);

impl Drop for Bare {
    fn drop(&mut self) {
        self.0.fill(0);
        black_box(&self.0);
    }
}

impl Inputs {
    fn bare(&self, i: usize) -> Bare {
        let mut bytes = Bare(self.0[i].clone());
        mask(&mut bytes.0);
        bytes
    }

    /// Creates a value from each string. Moving them into a vector leaves copies, so the stack is
    /// cleared.
    fn gather<T>(&self, next: impl FnMut(&mut Random<'_>) -> T) -> Vec<T> {
        let all = self.moved(next);
        clear_stack();
        all
    }

    /// A separate frame, which is then cleared.
    #[inline(never)]
    fn moved<T>(&self, mut next: impl FnMut(&mut Random<'_>) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.0.len());
        let mut random = Random::new(self);
        all.resize_with(self.0.len(), || next(&mut random));
        all
    }

    fn scalars<C: NamedCurve + Default>(&self) -> Vec<SecretScalar<C>> {
        self.gather(|random| SecretScalar::generate_from_rng(random).unwrap())
    }

    fn statics(&self) -> Vec<StaticSecret> {
        self.gather(|random| StaticSecret::generate_from_rng(random))
    }
}

/// Overwrites the stack below the caller's frame with zeros.
#[inline(never)]
pub(super) fn clear_stack() {
    let zeros = [0u8; STACK];
    black_box(&zeros);
}

/// A generator that returns the strings, one per call, and then panics.
struct Random<'a> {
    inputs: &'a Inputs,
    next: usize,
}

impl<'a> Random<'a> {
    fn new(inputs: &'a Inputs) -> Self {
        Self { inputs, next: 0 }
    }
}

impl rand_core::TryRng for Random<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unimplemented!("nobody asks for words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unimplemented!("nobody asks for words")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        // A weight is shorter than a key.
        bytes.copy_from_slice(&self.inputs.0[self.next][..bytes.len()]);
        mask(bytes);
        self.next += 1;
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Random<'_> {}

/// A generator that fails when no strings are left.
struct Failing<'a>(Random<'a>);

#[derive(Debug)]
struct Failure;

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no more")
    }
}

impl core::error::Error for Failure {}

impl rand_core::TryRng for Failing<'_> {
    type Error = Failure;

    fn try_next_u32(&mut self) -> Result<u32, Failure> {
        unimplemented!("nobody asks for words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Failure> {
        unimplemented!("nobody asks for words")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Failure> {
        if self.0.next == self.0.inputs.0.len() {
            return Err(Failure);
        }
        let Ok(()) = self.0.try_fill_bytes(bytes);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Failing<'_> {}

/// The digest of row `i` of many.
pub(super) fn digest(i: usize) -> [u8; 32] {
    let mut digest = [0x5c; 32];
    digest[..8].copy_from_slice(&(i as u64).to_le_bytes());
    digest
}

/// The u-coordinate of the peer in row `i`.
pub(super) fn coordinate(i: usize) -> [u8; 32] {
    digest(i)
}

/// The peer of an agreement.
pub(super) fn peer<C: NamedCurve + Default>() -> VerifyingKey<C> {
    let bytes = peer_bytes(C::default().name().order_len());
    let secret = SecretScalar::<C>::from_be_bytes(&bytes).unwrap();
    secret.public_key()
}

/// The signature of a certificate, by the key of [`peer`].
pub(super) fn certificate<C: NamedCurve + Default>() -> (Signature<C>, RecoveryId) {
    let key = SigningKey::<C>::from_be_bytes(&peer_bytes(C::default().name().order_len()));
    key.unwrap().sign_prehash_recoverable(&digest(0)).unwrap()
}

/// The peer's private key.
fn peer_bytes(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    bytes[1] = 7;
    bytes
}

/// More rows than the number from which a signature's additions are affine.
pub(super) const MANY: usize = 400;

/// Runs an operation; its result is dropped after the search of the memory.
pub(super) fn run(name: &str, curve: &str, inputs: &Inputs) -> Box<dyn Any> {
    match curve.parse() {
        Ok(curve) => for_curve!(curve, C => { on_curve::<C>(name, inputs) }),
        Err(_) => on_curve25519(name, inputs),
    }
}

fn on_curve<C: NamedCurve + Default>(name: &str, inputs: &Inputs) -> Box<dyn Any> {
    match name {
        "control-stack" => leave_on_the_stack(&inputs.bare(0).0),
        "control-heap" => drop(black_box(inputs.bare(0).0.to_vec())),
        "control-alive" => return Box::new(inputs.scalars::<C>()),
        "scalar" => {
            let scalar = SecretScalar::<C>::from_be_bytes(&inputs.bare(0).0);
            black_box(scalar.as_ref().unwrap().to_be_bytes());
        }
        "public-key" => {
            for scalar in &inputs.scalars::<C>() {
                black_box(scalar.public_key());
            }
        }
        "public-keys" => drop(black_box(public_keys(&inputs.scalars::<C>()))),
        "generate" => {
            black_box(&SigningKey::<C>::generate_from_rng(&mut Random::new(inputs)).is_ok());
        }
        "generate-many" => {
            let mut random = Random::new(inputs);
            let keys = SigningKey::<C>::generate_many_from_rng(&mut random, inputs.0.len());
            black_box(&keys.is_ok());
        }
        "generate-fails" => {
            let mut random = Failing(Random::new(inputs));
            let keys = SigningKey::<C>::generate_many_from_rng(&mut random, inputs.0.len() + 1);
            assert!(keys.is_err());
        }
        "generate-panics" => {
            std::panic::set_hook(Box::new(|_| ()));
            let mut random = Random::new(inputs);
            let keys = catch_unwind(AssertUnwindSafe(|| {
                SigningKey::<C>::generate_many_from_rng(&mut random, inputs.0.len() + 1).is_ok()
            }));
            assert!(keys.is_err());
        }
        "key-files" => key_files::<C>(inputs),
        name if name.starts_with("any-") => on_any(name, C::default().name(), inputs),
        "sign" => {
            let key = SigningKey::<C>::from_be_bytes(&inputs.bare(0).0);
            black_box(key.as_ref().unwrap().sign_prehash(&digest(0)).unwrap());
        }
        "sign-sha256" => sign_by::<C>(HashName::Sha256, inputs),
        "sign-sha384" => sign_by::<C>(HashName::Sha384, inputs),
        "sign-sha512" => sign_by::<C>(HashName::Sha512, inputs),
        "sign-many" => sign_many::<C>(inputs, 20),
        "sign-many-affine" => sign_many::<C>(inputs, MANY),
        "agree" => {
            for scalar in &inputs.scalars::<C>() {
                black_box(&diffie_hellman(scalar, &peer()));
            }
        }
        "agree-sha256" => {
            for scalar in &inputs.scalars::<C>() {
                black_box(&diffie_hellman_sha256(scalar, &peer()));
            }
        }
        "ephemeral" => {
            let ephemeral = EphemeralSecret::<C>::generate_from_rng(&mut Random::new(inputs));
            black_box(ephemeral.as_ref().unwrap().public_key());
        }
        "agree-certificate" => {
            let ((signature, id), issuer) = (certificate::<C>(), peer());
            let scalar = SecretScalar::<C>::from_be_bytes(&inputs.bare(0).0);
            let scalar = scalar.as_ref().unwrap();
            let certificate = CertificateSignature {
                issuer: &issuer,
                digest: &digest(0),
                signature: &signature,
                hint: sigmill::Hint::Id(id),
            };
            let random = &mut Random { inputs, next: 1 };
            let agree = diffie_hellman_with_certificate_from_rng;
            black_box(&agree(scalar, &issuer, &certificate, random).is_ok());
        }
        "ecmqv" => {
            // An ephemeral key would be moved into the agreement.
            let key = SigningKey::<C>::from_be_bytes(&inputs.bare(0).0);
            let key = key.as_ref().unwrap();
            black_box(&ecmqv_one_pass_respond(key, &peer(), &peer()).is_ok());
        }
        "agree-many" => {
            let (scalars, peer) = (inputs.scalars::<C>(), peer());
            let rows: Vec<_> = scalars.iter().map(|scalar| (scalar, &peer)).collect();
            black_box(&diffie_hellman_many(&rows));
        }
        _ => unreachable!("{name}"),
    }
    Box::new(())
}

/// Uses the second string as entropy, if present.
fn sign_by<C: NamedCurve + Default>(hash: HashName, inputs: &Inputs) {
    let key = SigningKey::<C>::from_be_bytes(&inputs.bare(0).0);
    let key = key.as_ref().unwrap();
    let entropy = (inputs.0.len() > 1).then(|| inputs.bare(1));
    let entropy = entropy.as_ref().map_or(&[][..], |entropy| &entropy.0);
    black_box(
        key.sign_with(
            Input::Digest(&digest(0)),
            &SignOptions::new().hash(hash).entropy(entropy),
        )
        .unwrap()
        .0,
    );
}

fn sign_many<C: NamedCurve + Default>(inputs: &Inputs, count: usize) {
    let key = SigningKey::<C>::from_be_bytes(&inputs.bare(0).0);
    let key = key.as_ref().unwrap();
    let digests: Vec<_> = (0..count).map(digest).collect();
    let rows: Vec<_> = digests
        .iter()
        .map(|digest| (key, digest.as_slice()))
        .collect();
    let signatures = sign_prehash_many(&rows);
    assert!(signatures.iter().all(Result::is_ok));
}

fn key_files<C: NamedCurve + Default>(inputs: &Inputs) {
    let key = SigningKey::<C>::from_be_bytes(&inputs.bare(0).0);
    let key = key.as_ref().unwrap();
    black_box(&SigningKey::<C>::from_pkcs8_der(&key.to_pkcs8_der()).is_ok());
    black_box(&SigningKey::<C>::from_pkcs8_pem(&key.to_pkcs8_pem()).is_ok());
}

/// Wrappers of keys of one curve, which move them. Each test ends with the operation under test:
/// another one would wipe its remains.
fn on_any(name: &str, curve: CurveName, inputs: &Inputs) {
    let read = || AnySigningKey::from_be_bytes(curve, &inputs.bare(0).0);
    let format = SignatureFormat::Der;
    match name {
        "any-read" => {
            black_box(&read().is_ok());
        }
        "any-generate" => {
            let key = AnySigningKey::generate_from_rng(curve, &mut Random::new(inputs));
            black_box(&key.is_ok());
        }
        "any-generate-many" => {
            let mut random = Random::new(inputs);
            let keys = AnySigningKey::generate_many_from_rng(curve, &mut random, inputs.0.len());
            black_box(&keys.is_ok());
        }
        "any-file" => {
            let der = read().as_ref().unwrap().to_pkcs8_der();
            black_box(&AnySigningKey::from_encoded(&der).is_ok());
        }
        "any-sec1" => {
            let der = read().as_ref().unwrap().to_sec1_der();
            black_box(&AnySigningKey::from_sec1_der(&der).is_ok());
        }
        "any-pem" => {
            let pem = read().as_ref().unwrap().to_sec1_pem();
            black_box(&AnySigningKey::from_pem(&pem).is_ok());
        }
        "any-jwk" => {
            // JOSE has no name for some curves.
            if let Some(jwk) = &read().as_ref().unwrap().to_jwk_str() {
                black_box(&AnySigningKey::from_jwk_str(jwk).is_ok());
            }
        }
        "any-sign" => {
            let key = read();
            black_box(&key.as_ref().unwrap().sign_prehash(&digest(0), format));
        }
        "any-sign-many" => {
            let key = read();
            let key = key.as_ref().unwrap();
            let digests: Vec<_> = (0..20).map(digest).collect();
            let rows: Vec<_> = digests.iter().map(|digest| (key, &digest[..])).collect();
            black_box(&AnySigningKey::sign_prehash_many(&rows, format));
        }
        "any-agree" => {
            let (key, bytes) = (read(), peer_bytes(curve.order_len()));
            let peer = AnySigningKey::from_be_bytes(curve, &bytes).unwrap();
            let shared = key.as_ref().unwrap().diffie_hellman(&peer.verifying_key());
            black_box(&shared.is_ok());
        }
        _ => unreachable!("{name}"),
    }
}

/// An operation that wipes nothing.
#[inline(never)]
fn leave_on_the_stack(bytes: &[u8]) {
    let mut frame = [0; 1024];
    frame[500..][..bytes.len()].copy_from_slice(bytes);
    black_box(&frame);
}

fn on_curve25519(name: &str, inputs: &Inputs) -> Box<dyn Any> {
    let secrets = inputs.statics();
    let peer = PublicKey::from(coordinate(0));
    match name {
        "x25519" => {
            let mut shared = x25519::x25519(*secrets[0].as_bytes(), coordinate(0));
            shared.fill(0);
            black_box(&shared);
        }
        "agree" => drop(black_box(secrets[0].diffie_hellman(&peer).as_ref().is_ok())),
        "agree-ephemeral" => {
            let mut random = Random::new(inputs);
            black_box(
                &x25519::EphemeralSecret::generate_from_rng(&mut random)
                    .diffie_hellman(&peer)
                    .is_ok(),
            );
        }
        "agree-many" => {
            let peers: Vec<_> = (0..secrets.len())
                .map(|i| PublicKey::from(coordinate(i)))
                .collect();
            let rows: Vec<_> = secrets.iter().zip(&peers).collect();
            black_box(&x25519::diffie_hellman_many(&rows));
        }
        "public-key" => drop(black_box(PublicKey::from(&secrets[0]))),
        "public-keys" => drop(black_box(x25519::public_keys(&secrets))),
        _ => unreachable!("{name}"),
    }
    Box::new(())
}
