//! The primes in the tests of lanes: those of curves, and those next to where the constants of
//! lanes change.

use sigmill::hazmat::cpu::{Adx, Avx2, Fma, Ifma};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::Coordinate;
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    AnyKernel, AnyReduction, DoublesField, DoublesReduction, Field, FieldNarrowX4, FieldX8, Kernel,
    LaneModulus, Lanes, LimbCount, Modulus, NarrowReduction, P256DoublesReduction,
    P256NarrowReduction, P256ReductionX8, P384DoublesReduction, Reduction,
    Secp256k1DoublesReduction, Secp256k1NarrowReduction, Secp256k1ReductionX8, SecretLanes,
};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::{Avx2Quads, FmaDoubles, IfmaWords};
use sigmill::hazmat::limbs::{PortableDoubles, PortableNarrowQuads, PortableWords, Words};
use sigmill_tests::{moduli, rounds};

use super::extremes::walk;
use super::operations::{look_up, operations};
use super::subject::{Representation, Subject};

/// Checks everything for public values.
fn everything<L: Representation>(field: L) {
    let subject = Subject::new(field);
    subject.for_rounds(rounds(10, 120), |next| {
        let [a, b, c] = [0; 3].map(|_| subject.values(&mut *next));
        operations(&subject, [&a, &b, &c]);
    });
    walk(&subject, 54, rounds(300, 5_000));
}

/// Checks everything, including secrets.
fn everything_of_secrets<L: Representation + SecretLanes>(field: L) {
    everything(field);
    let subject = Subject::new(field);
    subject.for_rounds(rounds(10, 120), |next| {
        let [a, b] = [0; 2].map(|_| subject.values(&mut *next));
        look_up(&subject, [&a, &b]);
    });
}

/// Checks everything in eight lanes, on given words.
fn everything_x8<W, K, S, const N: usize, const L: usize>(words: W, reduction: K, kernel: S)
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    everything_of_secrets(FieldX8::new(words, reduction, kernel));
}

/// AVX2 equals portable quads, limb by limb.
#[cfg(target_arch = "x86_64")]
fn compare_narrow<K, S>(proof: Avx2, reduction: K, kernel: S)
where
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let portable = FieldNarrowX4::new(PortableNarrowQuads, reduction, kernel);
    let avx2 = FieldNarrowX4::new(Avx2Quads::new(proof), reduction, kernel);
    let subject = Subject::new(avx2);
    subject.for_rounds(rounds(40, 400), |next| {
        let [a, b, c] = [0; 3].map(|_| subject.values(&mut *next));
        let (x, y) = (&a.lanes, &avx2.sub(&c.lanes, &b.lanes));
        assert_eq!(avx2.pack(|i| &a.single[i]), portable.pack(|i| &a.single[i]));
        assert_eq!(avx2.mul(x, y), portable.mul(x, y));
        assert_eq!(avx2.square(y), portable.square(y));
        assert_eq!(avx2.add(x, y), portable.add(x, y));
        assert_eq!(avx2.sub(x, y), portable.sub(x, y));
        assert_eq!(avx2.half(y), portable.half(y));
        assert_eq!(avx2.is_zero(y), portable.is_zero(y));
    });
}

/// Limbs of 29 bits, for both primes that they support.
#[test]
fn narrow() {
    everything_of_secrets(FieldNarrowX4::new(
        PortableNarrowQuads,
        P256NarrowReduction,
        P256Kernel,
    ));
    everything_of_secrets(FieldNarrowX4::new(
        PortableNarrowQuads,
        Secp256k1NarrowReduction,
        Secp256k1Kernel,
    ));
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Avx2::detect() {
        compare_narrow(proof, P256NarrowReduction, P256Kernel);
        compare_narrow(proof, Secp256k1NarrowReduction, Secp256k1Kernel);
        let quads = Avx2Quads::new(proof);
        everything_of_secrets(FieldNarrowX4::new(quads, P256NarrowReduction, P256Kernel));
        everything_of_secrets(FieldNarrowX4::new(
            quads,
            Secp256k1NarrowReduction,
            Secp256k1Kernel,
        ));
    }
}

/// AVX2 and FMA equal portable doubles, bit by bit.
#[cfg(target_arch = "x86_64")]
fn compare_doubles<K, S, const N: usize, const L: usize>(proof: Fma, reduction: K, kernel: S)
where
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    let portable = DoublesField::<_, _, _, N, L, 4>::new(PortableDoubles, reduction, kernel);
    let fma = DoublesField::<_, _, _, N, L, 4>::new(FmaDoubles::new(proof), reduction, kernel);
    let subject = Subject::new(fma);
    subject.for_rounds(rounds(40, 400), |next| {
        let [a, b, c] = [0; 3].map(|_| subject.values(&mut *next));
        let (x, y, z) = (&a.lanes, &fma.sub(&c.lanes, &b.lanes), &c.lanes);
        assert_eq!(fma.pack(|i| &a.single[i]), portable.pack(|i| &a.single[i]));
        assert_eq!(fma.mul(x, y), portable.mul(x, y));
        assert_eq!(fma.square(y), portable.square(y));
        assert_eq!(fma.mul_sub(x, y, z), portable.mul_sub(x, y, z));
        assert_eq!(
            fma.square_sub_both(x, y, z),
            portable.square_sub_both(x, y, z)
        );
        assert_eq!(fma.add(x, y), portable.add(x, y));
        assert_eq!(fma.sub(x, y), portable.sub(x, y));
        assert_eq!(fma.half(y), portable.half(y));
        assert_eq!(fma.is_zero(y), portable.is_zero(y));
    });
}

