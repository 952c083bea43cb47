//! Key agreement: a shared secret from two secret keys and two public keys.

mod any;
mod defect;
mod ecdh;
mod ecmqv;
pub(crate) mod ladder;
pub(crate) mod ladder_x4;
mod shared_point;
mod with_certificate;
pub mod x25519;

pub use ecdh::{
    EphemeralSecret, SharedSecret, diffie_hellman, diffie_hellman_many, diffie_hellman_many_sec1,
    diffie_hellman_sha256,
};
pub use ecmqv::{EphemeralKeyPair, ecmqv, ecmqv_one_pass_respond};
pub use with_certificate::{
    CertificateSignature, diffie_hellman_with_certificate_from_rng, ecmqv_with_certificate_from_rng,
};
#[cfg(feature = "std")]
pub use with_certificate::{
    diffie_hellman_with_certificate, ecmqv_one_pass_respond_with_certificate,
    ecmqv_with_certificate,
};
