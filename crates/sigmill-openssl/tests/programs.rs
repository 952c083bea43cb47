//! Programs of a Debian that use OpenSSL and know nothing of sigmill. A test skips programs that
//! are not installed, and prints so. Times are not judged here.

mod common;

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;
use std::{fs, thread};

use common::{Place, is_there, text};

/// The module's provider is active next to the default one.
#[test]
fn the_provider_is_listed() {
    if !is_there("openssl", "version") {
        return;
    }
    let place = Place::new();
    let listed = place.openssl(true, "list -providers").unwrap();
    assert!(
        listed.contains("default") && listed.contains("sigmill"),
        "{listed}"
    );
    let signatures = place
        .openssl(true, "list -signature-algorithms -provider default")
        .unwrap();
    assert!(signatures.contains("ECDSA @ sigmill"), "{signatures}");
    let managers = place.openssl(true, "list -key-managers").unwrap();
    assert!(
        managers.contains("@ sigmill") && managers.contains("@ default"),
        "{managers}"
    );
}

/// Keys and messages on every kind of curve are signed with the provider and verified without it,
/// and the other way round.
#[test]
fn files_are_signed_and_verified() {
    if !is_there("openssl", "version") {
        return;
    }
    let place = Place::new();
    fs::write(place.path("message"), "a message").unwrap();
    fs::write(place.path("other"), "another message").unwrap();
    fs::write(place.path("digest"), [5; 32]).unwrap();
    let parameters = [
        "ec_paramgen_curve:P-256",
        "ec_paramgen_curve:P-384",
        "ec_paramgen_curve:P-521",
        "ec_paramgen_curve:secp256k1",
        "ec_paramgen_curve:brainpoolP256r1",
        // Not ours: these fall through.
        "ec_paramgen_curve:brainpoolP384r1",
        "ec_paramgen_curve:secp224r1",
        "ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit",
    ];
    for parameters in parameters {
        let run = |with, arguments: &str| place.openssl(with, arguments);
        let make = format!("genpkey -algorithm EC -pkeyopt {parameters} -out key.pem");
        run(true, &make).unwrap();
        run(true, "pkey -in key.pem -pubout -out public.pem").unwrap();
        for hash in ["sha1", "sha256", "sha512", "sha3-384", "sha512-256"] {
            for (signer, verifier) in [(true, false), (false, true), (true, true)] {
                run(
                    signer,
                    &format!("dgst -{hash} -sign key.pem -out signature message"),
                )
                .unwrap();
                let verify = format!("dgst -{hash} -verify public.pem -signature signature");
                run(verifier, &format!("{verify} message")).unwrap();
                let wrong = run(verifier, &format!("{verify} other")).unwrap_err();
                assert!(wrong.contains("Verification failure"), "{wrong}");
            }
        }
        for (signer, verifier) in [(true, false), (false, true)] {
            run(
                signer,
                "pkeyutl -sign -inkey key.pem -in digest -out signature",
            )
            .unwrap();
            let verify = "pkeyutl -verify -pubin -inkey public.pem -sigfile signature -in";
            run(verifier, &format!("{verify} digest")).unwrap();
            run(verifier, &format!("{verify} message")).unwrap_err();
        }
        // The default provider does the agreement.
        run(
            true,
            "pkeyutl -derive -inkey key.pem -peerkey public.pem -out secret",
        )
        .unwrap();
        let secret = fs::read(place.path("secret")).unwrap();
        run(
            false,
            "pkeyutl -derive -inkey key.pem -peerkey public.pem -out secret",
        )
        .unwrap();
        assert_eq!(fs::read(place.path("secret")).unwrap(), secret);
    }
}

