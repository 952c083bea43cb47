//! Two secrets and two public keys to one shared secret.

mod ecdh;
mod ladder;
pub mod x25519;

pub use ecdh::{EphemeralSecret, SharedSecret, diffie_hellman};
