//! The use of the caller's stack by operations, on every backend.
//!
//! Each operation runs on a painted stack; the deepest changed byte is its depth. Programs call
//! from fibres and threads with small stacks, so the limits are part of the interface
//! (docs/stack.md).

#![cfg(all(unix, target_arch = "x86_64"))]

mod painted;

use std::hint::black_box;

use sigmill::agreement::x25519;
use sigmill::agreement::{
    CertificateSignature, EphemeralSecret, diffie_hellman_many, diffie_hellman_with_certificate,
    ecmqv_one_pass_respond,
};
use sigmill::bulk::{Column, Engine, Hints, Input, Inputs, Row, Rows, Signatures, Speed};
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::stack::deepest_use;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey, sign_prehash_many};
use sigmill::{AnySigningKey, AnyVerifyingKey, Policy, SignatureFormat, VerifyOptions};
use sigmill_tests::{for_each_curve, processes};

use painted::Painted;

/// Bytes of the caller's stack that a single call may use.
const SINGLE: usize = 24 << 10;

/// Bytes of the caller's stack that a call on many rows may use.
const MANY: usize = 48 << 10;

/// Bytes that any operation may use of the library's own stack: half of it.
const OWN: usize = 1 << 20;

/// Rows per call on many rows.
const ROWS: usize = 300;

/// The depths of operations, and the limits they must keep.
struct Depths {
    stack: Painted,
    seen: Vec<(String, usize, usize)>,
}

impl Depths {
    /// Runs a single operation twice: the first run may build tables.
    fn note<T>(&mut self, name: String, limit: usize, mut operation: impl FnMut() -> T) {
        let runs = if limit == SINGLE { 2 } else { 1 };
        let mut run = |()| self.stack.depth(|| drop(black_box(operation())));
        let depth = [(); 2][..runs].iter().copied().map(&mut run).max();
        self.seen.push((name, limit, depth.unwrap_or_default()));
    }
}

/// A message of the tests.
const MESSAGE: &[u8] = b"sample";

fn on_curve<C: NamedCurve + Default>(depths: &mut Depths) {
    let curve = C::default().name();
    let note = &mut |name: &str, limit, operation: &mut dyn FnMut()| {
        depths.note(format!("{curve} {name}"), limit, operation);
    };
    let mut single = |name: &str, operation: &mut dyn FnMut()| note(name, SINGLE, operation);

    let key = SigningKey::<C>::generate().unwrap();
    let (digest, format) = ([0x5a; 32], SignatureFormat::Der);
    let any = AnySigningKey::from_be_bytes(curve, &key.to_be_bytes()).unwrap();
    let public = *key.verifying_key();
    single("generate", &mut || {
        drop(SigningKey::<C>::generate().unwrap())
    });
    single("generate, any curve", &mut || {
        drop(AnySigningKey::generate(curve).unwrap());
    });
    single("sign", &mut || {
        black_box(key.sign(MESSAGE));
    });
    single("sign, any curve", &mut || {
        drop(any.sign_prehash(&digest, format).unwrap());
    });
    let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
    single("verify", &mut || {
        public.verify_prehash(&digest, &signature).unwrap()
    });
    let options = VerifyOptions::new().hint(sigmill::Hint::Id(id));
    single("verify with a hint", &mut || {
        public
            .verify_with(Input::Digest(&digest), &signature, &options)
            .unwrap();
    });
    single("recover", &mut || {
        VerifyingKey::<C>::recover_from_prehash(&digest, &signature, id).unwrap();
    });
    single("prepare", &mut || drop(public.prepare()));
    let prepared = public.prepare();
    single("verify prepared", &mut || {
        prepared.verify_prehash(&digest, &signature).unwrap()
    });

    let point = public.to_sec1_bytes(true);
    single("read a compressed point", &mut || {
        VerifyingKey::<C>::from_sec1_bytes(&point).unwrap();
    });
    let (der, pem) = (public.to_public_key_der(), public.to_public_key_pem());
    single("read a public key", &mut || {
        AnyVerifyingKey::from_public_key_der(&der).unwrap();
        AnyVerifyingKey::from_public_key_pem(&pem).unwrap();
    });
    let private = key.to_pkcs8_pem();
    single("read and write a private key", &mut || {
        drop(
            SigningKey::<C>::from_pkcs8_pem(&private)
                .unwrap()
                .to_pkcs8_pem(),
        );
    });
    let any = AnySigningKey::from_pem(&private).unwrap();
    if let Some(jwk) = any.to_jwk_str() {
        single("read a JWK", &mut || {
            drop(AnySigningKey::from_jwk_str(&jwk).unwrap())
        });
    }
    let encoded = signature.to_der();
    single("read a signature", &mut || {
        Signature::<C>::from_der(&encoded).unwrap();
    });

    let scalar = SecretScalar::<C>::generate().unwrap();
    single("public key", &mut || {
        black_box(scalar.public_key());
    });
    single("ECDH", &mut || {
        let secret = EphemeralSecret::<C>::generate().unwrap();
        drop(black_box(secret.diffie_hellman(&public)));
    });
    let certificate = CertificateSignature {
        issuer: &public,
        digest: &digest,
        signature: &signature,
        hint: sigmill::Hint::Id(id),
    };
    single("ECDH with a certificate", &mut || {
        drop(diffie_hellman_with_certificate(&scalar, &public, &certificate).unwrap());
    });
    single("ECMQV", &mut || {
        drop(ecmqv_one_pass_respond(&key, &public, &public).unwrap())
    });

    let engine = Engine::builder().speed(Speed::Fixed).build().unwrap();
    let row = Row::new(
        public.algorithm(),
        &point,
        Input::Digest(&digest),
        &encoded,
        format,
    );
    single("verify by an engine", &mut || {
        engine.verify_row(&row).unwrap()
    });

    let mut many = |name: &str, operation: &mut dyn FnMut()| note(name, MANY, operation);
    many("generate many", &mut || {
        drop(SigningKey::<C>::generate_many(ROWS).unwrap())
    });
    let rows = vec![(&key, &digest[..]); ROWS];
    many("sign many", &mut || drop(sign_prehash_many(&rows)));
    let rows = vec![(&scalar, &public); ROWS];
    many("ECDH of many", &mut || drop(diffie_hellman_many(&rows)));
    on_many_rows::<C>(&mut many);
}

