//! The crate `p384` of RustCrypto.

use super::rustcrypto::{SIGN, VERIFY, ecdsa};
use sigmill::CurveName;

use crate::registry::Registry;

ecdsa!(p384);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("p384");
    let mut peer = registry.peer("p384", version);
    peer.verify_fresh_and_prepared("p384", VERIFY, CurveName::P384, verify);
    peer.compute("p384/sign/single", SIGN, Some(CurveName::P384), |inputs| {
        sign(&*inputs.curve(CurveName::P384)?)
    });
}
