//! Every field and kernel against a big-integer crate.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Adx;
use sigmill::hazmat::curve::{Curve, Domain};
use sigmill::hazmat::field::p256::{self, P256Field, P256Kernel};
use sigmill::hazmat::field::secp256k1::{self, Secp256k1Field, Secp256k1Kernel};
use sigmill::hazmat::field::{
    AnyKernel, LimbCount, Modulus, MontgomeryField, PrimeField, Residue,
    inverse_square_root_vartime, invert_all_vartime,
};
use sigmill_tests::moduli::Tag;
use sigmill_tests::numbers::{
    big, from_limbs, invert, nasty_below, pick, random_below, rng, to_bytes, to_limbs,
};
use sigmill_tests::{moduli, on_all_moduli, rounds};

/// A field of residues in Montgomery form, and the same in big integers.
struct Subject<F, const N: usize> {
    field: F,
    modulus: &'static Modulus<N>,
    p: BigUint,
    r: BigUint,
    nasty: Vec<BigUint>,
}

impl<F, T, const N: usize> Subject<F, N>
where
    F: PrimeField<Element = Residue<T, N>, Integer = [u64; N]>,
    T: Copy + std::fmt::Debug + Eq,
{
    fn new(field: F, modulus: &'static Modulus<N>) -> Self {
        let p = from_limbs(modulus.prime());
        let r = if modulus.has_montgomery_form() {
            (big(1) << (64 * N)) % &p
        } else {
            big(1)
        };
        assert_eq!(from_limbs(modulus.r()), r);
        assert_eq!(from_limbs(modulus.r2()), &r * &r % &p);
        assert_eq!(from_limbs(modulus.r3()), &r * &r * &r % &p);
        let nasty = nasty_below(&p);
        Self {
            field,
            modulus,
            p,
            r,
            nasty,
        }
    }

    /// The element whose Montgomery form is this number, so that hard limbs reach the kernel.
    fn form(&self, limbs: &BigUint) -> Residue<T, N> {
        Residue::try_from_montgomery_limbs(self.modulus, to_limbs(limbs)).unwrap()
    }

    /// The Montgomery form, which must be fully reduced.
    #[track_caller]
    fn limbs(&self, element: &Residue<T, N>) -> BigUint {
        let limbs = from_limbs(element.montgomery_limbs());
        assert!(limbs < self.p, "not reduced: {limbs:x}");
        limbs
    }

    /// Every operation of two elements given by their Montgomery forms a R and b R.
    fn two(&self, a: &BigUint, b: &BigUint, r_inverse: &BigUint) {
        let (f, p) = (self.field, &self.p);
        let (x, y) = (&self.form(a), &self.form(b));
        let context = || format!("a {a:x}, b {b:x}, p {p:x}");
        assert_eq!(
            self.limbs(&f.mul(x, y)),
            a * b * r_inverse % p,
            "mul {}",
            context()
        );
        assert_eq!(
            self.limbs(&f.square(x)),
            a * a * r_inverse % p,
            "square {}",
            context()
        );
        assert_eq!(self.limbs(&f.add(x, y)), (a + b) % p, "add {}", context());
        assert_eq!(
            self.limbs(&f.sub(x, y)),
            (a + p - b) % p,
            "sub {}",
            context()
        );
        assert_eq!(
            self.limbs(&f.negate(x)),
            (p - a) % p,
            "negate {}",
            context()
        );
        let expected = if b.bit(0) { f.negate(x) } else { *x };
        assert_eq!(f.negate_if(x, b.bit(0)), expected, "{}", context());
        assert_eq!(
            self.limbs(&f.double(x)),
            (a + a) % p,
            "double {}",
            context()
        );
        let half = if a.bit(0) { (a + p) >> 1 } else { a >> 1 };
        assert_eq!(self.limbs(&f.half(x)), half, "half {}", context());
        assert_eq!(f.equal(x, y), a == b, "equal {}", context());
        assert_eq!(f.is_zero(x), *a == big(0), "is_zero {}", context());
        let integer = from_limbs(&f.to_integer(x));
        assert_eq!(integer, a * r_inverse % p, "to_integer {}", context());
        assert_eq!(f.is_odd(x), integer.bit(0));
        // The same with a as an integer.
        let from = f.from_integer(&to_limbs(a)).unwrap();
        assert_eq!(
            self.limbs(&from),
            a * &self.r % p,
            "from_integer {}",
            context()
        );
        let bytes = to_bytes(a, f.bytes());
        assert_eq!(f.from_be_bytes(&bytes), Some(from));
        let mut written = vec![0xee; f.bytes()];
        f.write_be_bytes(&from, &mut written);
        assert_eq!(written, bytes);
    }

    fn arithmetic(&self, count: usize) {
        let mut rng = rng(21);
        let r_inverse = invert(&self.r, &self.p);
        for a in &self.nasty {
            self.two(a, a, &r_inverse);
            self.two(a, &(&self.p - 1u32), &r_inverse);
        }
        for _ in 0..count {
            let a = pick(&mut rng, &self.nasty, &self.p);
            let b = pick(&mut rng, &self.nasty, &self.p);
            self.two(&a, &b, &r_inverse);
        }
        // Numbers from p on are not elements.
        let top = (big(1) << (64 * N)) - 1u32;
        for above in [
            &self.p + 0u32,
            &self.p + 1u32,
            (&self.p + &self.p).min(top.clone()),
            top,
        ] {
            let limbs: [u64; N] = to_limbs(&above.clone().min((big(1) << (64 * N)) - 1u32));
            assert_eq!(self.field.from_integer(&limbs), None);
            assert_eq!(
                Residue::<T, N>::try_from_montgomery_limbs(self.modulus, limbs),
                None
            );
            assert_eq!(self.field.from_be_bytes(&above.to_bytes_be()), None);
        }
        let long = [vec![0; 8 * N + 3], to_bytes(&(&self.p - 1u32), 8 * N)].concat();
        assert_eq!(
            self.field.from_be_bytes(&long),
            Some(self.field.negate(&self.field.one()))
        );
        assert_eq!(
            self.field
                .from_be_bytes(&[&[1], &vec![0; 8 * N][..]].concat()),
            None
        );
        assert_eq!(self.field.from_be_bytes(&[]), Some(self.field.zero()));
        assert_eq!(self.field.modulus(), *self.modulus.prime());
        assert_eq!(u64::from(self.field.bits()), self.p.bits());
        assert_eq!(self.field.bytes(), self.p.bits().div_ceil(8) as usize);
    }

    fn inversions(&self, count: usize) {
        let (f, p) = (self.field, &self.p);
        assert_eq!(f.invert_vartime(&f.zero()), None);
        let mut rng = rng(22);
        // Consecutive Fibonacci numbers make Euclid's algorithm slow, as does p over the golden
        // ratio.
        let mut fibonacci = vec![big(1), big(2)];
        while fibonacci.last().unwrap() < p {
            fibonacci.push(&fibonacci[fibonacci.len() - 1] + &fibonacci[fibonacci.len() - 2]);
        }
        let scale =
            (big(1) << 600u32) / fibonacci.last().unwrap() * &fibonacci[fibonacci.len() - 2];
        let golden = (p * scale) >> 600u32;
        let special = (0..7u32).map(|i| &golden % p + i).chain(fibonacci);
        let random = (0..count).map(|_| random_below(&mut rng, p));
        let nasty = self.nasty.iter().step_by(rounds(4, 1)).cloned();
        for a in special
            .chain(nasty)
            .chain(random)
            .filter(|a| *a != big(0) && a < p)
        {
            let element = self.form(&a);
            let inverse = f.invert_vartime(&element).unwrap();
            self.limbs(&inverse);
            assert_eq!(
                f.mul(&element, &inverse),
                f.one(),
                "inverse of {a:x} mod {p:x}"
            );
        }
        for length in (0..12).chain([31, 64, rounds(65, 1000)]) {
            let mut elements: Vec<_> = (0..length)
                .map(|_| match rng.next_u32() % 3 {
                    0 => f.zero(),
                    _ => self.form(&pick(&mut rng, &self.nasty, p)),
                })
                .collect();
            let expected: Vec<_> = elements
                .iter()
                .map(|a| f.invert_vartime(a).unwrap_or(f.zero()))
                .collect();
            let mut scratch = vec![f.one(); length];
            invert_all_vartime(f, &mut elements[..], &mut scratch);
            assert_eq!(elements, expected, "{length} inverses");
        }
    }

    fn square_roots(&self, count: usize) {
        let (f, p) = (self.field, &self.p);
        let mut rng = rng(23);
        assert_eq!(f.sqrt_vartime(&f.zero()), Some(f.zero()));
        assert_eq!(inverse_square_root_vartime(f, &f.zero()), None);
        let (mut squares, mut others) = (0, 0);
        for i in 0..count {
            let a = match i % 3 {
                _ if i < 6 => big(i as u64 + 1),
                0 => pick(&mut rng, &self.nasty, p),
                _ => random_below(&mut rng, p),
            };
            if a == big(0) {
                continue;
            }
            let element = f.from_integer(&to_limbs(&a)).unwrap();
            let is_square = a.modpow(&((p - 1u32) >> 1), p) == big(1);
            match f.sqrt_vartime(&element) {
                Some(root) => assert!(is_square && f.square(&root) == element, "root of {a:x}"),
                None => assert!(!is_square, "root of {a:x} mod {p:x}"),
            }
            match inverse_square_root_vartime(f, &element) {
                Some(inverse) => {
                    let product = f.mul(&element, &f.square(&inverse));
                    assert!(is_square && product == f.one(), "1 / root of {a:x}");
                }
                None => assert!(!is_square, "1 / root of {a:x} mod {p:x}"),
            }
            squares += usize::from(is_square);
            others += usize::from(!is_square);
            // The root of a square is one of two.
            let root = f.sqrt_vartime(&f.square(&element)).unwrap();
            assert!(root == element || root == f.negate(&element));
        }
        assert!(
            squares > count / 10 && others > count / 10,
            "{squares} {others}"
        );
    }

    fn everything(&self) {
        let mut prime = openssl::bn::BigNum::from_slice(&self.p.to_bytes_be()).unwrap();
        prime.set_negative(false);
        let mut context = openssl::bn::BigNumContext::new().unwrap();
        assert!(prime.is_prime(20, &mut context).unwrap());
        self.arithmetic(rounds(300, 20_000));
        self.inversions(rounds(100, 10_000));
        self.square_roots(rounds(30, 300));
    }
}

