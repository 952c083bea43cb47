//! Two secrets and two public keys to one shared secret.

mod ladder;
pub mod x25519;
