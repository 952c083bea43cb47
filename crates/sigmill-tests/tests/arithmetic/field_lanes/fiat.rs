//! Lanes of doubles against `fiat-crypto`, whose code is formally verified: on hard values for
//! their limbs, and on the largest factors that a product accepts.

use num_bigint::BigUint;
use sigmill::hazmat::cpu::Fma;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::Coordinate;
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    AnyKernel, DoublesField, DoublesReduction, Field, Kernel, Lanes, Mask, Modulus,
    MontgomeryField, P256DoublesReduction, P384DoublesReduction, PrimeField,
    Secp256k1DoublesReduction,
};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::limbs::FmaDoubles;
use sigmill::hazmat::limbs::{Doubles, PortableDoubles};
use sigmill_tests::numbers::{big, from_limbs, nasty_below, pick, rng, to_limbs};
use sigmill_tests::{moduli, rounds};

use super::extremes::Fused;
use super::subject::Representation;

/// Arithmetic by fiat-crypto on forms of single values: with R = 2^(64 N), or with R = 1.
#[derive(Clone, Copy)]
struct Referee<const N: usize> {
    mul: fn(&[u64; N], &[u64; N]) -> [u64; N],
    add: fn(&[u64; N], &[u64; N]) -> [u64; N],
    sub: fn(&[u64; N], &[u64; N]) -> [u64; N],
}

/// A referee with the given number of limbs, by the names of its functions; the last two if R is 1.
macro_rules! referee {
    (
        $limbs:literal, $module:ident, $form:ident, $mul:ident $add:ident $sub:ident
        $(, without_r $plain:ident $to:ident)?
    ) => {{
        use fiat_crypto::$module as fiat;
        Referee::<$limbs> {
            mul: |a, b| {
                let mut product = fiat::$form([0; $limbs]);
                fiat::$mul(&mut product, &fiat::$form(*a), &fiat::$form(*b));
                // a b / R, and times R.
                $(
                    let over_r = fiat::$plain(product.0);
                    fiat::$to(&mut product, &over_r);
                )?
                product.0
            },
            add: |a, b| {
                let mut sum = fiat::$form([0; $limbs]);
                fiat::$add(&mut sum, &fiat::$form(*a), &fiat::$form(*b));
                sum.0
            },
            sub: |a, b| {
                let mut difference = fiat::$form([0; $limbs]);
                fiat::$sub(&mut difference, &fiat::$form(*a), &fiat::$form(*b));
                difference.0
            },
        }
    }};
}

/// The result of [`Fused`], by fiat-crypto.
fn fused<const N: usize>(fiat: Referee<N>, which: u32, [a, b, c]: [&[u64; N]; 3]) -> [u64; N] {
    let Referee { mul, add, sub } = fiat;
    match which {
        0 => sub(&mul(a, b), c),
        1 => sub(&sub(&mul(a, a), b), c),
        2 => sub(&mul(&sub(a, b), c), a),
        3 => {
            let product = mul(&sub(a, b), c);
            sub(&add(&product, &product), b)
        }
        _ => {
            let square = mul(a, a);
            let factor = add(&add(&add(&square, &square), &square), b);
            sub(&mul(&factor, c), a)
        }
    }
}

