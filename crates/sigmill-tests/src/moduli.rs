//! Primes of other curves and of every number of limbs, for the generic field.

use sigmill::field::Modulus;
use sigmill::limbs::from_hex;

macro_rules! moduli {
    ($($(#[$doc:meta])* $name:ident, $limbs:literal limbs, $digits:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name;

            impl Modulus<$limbs> for $name {
                const MODULUS: [u64; $limbs] = from_hex($digits);
            }
        )*
    };
}

moduli! {
    /// 2^64 - 59: no bit to spare.
    Full64, 1 limbs, "ffffffffffffffc5";
    /// 2^61 - 1.
    Mersenne61, 1 limbs, "1fffffffffffffff";
    /// 2^128 - 159: no bit to spare.
    Full128, 2 limbs, "ffffffffffffffffffffffffffffff61";
    /// The prime of secp160r1, 2^160 - 2^31 - 1.
    Secp160R1, 3 limbs, "ffffffffffffffffffffffffffffffff7fffffff";
    /// The prime of P-192, 2^192 - 2^64 - 1.
    P192, 3 limbs, "fffffffffffffffffffffffffffffffeffffffffffffffff";
    /// The prime of P-224: p - 1 is divisible by 2^96, the worst case for Tonelli and Shanks.
    P224, 4 limbs, "ffffffffffffffffffffffffffffffff000000000000000000000001";
    /// The prime of secp256k1, 2^256 - 2^32 - 977.
    Secp256K1, 4 limbs, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    /// The order of edwards25519's large subgroup, 253 bits.
    Curve25519Order, 4 limbs, "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";
    /// The prime of brainpoolP320r1.
    Brainpool320, 5 limbs,
        "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27";
    /// 2^448 - 2^224 - 1, the prime of edwards448.
    Goldilocks, 7 limbs,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    /// The prime of brainpoolP512r1: no bit to spare.
    Brainpool512, 8 limbs,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330871\
         7d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3";
    /// The prime of P-521.
    P521, 9 limbs,
        "1ff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
}

/// Tests that call a function, generic over a modulus and its number of limbs, for primes of one to
/// nine limbs, those of the curves among them.
#[macro_export]
macro_rules! on_all_moduli {
    ($function:ident) => {
        #[test]
        fn one_to_three_limbs() {
            $function::<$crate::moduli::Full64, 1>();
            $function::<$crate::moduli::Mersenne61, 1>();
            $function::<$crate::moduli::Full128, 2>();
            $function::<$crate::moduli::Secp160R1, 3>();
            $function::<$crate::moduli::P192, 3>();
        }

        #[test]
        fn four_limbs() {
            $function::<sigmill::field::p256::P256Prime, 4>();
            $function::<sigmill::scalar::P256Order, 4>();
            $function::<sigmill::scalar::Secp256k1Order, 4>();
            $function::<$crate::moduli::P224, 4>();
            $function::<$crate::moduli::Secp256K1, 4>();
            $function::<$crate::moduli::Curve25519Order, 4>();
        }

        #[test]
        fn five_to_nine_limbs() {
            $function::<$crate::moduli::Brainpool320, 5>();
            $function::<sigmill::field::p384::P384Prime, 6>();
            $function::<sigmill::scalar::P384Order, 6>();
            $function::<$crate::moduli::Goldilocks, 7>();
            $function::<$crate::moduli::Brainpool512, 8>();
            $function::<$crate::moduli::P521, 9>();
        }
    };
}