/// A request, a certificate by an authority, its chain, a signed message, and the system's list of
/// roots.
#[test]
fn certificates_are_made_and_verified() {
    if !is_there("openssl", "version") {
        return;
    }
    let place = Place::new();
    // With everything that the module offers.
    fs::copy(place.with_ecdh(), place.path("sigmill.cnf")).unwrap();
    let run = |with, arguments: &str| place.openssl(with, arguments);
    for (curve, hash) in [
        ("P-256", "sha256"),
        ("P-384", "sha384"),
        ("P-521", "sha512"),
    ] {
        let new = format!("-newkey ec -pkeyopt ec_paramgen_curve:{curve} -noenc -{hash}");
        run(
            true,
            &format!("req -x509 {new} -keyout ca.key -out ca.pem -days 9"),
        )
        .unwrap();
        run(
            true,
            &format!("req {new} -keyout leaf.key -out leaf.csr -subj /CN=leaf"),
        )
        .unwrap();
        run(true, "req -in leaf.csr -verify -noout").unwrap();
        run(
            true,
            &format!(
                "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -{hash} -days 9 -out leaf.pem"
            ),
        )
        .unwrap();
        for with in [true, false] {
            run(with, "verify -CAfile ca.pem leaf.pem").unwrap();
            run(with, "verify -check_ss_sig -CAfile ca.pem ca.pem").unwrap();
        }
        fs::write(place.path("message"), "a message").unwrap();
        for (signer, verifier) in [(true, false), (false, true)] {
            let sign = "cms -sign -nodetach -binary -in message -signer leaf.pem -inkey leaf.key \
                        -outform PEM -out";
            run(signer, &format!("{sign} message.cms")).unwrap();
            let verify = "cms -verify -in message.cms -inform PEM -CAfile ca.pem -purpose any";
            let said = run(verifier, &format!("{verify} -out /dev/null")).unwrap();
            assert!(said.is_empty(), "{said}");
            // To the owner of a key, by ECDH and X9.63 with the hash of the curve.
            let encrypt = "cms -encrypt -aes256 -binary -in message -outform PEM";
            run(signer, &format!("{encrypt} -out secret.cms leaf.pem")).unwrap();
            let decrypt = "cms -decrypt -in secret.cms -inform PEM -recip leaf.pem -inkey leaf.key";
            let opened = run(verifier, &format!("{decrypt} -binary -out opened"));
            opened.unwrap_or_else(|said| panic!("{said}"));
            assert_eq!(fs::read(place.path("opened")).unwrap(), b"a message");
        }
    }
    let roots = "/etc/ssl/certs/ca-certificates.crt";
    if fs::exists(roots).unwrap() {
        // Roots are self-signed; each is verified with its own signature.
        let bundle = fs::read_to_string(roots).unwrap();
        let mut verified = 0;
        for pem in bundle.split_inclusive("-----END CERTIFICATE-----") {
            fs::write(place.path("root.pem"), pem).unwrap();
            let Ok(said) = run(true, "x509 -in root.pem -noout -text") else {
                continue;
            };
            if said.contains("Signature Algorithm: ecdsa") {
                let verify = "verify -check_ss_sig -no_check_time -CAfile root.pem root.pem";
                run(true, verify).unwrap();
                verified += 1;
            }
        }
        println!("{verified} roots of this machine verified");
    }
}

/// TLS by Python's `ssl`, with the provider on either side or both. Both have ECDSA certificates.
#[test]
fn python_speaks_tls() {
    if !is_there("openssl", "version") || !is_there("python3", "--version") {
        return;
    }
    let place = Place::new();
    let run = |arguments: &str| place.openssl(true, arguments).unwrap();
    for curve in ["P-256", "P-384"] {
        let new = format!("-newkey ec -pkeyopt ec_paramgen_curve:{curve} -noenc");
        run(&format!(
            "req -x509 {new} -keyout tls.key -out tls.pem -days 9"
        ));
        for (server, client) in [(true, true), (true, false), (false, true)] {
            let said = tls(&place, server, client);
            assert_eq!(said.matches("mutual TLSv1.").count(), 4, "{said}");
        }
    }
}

/// Runs a server and a client, each with the provider or without.
fn tls(place: &Place, server: bool, client: bool) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls.py");
    let mut listener = place.program("python3", server);
    let listener = listener.arg(script).arg("server").spawn().unwrap();
    let said = place
        .program("python3", client)
        .arg(script)
        .arg("client")
        .output();
    let said = text(said.unwrap());
    let ended = listener.wait_with_output().unwrap();
    assert!(ended.status.success(), "{said:?}");
    said.unwrap()
}

