//! The prime of secp256k1, p = 2^256 - 2^32 - 977 (SEC 2 §2.4.1), on the generic Montgomery field.

#[cfg(target_arch = "x86_64")]
use super::AdxKernel;
use super::{FieldX8, Modulus, MontgomeryField, Portable, ReductionX8, Residue};
use crate::limbs::from_hex;

/// The prime of secp256k1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secp256k1Prime;

impl Modulus<4> for Secp256k1Prime {
    const MODULUS: [u64; 4] =
        from_hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
}

/// The products of the field in portable code.
pub type Secp256k1Kernel = Portable<Secp256k1Prime>;

/// The products of the field in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type Secp256k1AdxKernel = AdxKernel<Secp256k1Prime>;

/// An element of the field of secp256k1.
pub type FieldElement = Residue<Secp256k1Prime, 4>;

/// The field of secp256k1 in portable code.
pub type Secp256k1Field = MontgomeryField<Secp256k1Kernel, 4>;

/// The field of secp256k1 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type Secp256k1AdxField = MontgomeryField<Secp256k1AdxKernel, 4>;

/// The field of secp256k1 in eight lanes on words of `W`, with single values by kernel `S`.
pub type Secp256k1FieldX8<W, S> = FieldX8<W, ReductionX8<Secp256k1Prime>, S>;