/// Calls of engines on many rows: with one key and with a key per row, with batches and without.
fn on_many_rows<C: NamedCurve + Default>(many: &mut dyn FnMut(&str, &mut dyn FnMut())) {
    let every_key = SigningKey::<C>::generate_many(ROWS).unwrap();
    let digests: Vec<_> = (0..ROWS).map(|row| [row as u8; 32]).collect();
    for (keys, threads, batch) in [(1, 1, false), (ROWS, 1, false), (ROWS, 2, true)] {
        let keys = &every_key[..keys];
        let key = |row: usize| &keys[row % keys.len()];
        let sign = |row| key(row).sign_prehash_recoverable(&digests[row]).unwrap();
        let signed: Vec<_> = (0..ROWS).map(sign).collect();
        let points: Vec<_> = (0..ROWS)
            .map(|row| key(row).verifying_key().to_sec1_bytes(true))
            .collect();
        let signatures: Vec<_> = signed
            .iter()
            .map(|(signature, _)| signature.to_der())
            .collect();
        let ids: Vec<_> = signed.iter().map(|(_, id)| [id.to_byte()]).collect();
        let [points, signatures] = [&points, &signatures].map(|values| slices(values));
        let (digests, ids) = (slices(&digests), slices(&ids));
        let rows = Rows::new(
            key(0).verifying_key().algorithm(),
            Column::slices(&points),
            Inputs::Digests(Column::slices(&digests)),
            Signatures::Der(Column::slices(&signatures)),
        );
        let rows = rows
            .unwrap()
            .hints(Hints::Ids(Column::slices(&ids)))
            .unwrap();
        let engine = Engine::builder()
            .speed(Speed::Fixed)
            .threads(threads)
            .policy(Policy::default().with_batch(batch))
            .build()
            .unwrap();
        let name = format!(
            "engine, {} keys, {threads} threads, batch: {batch}",
            keys.len()
        );
        many(&name, &mut || {
            assert_eq!(engine.verify(&rows).valid(), ROWS);
        });
    }
}

fn slices<T: AsRef<[u8]>>(values: &[T]) -> Vec<&[u8]> {
    values.iter().map(AsRef::as_ref).collect()
}

fn on_curve25519(depths: &mut Depths) {
    let secret = x25519::StaticSecret::generate().unwrap();
    let peer = x25519::PublicKey::from(&x25519::StaticSecret::generate().unwrap());
    depths.note("X25519 generate".to_owned(), SINGLE, || {
        x25519::PublicKey::from(&x25519::StaticSecret::generate().unwrap())
    });
    depths.note("X25519".to_owned(), SINGLE, || {
        secret.diffie_hellman(&peer).unwrap()
    });
    let rows = vec![(&secret, &peer); ROWS];
    depths.note("X25519 of many".to_owned(), MANY, || {
        x25519::diffie_hellman_many(&rows)
    });
}

fn all_depths() -> Vec<(String, usize, usize)> {
    let mut depths = Depths {
        stack: Painted::new(),
        seen: vec![],
    };
    depths.note("make an engine".to_owned(), SINGLE, || {
        Engine::builder().build().unwrap()
    });
    on_curve25519(&mut depths);
    for_each_curve!(C => { on_curve::<C>(&mut depths) });
    depths.seen
}

#[test]
fn depths_keep_their_limits() {
    let seen = all_depths();
    for (name, limit, depth) in &seen {
        println!("{depth:>7} of {limit} bytes: {name}");
    }
    let own = deepest_use();
    println!("{own:>7} of {OWN} bytes: the library's own stack");
    let deeper = seen.iter().filter(|(_, limit, depth)| depth > limit);
    let deeper: Vec<_> = deeper.collect();
    assert!(
        deeper.is_empty() && own <= OWN,
        "{deeper:?}, own stack {own}"
    );
    processes::on_every_backend("depths", "depths_keep_their_limits");
}