/// TLS 1.3 by `openssl s_server` and `s_client`, in groups that agree by X25519 or ECDH: alone, and
/// combined with ML-KEM from OpenSSL 3.5 on.
#[test]
fn handshakes_agree_in_every_group() {
    if !is_there("openssl", "version") {
        return;
    }
    let place = Place::new();
    fs::copy(place.with_ecdh(), place.path("sigmill.cnf")).unwrap();
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 9";
    let make = format!("req -x509 {new} -keyout tls.key -out tls.pem");
    place.openssl(true, &make).unwrap();
    // Older versions have no such list, and no groups with ML-KEM.
    let groups = place.openssl(false, "list -tls-groups").unwrap_or_default();
    // The name in the options, and the name in the output.
    for (group, name) in [
        ("X25519", "X25519"),
        ("P-256", "prime256v1"),
        ("P-384", "secp384r1"),
        ("X25519MLKEM768", "X25519MLKEM768"),
        ("SecP256r1MLKEM768", "SecP256r1MLKEM768"),
        ("SecP384r1MLKEM1024", "SecP384r1MLKEM1024"),
    ] {
        if group.contains("MLKEM") && !groups.contains(group) {
            println!("SKIPPED: this OpenSSL has no {group}");
            continue;
        }
        for (server, client) in [(true, true), (true, false), (false, true)] {
            let said = handshake(&place, group, server, client);
            let agreed = said.lines().any(|line| {
                (line.contains("Temp Key") || line.contains("group")) && line.contains(name)
            });
            assert!(agreed && said.contains("TLSv1.3"), "{group}: {said}");
        }
    }
}

/// Returns a client's output of a connection in a group, with the provider on either side or
/// without.
fn handshake(place: &Place, group: &str, server: bool, client: bool) -> String {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let accept = format!("s_server -accept {free} -naccept 1 -quiet -tls1_3 -groups {group}");
    let mut server = place.program("openssl", server);
    let server = server
        .args(accept.split(' '))
        .args(["-cert", "tls.pem", "-key", "tls.key"]);
    let mut server = server.stdin(Stdio::piped()).spawn().unwrap();
    let connect = format!("s_client -connect {free} -tls1_3 -groups {group}");
    let connect = format!("{connect} -CAfile tls.pem -verify_return_error");
    let mut said = Err("no server".into());
    for _ in 0..100 {
        said = place.openssl(client, &connect);
        // Until the server listens.
        if said.is_ok() || server.try_wait().unwrap().is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    if said.is_err() {
        server.kill().unwrap();
    }
    let ended = server.wait().unwrap();
    let said = said.unwrap_or_else(|said| panic!("{group}: {said}"));
    assert!(ended.success(), "{group}: {said}");
    said
}

/// Node contains its own OpenSSL, which loads the module as well.
#[test]
fn node_signs_verifies_and_agrees() {
    if !is_there("openssl", "version") || !is_there("node", "--version") {
        return;
    }
    let place = Place::new();
    let script = "
        const c = require('crypto');
        for (const namedCurve of ['prime256v1', 'secp384r1', 'brainpoolP512r1']) {
            const { privateKey, publicKey } = c.generateKeyPairSync('ec', { namedCurve });
            const data = Buffer.from('a message');
            for (let i = 0; i < 20; i++) {
                const s = c.sign('sha256', data, privateKey);
                if (!c.verify('sha256', data, publicKey, s)) throw Error('valid');
                if (c.verify('sha256', Buffer.from('other'), publicKey, s)) throw Error('invalid');
                const p = { key: privateKey, dsaEncoding: 'ieee-p1363' };
                const t = c.sign('sha256', data, p);
                if (!c.verify('sha256', data, { ...p, key: publicKey }, t)) throw Error('p1363');
            }
        }
        const keys = [0, 1].map(() => c.generateKeyPairSync('x25519'));
        const [s, t] = [0, 1].map((i) => c.diffieHellman({
            privateKey: keys[i].privateKey, publicKey: keys[1 - i].publicKey }));
        if (!s.equals(t)) throw Error('agreement');
        for (const { privateKey } of keys) {
            const jwk = privateKey.export({ format: 'jwk' });
            const again = c.createPrivateKey({ key: jwk, format: 'jwk' });
            if (!again.equals(privateKey)) throw Error('JWK');
            const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
            if (!c.createPrivateKey(pem).equals(privateKey)) throw Error('PEM');
        }
        console.log(require('fs').readFileSync('/proc/self/maps', 'latin1'));
    ";
    let mut node = place.program("node", false);
    node.env_remove("OPENSSL_CONF");
    node.arg(format!(
        "--openssl-config={}",
        place.path("sigmill.cnf").display()
    ));
    let maps = text(node.arg("-e").arg(script).output().unwrap()).unwrap();
    assert!(maps.contains("libsigmill_openssl.so"), "{maps}");
}
