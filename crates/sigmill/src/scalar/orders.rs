//! The orders of the curves, on the generic Montgomery field.

use super::Split;
#[cfg(target_arch = "x86_64")]
use crate::field::AdxKernel;
use crate::field::{FieldX8, Modulus, MontgomeryField, Portable, ReductionX8, Residue};
use crate::limbs::from_hex;

/// The order of P-256 (SP 800-186 §3.2.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P256Order;

impl Modulus<4> for P256Order {
    const MODULUS: [u64; 4] =
        from_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
}

/// An integer modulo the order of P-256.
pub type P256Scalar = Residue<P256Order, 4>;

/// The integers modulo the order of P-256.
pub type P256ScalarField = MontgomeryField<Portable<P256Order>, 4>;

/// The integers modulo the order of P-256 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type P256AdxScalarField = MontgomeryField<AdxKernel<P256Order>, 4>;

/// The integers modulo the order of P-256 in eight lanes on words of `W`, with single values by
/// kernel `S`.
pub type P256ScalarFieldX8<W, S> = FieldX8<W, ReductionX8<P256Order>, S>;

/// The order of secp256k1 (SEC 2 §2.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secp256k1Order;

impl Modulus<4> for Secp256k1Order {
    const MODULUS: [u64; 4] =
        from_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
}

impl Secp256k1Order {
    /// How integers modulo the order split for the endomorphism of the curve.
    pub const SPLIT: Split<[u64; 4]> = Split::new(
        &Self::MODULUS,
        from_hex("000000000000000000000000000000003086d221a7d46bcde86c90e49284eb15"),
        from_hex("00000000000000000000000000000000e4437ed6010e88286f547fa90abfe4c3"),
    );
}

/// An integer modulo the order of secp256k1.
pub type Secp256k1Scalar = Residue<Secp256k1Order, 4>;

/// The integers modulo the order of secp256k1.
pub type Secp256k1ScalarField = MontgomeryField<Portable<Secp256k1Order>, 4>;

/// The integers modulo the order of secp256k1 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type Secp256k1AdxScalarField = MontgomeryField<AdxKernel<Secp256k1Order>, 4>;

/// The integers modulo the order of secp256k1 in eight lanes on words of `W`, with single values by
/// kernel `S`.
pub type Secp256k1ScalarFieldX8<W, S> = FieldX8<W, ReductionX8<Secp256k1Order>, S>;

/// The order of P-384 (SP 800-186 §3.2.1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P384Order;

impl Modulus<6> for P384Order {
    const MODULUS: [u64; 6] = from_hex(
        "ffffffffffffffffffffffffffffffffffffffffffffffff\
         c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    );
}

/// An integer modulo the order of P-384.
pub type P384Scalar = Residue<P384Order, 6>;

/// The integers modulo the order of P-384.
pub type P384ScalarField = MontgomeryField<Portable<P384Order>, 6>;

/// The integers modulo the order of P-384 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type P384AdxScalarField = MontgomeryField<AdxKernel<P384Order>, 6>;
