//! Hints to the point R of a signature.

use sigmill::RecoveryId;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::NamedCurve;
use sigmill::keys::VerifyingKey;

/// The y of the point that r and an id determine, big-endian; `None` if no such point exists.
pub fn y_of<C: NamedCurve + Default>(signature: &Signature<C>, id: RecoveryId) -> Option<Vec<u8>> {
    let p1363 = signature.to_p1363();
    let (length, field) = (p1363.len() / 2, C::default().name().field_len());
    assert!(length == field && !id.is_x_reduced());
    let compressed = [&[2 + u8::from(id.is_y_odd())], &p1363[..length]].concat();
    let point = VerifyingKey::<C>::from_sec1_bytes(&compressed).ok()?;
    Some(point.to_sec1_bytes(false)[1 + field..].to_vec())
}
