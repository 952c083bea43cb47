//! Two parties agree on a key over P-256, with ephemeral keys and HKDF over the shared secret.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use sigmill::p256::{EphemeralSecret, VerifyingKey};

/// HKDF (RFC 5869) for one key of 32 bytes. A shared secret is not uniform, so it is never itself a
/// key.
fn derive(shared: &[u8], transcript: &[&[u8]]) -> [u8; 32] {
    let mac = |key: &[u8], parts: &[&[u8]]| -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key's");
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    };
    let extracted = mac(&[0; 32], &[shared]);
    mac(&extracted, &[b"example, ", &transcript.concat(), &[1]])
}

fn main() -> Result<(), sigmill::Error> {
    let (alice, bob) = (EphemeralSecret::generate()?, EphemeralSecret::generate()?);
    // The parties send points in SEC 1.
    let from_alice = alice.public_key().to_sec1_bytes(true);
    let from_bob = bob.public_key().to_sec1_bytes(true);

    // A point that is not on the curve is rejected here. Agreement consumes the secret, so it is
    // used only once.
    let at_alice = alice.diffie_hellman(&VerifyingKey::from_sec1_bytes(&from_bob)?);
    let at_bob = bob.diffie_hellman(&VerifyingKey::from_sec1_bytes(&from_alice)?);

    let key = derive(at_alice.as_bytes(), &[&from_alice, &from_bob]);
    assert_eq!(key, derive(at_bob.as_bytes(), &[&from_alice, &from_bob]));
    println!("both have one key of {} bytes", key.len());
    Ok(())
}
