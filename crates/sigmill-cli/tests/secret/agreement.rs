//! Shared secrets.

use openssl::derive::Deriver;
use openssl::pkey::PKey;
use sigmill::CurveName;

use crate::support::*;

#[test]
fn both_sides_and_openssl_agree() {
    let curves = CurveName::ALL.iter().map(|curve| curve.as_str());
    for curve in curves.chain(["X25519"]) {
        let dir = TempDir::new().unwrap();
        for name in ["a", "b"] {
            let public = format!("{name}.pub");
            succeed(
                &dir,
                &[
                    "keygen",
                    "--curve",
                    curve,
                    "--out",
                    name,
                    "--public-out",
                    &public,
                ],
            );
        }
        let ours = succeed(&dir, &["ecdh", "--key", "a", "--peer", "b.pub"]).stdout;
        let theirs = succeed(&dir, &["ecdh", "--key", "b", "--peer", "a.pub"]).stdout;
        assert_eq!(ours, theirs);

        let secret = PKey::private_key_from_pem(&read(&dir, "a")).unwrap();
        let peer = PKey::public_key_from_pem(&read(&dir, "b.pub")).unwrap();
        let mut deriver = Deriver::new(&secret).unwrap();
        deriver.set_peer(&peer).unwrap();
        let expected = deriver.derive_to_vec().unwrap();
        let hex = data_encoding::HEXLOWER.encode(&expected) + "\n";
        assert_eq!(ours, hex.as_bytes(), "{curve}");

        succeed(
            &dir,
            &[
                "ecdh", "--key", "a", "--peer", "b.pub", "--format", "raw", "--out", "z",
            ],
        );
        assert_eq!(read(&dir, "z"), expected);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = dir
                .path()
                .join("z")
                .metadata()
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        refuse(
            &dir,
            &["ecdh", "--key", "a", "--peer", "b.pub", "--out", "z"],
            "use --force to replace it",
        );
        assert_eq!(read(&dir, "z"), expected);
    }
}

#[test]
fn the_vector_of_rfc_7748() {
    // §6.1: Alice's private key as PKCS#8, Bob's public key in hex.
    let dir = TempDir::new().unwrap();
    let alice = "302e020100300506032b656e04220420\
                 77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
    let bob = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f";
    file(
        &dir,
        "alice",
        data_encoding::HEXLOWER.decode(alice.as_bytes()).unwrap(),
    );
    file(&dir, "bob", bob);
    let run = succeed(&dir, &["ecdh", "--key", "alice", "--peer", "bob"]);
    assert_eq!(
        run.stdout,
        b"4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742\n"
    );
}

#[test]
fn a_key_of_another_kind_or_of_small_order_is_refused() {
    let dir = TempDir::new().unwrap();
    for curve in ["P-256", "P-384", "X25519"] {
        let public = format!("{curve}.pub");
        succeed(
            &dir,
            &[
                "keygen",
                "--curve",
                curve,
                "--out",
                curve,
                "--public-out",
                &public,
            ],
        );
    }
    let cases = [
        ("P-256", "P-384.pub", "P-384"),
        ("P-384", "P-256.pub", "P-256"),
        ("P-256", "X25519.pub", "id-ecPublicKey"),
        ("X25519", "P-256.pub", "must be a public key of X25519"),
        ("X25519", "zero", "small order"),
        ("P-256", "zero", "key:"),
    ];
    file(&dir, "zero", "00".repeat(32));
    for (key, peer, message) in cases {
        refuse(&dir, &["ecdh", "--key", key, "--peer", peer], message);
    }
}

#[test]
fn the_hash_that_libsecp256k1_takes() {
    // The private keys are 1 and 2, so the shared point is 2G. Its y is even, so the hashed bytes
    // begin with 02.
    let dir = TempDir::new().unwrap();
    let key = |n: u8| {
        let scalar = format!("{n:064x}");
        let der = format!("302e0201010420{scalar}a00706052b8104000a");
        data_encoding::HEXLOWER.decode(der.as_bytes()).unwrap()
    };
    file(&dir, "one", key(1));
    let two_g = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
    file(&dir, "two.pub", two_g);
    let run = succeed(
        &dir,
        &["ecdh", "--key", "one", "--peer", "two.pub", "--hashed"],
    );
    let point = data_encoding::HEXLOWER.decode(two_g.as_bytes()).unwrap();
    let hash = openssl::sha::sha256(&point);
    assert_eq!(
        run.stdout,
        (data_encoding::HEXLOWER.encode(&hash) + "\n").as_bytes()
    );
    succeed(&dir, &["keygen", "--curve", "X25519", "--out", "x"]);
    refuse(
        &dir,
        &["ecdh", "--key", "x", "--peer", "two.pub", "--hashed"],
        "--hashed: not available for X25519",
    );
}

/// A JWK may be for key agreement only, or for signatures only (RFC 7517 §4.2 to §4.4).
#[test]
fn a_peer_as_jwk_must_be_for_agreement() {
    let dir = TempDir::new().unwrap();
    for name in ["a", "b"] {
        let public = format!("{name}.pub");
        succeed(&dir, &["keygen", "--out", name, "--public-out", &public]);
    }
    let expected = succeed(&dir, &["ecdh", "--key", "a", "--peer", "b.pub"]).stdout;
    let pem = String::from_utf8(read(&dir, "b.pub")).unwrap();
    let key = sigmill::p256::VerifyingKey::from_public_key_pem(&pem).unwrap();
    let point = key.to_sec1_bytes(false);
    let [x, y] = [&point[1..33], &point[33..]].map(|c| data_encoding::BASE64URL_NOPAD.encode(c));
    let agree = ["ecdh", "--key", "a", "--peer", "b.jwk"];
    for members in [
        "",
        r#","use":"enc""#,
        r#","use":"enc","alg":"ECDH-ES+A256KW","kid":"b""#,
        r#","key_ops":["deriveBits"]"#,
        r#","key_ops":["deriveKey","deriveBits"]"#,
        r#","key_ops":[],"ext":true"#,
    ] {
        let jwk = format!(r#"{{"kty":"EC","crv":"P-256","x":"{x}","y":"{y}"{members}}}"#);
        file(&dir, "b.jwk", jwk);
        assert_eq!(succeed(&dir, &agree).stdout, expected, "{members}");
    }
    for (members, message) in [
        (r#","use":"sig""#, "the JWK member use must be"),
        (r#","key_ops":["verify"]"#, "the JWK member key_ops must"),
        (r#","alg":"ES256""#, "the JWK member alg must"),
        (r#","use":"enc","use":"enc""#, "may have a member twice"),
    ] {
        let jwk = format!(r#"{{"kty":"EC","crv":"P-256","x":"{x}","y":"{y}"{members}}}"#);
        file(&dir, "b.jwk", jwk);
        refuse(&dir, &agree, message);
    }
    // A bare point is taken to be on the curve of our own key.
    file(&dir, "b.b64", data_encoding::BASE64.encode(&point));
    let run = succeed(&dir, &["ecdh", "--key", "a", "--peer", "b.b64"]);
    assert_eq!(run.stdout, expected);
}
