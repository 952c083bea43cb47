//! X25519 keys, which are ours from the beginning: every use of keys, and the groups of TLS,
//! compared with the stock library. Programs in C (`keys.c`, `key_uses.c`, `groups.c`) call
//! libcrypto and libssl, as the module is not linked with them.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use common::{Place, is_there, on_every_stack, program, run_for_leaks, text};

/// New keys and keys from bytes, with their properties and checks.
#[test]
fn keys_answer_as_those_of_the_stock_library() {
    let place = Place::new();
    let Some(program) = program(&place, "keys", &["-lcrypto"]) else {
        return;
    };
    run_for_leaks(
        &program,
        &[Path::new("answers"), &place.path("sigmill.cnf")],
    );
}

/// Keys are changed, copied, compared, written, read, and agree, compared with those of the default
/// provider.
#[test]
fn keys_are_used_as_those_of_the_stock_library() {
    let place = Place::new();
    let Some(program) = program(&place, "key_uses", &["-lcrypto"]) else {
        return;
    };
    run_for_leaks(&program, &[&place.path("sigmill.cnf")]);
}

/// A child makes other keys than its parent, even a child that the C library does not know.
#[test]
fn processes_make_keys_of_their_own() {
    let place = Place::new();
    let Some(program) = program(&place, "keys", &["-lcrypto"]) else {
        return;
    };
    for mut forks in on_every_stack(&program) {
        forks.arg("fork").arg(place.path("sigmill.cnf"));
        let said = text(forks.output().unwrap()).unwrap();
        let keys: Vec<&str> = said
            .lines()
            .map(|line| line.split_once(' ').unwrap().1)
            .collect();
        assert_eq!(keys.len(), 1 + 4 * 4);
        let different: HashSet<&&str> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{said}");
    }
}

#[test]
fn groups_of_tls_are_those_of_the_stock_library() {
    let place = Place::new();
    let Some(program) = program(&place, "groups", &["-lssl", "-lcrypto"]) else {
        return;
    };
    run_for_leaks(&program, &[&place.path("sigmill.cnf")]);
}

/// Key files by `openssl`, written with the provider and read without it, and the other way round.
/// The output is the same.
#[test]
fn files_of_keys_are_the_same() {
    if !is_there("openssl", "version") {
        return;
    }
    let place = Place::new();
    let run = |with, arguments: &str| {
        let said = place.openssl(with, arguments);
        said.unwrap_or_else(|said| panic!("{arguments}: {said}"))
    };
    let managers = run(true, "list -key-managers -provider default");
    let is_ours = |line: &str| line.contains("X25519") && line.ends_with("@ sigmill");
    assert!(managers.lines().any(is_ours), "{managers}");
    for (maker, reader) in [(true, false), (false, true), (true, true)] {
        run(maker, "genpkey -algorithm X25519 -out key.pem");
        run(maker, "genpkey -algorithm X25519 -out other.pem");
        for arguments in [
            "pkey -in key.pem",
            "pkey -in key.pem -pubout",
            "pkey -in key.pem -text",
            "pkey -in key.pem -text -noout",
            "pkey -in key.pem -text_pub -noout",
            "pkey -in key.pem -check -noout",
            "pkey -in key.pem -pubcheck -noout",
        ] {
            assert_eq!(run(maker, arguments), run(reader, arguments), "{arguments}");
        }
        for key in ["key", "other"] {
            run(maker, &format!("pkey -in {key}.pem -pubout -out {key}.pub"));
            run(
                maker,
                &format!("pkey -in {key}.pem -outform DER -out {key}.der"),
            );
        }
        assert_eq!(
            run(reader, "pkey -in key.der -inform DER"),
            run(maker, "pkey -in key.pem")
        );
        let agree = |with, own, peer| {
            let keys = format!("-inkey {own}.pem -peerkey {peer}.pub");
            run(with, &format!("pkeyutl -derive {keys} -out secret"));
            fs::read(place.path("secret")).unwrap()
        };
        let secret = agree(maker, "key", "other");
        assert_eq!(secret, agree(reader, "other", "key"));
        assert_eq!(secret.len(), 32);
        // With the text of a new key: what is printed matches what is written.
        let said = run(maker, "genpkey -algorithm X25519 -text -out text.pem");
        assert!(said.is_empty(), "{said}");
        let made = fs::read_to_string(place.path("text.pem")).unwrap();
        let (_, printed) = made.split_once("-----END PRIVATE KEY-----\n").unwrap();
        let read = run(reader, "pkey -in text.pem -text -noout");
        assert_eq!(read, printed);
    }
    // A group that X25519 does not have is refused by both.
    for with in [true, false] {
        let make = "genpkey -algorithm X25519 -pkeyopt group:P-256";
        place.openssl(with, make).unwrap_err();
        run(with, "genpkey -algorithm X25519 -pkeyopt group:x25519");
    }
}
