//! The list of curves against OpenSSL's data.

use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::EcGroup;
use openssl::nid::Nid;
use sigmill::CurveName;

use sigmill_tests::referee::nid;

#[test]
fn openssl_says_the_same_of_every_curve() {
    for &curve in CurveName::ALL {
        let group = EcGroup::from_curve_name(nid(curve)).unwrap();
        let mut context = BigNumContext::new().unwrap();
        let [mut order, mut cofactor] = [(); 2].map(|()| BigNum::new().unwrap());
        group.order(&mut order, &mut context).unwrap();
        group.cofactor(&mut cofactor, &mut context).unwrap();
        assert_eq!(curve.field_bits(), group.degree());
        assert_eq!(curve.order_bits(), order.num_bits() as u32);
        assert_eq!(cofactor, BigNum::from_u32(1).unwrap());
        assert_eq!(curve.field_len(), group.degree().div_ceil(8) as usize);
        assert_eq!(curve.order_len(), order.num_bytes() as usize);
        let short = nid(curve).short_name().unwrap();
        assert_eq!(short.parse(), Ok(curve), "OpenSSL's name");
    }
    assert_eq!(nid(CurveName::P256), Nid::X9_62_PRIME256V1);
    assert_eq!(nid(CurveName::P384), Nid::SECP384R1);
    assert_eq!(nid(CurveName::Secp256k1), Nid::SECP256K1);
    assert_eq!(nid(CurveName::BrainpoolP256r1), Nid::BRAINPOOL_P256R1);
    assert_eq!(nid(CurveName::P521), Nid::SECP521R1);
}

#[test]
fn what_is_in_the_table_is_what_the_standards_say() {
    let rows = [
        // RFC 5480 §2.1.1.1, RFC 7518 §3.4, §6.2.1.1.
        (
            CurveName::P256,
            "1.2.840.10045.3.1.7",
            Some("P-256"),
            "ES256",
        ),
        (CurveName::P384, "1.3.132.0.34", Some("P-384"), "ES384"),
        // SEC 2 §A.2.1, RFC 8812 §3.
        (
            CurveName::Secp256k1,
            "1.3.132.0.10",
            Some("secp256k1"),
            "ES256K",
        ),
        // RFC 5639 §4.1.
        (
            CurveName::BrainpoolP256r1,
            "1.3.36.3.3.2.8.1.1.7",
            None,
            "brainpoolP256r1-SHA256",
        ),
        // RFC 5480 §2.1.1.1, RFC 7518 §3.4, §6.2.1.1.
        (CurveName::P521, "1.3.132.0.35", Some("P-521"), "ES512"),
    ];
    assert_eq!(rows.len(), CurveName::ALL.len());
    for (curve, object_identifier, jwk_name, algorithm) in rows {
        assert_eq!(curve.object_identifier(), object_identifier);
        assert_eq!(curve.jwk_name(), jwk_name);
        assert_eq!(curve.default_algorithm().to_string(), algorithm);
        assert_eq!(algorithm.parse(), Ok(curve.default_algorithm()));
    }
}
