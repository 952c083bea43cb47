//! P-384, also called secp384r1 (SP 800-186 §3.2.1.4, SEC 2 §2.5.1).

use super::prime::{Constants, Params, Prime};
use super::{CurveName, Domain, NamedCurve};
use crate::field::Modulus;
use crate::limbs::{from_hex, subtract};

/// The curve P-384.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct P384;

static PRIME: Modulus<6> = Modulus::new(from_hex(
    "ffffffffffffffffffffffffffffffffffffffffffffffff\
     fffffffffffffffeffffffff0000000000000000ffffffff",
));
static ORDER: Modulus<6> = Modulus::new(from_hex(
    "ffffffffffffffffffffffffffffffffffffffffffffffff\
     c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
));
static PARAMS: Params<6, 8> = Params::new(Constants {
    label: "P-384",
    prime: &PRIME,
    order: &ORDER,
    a: subtract(PRIME.prime(), &[3, 0, 0, 0, 0, 0]).0,
    b: from_hex(
        "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe814112\
         0314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
    ),
    generator: [
        from_hex(
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
             59f741e082542a385502f25dbf55296c3a545e3872760ab7",
        ),
        from_hex(
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
             e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
        ),
    ],
    generator_window: 8,
    base_window: 7,
});

impl Domain for P384 {
    type Curve = Prime<6, 8>;

    #[inline(always)]
    fn curve(self) -> Prime<6, 8> {
        Prime::new(&PARAMS)
    }
}

impl NamedCurve for P384 {
    fn name(self) -> CurveName {
        CurveName::P384
    }
}