/// Checks everything in four lanes of doubles, in portable code and with the CPU's instructions if
/// it has them.
fn everything_in_doubles<K, S, const N: usize, const L: usize>(reduction: K, kernel: S)
where
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    let portable = DoublesField::<_, _, _, N, L, 4>::new(PortableDoubles, reduction, kernel);
    everything(portable);
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Fma::detect() {
        compare_doubles(proof, reduction, kernel);
        let doubles = FmaDoubles::new(proof);
        everything(DoublesField::<_, _, _, N, L, 4>::new(
            doubles, reduction, kernel,
        ));
    }
}

/// Doubles, for all primes that they support.
#[test]
fn doubles() {
    everything_in_doubles(P256DoublesReduction, P256Kernel);
    everything_in_doubles(Secp256k1DoublesReduction, Secp256k1Kernel);
    static P384: Modulus<6> = moduli::P384;
    let kernel = AnyKernel::<Coordinate, 6>::portable(&P384);
    everything_in_doubles(P384DoublesReduction::new(P384.prime()).unwrap(), kernel);
}

/// The reduction of P-384 accepts no other prime.
#[test]
fn doubles_of_another_prime() {
    let reduction = P384DoublesReduction::<Coordinate>::new(moduli::BRAINPOOL_384.prime());
    assert!(reduction.is_none());
}

/// AVX-512 IFMA equals portable words, limb by limb.
#[cfg(target_arch = "x86_64")]
fn compare<K, S, const N: usize, const L: usize>(proof: Ifma, reduction: K, kernel: S)
where
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    let portable = FieldX8::new(PortableWords, reduction, kernel);
    let subject = Subject::new(FieldX8::new(IfmaWords::new(proof), reduction, kernel));
    let ifma = subject.field;
    subject.for_rounds(rounds(40, 400), |next| {
        let [a, b, c] = [0; 3].map(|_| subject.values(&mut *next));
        let (x, y, z) = (&a.lanes, &ifma.sub(&c.lanes, &b.lanes), &c.lanes);
        assert_eq!(ifma.pack(|i| &a.single[i]), portable.pack(|i| &a.single[i]));
        assert_eq!(ifma.mul(x, y), portable.mul(x, y));
        assert_eq!(ifma.square(y), portable.square(y));
        assert_eq!(ifma.add(x, y), portable.add(x, y));
        assert_eq!(ifma.sub(x, y), portable.sub(x, y));
        assert_eq!(ifma.sub_both(x, y, z), portable.sub_both(x, y, z));
        assert_eq!(ifma.half(y), portable.half(y));
        assert_eq!(ifma.is_zero(y), portable.is_zero(y));
    });
}

/// Checks everything on every backend of the reduction modulo any prime.
fn any_prime<const N: usize, const L: usize>(
    modulus: &'static Modulus<N>,
    in_lanes: &'static LaneModulus<N, L>,
) where
    [u64; N]: LimbCount,
{
    type Tag = Coordinate;
    let reduction = AnyReduction::<Tag, N, L>::new(in_lanes);
    let kernel = AnyKernel::<Tag, N>::portable(modulus);
    everything_x8(PortableWords, reduction, kernel);
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Ifma::detect() {
        compare(proof, reduction, kernel);
        let kernel = AnyKernel::<Tag, N>::adx(proof.adx(), modulus);
        everything_x8(IfmaWords::new(proof), reduction, kernel);
    }
}

/// 2^power + offset.
const fn near<const N: usize>(power: usize, offset: i64) -> [u64; N] {
    let mut limbs = [if offset < 0 { u64::MAX } else { 0 }; N];
    limbs[0] = offset as u64;
    let (limb, bit) = (power / 64, 1 << (power % 64));
    let mut i = limb;
    if offset < 0 {
        // 2^power minus something: ones below, zeros above.
        if limb < N {
            limbs[limb] &= bit - 1;
            i += 1;
            while i < N {
                limbs[i] = 0;
                i += 1;
            }
        }
    } else {
        limbs[limb] |= bit;
    }
    limbs
}

/// A test for each prime.
macro_rules! any_prime {
    ($limbs:literal, $lanes:literal: $($test:ident = $modulus:expr;)*) => {
        $(
            #[test]
            fn $test() {
                static MODULUS: Modulus<$limbs> = $modulus;
                static IN_LANES: LaneModulus<$limbs, $lanes> = LaneModulus::new(&MODULUS);
                any_prime(&MODULUS, &IN_LANES);
            }
        )*
    };
}

