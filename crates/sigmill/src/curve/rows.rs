//! Curves without their own kernels, as rows of constants.

use super::prime::{Constants, NamedPrime, Params, Prime};
use super::{CurveName, Domain, NamedCurve, Sealed};
use crate::field::Modulus;
use crate::limbs::{from_hex, subtract};

/// Defines a curve: its limbs of 64 and of 52 bits, its constants in hexadecimal digits, and the
/// windows of its generator's tables ([`Curve::generator_window`](super::Curve::generator_window),
/// [`Curve::base_window`](super::Curve::base_window)).
///
/// Bit `base_window` of n should be zero, so that many secrets are multiplied side by side in
/// lanes.
macro_rules! row {
    (
        $(#[$doc:meta])*
        $name:ident, $label:literal, $limbs:literal and $limbs_in_lanes:literal limbs,
        prime $prime:expr, order $order:expr, a $a:expr, b $b:expr, generator $x:expr, $y:expr,
        windows $generator_window:literal, $base_window:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl Sealed for $name {}

        impl Domain for $name {
            type Curve = Prime<$limbs, $limbs_in_lanes>;

            #[inline(always)]
            fn curve(self) -> Self::Curve {
                static PRIME: Modulus<$limbs> = Modulus::new(from_hex($prime));
                static ORDER: Modulus<$limbs> = Modulus::new(from_hex($order));
                static PARAMS: Params<$limbs, $limbs_in_lanes> = Params::new(Constants {
                    label: $label,
                    prime: &PRIME,
                    order: &ORDER,
                    a: coefficient($a, &PRIME),
                    b: from_hex($b),
                    generator: [from_hex($x), from_hex($y)],
                    generator_window: $generator_window,
                    base_window: $base_window,
                });
                Prime::new(&PARAMS)
            }
        }

        impl NamedCurve for $name {
            type Kind = NamedPrime<$limbs, $limbs_in_lanes>;

            #[inline(always)]
            fn kind(self) -> Self::Kind {
                NamedPrime::of(self)
            }

            fn name(self) -> CurveName {
                CurveName::$name
            }
        }
    };
}

/// Parses hexadecimal digits, with an optional minus sign.
const fn coefficient<const N: usize>(digits: &str, modulus: &Modulus<N>) -> [u64; N] {
    match digits.as_bytes() {
        [b'-', ..] => {
            let (_, absolute) = digits.split_at(1);
            subtract(modulus.prime(), &from_hex(absolute)).0
        }
        _ => from_hex(digits),
    }
}

#[cfg(feature = "brainpool-p256r1")]
row! {
    /// brainpoolP256r1 (RFC 5639 §3.4).
    BrainpoolP256r1, "brainpoolP256r1", 4 and 5 limbs,
    prime "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
    order "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7",
    a "7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
    b "26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6",
    generator "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
    "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997",
    windows 11, 6
}

#[cfg(feature = "p384")]
row! {
    /// P-384, also called secp384r1 (SP 800-186 §3.2.1.4, SEC 2 §2.5.1).
    P384, "P-384", 6 and 8 limbs,
    prime "ffffffffffffffffffffffffffffffffffffffffffffffff\
           fffffffffffffffeffffffff0000000000000000ffffffff",
    order "ffffffffffffffffffffffffffffffffffffffffffffffff\
           c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    a "-3",
    b "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe814112\
       0314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
    generator "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
               59f741e082542a385502f25dbf55296c3a545e3872760ab7",
    "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
     e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
    windows 10, 7
}

#[cfg(feature = "p521")]
row! {
    /// P-521, also called secp521r1 (SP 800-186 §3.2.1.5, SEC 2 §2.6.1).
    P521, "P-521", 9 and 11 limbs,
    prime "1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
           ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    order "1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
           51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    a "-3",
    b "051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1\
       56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
    generator "0c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dba\
               a14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
    "11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c\
     97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
    windows 9, 7
}
