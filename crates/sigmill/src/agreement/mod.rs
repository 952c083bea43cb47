//! Two secrets and two public keys to one shared secret.

mod any;
mod ecdh;
mod ladder;
mod ladder_x4;
pub mod x25519;

pub use ecdh::{
    EphemeralSecret, SharedSecret, diffie_hellman, diffie_hellman_many, diffie_hellman_many_sec1,
    diffie_hellman_sha256,
};
