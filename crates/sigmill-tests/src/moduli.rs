//! Primes of every number of limbs, including those of the curves and their orders, for the field
//! over any prime.

use sigmill::hazmat::field::Modulus;
use sigmill::hazmat::limbs::from_hex;

/// The type that distinguishes elements modulo these primes from others.
pub type Tag = sigmill::hazmat::field::Coordinate;

macro_rules! moduli {
    ($($(#[$doc:meta])* $name:ident, $limbs:literal limbs, $digits:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Modulus<$limbs> = Modulus::new(from_hex($digits));
        )*
    };
}

moduli! {
    /// 2^64 - 59: no bit to spare.
    FULL_64, 1 limbs, "ffffffffffffffc5";
    /// 2^61 - 1.
    MERSENNE_61, 1 limbs, "1fffffffffffffff";
    /// 2^60 - 93.
    SIXTY_BITS, 1 limbs, "fffffffffffffa3";
    /// 3, the least prime there is.
    THREE, 1 limbs, "3";
    /// The prime of a tiny curve.
    TINY_1, 1 limbs, "ef";
    /// 2^128 - 159: no bit to spare.
    FULL_128, 2 limbs, "ffffffffffffffffffffffffffffff61";
    /// The prime of a tiny curve.
    TINY_2, 2 limbs, "2b";
    /// The prime of secp160r1, 2^160 - 2^31 - 1.
    SECP160R1, 3 limbs, "ffffffffffffffffffffffffffffffff7fffffff";
    /// The prime of P-192, 2^192 - 2^64 - 1.
    P192, 3 limbs, "fffffffffffffffffffffffffffffffeffffffffffffffff";
    /// The prime of a tiny curve.
    TINY_3, 3 limbs, "1d";
    /// The prime of P-256.
    P256, 4 limbs, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    /// The order of P-256.
    P256_ORDER, 4 limbs, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    /// The prime of secp256k1, 2^256 - 2^32 - 977.
    SECP256K1, 4 limbs, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    /// The order of secp256k1.
    SECP256K1_ORDER, 4 limbs, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    /// The prime of brainpoolP256r1.
    BRAINPOOL_256, 4 limbs, "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377";
    /// The order of brainpoolP256r1.
    BRAINPOOL_256_ORDER, 4 limbs,
        "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7";
    /// The prime of P-224: p - 1 is divisible by 2^96, the worst case for Tonelli and Shanks.
    P224, 4 limbs, "ffffffffffffffffffffffffffffffff000000000000000000000001";
    /// The order of P-224.
    P224_ORDER, 4 limbs, "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d";
    /// The prime of P-192, with a limb to spare.
    P192_WIDE, 4 limbs, "fffffffffffffffffffffffffffffffeffffffffffffffff";
    /// 2^255 - 19.
    CURVE25519, 4 limbs, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";
    /// The order of edwards25519's large subgroup, 253 bits.
    CURVE25519_ORDER, 4 limbs, "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";
    /// 2^256 - 189: no bit to spare.
    FULL_256, 4 limbs, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff43";
    /// 2^255 + 95: a power of two except for its lowest bits.
    LEAST_256, 4 limbs, "800000000000000000000000000000000000000000000000000000000000005f";
    /// The prime of a tiny curve.
    TINY_4, 4 limbs, "13";
    /// The prime of brainpoolP320r1.
    BRAINPOOL_320, 5 limbs,
        "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27";
    /// The prime of P-384.
    P384, 6 limbs,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffff0000000000000000ffffffff";
    /// The order of P-384.
    P384_ORDER, 6 limbs,
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf\
         581a0db248b0a77aecec196accc52973";
    /// The prime of brainpoolP384r1.
    BRAINPOOL_384, 6 limbs,
        "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123\
         acd3a729901d1a71874700133107ec53";
    /// 2^448 - 2^224 - 1, the prime of edwards448, with a limb to spare.
    GOLDILOCKS, 8 limbs,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    /// The prime of brainpoolP512r1: no bit to spare.
    BRAINPOOL_512, 8 limbs,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330871\
         7d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3";
    /// The order of brainpoolP512r1.
    BRAINPOOL_512_ORDER, 8 limbs,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870\
         553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069";
    /// The prime of P-521, 2^521 - 1.
    P521, 9 limbs,
        "1ff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    /// The order of P-521.
    P521_ORDER, 9 limbs,
        "1ff\
         fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
         51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409";
}

/// Tests that call a function, generic over the number of limbs, with primes of one to nine limbs,
/// including those of the curves.
#[macro_export]
macro_rules! on_all_moduli {
    ($function:ident) => {
        #[test]
        fn one_to_three_limbs() {
            $function(&$crate::moduli::FULL_64);
            $function(&$crate::moduli::MERSENNE_61);
            $function(&$crate::moduli::TINY_1);
            $function(&$crate::moduli::FULL_128);
            $function(&$crate::moduli::TINY_2);
            $function(&$crate::moduli::SECP160R1);
            $function(&$crate::moduli::P192);
            $function(&$crate::moduli::TINY_3);
        }

        #[test]
        fn four_limbs() {
            $function(&$crate::moduli::P256);
            $function(&$crate::moduli::P256_ORDER);
            $function(&$crate::moduli::SECP256K1);
            $function(&$crate::moduli::SECP256K1_ORDER);
            $function(&$crate::moduli::BRAINPOOL_256);
            $function(&$crate::moduli::P224);
            $function(&$crate::moduli::P192_WIDE);
            $function(&$crate::moduli::CURVE25519_ORDER);
            $function(&$crate::moduli::TINY_4);
        }

        #[test]
        fn five_to_nine_limbs() {
            $function(&$crate::moduli::BRAINPOOL_320);
            $function(&$crate::moduli::P384);
            $function(&$crate::moduli::P384_ORDER);
            $function(&$crate::moduli::GOLDILOCKS);
            $function(&$crate::moduli::BRAINPOOL_512);
            $function(&$crate::moduli::BRAINPOOL_512_ORDER);
            $function(&$crate::moduli::P521);
            $function(&$crate::moduli::P521_ORDER);
        }
    };
}
