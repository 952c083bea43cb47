//! The prime of P-384, p = 2^384 - 2^128 - 2^96 + 2^32 - 1 (SP 800-186 §3.2.1.4), on the generic
//! Montgomery field.

#[cfg(target_arch = "x86_64")]
use super::AdxKernel;
use super::{MontgomeryField, Portable, Residue};
use crate::field::Modulus;
use crate::limbs::from_hex;

/// The prime of P-384.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P384Prime;

impl Modulus<6> for P384Prime {
    const MODULUS: [u64; 6] = from_hex(
        "ffffffffffffffffffffffffffffffffffffffffffffffff\
         fffffffffffffffeffffffff0000000000000000ffffffff",
    );
}

/// An element of the field of P-384.
pub type FieldElement = Residue<P384Prime, 6>;

/// The field of P-384 in portable code.
pub type P384Field = MontgomeryField<Portable<P384Prime>, 6>;

/// The field of P-384 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type P384AdxField = MontgomeryField<AdxKernel<P384Prime>, 6>;
