//! The field of 2^255 - 19: every operation on any integers below 2^256, against big integers and
//! `fiat-crypto`, whose code is formally verified.

use fiat_crypto::curve25519_64 as fiat;
use num_bigint::BigUint;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Adx;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::field::c25519::C25519Adx;
use sigmill::hazmat::field::c25519::{
    C25519Field, C25519Portable, FieldElement, FoldKernel, LazyField, PRIME,
};
use sigmill::hazmat::field::{Field, PrimeField};

use sigmill_tests::numbers::{big, from_limbs, invert, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::rounds;

pub(crate) fn prime() -> BigUint {
    from_limbs(PRIME.prime())
}

/// Hard residues in every form below 2^256, and the largest integers.
fn nasty() -> Vec<BigUint> {
    let (p, end) = (prime(), big(1) << 256);
    let residues = nasty_below(&p);
    let mut values: Vec<_> = residues
        .iter()
        .flat_map(|a| [a.clone(), a + &p, a + 2u32 * &p])
        .filter(|a| *a < end)
        .collect();
    values.extend((1..80u32).map(|k| &end - k));
    values
}

/// Calls `check` with pairs of integers below 2^256.
fn pairs(mut check: impl FnMut([u64; 4], [u64; 4])) {
    let nasty = nasty();
    let mut rng = rng(25519);
    let end = big(1) << 256;
    for a in &nasty {
        check(to_limbs(a), to_limbs(a));
        check(
            to_limbs(a),
            to_limbs(&nasty[nasty.len() - 1 - nasty.len() % 7]),
        );
    }
    for _ in 0..rounds(3_000, 300_000) {
        let mut pick = || {
            let random = random_below(&mut rng, &end);
            match random.iter_u64_digits().next().unwrap_or(0) % 2 {
                0 => nasty[(random % nasty.len()).iter_u64_digits().next().unwrap_or(0) as usize]
                    .clone(),
                _ => random,
            }
        };
        check(to_limbs(&pick()), to_limbs(&pick()));
    }
}

fn on_every_kernel(check: impl Fn(&dyn Subject)) {
    check(&C25519Field::new(C25519Portable));
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        check(&C25519Field::new(C25519Adx::new(proof)));
    }
}

/// The checks of a kernel.
trait Subject {
    fn against_big_integers(&self, a: [u64; 4], b: [u64; 4]);
    fn against_fiat(&self, a: [u64; 4], b: [u64; 4]);
    fn inverse_and_roots(&self, a: [u64; 4]);
}

impl<K: FoldKernel> Subject for C25519Field<K> {
    fn against_big_integers(&self, a: [u64; 4], b: [u64; 4]) {
        let (f, p) = (*self, prime());
        let [x, y] = [a, b].map(FieldElement::from_limbs);
        let [m, n] = [a, b].map(|limbs| from_limbs(&limbs) % &p);
        let check = |name, result: FieldElement, expected: BigUint| {
            let integer = from_limbs(&f.to_integer(&result));
            assert_eq!(integer, expected % &p, "{name} of {x:?} and {y:?}");
        };
        check("to_integer", x, m.clone());
        check("add", f.add(&x, &y), &m + &n);
        check("sub", f.sub(&x, &y), &m + &p - &n);
        check("negate", f.negate(&x), &p - &m);
        check("double", f.double(&x), &m + &m);
        check("half", f.double(&f.half(&x)), m.clone());
        check("mul", f.mul(&x, &y), &m * &n);
        check("square", f.square(&x), &m * &m);
        check("select", f.select(true, &x, &y), m.clone());
        check("select", f.select(false, &x, &y), n.clone());
        check("negate_if", f.negate_if(&x, true), &p - &m);
        check("negate_if", f.negate_if(&x, false), m.clone());
        assert_eq!(f.equal(&x, &y), m == n, "{x:?} = {y:?}");
        assert_eq!(f.is_zero(&x), m == BigUint::ZERO, "{x:?} = 0");
        let canonical = f.from_integer(&a);
        assert_eq!(canonical.is_some(), from_limbs(&a) < p, "{x:?}");
        // The lazy forms: products are inputs of sums and differences, which are inputs of
        // products.
        let lazy = |name, factor: [u64; 4], expected| {
            check(name, FieldElement::from_limbs(factor), expected);
        };
        let [u, v] = [f.product(&a, &b), f.squares([&a, &b])[0]];
        let (m, n) = (&m * &n % &p, &m * &m % &p);
        let [[sum, difference]] = f.sums_and_differences([&[u, v]]);
        lazy("sum", sum, &m + &n);
        lazy("difference", difference, &m + &p - &n);
        lazy("difference", f.difference(&v, &v), BigUint::ZERO);
        lazy(
            "add_multiple",
            f.add_multiple::<121_665>(&u, &a),
            &m + from_limbs(&a) * 121_665u32,
        );
        lazy("choose", f.choose(u64::MAX, &a, &b), from_limbs(&a));
        lazy("choose", f.choose(0, &a, &b), from_limbs(&b));
    }

