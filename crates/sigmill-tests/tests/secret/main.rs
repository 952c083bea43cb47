//! Operations on secrets, which are therefore constant-time.

mod any_signing_key;
mod bulk;
mod c25519;
mod c25519_narrow_x4;
mod c25519_x4;
mod c25519_x8;
mod ecdh;
mod ecdh_many;
mod ecmqv;
mod edwards25519;
mod inversion;
mod keys;
mod one_curve;
mod scalar_multiplication;
mod secret_sum;
mod signing;
mod with_certificate;
mod x25519;
mod x25519_many;
mod x25519_public;