fn any_prime<const N: usize>(modulus: &'static Modulus<N>)
where
    [u64; N]: LimbCount,
{
    let field = |kernel: AnyKernel<Tag, N>| Subject::new(MontgomeryField::new(kernel), modulus);
    field(AnyKernel::portable(modulus)).everything();
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        field(AnyKernel::adx(proof, modulus)).everything();
    }
}

on_all_moduli!(any_prime);

#[test]
fn kernels_of_p256() {
    Subject::new(P256Field::new(P256Kernel), &P256_PRIME).everything();
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        use p256::{P256AdxField, P256AdxKernel};
        let field = P256AdxField::new(P256AdxKernel::new(proof));
        Subject::new(field, &P256_PRIME).everything();
    }
}

/// The kernel of single values that accompanies lanes of AVX2, on a CPU with ADX and on one
/// without.
#[cfg(target_arch = "x86_64")]
#[test]
fn either_kernel() {
    use p256::P256AdxKernel;
    use sigmill::hazmat::field::{EitherKernel, MontgomeryField};
    let portable = EitherKernel::<P256AdxKernel, _>::Second(P256Kernel);
    let adx = Adx::detect().map(|proof| EitherKernel::First(P256AdxKernel::new(proof)));
    for kernel in [Some(portable), adx].into_iter().flatten() {
        Subject::new(MontgomeryField::new(kernel), &P256_PRIME).everything();
    }
}

