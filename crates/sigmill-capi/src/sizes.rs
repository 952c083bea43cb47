//! Lengths of the longest results on any curve, for arrays of a fixed length.

/// Length of the longest signature: DER on P-521.
pub const SIGMILL_MAX_SIGNATURE_LEN: usize = 139;
/// Length of the longest SEC 1 point: uncompressed on P-521.
pub const SIGMILL_MAX_POINT_LEN: usize = 133;
/// Length of the longest SubjectPublicKeyInfo in DER.
pub const SIGMILL_MAX_SPKI_LEN: usize = 158;
/// Length of the longest private key as PKCS#8 in DER.
pub const SIGMILL_MAX_PKCS8_LEN: usize = 241;
/// Length of the longest shared secret: on P-521.
pub const SIGMILL_MAX_SHARED_LEN: usize = 66;

#[cfg(test)]
mod tests {
    use sigmill::{AnySigningKey, CurveName, SignatureFormat};

    use super::*;

    /// The longest result has exactly the length that its constant states.
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
        // r and s have 66 bytes. Only one bit of the first byte is used, so they are never
        // negative.
        let key = AnySigningKey::generate(CurveName::P521).unwrap();
        let longest = (0..=255_u8).map(|n| key.sign(&[n], SignatureFormat::Der).len());
        assert_eq!(longest.max(), Some(SIGMILL_MAX_SIGNATURE_LEN));
    }
}
