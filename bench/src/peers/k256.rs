//! The crate `k256` of RustCrypto.

use super::rustcrypto::{SIGN, VERIFY, ecdsa};
use sigmill::CurveName;

use crate::registry::Registry;

ecdsa!(k256);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("k256");
    let mut peer = registry.peer("k256", version);
    peer.verify_fresh_and_prepared("secp256k1", VERIFY, CurveName::Secp256k1, verify);
    peer.compute(
        "secp256k1/sign/single",
        SIGN,
        Some(CurveName::Secp256k1),
        |inputs| sign(&*inputs.curve(CurveName::Secp256k1)?),
    );
}
