//! Many rows of X25519: each gets the result of the single call, in calls of every size, on every
//! backend.

use rand_chacha::rand_core::Rng;
use sigmill::Error;
use sigmill::agreement::x25519::{PublicKey, StaticSecret, diffie_hellman_many, public_keys};

use crate::x25519::{of_openssl, small_order};
use sigmill_tests::numbers::rng;
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::rounds;

/// Some rows, with a point of small order at the places selected by `bad`.
fn rows(count: usize, bad: impl Fn(usize) -> bool) -> Vec<(StaticSecret, PublicKey)> {
    let mut rng = rng(count as u64);
    let small = small_order();
    (0..count)
        .map(|i| {
            let secret = StaticSecret::generate_from_rng(&mut rng);
            let mut u = [0; 32];
            rng.fill_bytes(&mut u);
            let u = if bad(i) { small[i % small.len()] } else { u };
            (secret, PublicKey::from(u))
        })
        .collect()
}

fn check(rows: &[(StaticSecret, PublicKey)]) {
    let borrowed: Vec<_> = rows
        .iter()
        .map(|(secret, public)| (secret, public))
        .collect();
    let shared = diffie_hellman_many(&borrowed);
    assert_eq!(shared.len(), rows.len());
    for (i, ((secret, public), shared)) in rows.iter().zip(&shared).enumerate() {
        assert_eq!(
            *shared,
            secret.diffie_hellman(public),
            "row {i} of {}",
            rows.len()
        );
    }
    let secrets: Vec<_> = rows.iter().map(|(secret, _)| secret.clone()).collect();
    let singly: Vec<_> = secrets.iter().map(PublicKey::from).collect();
    assert_eq!(public_keys(&secrets), singly);
}

#[test]
fn calls_of_every_size() {
    for count in (0..=40).step_by(rounds(5, 1)) {
        check(&rows(count, |i| i % 5 == 3));
    }
    // One block and a row, and several blocks.
    for count in [65, 66, rounds(70, 200)] {
        check(&rows(count, |_| false));
    }
}

#[test]
fn points_of_small_order_in_every_lane() {
    for lane in (0..8).step_by(rounds(3, 1)) {
        check(&rows(8, |i| i == lane));
        check(&rows(8, |i| i != lane));
    }
    let all = rows(17, |_| true);
    check(&all);
    let borrowed: Vec<_> = all
        .iter()
        .map(|(secret, public)| (secret, public))
        .collect();
    let shared = diffie_hellman_many(&borrowed);
    assert!(
        shared
            .iter()
            .all(|row| *row == Err(Error::SharedSecretZero))
    );
}

#[test]
fn openssl_agrees_with_many() {
    let rows = rows(rounds(20, 100), |i| i % 10 == 9);
    let borrowed: Vec<_> = rows
        .iter()
        .map(|(secret, public)| (secret, public))
        .collect();
    let shared = diffie_hellman_many(&borrowed);
    for ((secret, public), shared) in rows.iter().zip(shared) {
        let expected = of_openssl(secret.as_bytes(), public.as_bytes());
        assert_eq!(shared.ok().map(|shared| shared.to_bytes()), expected);
    }
}

/// Runs the tests of X25519 again on each backend, in separate processes.
#[test]
fn every_backend() {
    on_every_backend_without_doubles("x25519", "x25519_many::calls_of_every_size");
}
