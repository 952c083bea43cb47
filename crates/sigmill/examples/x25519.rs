//! X25519 (RFC 7748) as a server uses it: one static key, and many clients at once.

use sigmill::agreement::x25519::{EphemeralSecret, PublicKey, StaticSecret, diffie_hellman_many};

fn main() -> Result<(), sigmill::Error> {
    let server = StaticSecret::generate()?;
    let server_public = PublicKey::from(&server);

    // Each client uses a secret once.
    let mut at_clients = vec![];
    let mut from_clients = vec![];
    for _ in 0..64 {
        let client = EphemeralSecret::generate()?;
        from_clients.push(PublicKey::from(&client));
        at_clients.push(client.diffie_hellman(&server_public)?);
    }

    // The server agrees with all of them in one call, eight at a time if the CPU supports it.
    let pairs: Vec<_> = from_clients
        .iter()
        .map(|client| (&server, client))
        .collect();
    for (at_server, at_client) in diffie_hellman_many(&pairs).into_iter().zip(&at_clients) {
        // A client that sends a point of small order gets an error, because the secret would be
        // zero.
        assert_eq!(at_server?.as_bytes(), at_client.as_bytes());
    }
    let small_order = PublicKey::from([0; 32]);
    println!(
        "64 secrets agree; {}",
        server.diffie_hellman(&small_order).unwrap_err()
    );
    Ok(())
}