#[test]
fn kernels_of_secp256k1() {
    Subject::new(Secp256k1Field::new(Secp256k1Kernel), &SECP256K1_PRIME).everything();
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Adx::detect() {
        use secp256k1::{Secp256k1AdxField, Secp256k1AdxKernel};
        let field = Secp256k1AdxField::new(Secp256k1AdxKernel::new(proof));
        Subject::new(field, &SECP256K1_PRIME).everything();
    }
}

static P256_PRIME: Modulus<4> = p256::PRIME;
static SECP256K1_PRIME: Modulus<4> = secp256k1::PRIME;

/// The primes and orders in the tests equal those of the library's curves.
#[test]
fn the_moduli_of_the_curves() {
    fn check<D, const N: usize>(domain: D, prime: &Modulus<N>, order: &Modulus<N>)
    where
        D: Domain<Curve: Curve<Integer = [u64; N]>>,
    {
        let curve = domain.curve();
        assert_eq!(curve.base_field().modulus(), *prime.prime());
        assert_eq!(curve.scalar_field().modulus(), *order.prime());
    }
    use sigmill::curves::{P256, P384, Secp256k1};
    check(P256, &moduli::P256, &moduli::P256_ORDER);
    check(P384, &moduli::P384, &moduli::P384_ORDER);
    check(Secp256k1, &moduli::SECP256K1, &moduli::SECP256K1_ORDER);
}
