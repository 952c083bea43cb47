//! The crate `p384` of RustCrypto.

use super::rustcrypto::{SIGN, VERIFY, ecdsa};
use crate::inputs::Curve;
use crate::registry::Registry;

ecdsa!(p384);

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("p384");
    let mut peer = registry.peer("p384", version);
    peer.verify_fresh_and_prepared("p384", VERIFY, Curve::P384, verify);
    peer.compute("p384/sign/single", SIGN, Some(Curve::P384), |inputs| {
        sign(&*inputs.curve(Curve::P384)?)
    });
}
