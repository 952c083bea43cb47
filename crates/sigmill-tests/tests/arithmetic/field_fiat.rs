//! Every kernel against `fiat-crypto`, whose code is formally verified. Comparison is limb for
//! limb, so kernels also agree with each other.

use num_bigint::BigUint;
use sigmill::hazmat::cpu::Adx;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::Coordinate;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::p256::P256AdxKernel;
use sigmill::hazmat::field::p256::{P256Field, P256Kernel};
use sigmill::hazmat::field::secp256k1::{self, Secp256k1Field, Secp256k1Kernel};
use sigmill::hazmat::field::{AnyKernel, MontgomeryField, PrimeField, Residue};
use sigmill_tests::moduli::Tag;
use sigmill_tests::numbers::{from_limbs, nasty_below, pick, rng, to_limbs};
use sigmill_tests::{moduli, rounds};

/// Calls `check` with the Montgomery forms of pairs of elements, hard ones and random ones.
fn pairs<const N: usize>(p: &BigUint, count: usize, mut check: impl FnMut([u64; N], [u64; N])) {
    let nasty = nasty_below(p);
    let mut rng = rng(24);
    for a in &nasty {
        check(to_limbs(a), to_limbs(a));
    }
    for _ in 0..count {
        check(
            to_limbs(&pick(&mut rng, &nasty, p)),
            to_limbs(&pick(&mut rng, &nasty, p)),
        );
    }
}

/// Limb for limb against fiat-crypto, whose Montgomery form has the same R.
macro_rules! against_fiat {
    (
        $test:ident, $limbs:literal limbs, $module:ident, $form:ident, $plain:ident,
        $mul:ident $square:ident $add:ident $sub:ident $opp:ident $to:ident $from:ident,
        $modulus:ident $(, special $special:expr, $special_adx:expr)?
    ) => {
        #[test]
        fn $test() {
            use fiat_crypto::$module as fiat;
            fn form(limbs: [u64; $limbs]) -> fiat::$form {
                fiat::$form(limbs)
            }
            fn check<F, T>(field: F)
            where
                F: PrimeField<Element = Residue<T, $limbs>, Integer = [u64; $limbs]>,
            {
                let modulus = &moduli::$modulus;
                let p = from_limbs(modulus.prime());
                pairs::<$limbs>(&p, rounds(3_000, 300_000), |a, b| {
                    let [x, y] = [a, b]
                        .map(|limbs| Residue::try_from_montgomery_limbs(modulus, limbs).unwrap());
                    let mut out = form([0; $limbs]);
                    fiat::$mul(&mut out, &form(a), &form(b));
                    assert_eq!(field.mul(&x, &y).montgomery_limbs(), &out.0, "{a:x?} * {b:x?}");
                    fiat::$square(&mut out, &form(a));
                    assert_eq!(field.square(&x).montgomery_limbs(), &out.0, "{a:x?}^2");
                    // One value alone, and two, squared the same number of times.
                    let mut value = a;
                    for times in 0..4 {
                        let x = || Residue::try_from_montgomery_limbs(modulus, a).unwrap();
                        let (mut alone, mut beside) = ([x()], [field.one(), x()]);
                        field.square_often(&mut alone, times);
                        field.square_often(&mut beside, times);
                        for found in [&alone[0], &beside[1]] {
                            assert_eq!(found.montgomery_limbs(), &value, "{a:x?}^(2^{times})");
                        }
                        assert!(field.equal(&beside[0], &field.one()));
                        fiat::$square(&mut out, &form(value));
                        value = out.0;
                    }
                    fiat::$add(&mut out, &form(a), &form(b));
                    assert_eq!(field.add(&x, &y).montgomery_limbs(), &out.0, "{a:x?} + {b:x?}");
                    fiat::$sub(&mut out, &form(a), &form(b));
                    assert_eq!(field.sub(&x, &y).montgomery_limbs(), &out.0, "{a:x?} - {b:x?}");
                    fiat::$opp(&mut out, &form(a));
                    assert_eq!(field.negate(&x).montgomery_limbs(), &out.0, "-{a:x?}");
                    fiat::$to(&mut out, &fiat::$plain(a));
                    assert_eq!(field.from_integer(&a).unwrap().montgomery_limbs(), &out.0);
                    let mut plain = fiat::$plain([0; $limbs]);
                    fiat::$from(&mut plain, &form(a));
                    assert_eq!(field.to_integer(&x), plain.0, "{a:x?} from Montgomery form");
                });
            }
            let any = AnyKernel::<Tag, $limbs>::portable(&moduli::$modulus);
            check(MontgomeryField::new(any));
            $( check($special); )?
            #[cfg(target_arch = "x86_64")]
            if let Some(proof) = Adx::detect() {
                let any = AnyKernel::<Tag, $limbs>::adx(proof, &moduli::$modulus);
                check(MontgomeryField::new(any));
                $( check(MontgomeryField::new($special_adx(proof))); )?
            }
        }
    };
}

