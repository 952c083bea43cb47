//! Generates a key, saves it in a file, signs with it, and verifies with the public key.

use std::error::Error;
use std::fs;

use sigmill::p256::{Signature, SigningKey, VerifyingKey};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("sigmill-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (private, public) = (folder.join("private.pem"), folder.join("public.pem"));

    // Once: a key, in formats that OpenSSL reads. A real program would also prevent others from
    // reading the first file. The text is wiped when dropped.
    let key = SigningKey::generate()?;
    fs::write(&private, &*key.to_pkcs8_pem())?;
    fs::write(&public, key.verifying_key().to_public_key_pem())?;

    // The signer. The nonce is derived from the key and the message (RFC 6979).
    let text = sigmill::zeroize::Zeroizing::new(fs::read_to_string(&private)?);
    let signature = SigningKey::from_pkcs8_pem(&text)?
        .sign(b"an order")
        .to_der();

    // The verifier, who has only the public key.
    let key = VerifyingKey::from_public_key_pem(&fs::read_to_string(&public)?)?;
    let signature = Signature::from_der(&signature)?;
    key.verify(b"an order", &signature)?;
    let error = key.verify(b"another order", &signature).unwrap_err();
    println!("the order is signed; another: {error} ({})", error.reason());

    fs::remove_dir_all(&folder)?;
    Ok(())
}
