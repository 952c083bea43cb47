//! Generic code over the traits of `spki` and `pkcs8` reads and writes keys like the keys' own
//! methods, and like crate `p256`.

use sigmill::curves::{NamedCurve, P256, P384};
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::pkcs8::spki::{self, ObjectIdentifier};
use sigmill::pkcs8::{self, DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use sigmill::{AnySigningKey, CurveName};
use sigmill_tests::numbers::rng;
use sigmill_tests::on_all_curves;

/// A round trip through the traits alone.
fn again<S, V>(secret: &S, public: &V) -> (S, V)
where
    S: EncodePrivateKey + DecodePrivateKey,
    V: EncodePublicKey + DecodePublicKey,
{
    let pem = secret.to_pkcs8_pem(pkcs8::LineEnding::LF).unwrap();
    let public_pem = public.to_public_key_pem(pkcs8::LineEnding::LF).unwrap();
    let secret = S::from_pkcs8_der(secret.to_pkcs8_der().unwrap().as_bytes()).unwrap();
    assert_eq!(secret.to_pkcs8_pem(pkcs8::LineEnding::LF).unwrap(), pem);
    (
        S::from_pkcs8_pem(&pem).unwrap(),
        V::from_public_key_pem(&public_pem).unwrap(),
    )
}

fn there_and_back<C: NamedCurve + Default>() {
    let key = SigningKey::<C>::generate_from_rng(&mut rng(70)).unwrap();
    let public = *key.verifying_key();
    let (secret_again, public_again) = again(&key, &public);
    assert_eq!((&secret_again, public_again), (&key, public));
    let der = EncodePublicKey::to_public_key_der(&public).unwrap();
    assert_eq!(der.as_bytes(), VerifyingKey::to_public_key_der(&public));
}

on_all_curves!(keys_go_there_and_back: there_and_back);

#[test]
fn as_another_implementation_does() {
    let key = sigmill::p256::SigningKey::generate_from_rng(&mut rng(71)).unwrap();
    let pem = EncodePrivateKey::to_pkcs8_pem(&key, pkcs8::LineEnding::LF).unwrap();
    let theirs: p256::SecretKey = DecodePrivateKey::from_pkcs8_pem(&pem).unwrap();
    assert_eq!(theirs.to_bytes().as_slice(), &key.to_be_bytes()[..]);
    let pem = theirs.to_pkcs8_pem(pkcs8::LineEnding::LF).unwrap();
    let ours: sigmill::p256::SigningKey = DecodePrivateKey::from_pkcs8_pem(&pem).unwrap();
    assert_eq!(ours, key);
    let public = theirs.public_key().to_public_key_der().unwrap();
    let ours: sigmill::p256::VerifyingKey =
        DecodePublicKey::from_public_key_der(public.as_bytes()).unwrap();
    assert_eq!(&ours, key.verifying_key());
}

#[test]
fn what_is_wrong_is_said_in_the_words_of_the_traits() {
    let key = AnySigningKey::generate_from_rng(CurveName::P384, &mut rng(72)).unwrap();
    let der = key.verifying_key().to_public_key_der();
    let read = |der: &[u8]| <VerifyingKey<P256> as DecodePublicKey>::from_public_key_der(der);
    let oid = ObjectIdentifier::new_unwrap("1.3.132.0.34");
    assert_eq!(read(&der), Err(spki::Error::OidUnknown { oid }));
    let on_its_curve = <VerifyingKey<P384> as DecodePublicKey>::from_public_key_der(&der);
    assert!(on_its_curve.is_ok());
    // Changes the last byte of y.
    let mut off = der.clone();
    *off.last_mut().unwrap() ^= 1;
    let off = <VerifyingKey<P384> as DecodePublicKey>::from_public_key_der(&off);
    assert_eq!(off, Err(spki::Error::KeyMalformed));
    let secret = key.to_pkcs8_der();
    let other = <SigningKey<P256> as DecodePrivateKey>::from_pkcs8_der(&secret);
    assert!(matches!(other, Err(pkcs8::Error::KeyMalformed(_))));
}