    fn against_fiat(&self, a: [u64; 4], b: [u64; 4]) {
        let f = *self;
        // fiat-crypto reads 255 bits.
        let [a, b] = [a, b].map(|[l0, l1, l2, l3]| [l0, l1, l2, l3 & u64::MAX >> 1]);
        let [x, y] = [a, b].map(FieldElement::from_limbs);
        let [m, n] = [a, b].map(|limbs| {
            let mut element = fiat::fiat_25519_tight_field_element([0; 5]);
            fiat::fiat_25519_from_bytes(&mut element, &bytes(limbs));
            let mut loose = fiat::fiat_25519_loose_field_element([0; 5]);
            fiat::fiat_25519_relax(&mut loose, &element);
            loose
        });
        let mut out = fiat::fiat_25519_tight_field_element([0; 5]);
        let check = |name, result: FieldElement, out: &_| {
            let mut expected = [0; 32];
            fiat::fiat_25519_to_bytes(&mut expected, out);
            assert_eq!(
                bytes(f.to_integer(&result)),
                expected,
                "{name}: {x:?}, {y:?}"
            );
        };
        fiat::fiat_25519_carry_mul(&mut out, &m, &n);
        check("mul", f.mul(&x, &y), &out);
        fiat::fiat_25519_carry_square(&mut out, &m);
        check("square", f.square(&x), &out);
    }

    fn inverse_and_roots(&self, a: [u64; 4]) {
        let (f, p) = (*self, prime());
        let x = FieldElement::from_limbs(a);
        let m = from_limbs(&a) % &p;
        let expected = invert(&m, &p);
        for inverse in [f.invert(&x), f.invert_fermat(&x)] {
            assert_eq!(from_limbs(&f.to_integer(&inverse)), expected, "1 / {x:?}");
        }
        let vartime = f.invert_vartime(&x).unwrap_or(f.zero());
        assert_eq!(from_limbs(&f.to_integer(&vartime)), expected, "1 / {x:?}");
        let euler = m.modpow(&((&p - 1u32) >> 1), &p);
        let symbol = match euler {
            euler if euler > big(1) => -1,
            euler => i32::from(euler == big(1)),
        };
        assert_eq!(f.legendre(&x), symbol, "{x:?}");
        match f.sqrt_vartime(&x) {
            Some(root) => assert!(f.equal(&f.square(&root), &x), "root of {x:?}"),
            None => assert_eq!(symbol, -1, "root of {x:?}"),
        }
    }
}

/// Little-endian.
fn bytes(limbs: [u64; 4]) -> [u8; 32] {
    core::array::from_fn(|i| limbs[i / 8].to_le_bytes()[i % 8])
}

#[test]
fn every_operation_is_that_of_big_integers() {
    on_every_kernel(|kernel| pairs(|a, b| kernel.against_big_integers(a, b)));
}

#[test]
fn products_are_those_of_fiat_crypto() {
    on_every_kernel(|kernel| pairs(|a, b| kernel.against_fiat(a, b)));
}

#[test]
fn inverses_symbols_and_roots() {
    let nasty = nasty();
    let mut rng = rng(255);
    let end = big(1) << 256;
    on_every_kernel(|kernel| {
        for a in nasty.iter().step_by(rounds(23, 1)) {
            kernel.inverse_and_roots(to_limbs(a));
        }
    });
    for _ in 0..rounds(30, 1_000) {
        let a = to_limbs(&random_below(&mut rng, &end));
        on_every_kernel(|kernel| kernel.inverse_and_roots(a));
    }
}

/// Kernels can continue each other's computations: results are congruent, and within the bounds
/// that `FoldKernel` states.
#[cfg(target_arch = "x86_64")]
#[test]
fn kernels_agree_and_keep_their_bounds() {
    let Some(proof) = Adx::detect() else { return };
    let (portable, adx) = (C25519Portable, C25519Adx::new(proof));
    let (p, bound) = (prime(), (big(1) << 255) + (big(1) << 199));
    let congruent = |what: &str, one: [u64; 4], other: [u64; 4]| {
        let (one, other) = (from_limbs(&one), from_limbs(&other));
        assert_eq!(&one % &p, &other % &p, "{what}");
    };
    let products = |what: &str, one: [u64; 4], other: [u64; 4]| {
        congruent(what, one, other);
        for product in [one, other] {
            assert!(from_limbs(&product) < bound, "{what}: {product:x?}");
        }
    };
    pairs(|a, b| {
        products("product", adx.mul(&a, &b), portable.mul(&a, &b));
        products("square", adx.square(&a), portable.square(&a));
        for small in [0, 1, 121_665, (1 << 17) - 1] {
            congruent(
                "multiple",
                adx.add_multiple(&a, &b, small),
                portable.add_multiple(&a, &b, small),
            );
        }
        for (choice, chosen) in [(u64::MAX, a), (0, b)] {
            assert_eq!(adx.choose(choice, &a, &b), chosen);
            assert_eq!(portable.choose(choice, &a, &b), chosen);
        }
        // The same for the greatest products.
        for product in [adx.square(&b), to_limbs(&(&bound - (b[0] & 63) - 1u32))] {
            for other in [adx.square(&a), to_limbs(&(&bound - 1u32))] {
                let sum = adx.sum(&other, &product);
                assert_eq!(sum, portable.sum(&other, &product), "sum");
                assert_eq!(
                    from_limbs(&sum) % &p,
                    (from_limbs(&other) + from_limbs(&product)) % &p
                );
            }
            assert_eq!(
                adx.difference(&a, &product),
                portable.difference(&a, &product),
                "difference"
            );
        }
    });
}
