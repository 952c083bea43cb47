//! An API gateway that verifies ES256 tokens of one issuer, whose key is read once and gets a
//! table.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde_json::{Value, json};
use sigmill::jose::{self, Jwk, JwkSet};
use sigmill::p256::SigningKey;

/// Issues a token, as the issuer does (RFC 7515 §5.1).
fn issue(key: &SigningKey, claims: &Value) -> String {
    let encode = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    let header = json!({ "alg": "ES256", "typ": "JWT" }).to_string();
    let signed = encode(header.as_bytes()) + "." + &encode(claims.to_string().as_bytes());
    let signature = key.sign(signed.as_bytes()).to_p1363();
    signed + "." + &encode(&signature)
}

/// Returns the sender of a request. `verify_compact` checks the signature; the gateway checks the
/// claims.
fn subject(issuer: &JwkSet, token: &str, now: u64) -> Result<String, Box<dyn Error>> {
    let token = jose::verify_compact(token, issuer)?;
    let claims: Value = serde_json::from_slice(token.payload())?;
    if claims["aud"] != "payments" {
        return Err("aud: the token is for someone else".into());
    }
    if claims["exp"].as_u64().is_none_or(|exp| exp <= now) {
        return Err("exp: the token has expired".into());
    }
    Ok(claims["sub"].as_str().ok_or("sub: missing")?.to_owned())
}

fn main() -> Result<(), Box<dyn Error>> {
    let key = SigningKey::generate()?;
    let jwk = Jwk::from_key((*key.verifying_key()).into())?.to_json();
    // At startup: the issuer's key, with a table.
    let issuer = JwkSet::from_json(&format!(r#"{{"keys":[{jwk}]}}"#))?.prepare();

    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let good = issue(
        &key,
        &json!({ "sub": "ada", "aud": "payments", "exp": now + 60 }),
    );
    let late = issue(
        &key,
        &json!({ "sub": "ada", "aud": "payments", "exp": now - 60 }),
    );
    let forged = issue(
        &SigningKey::generate()?,
        &json!({ "sub": "ada", "aud": "payments" }),
    );
    assert_eq!(subject(&issuer, &good, now)?, "ada");
    for token in [&late, &forged, "not.a.token"] {
        println!("refused: {}", subject(&issuer, token, now).unwrap_err());
    }
    Ok(())
}
