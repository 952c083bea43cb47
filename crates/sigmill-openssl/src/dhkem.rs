//! Private keys derived from a secret: DeriveKeyPair of DHKEM(X25519, HKDF-SHA256), RFC 9180
//! §7.1.3.

use hmac::digest::FixedOutput;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The prefix of all labels (§4): the version, "KEM" and the number of the KEM.
const SUITE: &[&[u8]] = &[b"HPKE-v1", b"KEM\x00\x20"];

/// The length of a private key, and the minimum length of the input.
const LENGTH: usize = 32;

/// Computes the HMAC of all parts, concatenated.
fn hmac(key: &[u8], parts: &[&[&[u8]]], result: &mut [u8; LENGTH]) {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts.iter().copied().flatten() {
        hmac.update(part);
    }
    hmac.finalize_into(result.into());
}

/// Derives the private key before clamping. Returns `None` if the input has less than 32 bytes.
/// Constant time.
pub(crate) fn derive_private(ikm: &[u8], private: &mut [u8; LENGTH]) -> Option<()> {
    if ikm.len() < LENGTH {
        return None;
    }
    let mut prk = Zeroizing::new([0; LENGTH]);
    // dkp_prk = LabeledExtract("", "dkp_prk", ikm). No salt means one of zeros, as HMAC pads keys.
    hmac(&[], &[SUITE, &[b"dkp_prk", ikm]], &mut prk);
    // sk = LabeledExpand(dkp_prk, "sk", "", Nsk), which is one block of HKDF-Expand: T(1).
    let length = (LENGTH as u16).to_be_bytes();
    hmac(&*prk, &[&[&length], SUITE, &[b"sk", &[1]]], private);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
        (0..hex.len() / 2).map(digit).collect()
    }

    /// RFC 9180, appendix A.1.1: ikmE and skEm, ikmR and skRm.
    #[test]
    fn keys_are_those_of_the_standard() {
        for (ikm, private) in [
            (
                "7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234",
                "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
            ),
            (
                "6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037",
                "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8",
            ),
        ] {
            let ikm = bytes(ikm);
            let mut derived = [0; LENGTH];
            assert!(derive_private(&ikm[1..], &mut derived).is_none());
            derive_private(&ikm, &mut derived).unwrap();
            assert_eq!(derived[..], bytes(private));
        }
    }
}
