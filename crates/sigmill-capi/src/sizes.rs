//! Room that results of any curve fit into, for arrays of a fixed length.

/// The longest signature: DER on P-521.
pub const SIGMILL_MAX_SIGNATURE_LEN: usize = 139;
/// The longest SEC 1 point: uncompressed on P-521.
pub const SIGMILL_MAX_POINT_LEN: usize = 133;
/// The longest SubjectPublicKeyInfo.
pub const SIGMILL_MAX_SPKI_LEN: usize = 158;
/// The longest private key in PKCS#8.
pub const SIGMILL_MAX_PKCS8_LEN: usize = 241;
/// The longest shared secret: on P-521.
pub const SIGMILL_MAX_SHARED_LEN: usize = 66;

#[cfg(test)]
mod tests {
    use sigmill::{AnySigningKey, CurveName, SignatureFormat};

    use super::*;

    /// What is longest is so long, and nothing is longer.
    #[test]
    fn the_longest_results_fit() {
        let (mut points, mut spkis, mut pkcs8s, mut shared) = (vec![], vec![], vec![], vec![]);
        for &curve in CurveName::ALL {
            let key = AnySigningKey::generate(curve).unwrap();
            let public = key.verifying_key();
            points.push(public.to_sec1_bytes(false).len());
            spkis.push(public.to_public_key_der().len());
            pkcs8s.push(key.to_pkcs8_der().len());
            let secret = key.diffie_hellman(&public).unwrap();
            shared.push(secret.as_bytes().len());
        }
        assert_eq!(points.iter().max(), Some(&SIGMILL_MAX_POINT_LEN));
        assert_eq!(spkis.iter().max(), Some(&SIGMILL_MAX_SPKI_LEN));
        assert_eq!(pkcs8s.iter().max(), Some(&SIGMILL_MAX_PKCS8_LEN));
        assert_eq!(shared.iter().max(), Some(&SIGMILL_MAX_SHARED_LEN));
        // r and s have 66 bytes, of which the first has one bit: they are never negative.
        let key = AnySigningKey::generate(CurveName::P521).unwrap();
        let longest = (0..=255_u8).map(|n| key.sign(&[n], SignatureFormat::Der).len());
        assert_eq!(longest.max(), Some(SIGMILL_MAX_SIGNATURE_LEN));
    }
}