against_fiat!(
    p256_is_fiat_p256, 4 limbs, p256_64, fiat_p256_montgomery_domain_field_element,
    fiat_p256_non_montgomery_domain_field_element,
    fiat_p256_mul fiat_p256_square fiat_p256_add fiat_p256_sub fiat_p256_opp
    fiat_p256_to_montgomery fiat_p256_from_montgomery,
    P256, special P256Field::new(P256Kernel), P256AdxKernel::new
);
against_fiat!(
    p256_scalar_is_fiat_p256_scalar, 4 limbs, p256_scalar_64,
    fiat_p256_scalar_montgomery_domain_field_element,
    fiat_p256_scalar_non_montgomery_domain_field_element,
    fiat_p256_scalar_mul fiat_p256_scalar_square fiat_p256_scalar_add fiat_p256_scalar_sub
    fiat_p256_scalar_opp fiat_p256_scalar_to_montgomery fiat_p256_scalar_from_montgomery,
    P256_ORDER
);
against_fiat!(
    p384_is_fiat_p384, 6 limbs, p384_64, fiat_p384_montgomery_domain_field_element,
    fiat_p384_non_montgomery_domain_field_element,
    fiat_p384_mul fiat_p384_square fiat_p384_add fiat_p384_sub fiat_p384_opp
    fiat_p384_to_montgomery fiat_p384_from_montgomery,
    P384
);
against_fiat!(
    p384_scalar_is_fiat_p384_scalar, 6 limbs, p384_scalar_64,
    fiat_p384_scalar_montgomery_domain_field_element,
    fiat_p384_scalar_non_montgomery_domain_field_element,
    fiat_p384_scalar_mul fiat_p384_scalar_square fiat_p384_scalar_add fiat_p384_scalar_sub
    fiat_p384_scalar_opp fiat_p384_scalar_to_montgomery fiat_p384_scalar_from_montgomery,
    P384_ORDER
);

against_fiat!(
    secp256k1_scalar_is_fiat_secp256k1_scalar, 4 limbs, secp256k1_montgomery_scalar_64,
    fiat_secp256k1_montgomery_scalar_montgomery_domain_field_element,
    fiat_secp256k1_montgomery_scalar_non_montgomery_domain_field_element,
    fiat_secp256k1_montgomery_scalar_mul fiat_secp256k1_montgomery_scalar_square
    fiat_secp256k1_montgomery_scalar_add fiat_secp256k1_montgomery_scalar_sub
    fiat_secp256k1_montgomery_scalar_opp fiat_secp256k1_montgomery_scalar_to_montgomery
    fiat_secp256k1_montgomery_scalar_from_montgomery,
    SECP256K1_ORDER
);

/// Products modulo the prime of secp256k1 equal those of fiat-crypto, which are in radix 2^52 and
/// not fully reduced.
#[test]
fn secp256k1_is_fiat_secp256k1() {
    use fiat_crypto::secp256k1_dettman_64 as fiat;
    fn check<F>(field: F)
    where
        F: PrimeField<Element = Residue<Coordinate, 4>, Integer = [u64; 4]>,
    {
        let p = from_limbs(secp256k1::PRIME.prime());
        let radix_52 = |a: &[u64; 4]| {
            let a = from_limbs(a);
            let mask = BigUint::from((1u64 << 52) - 1);
            std::array::from_fn(|i| u64::try_from((&a >> (52 * i)) & &mask).unwrap())
        };
        let value = |limbs: &[u64; 5]| {
            let sum = limbs
                .iter()
                .rev()
                .fold(BigUint::ZERO, |sum, &limb| (sum << 52) + limb);
            sum % &p
        };
        pairs::<4>(&p, rounds(3_000, 300_000), |a, b| {
            let [x, y] = [a, b]
                .map(|limbs| Residue::try_from_montgomery_limbs(&secp256k1::PRIME, limbs).unwrap());
            let mut out = [0; 5];
            fiat::fiat_secp256k1_dettman_mul(&mut out, &radix_52(&a), &radix_52(&b));
            assert_eq!(
                from_limbs(&field.to_integer(&field.mul(&x, &y))),
                value(&out),
                "{a:x?} * {b:x?}"
            );
            fiat::fiat_secp256k1_dettman_square(&mut out, &radix_52(&a));
            assert_eq!(
                from_limbs(&field.to_integer(&field.square(&x))),
                value(&out),
                "{a:x?}^2"
            );
        });
    }
    check(Secp256k1Field::new(Secp256k1Kernel));
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        use sigmill::hazmat::field::secp256k1::{Secp256k1AdxField, Secp256k1AdxKernel};
        check(Secp256k1AdxField::new(Secp256k1AdxKernel::new(proof)));
    }
}