// Primes named by their bits are the least and the greatest with that number of bits: the number
// that the highest limb of m needs (52 (L - 1) + 16, so that m is p), one less, and the largest
// number that fits, in N limbs or below m / 16.
any_prime! { 1, 2:
    three = moduli::THREE;
    tiny_of_one_limb = moduli::TINY_1;
    greatest_of_17_bits = Modulus::new(near(17, -1));
    least_of_60_bits = Modulus::new(near(59, 131));
    greatest_of_60_bits = Modulus::new(near(60, -93));
}
any_prime! { 4, 5:
    p256_as_any_prime = moduli::P256;
    p256_order = moduli::P256_ORDER;
    secp256k1_as_any_prime = moduli::SECP256K1;
    secp256k1_order = moduli::SECP256K1_ORDER;
    brainpool_p256r1 = moduli::BRAINPOOL_256;
    brainpool_p256r1_order = moduli::BRAINPOOL_256_ORDER;
    p224 = moduli::P224;
    p224_order = moduli::P224_ORDER;
    p192 = moduli::P192_WIDE;
    curve25519 = moduli::CURVE25519;
    curve25519_order = moduli::CURVE25519_ORDER;
    tiny_of_four_limbs = moduli::TINY_4;
    least_of_223_bits = Modulus::new(near(222, 49));
    greatest_of_223_bits = Modulus::new(near(223, -235));
    least_of_224_bits = Modulus::new(near(223, 189));
    greatest_of_224_bits = Modulus::new(near(224, -63));
    least_of_256_bits = Modulus::new(near(255, 95));
    greatest_of_256_bits = Modulus::new(near(256, -189));
}
any_prime! { 6, 8:
    p384 = moduli::P384;
    p384_order = moduli::P384_ORDER;
    brainpool_p384r1 = moduli::BRAINPOOL_384;
    least_of_379_bits = Modulus::new(near(378, 25));
    greatest_of_379_bits = Modulus::new(near(379, -19));
    least_of_380_bits = Modulus::new(near(379, 99));
    greatest_of_380_bits = Modulus::new(near(380, -65));
    least_of_384_bits = Modulus::new(near(383, 369));
    greatest_of_384_bits = Modulus::new(near(384, -317));
}
any_prime! { 8, 10:
    brainpool_p512r1 = moduli::BRAINPOOL_512;
    brainpool_p512r1_order = moduli::BRAINPOOL_512_ORDER;
    goldilocks = moduli::GOLDILOCKS;
    least_of_483_bits = Modulus::new(near(482, 475));
    greatest_of_483_bits = Modulus::new(near(483, -301));
    least_of_484_bits = Modulus::new(near(483, 329));
    greatest_of_484_bits = Modulus::new(near(484, -39));
    least_of_512_bits = Modulus::new(near(511, 111));
    greatest_of_512_bits = Modulus::new(near(512, -569));
}
any_prime! { 9, 11:
    p521 = moduli::P521;
    p521_order = moduli::P521_ORDER;
    least_of_535_bits = Modulus::new(near(534, 675));
    greatest_of_535_bits = Modulus::new(near(535, -367));
    least_of_536_bits = Modulus::new(near(535, 83));
    greatest_of_536_bits = Modulus::new(near(536, -149));
    least_of_568_bits = Modulus::new(near(567, 1163));
    greatest_of_568_bits = Modulus::new(near(568, -645));
}

/// The reduction of P-256 and that of any prime compute the same limbs of products: they add the
/// same multiples of p.
#[test]
fn the_reduction_of_p256_is_that_of_any_prime() {
    static IN_LANES: LaneModulus<4, 5> = LaneModulus::new(&moduli::P256);
    let any = AnyReduction::<Coordinate, 4, 5>::new(&IN_LANES);
    let special = Subject::new(FieldX8::new(PortableWords, P256ReductionX8, P256Kernel));
    let any = FieldX8::new(PortableWords, any, P256Kernel);
    special.for_rounds(rounds(40, 400), |next| {
        let [a, b] = [0; 2].map(|_| special.values(&mut *next));
        let (x, y) = (&a.lanes, &any.sub(&a.lanes, &b.lanes));
        let special = special.field;
        assert_eq!(special.mul(x, y), any.mul(x, y));
        assert_eq!(special.square(y), any.square(y));
    });
}

/// The special reductions of P-256 and secp256k1.
#[test]
fn special_reductions() {
    everything_x8(PortableWords, P256ReductionX8, P256Kernel);
    everything_x8(PortableWords, Secp256k1ReductionX8, Secp256k1Kernel);
    #[cfg(target_arch = "x86_64")]
    if let (Some(proof), Some(adx)) = (Ifma::detect(), Adx::detect()) {
        use sigmill::hazmat::field::p256::P256AdxKernel;
        use sigmill::hazmat::field::secp256k1::Secp256k1AdxKernel;
        let words = IfmaWords::new(proof);
        compare(proof, P256ReductionX8, P256Kernel);
        compare(proof, Secp256k1ReductionX8, Secp256k1Kernel);
        everything_x8(words, P256ReductionX8, P256AdxKernel::new(adx));
        everything_x8(words, Secp256k1ReductionX8, Secp256k1AdxKernel::new(adx));
    }
}
