//! Every kernel against `fiat-crypto`, whose code is formally verified, limb for limb, and so against
//! each other.

use crate::common::numbers::{from_limbs, nasty_below, pick, rng, to_limbs};
use crate::common::rounds;
use num_bigint::BigUint;
#[cfg(target_arch = "x86_64")]
use sigmill::cpu::Adx;
use sigmill::field::p256::{P256Field, P256Kernel, P256Prime};
use sigmill::field::p384::P384Prime;
#[cfg(target_arch = "x86_64")]
use sigmill::field::{AdxKernel, p256::P256AdxKernel};
use sigmill::field::{Modulus, MontgomeryField, Portable, PrimeField, Residue};
use sigmill::scalar::{P256Order, P384Order};

/// Calls `check` with the Montgomery forms of pairs of elements, nasty ones and random ones.
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
        $($field:expr),+; $($adx:expr),+
    ) => {
        #[test]
        fn $test() {
            use fiat_crypto::$module as fiat;
            fn form(limbs: [u64; $limbs]) -> fiat::$form {
                fiat::$form(limbs)
            }
            fn check<F, M>(field: F)
            where
                M: Modulus<$limbs>,
                F: PrimeField<Element = Residue<M, $limbs>, Integer = [u64; $limbs]>,
            {
                let p = from_limbs(&M::MODULUS);
                pairs::<$limbs>(&p, rounds(3_000, 300_000), |a, b| {
                    let [x, y] = [a, b].map(|limbs| Residue::try_from_montgomery_limbs(limbs).unwrap());
                    let mut out = form([0; $limbs]);
                    fiat::$mul(&mut out, &form(a), &form(b));
                    assert_eq!(field.mul(&x, &y).montgomery_limbs(), &out.0, "{a:x?} * {b:x?}");
                    fiat::$square(&mut out, &form(a));
                    assert_eq!(field.square(&x).montgomery_limbs(), &out.0, "{a:x?}^2");
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
            $( check($field); )*
            #[cfg(target_arch = "x86_64")]
            if let Some(proof) = Adx::detect() {
                $( check(MontgomeryField::new($adx(proof))); )+
            }
        }
    };
}

against_fiat!(
    p256_is_fiat_p256, 4 limbs, p256_64, fiat_p256_montgomery_domain_field_element,
    fiat_p256_non_montgomery_domain_field_element,
    fiat_p256_mul fiat_p256_square fiat_p256_add fiat_p256_sub fiat_p256_opp
    fiat_p256_to_montgomery fiat_p256_from_montgomery,
    P256Field::new(P256Kernel), MontgomeryField::new(Portable::<P256Prime>::new());
    P256AdxKernel::new, AdxKernel::<P256Prime>::new
);
against_fiat!(
    p256_scalar_is_fiat_p256_scalar, 4 limbs, p256_scalar_64,
    fiat_p256_scalar_montgomery_domain_field_element,
    fiat_p256_scalar_non_montgomery_domain_field_element,
    fiat_p256_scalar_mul fiat_p256_scalar_square fiat_p256_scalar_add fiat_p256_scalar_sub
    fiat_p256_scalar_opp fiat_p256_scalar_to_montgomery fiat_p256_scalar_from_montgomery,
    MontgomeryField::new(Portable::<P256Order>::new());
    AdxKernel::<P256Order>::new
);
against_fiat!(
    p384_is_fiat_p384, 6 limbs, p384_64, fiat_p384_montgomery_domain_field_element,
    fiat_p384_non_montgomery_domain_field_element,
    fiat_p384_mul fiat_p384_square fiat_p384_add fiat_p384_sub fiat_p384_opp
    fiat_p384_to_montgomery fiat_p384_from_montgomery,
    MontgomeryField::new(Portable::<P384Prime>::new());
    AdxKernel::<P384Prime>::new
);
against_fiat!(
    p384_scalar_is_fiat_p384_scalar, 6 limbs, p384_scalar_64,
    fiat_p384_scalar_montgomery_domain_field_element,
    fiat_p384_scalar_non_montgomery_domain_field_element,
    fiat_p384_scalar_mul fiat_p384_scalar_square fiat_p384_scalar_add fiat_p384_scalar_sub
    fiat_p384_scalar_opp fiat_p384_scalar_to_montgomery fiat_p384_scalar_from_montgomery,
    MontgomeryField::new(Portable::<P384Order>::new());
    AdxKernel::<P384Order>::new
);
