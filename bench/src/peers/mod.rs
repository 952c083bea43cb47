//! The implementations, one file each. A new peer is a file here with a `register` function, and
//! its name in [`ALL`].

mod aws_lc;
mod crrl;
mod graviola;
mod inversions;
mod k256;
mod openssl;
mod p256;
mod p384;
mod ring;
pub(crate) mod rsa;
mod rustcrypto;
mod secp256k1;
mod sigmill;
mod sigmill_batch;
mod sigmill_bulk;
mod sigmill_certificate;
mod sigmill_hinted;
mod sigmill_layers;
mod sigmill_secp256k1;
mod sigmill_secret;
mod sigmill_x25519;
mod without_endomorphism;
mod x25519_dalek;

use crate::registry::Registry;

pub(crate) use self::openssl::shared_secret as openssl_shared_secret;

/// Every peer's registration; sigmill comes first and OpenSSL, the base, second.
const ALL: &[fn(&mut Registry)] = &[
    sigmill::register,
    sigmill_bulk::register,
    sigmill_batch::register,
    sigmill_hinted::register,
    sigmill_secp256k1::register,
    sigmill_secret::register,
    sigmill_certificate::register,
    sigmill_x25519::register,
    openssl::register,
    aws_lc::register,
    ring::register,
    graviola::register,
    crrl::register,
    p256::register,
    p384::register,
    k256::register,
    secp256k1::register,
    x25519_dalek::register,
    rsa::register,
    inversions::register,
    sigmill_layers::register,
];

pub(crate) fn register_all(registry: &mut Registry) {
    for register in ALL {
        register(registry);
    }
}
