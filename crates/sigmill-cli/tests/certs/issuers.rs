//! The keys that are tried for a certificate, and their number.

use openssl::asn1::{Asn1Integer, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::extension::{AuthorityKeyIdentifier, SubjectKeyIdentifier};
use openssl::x509::{X509, X509Builder, X509Name};
use serde_json::Value;

use crate::judge;

type Key = PKey<Private>;

fn key() -> Key {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

fn name(text: &str) -> X509Name {
    let mut name = X509Name::builder().unwrap();
    name.append_entry_by_text("CN", text).unwrap();
    name.build()
}

/// Creates a certificate of `key`; `with` extends it before `signer` signs.
fn certificate_with(
    subject: &str,
    key: &Key,
    issuer: &str,
    signer: &Key,
    with: impl FnOnce(&mut X509Builder),
) -> X509 {
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    let serial = BigNum::from_u32(7).unwrap();
    let serial = Asn1Integer::from_bn(&serial).unwrap();
    builder.set_serial_number(&serial).unwrap();
    builder.set_subject_name(&name(subject)).unwrap();
    builder.set_issuer_name(&name(issuer)).unwrap();
    let (from, to) = (
        Asn1Time::from_unix(0).unwrap(),
        Asn1Time::from_unix(1).unwrap(),
    );
    builder.set_not_before(&from).unwrap();
    builder.set_not_after(&to).unwrap();
    builder.set_pubkey(key).unwrap();
    with(&mut builder);
    builder.sign(signer, MessageDigest::sha256()).unwrap();
    builder.build()
}

fn certificate(subject: &str, key: &Key, issuer: &str, signer: &Key) -> X509 {
    certificate_with(subject, key, issuer, signer, |_| ())
}

fn add_subject_identifier(builder: &mut X509Builder) {
    let context = builder.x509v3_context(None, None);
    let id = SubjectKeyIdentifier::new().build(&context).unwrap();
    builder.append_extension(id).unwrap();
}

/// Judges a bundle. Returns the lines, the summary with the number of verifications, and the exit
/// code.
fn outcome<'a>(bundle: impl IntoIterator<Item = &'a X509>) -> (Vec<Value>, Value, i32) {
    let pems = bundle.into_iter().map(|x509| x509.to_pem().unwrap());
    judge(&String::from_utf8(pems.collect::<Vec<_>>().concat()).unwrap())
}

/// Reports whether every certificate of `lines` has this reason.
fn all_have(lines: &[Value], reason: &str) -> bool {
    lines.iter().all(|line| line["reason"] == reason)
}

#[test]
fn keys_of_one_name_are_tried_up_to_a_bound() {
    let nobody = key();
    for count in [16, 50, 100] {
        let keys: Vec<Key> = (0..count).map(|_| key()).collect();
        let forged = |key| certificate("ca", key, "ca", &nobody);
        let bundle: Vec<X509> = keys.iter().map(forged).collect();
        let (lines, summary, code) = outcome(&bundle);
        assert_eq!(code, 1);
        // The work is linear: twice as many certificates cost twice as much.
        assert_eq!(summary["verifications"], 16 * count);
        let reason = match count {
            16 => "signature-mismatch",
            _ => "too-many-issuers",
        };
        assert_eq!(summary["reasons"][reason], count);
        assert!(all_have(&lines, reason));
    }
}

#[test]
fn equal_keys_are_tried_once() {
    let (own, nobody) = (key(), key());
    let forged = certificate("ca", &own, "ca", &nobody);
    let good = certificate("leaf", &nobody, "ca", &own);
    for count in [50, 100] {
        let bundle = std::iter::repeat_n(&forged, count).chain([&good]);
        let (lines, summary, _) = outcome(bundle);
        assert_eq!(summary["verifications"], count + 1);
        assert!(all_have(&lines[..count], "signature-mismatch"));
        assert_eq!(lines[count]["verdict"], "valid");
        assert_eq!(lines[count]["issuer"], 1);
    }
}

/// Certificates as in real bundles cost one verification each, however many keys share the name.
#[test]
fn likely_keys_come_first() {
    let keys: Vec<Key> = (0..60).map(|_| key()).collect();
    let root = |key| certificate("ca", key, "ca", key);
    let roots: Vec<X509> = keys.iter().map(root).collect();
    let (lines, summary, code) = outcome(&roots);
    assert_eq!((code, &summary["verifications"]), (0, &60.into()));
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["issuer"], index + 1, "its own key");
    }

    // Key identifiers select the key among others with an identifier, and among others without one.
    let named = |key| certificate_with("ca", key, "ca", key, add_subject_identifier);
    let named: Vec<X509> = keys[40..].iter().map(named).collect();
    let leaves: Vec<X509> = keys[40..]
        .iter()
        .zip(&named)
        .map(|(signer, issuer)| {
            certificate_with("leaf", &keys[0], "ca", signer, |builder| {
                let context = builder.x509v3_context(Some(issuer), None);
                let id = AuthorityKeyIdentifier::new().keyid(true).build(&context);
                builder.append_extension(id.unwrap()).unwrap();
            })
        })
        .collect();
    let bundle: Vec<X509> = [&roots[..40], &named, &leaves].concat();
    let (lines, summary, code) = outcome(&bundle);
    assert_eq!((code, &summary["verifications"]), (0, &80.into()));
    for (index, line) in lines[60..].iter().enumerate() {
        assert_eq!(line["issuer"], 41 + index, "the key with the identifier");
    }
}

#[test]
fn the_last_key_within_the_bound_counts_and_the_next_does_not() {
    let keys: Vec<Key> = (0..17).map(|_| key()).collect();
    let root = |key| certificate("ca", key, "ca", key);
    let roots: Vec<X509> = keys.iter().map(root).collect();
    for (signer, verdict) in [(0, "valid"), (15, "valid"), (16, "rejected")] {
        let leaf = certificate("leaf", &keys[0], "ca", &keys[signer]);
        let (lines, ..) = outcome(roots.iter().chain([&leaf]));
        assert_eq!(lines[17]["verdict"], verdict, "{signer}");
        if verdict == "valid" {
            assert_eq!(lines[17]["issuer"], signer + 1);
        } else {
            assert_eq!(lines[17]["reason"], "too-many-issuers");
            let detail = lines[17]["detail"].as_str().unwrap();
            assert!(
                detail.starts_with("issuer: more than 16 candidate keys"),
                "{detail}"
            );
        }
    }
}
