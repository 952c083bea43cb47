//! The library's curves again, as rows of the curves over any prime: with another window for G, for
//! single values and lanes. (The backends of the curves themselves run in separate processes:
//! [`on_every_backend`](crate::processes::on_every_backend).)

use sigmill::CurveName;
use sigmill::hazmat::curve::{Constants, Domain, NamedCurve, Params, Prime, Sealed};
use sigmill::hazmat::limbs::{from_hex, subtract};

use crate::moduli;

/// A type without values for a row of constants, with the name of the curve that it resembles.
macro_rules! curve_of_row {
    (
        $(#[$doc:meta])*
        $name:ident like $like:ident = $params:ident: $limbs:literal, $lanes:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Sealed for $name {}

        impl Domain for $name {
            type Curve = Prime<$limbs, $lanes>;

            fn curve(self) -> Self::Curve {
                Prime::new(&$params)
            }
        }

        impl NamedCurve for $name {
            type Kind = Self;

            fn kind(self) -> Self {
                self
            }

            fn name(self) -> CurveName {
                CurveName::$like
            }
        }
    };
}

static P256_PARAMS: Params<4, 5> = Params::new(Constants {
    label: "P-256 by its constants",
    prime: &moduli::P256,
    order: &moduli::P256_ORDER,
    a: subtract(moduli::P256.prime(), &[3, 0, 0, 0]).0,
    b: from_hex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
    generator: [
        from_hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
        from_hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    ],
    generator_window: 5,
    base_window: 5,
});

curve_of_row! {
    /// P-256 on the kernel for any prime.
    P256Generic like P256 = P256_PARAMS: 4, 5
}

static SECP256K1_PARAMS: Params<4, 5> = Params::new(Constants {
    label: "secp256k1 by its constants",
    prime: &moduli::SECP256K1,
    order: &moduli::SECP256K1_ORDER,
    a: [0; 4],
    b: [7, 0, 0, 0],
    generator: [
        from_hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
        from_hex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
    ],
    generator_window: 5,
    base_window: 5,
});

curve_of_row! {
    /// secp256k1 on the kernel for any prime, in Montgomery form, without its endomorphism, and
    /// without special treatment of a.
    Secp256k1Generic like Secp256k1 = SECP256K1_PARAMS: 4, 5
}

static P384_PARAMS: Params<6, 8> = Params::new(Constants {
    label: "P-384 with other windows",
    prime: &moduli::P384,
    order: &moduli::P384_ORDER,
    a: subtract(moduli::P384.prime(), &[3, 0, 0, 0, 0, 0]).0,
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
    generator_window: 3,
    base_window: 3,
});

curve_of_row! {
    /// P-384 with other windows for G.
    P384Generic like P384 = P384_PARAMS: 6, 8
}

static P384_SCALED_PARAMS: Params<6, 8> = Params::new(Constants {
    label: "a curve isomorphic to P-384",
    prime: &moduli::P384,
    order: &moduli::P384_ORDER,
    a: subtract(moduli::P384.prime(), &[48, 0, 0, 0, 0, 0]).0,
    b: from_hex(
        "cc4be9f88fb9f92623815af8fe0b464607671bbfa0504480\
         c50223d404e1d6dd958e638e8bb4674aa1723b48fb0abbec",
    ),
    generator: [
        from_hex(
            "aa1f288afa2c14de3ac71c7bcc82b5d1b874ed8a2e9e6e61\
             67dd07820950a8e3540bc978fd54a5b0e95178dfc9d82ade",
        ),
        from_hex(
            "b0bef254b131637aecf4c5fc9496e14fc7a0ede944d0a3e7\
             4ed1889daf85c60153058e71ebf40cebd218ebe3875072f9",
        ),
    ],
    generator_window: 4,
    base_window: 4,
});

/// (4 x, 8 y) for every (x, y) of P-384, without special treatment of a.
pub static P384_SCALED: Prime<6, 8> = Prime::new(&P384_SCALED_PARAMS);
