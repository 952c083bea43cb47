//! Memory after derivations: it holds nothing of the shared secret, nor of what was derived from
//! it. A program in C (`wiping.c`) derives through `EVP_*`, frees everything, and searches all its
//! writable memory: the unwound stack, and the heap including freed memory.

#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Place, ask, hex, program};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::digest::Digest;
use sigmill::agreement::diffie_hellman;
use sigmill::curves::{NamedCurve, P256, P521};
use sigmill::keys::SecretScalar;

/// Masks a secret, so that the search does not find this copy.
fn masked(bytes: &[u8]) -> String {
    hex(&bytes.iter().map(|byte| byte ^ 0xa5).collect::<Vec<_>>())
}

/// Returns bytes that occur nowhere else. The first is zero, so the number is below every order.
fn secret(seed: u8, length: usize) -> Vec<u8> {
    let mut secret = vec![0; length];
    for (bytes, counter) in secret[1..].chunks_mut(32).zip(0_u8..) {
        bytes.copy_from_slice(&sha2::Sha256::digest([seed, counter])[..bytes.len()]);
    }
    secret
}

/// Returns a shared secret and the three blocks that X9.63 derives from it.
fn derived<D: Digest>(shared: &[u8]) -> Vec<u8> {
    let blocks = (1_u32..=3).flat_map(|counter| {
        let hash = D::new().chain_update(shared);
        whole_words(&hash.chain_update(counter.to_be_bytes()).finalize())
    });
    whole_words(shared).into_iter().chain(blocks).collect()
}

/// Returns the bytes without a partial word at the end.
fn whole_words(bytes: &[u8]) -> Vec<u8> {
    bytes.as_chunks::<8>().0.concat()
}

/// A function from a shared secret to the bytes that must not be found.
type Traces = fn(&[u8]) -> Vec<u8>;

/// The traces of a derivation with each hash.
const HASHES: &[(&str, Traces)] = &[
    ("SHA1", derived::<sha1::Sha1>),
    ("SHA224", derived::<sha2::Sha224>),
    ("SHA256", derived::<sha2::Sha256>),
    ("SHA384", derived::<sha2::Sha384>),
    ("SHA512", derived::<sha2::Sha512>),
    ("SHA512-224", derived::<sha2::Sha512_224>),
    ("SHA512-256", derived::<sha2::Sha512_256>),
    ("SHA3-224", derived::<sha3::Sha3_224>),
    ("SHA3-256", derived::<sha3::Sha3_256>),
    ("SHA3-384", derived::<sha3::Sha3_384>),
    ("SHA3-512", derived::<sha3::Sha3_512>),
];

/// Adds derivations from a secret that two keys on this curve share.
fn derivations<C: NamedCurve + Default>(lines: &mut Vec<String>) {
    let curve = C::default().name();
    let scalar = |bytes: &[u8]| SecretScalar::<C>::from_be_bytes(bytes).unwrap();
    let peer = scalar(&secret(1, curve.order_len())).public_key();
    let public = hex(&peer.to_sec1_bytes(false));
    for (&(hash, traces), seed) in HASHES.iter().zip(2..) {
        let own = secret(seed, curve.order_len());
        let shared = diffie_hellman(&scalar(&own), &peer);
        let traces = masked(&traces(shared.as_bytes()));
        lines.push(format!(
            "x963 {curve} {hash} {} {public} {traces}",
            masked(&own)
        ));
    }
}

/// DeriveKeyPair of DHKEM (RFC 9180 §7.1.3): its input, the intermediate value, and the key.
fn dhkem(ikm: &[u8]) -> String {
    let hmac = |key: &[u8], parts: &[&[u8]]| {
        let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(key).unwrap();
        parts.iter().for_each(|part| hmac.update(part));
        hmac.finalize().into_bytes().to_vec()
    };
    let between = hmac(&[], &[b"HPKE-v1KEM\x00\x20dkp_prk", ikm]);
    let key = hmac(&between, &[b"\x00\x20HPKE-v1KEM\x00\x20sk\x01"]);
    let traces = masked(&[&whole_words(ikm), &between, &key[..]].concat());
    format!("dhkem - - {} - {traces}", masked(ikm))
}

#[test]
fn derivations_leave_nothing_of_their_secrets_behind() {
    let place = Place::new();
    let Some(program) = program(&place, "wiping", &["-lcrypto"]) else {
        return;
    };
    let control = masked(&secret(0, 64));
    let mut lines = vec![
        format!("control-stack - - {control} - {control}"),
        format!("control-heap - - {control} - {control}"),
        dhkem(&secret(0xff, 40)),
    ];
    derivations::<P256>(&mut lines);
    derivations::<P521>(&mut lines);
    // Not on small stacks, as the search needs much stack itself.
    let mut command = Command::new(program);
    command.args([Path::new("search"), &place.with_ecdh()]);
    let answers = ask(&mut command, lines.join("\n") + "\n");
    let mut wrong = vec![];
    for (line, found) in lines.iter().zip(answers) {
        if line.starts_with("control") == (found == "0") {
            let job: Vec<_> = line.split(' ').take(3).collect();
            wrong.push(format!("{}: {found} words found", job.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
