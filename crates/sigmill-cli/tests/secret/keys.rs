//! New keys, and files of keys.

use openssl::pkey::{Id, PKey};
use sigmill::CurveName;

use crate::support::*;

/// Returns the names of the curves, each with OpenSSL's type of the key.
fn kinds() -> Vec<(&'static str, Id)> {
    let names = CurveName::ALL.iter().flat_map(|curve| {
        let aliases = curve.aliases().iter().copied();
        aliases.chain([curve.as_str()]).map(|name| (name, Id::EC))
    });
    names
        .chain([("X25519", Id::X25519), ("x25519", Id::X25519)])
        .collect()
}

#[test]
fn openssl_reads_every_kind_and_form() {
    for (curve, id) in kinds() {
        for format in ["pem", "der", "sec1-pem", "sec1-der"] {
            let dir = TempDir::new().unwrap();
            let args = [
                "keygen",
                "--curve",
                curve,
                "--format",
                format,
                "--out",
                "key",
                "--public-out",
                "pub",
            ];
            if id == Id::X25519 && format.starts_with("sec1") {
                refuse(&dir, &args, "SEC 1 is not available");
                assert!(!dir.path().join("key").exists());
                continue;
            }
            succeed(&dir, &args);
            let (secret, public) = (read(&dir, "key"), read(&dir, "pub"));
            let is_pem = format.ends_with("pem");
            let (secret, public) = if is_pem {
                (
                    PKey::private_key_from_pem(&secret),
                    PKey::public_key_from_pem(&public),
                )
            } else {
                (
                    PKey::private_key_from_der(&secret),
                    PKey::public_key_from_der(&public),
                )
            };
            let (secret, public) = (secret.unwrap(), public.unwrap());
            assert_eq!(secret.id(), id);
            assert!(secret.public_eq(&public), "{curve} {format}");
        }
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_key() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new().unwrap();
    for force in [None, Some("--force")] {
        let mut args = vec!["keygen", "--out", "key", "--public-out", "pub"];
        args.extend(force);
        if force.is_some() {
            // A file that was accessible to all is replaced, not filled.
            let everybody = std::fs::Permissions::from_mode(0o666);
            std::fs::set_permissions(dir.path().join("key"), everybody).unwrap();
        }
        succeed(&dir, &args);
        let mode = |name| {
            dir.path()
                .join(name)
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode("key"), 0o600);
        assert_eq!(mode("pub") & 0o400, 0o400);
    }
}

#[test]
fn nothing_is_replaced_unasked() {
    let dir = TempDir::new().unwrap();
    succeed(&dir, &["keygen", "--out", "key"]);
    let first = read(&dir, "key");
    refuse(
        &dir,
        &["keygen", "--out", "key"],
        "use --force to replace it",
    );
    // If one file is in the way, neither is written.
    refuse(
        &dir,
        &["keygen", "--out", "new", "--public-out", "key"],
        "use --force to replace it",
    );
    assert!(!dir.path().join("new").exists());
    assert_eq!(read(&dir, "key"), first);
    succeed(&dir, &["keygen", "--out", "key", "--force"]);
    assert_ne!(read(&dir, "key"), first, "two keys differ");
    refuse(
        &dir,
        &["keygen", "--out", "same", "--public-out", "same"],
        "is also the file of the private key",
    );
    refuse(
        &dir,
        &["keygen", "--out", "no/such/folder"],
        "no/such/folder",
    );
}

#[test]
fn a_key_on_standard_output_is_all_that_stands_there() {
    let dir = TempDir::new().unwrap();
    let run = succeed(&dir, &["keygen", "--out", "-"]);
    assert!(PKey::private_key_from_pem(&run.stdout).is_ok());
    assert!(run.stdout.ends_with(b"-----END PRIVATE KEY-----\n"));
    assert_eq!(run.stderr, "wrote a private key of P-256 to -\n");
    refuse(
        &dir,
        &["keygen", "--out", "x", "--curve", "P-192"],
        "P-256, secp256k1, brainpoolP256r1, P-384, P-521 or X25519",
    );
}

#[test]
fn what_is_no_private_key_is_refused_with_its_rule() {
    let dir = TempDir::new().unwrap();
    file(&dir, "rows.csv", "message\nhello\n");
    let sign = ["sign", "rows.csv", "--out", "out.csv", "--key", "key"];
    succeed(&dir, &["keygen", "--out", "good"]);
    let good = read(&dir, "good");
    let truncated = &good[..good.len() - 40];
    let rsa = PKey::from_rsa(openssl::rsa::Rsa::generate(2048).unwrap()).unwrap();
    succeed(
        &dir,
        &[
            "keygen",
            "--out",
            "x",
            "--public-out",
            "public",
            "--curve",
            "P-256",
        ],
    );
    let cases: [(Vec<u8>, &str); 6] = [
        (vec![], "secret key:"),
        (b"hello".to_vec(), "secret key:"),
        (truncated.to_vec(), "PEM"),
        (rsa.private_key_to_pem_pkcs8().unwrap(), "id-ecPublicKey"),
        (read(&dir, "public"), "PRIVATE KEY"),
        (vec![b'x'; 70_000], "must not be longer"),
    ];
    for (bytes, message) in cases {
        file(&dir, "key", bytes);
        refuse(&dir, &sign, message);
        assert!(!dir.path().join("out.csv").exists());
    }
    refuse(
        &dir,
        &["sign", "rows.csv", "--out", "out.csv", "--key", "none"],
        "none:",
    );
}

/// RFC 5958 has a version for private keys followed by their public key. Some tools write it.
#[test]
fn pkcs8_of_version_2_is_read_and_its_public_key_must_belong() {
    let dir = TempDir::new().unwrap();
    for (curve, private) in [("P-256", 138), ("X25519", 48)] {
        let args = ["keygen", "--force", "--curve", curve, "--format", "der"];
        let out = ["--out", "key", "--public-out", "pub"];
        succeed(&dir, &[&args[..], &out].concat());
        let (version_1, public) = (read(&dir, "key"), read(&dir, "pub"));
        assert_eq!(version_1.len(), private);
        // The BIT STRING at the end of SPKI, under the tag [1].
        let len = if curve == "P-256" { 66 } else { 33 };
        let bits = [&[0x81, len], &public[public.len() - usize::from(len)..]].concat();
        let version_2 = |bits: &[u8], version| {
            // A length of 128 or more needs two bytes.
            let header = if version_1[1] < 0x80 { 2 } else { 3 };
            let body = [&[2, 1, version], &version_1[header + 3..], bits].concat();
            let len = body.len() as u8;
            let header = if len < 0x80 {
                vec![0x30, len]
            } else {
                vec![0x30, 0x81, len]
            };
            [header, body].concat()
        };
        file(&dir, "v2", version_2(&bits, 1));
        let agree = |key| ["ecdh", "--key", key, "--peer", "pub"];
        let expected = succeed(&dir, &agree("key")).stdout;
        assert_eq!(succeed(&dir, &agree("v2")).stdout, expected, "{curve}");
        let pem = data_encoding::BASE64.encode(&version_2(&bits, 1));
        let lines = pem
            .as_bytes()
            .chunks(64)
            .collect::<Vec<_>>()
            .join(&b"\n"[..]);
        let lines = String::from_utf8(lines).unwrap();
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n");
        file(&dir, "v2.pem", pem);
        assert_eq!(succeed(&dir, &agree("v2.pem")).stdout, expected);

        // The public key of another key, and versions that contradict the content.
        succeed(
            &dir,
            &[
                "keygen",
                "--curve",
                curve,
                "--out",
                "-",
                "--public-out",
                "other",
                "--force",
            ],
        );
        let pem = read(&dir, "other");
        let other = PKey::public_key_from_pem(&pem)
            .unwrap()
            .public_key_to_der()
            .unwrap();
        let other = [&bits[..2], &other[other.len() - usize::from(len)..]].concat();
        let malformed = "not well-formed DER of PKCS#8 or SEC 1";
        for (key, message) in [
            (
                version_2(&other, 1),
                "the public key in the file must belong",
            ),
            (version_2(&bits, 0), malformed),
            (version_2(&[], 1), malformed),
            (version_2(&bits, 2), malformed),
            ([&version_2(&bits, 1)[..], &[0]].concat(), "trailing data"),
        ] {
            file(&dir, "bad", key);
            refuse(&dir, &agree("bad"), message);
        }
    }
    let ed25519 = PKey::generate_ed25519().unwrap();
    file(&dir, "ed25519", ed25519.private_key_to_pem_pkcs8().unwrap());
    let agree = ["ecdh", "--key", "ed25519", "--peer", "pub"];
    refuse(&dir, &agree, "must be id-ecPublicKey or id-X25519");
}