/// Checks every operation on one backend.
fn check<D, K, S, const N: usize, const L: usize>(
    field: DoublesField<D, K, S, N, L, 4>,
    fiat: Referee<N>,
) where
    D: Doubles<4>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    let p = from_limbs(&field.single().modulus());
    // Limbs of all kinds, and values next to 0, to p, to 2^(64 N), and to half of p.
    let mut values = field.hard();
    values.extend(nasty_below(&p));
    let ends = [BigUint::ZERO, &p / 2u32, (big(1) << (64 * N)) % &p];
    for near in ends {
        values.extend([0u32, 1, 2].map(|more| (&near + more) % &p));
        values.extend([1u32, 2].map(|less| (&near + &p - less) % &p));
    }
    let mut rng = rng(58);
    let out = |lanes: &_, lane: usize| {
        field.stored(lanes);
        let mut singles = [field.single().zero(); 4];
        field.unpack(lanes, &mut singles);
        *singles[lane].montgomery_limbs()
    };
    for round in 0..rounds(150, 20_000) {
        let forms: [[[u64; N]; 4]; 3] = std::array::from_fn(|_| {
            std::array::from_fn(|_| to_limbs(&pick(&mut rng, &values, &p)))
        });
        let [mut a, mut b, mut c] = forms;
        let pack = |forms: &[[u64; N]; 4]| {
            let singles = forms.map(MontgomeryField::<S, N>::from_words);
            field.pack(|lane| &singles[lane])
        };
        let [mut x, mut y, mut z] = [pack(&a), pack(&b), pack(&c)];
        let zero = [0; N];
        // The limbs of a value and its negative differ by twice the size of a limb: the bound of a
        // difference. With the same limbs in the other factor, all products of a column have one
        // sign.
        if round % 3 > 0 {
            b = a.map(|a| (fiat.sub)(&zero, &a));
            y = field.negate(&x);
        }
        if round % 3 > 1 {
            (c, z) = (a, x);
        }
        if round % 2 > 0 {
            // Sums, between p and the bound of elements.
            a = [0, 1, 2, 3].map(|lane| (fiat.add)(&a[lane], &c[lane]));
            x = field.add(&x, &z);
        }
        let [product, square] = [field.mul(&x, &y), field.square(&x)];
        let [sum, difference] = [field.add(&x, &y), field.sub(&x, &y)];
        let all = [0, 1, 2, 3, 4].map(|which| {
            let mut result = x;
            let elements = [&x, &y, &z];
            field.each(
                1,
                Fused {
                    which,
                    elements,
                    result: &mut result,
                },
            );
            result
        });
        for lane in 0..4 {
            let [a, b, c] = [&a[lane], &b[lane], &c[lane]];
            let name = format!("{a:x?} {b:x?} {c:x?}");
            assert_eq!(out(&product, lane), (fiat.mul)(a, b), "product, {name}");
            assert_eq!(out(&square, lane), (fiat.mul)(a, a), "square, {name}");
            assert_eq!(out(&sum, lane), (fiat.add)(a, b), "sum, {name}");
            assert_eq!(
                out(&difference, lane),
                (fiat.sub)(a, b),
                "difference, {name}"
            );
            let is_zero = (fiat.sub)(a, b) == zero;
            assert_eq!(field.is_zero(&difference).lane(lane), is_zero, "{name}");
            for (which, result) in (0..).zip(&all) {
                let expected = fused(fiat, which, [a, b, c]);
                assert_eq!(out(result, lane), expected, "fused {which}, {name}");
            }
        }
    }
}

/// Compares the portable backend, and AVX2 if the CPU has it.
fn against<K, S, const N: usize, const L: usize>(reduction: K, kernel: S, fiat: Referee<N>)
where
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    check(DoublesField::new(PortableDoubles, reduction, kernel), fiat);
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Fma::detect() {
        check(
            DoublesField::new(FmaDoubles::new(proof), reduction, kernel),
            fiat,
        );
    }
}

#[test]
fn doubles_of_p256_are_fiat_p256() {
    let fiat = referee!(
        4, p256_64, fiat_p256_montgomery_domain_field_element,
        fiat_p256_mul fiat_p256_add fiat_p256_sub
    );
    against(P256DoublesReduction, P256Kernel, fiat);
}

#[test]
fn doubles_of_secp256k1_are_fiat_secp256k1() {
    let fiat = referee!(
        4, secp256k1_montgomery_64, fiat_secp256k1_montgomery_montgomery_domain_field_element,
        fiat_secp256k1_montgomery_mul fiat_secp256k1_montgomery_add fiat_secp256k1_montgomery_sub,
        without_r fiat_secp256k1_montgomery_non_montgomery_domain_field_element
        fiat_secp256k1_montgomery_to_montgomery
    );
    against(Secp256k1DoublesReduction, Secp256k1Kernel, fiat);
}

#[test]
fn doubles_of_p384_are_fiat_p384() {
    static P384: Modulus<6> = moduli::P384;
    let fiat = referee!(
        6, p384_64, fiat_p384_montgomery_domain_field_element,
        fiat_p384_mul fiat_p384_add fiat_p384_sub
    );
    let reduction = P384DoublesReduction::new(P384.prime()).unwrap();
    against(reduction, AnyKernel::<Coordinate, 6>::portable(&P384), fiat);
}
