//! The keys that an identity provider publishes as a JWK set: which are used, which are not and
//! why, and a token verified by the key that its `kid` names.

use std::error::Error;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use sigmill::jose::{self, Jwk, JwkSet};
use sigmill::{AnySigningKey, CurveName, SignatureFormat};

fn main() -> Result<(), Box<dyn Error>> {
    // The provider publishes two named keys, one RSA key, and one broken key.
    let keys = [CurveName::P256, CurveName::P384].map(AnySigningKey::generate);
    let [old, new] = keys;
    let (old, new) = (old?, new?);
    let publish = |key: &AnySigningKey, kid: &str| {
        Jwk::from_key(key.verifying_key()).map(|jwk| jwk.with_kid(kid).to_json())
    };
    let published = format!(
        r#"{{"keys":[{},{},{},{}]}}"#,
        publish(&old, "2025")?,
        publish(&new, "2026")?,
        r#"{"kty":"RSA","kid":"legacy","n":"AQAB","e":"AQAB"}"#,
        r#"{"kty":"EC","crv":"P-256","kid":"broken","x":"AA","y":"AA"}"#,
    );

    let set = JwkSet::from_json(&published)?;
    for (what, count) in set.unusable() {
        println!("not for verification: {count} {what}");
    }
    for (index, rule) in set.malformed() {
        println!("key {index} is malformed: {rule}");
    }
    assert_eq!((set.keys().len(), set.malformed_count()), (2, 1));

    // A token signed by the new key. The key determines the algorithm, and the header must name the
    // same.
    let encode = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    let signed = encode(br#"{"alg":"ES384","kid":"2026"}"#) + "." + &encode(b"hello");
    let signature = new.sign(signed.as_bytes(), SignatureFormat::P1363);
    let token = signed + "." + &encode(&signature);
    let verified = jose::verify_compact(&token, &set)?;
    assert_eq!(verified.key().kid(), Some("2026"));
    println!("{}", String::from_utf8_lossy(verified.payload()));
    Ok(())
}
