//! Lanes of 52 bits: operations on registers, for the primes of all curves and their orders.
//!
//! Inputs are any elements, and any factors where the operation accepts one. Products read 52 bits
//! of each limb of a factor; the bits above may be any.
//!
//! Not proved: for P-384, that the highest limb of a product is not negative (`Prime384::finish`
//! argues it, tests compare), on which 3 a^2 + b as a factor and all that follows a product depend;
//! for six words, the conversion of single values to lanes (too many cases); for scaled primes
//! (P-521 and its order), the comparison with zero, and that products by 1 are at most p; squares
//! in a chain, except for P-256 and secp256k1 (their parts are proved); look-ups in tables of
//! secrets.

use num_bigint::BigInt;
use num_traits::{One as _, ToPrimitive as _, Zero as _};
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    AnyKernel, AnyReduction, FactorX8, Factors as _, Field as _, FieldX8, Form as Leaving, Kernel,
    LaneMask, LaneModulus, LaneRegisters as _, Lanes as _, MOST_LANES, Mask as _, P256ReductionX8,
    Reduction, Registers as _, RegistersX8, Residue, Secp256k1ReductionX8,
};
use sigmill::hazmat::limbs::Words as _;
use sigmill_proofs::Symbolic;
use sigmill_proofs::arena::{Value, with};
use sigmill_proofs::claim::{
    Form, Outcome, comparison, fails, integer, lose_each_operation, outcome,
};
use sigmill_proofs::polynomial::{Number, Polynomial, number};
use sigmill_tests::moduli;

/// Registers modulo a prime, with the forms of their elements and factors.
struct Lanes<K: Reduction<N, L>, const N: usize, const L: usize> {
    name: &'static str,
    registers: RegistersX8<Symbolic, K, N, L>,
    element: Form,
    factor: Form,
    /// Results of products.
    product: Form,
    /// Words of single values.
    single: Form,
    prime: BigInt,
    /// The R of lanes, and that of single values.
    r: Number,
    single_r: Number,
    /// Any single value.
    value: Residue<K::Tag, N>,
    /// True if the values of elements are below 3p, so that zero has three forms.
    is_below_3p: bool,
}

impl<K: Reduction<N, L>, const N: usize, const L: usize> Lanes<K, N, L> {
    fn new<S: Kernel<N, Tag = K::Tag>>(name: &'static str, reduction: K, kernel: S) -> Self {
        let constants = reduction.constants();
        let has_form = constants.has_montgomery_form();
        let field = FieldX8::new(Symbolic, reduction, kernel);
        let element = Form::unsigned(L, 52, constants.weak_bound().into());
        let prime = integer(kernel.modulus().prime());
        let most = element.largest();
        let highest_word = kernel.modulus().prime()[N - 1];
        Self {
            name,
            registers: field.registers(),
            factor: Form::unsigned(L, 52, constants.factor_bound().into()).cut(),
            single: Form::unsigned(N, 64, u128::from(highest_word) + 1),
            r: number(BigInt::one() << if has_form { 52 * L } else { 0 }),
            single_r: number(BigInt::one() << if has_form { 64 * N } else { 0 }),
            value: field.single().one(),
            is_below_3p: most < number(BigInt::from(3) * &prime),
            product: element.clone(),
            element,
            prime,
        }
    }

    /// The outcome of a claim about a function of inputs of these forms.
    fn outcome<const I: usize>(
        &self,
        inputs: [&Form; I],
        result: &Form,
        run: impl Fn(&[[Value; L]; I]) -> [Value; L],
        residue: impl Fn(&Polynomial, &[Polynomial; I]) -> Polynomial,
    ) -> Outcome {
        outcome(&self.prime, inputs, result, run, residue)
    }

    /// Asserts that a claim is proved.
    fn claim<const I: usize>(
        &self,
        operation: &str,
        inputs: [&Form; I],
        result: &Form,
        run: impl Fn(&[[Value; L]; I]) -> [Value; L],
        residue: impl Fn(&Polynomial, &[Polynomial; I]) -> Polynomial,
    ) {
        self.report(operation, &self.outcome(inputs, result, run, residue));
    }

    fn report(&self, operation: &str, outcome: &Outcome) {
        outcome.assert_proved(&format!("52-bit lanes, {}: {operation}", self.name));
    }

    fn prove_all(&self) {
        self.prove_sums();
        self.prove_products();
        self.prove_conversions();
        if self.is_below_3p {
            let comparison = comparison(&self.element, &self.prime, |a| {
                self.registers.is_zero(a).any()
            });
            self.report("comparison with zero", &comparison);
        }
    }

    fn prove_sums(&self) {
        let (f, e) = (self.registers, &self.element);
        self.claim(
            "a + b",
            [e; 2],
            e,
            |[a, b]| f.add(a, b),
            |v, [a, b]| &(a + b) - v,
        );
        self.claim(
            "a - b",
            [e; 2],
            e,
            |[a, b]| f.sub(a, b),
            |v, [a, b]| &(a - b) - v,
        );
        self.claim(
            "a - b - c",
            [e; 3],
            e,
            |[a, b, c]| f.sub_both(a, b, c),
            |v, [a, b, c]| &(&(a - b) - c) - v,
        );
        self.claim("-a", [e], e, |[a]| f.negate(a), |v, [a]| v + a);
        self.claim(
            "a / 2",
            [e],
            e,
            |[a]| f.half(a),
            |v, [a]| a - &v.times(&number(2)),
        );
        for (all, name) in [(true, "the choice of a"), (false, "the choice of b")] {
            let mask = LaneMask::from_lanes(|_| all);
            self.claim(
                name,
                [e; 2],
                e,
                |[a, b]| f.select(mask, a, b),
                |v, [a, b]| v - if all { a } else { b },
            );
        }
    }

    /// With v for the result of a product, R v is the product of the factors.
    fn prove_products(&self) {
        let (field, r) = (self.registers, -&self.r);
        let [two, three] = [number(2), number(3)];
        let (e, f, p) = (&self.element, &self.factor, &self.product);
        // Chains of squares leave bits above 52 in limbs.
        let uncut = &e.clone().cut();
        self.claim(
            "f a",
            [f, e],
            p,
            |[f, a]| field.times(&FactorX8(*f), a),
            |v, [f, a]| (f * a).plus(v, &r),
        );
        self.claim(
            "a^2",
            [uncut],
            p,
            |[a]| field.square(a),
            |v, [a]| (a * a).plus(v, &r),
        );
        self.claim(
            "f a - b",
            [f, e, e],
            e,
            |[f, a, b]| field.times_sub(&FactorX8(*f), a, b),
            |v, [f, a, b]| (f * a).plus(&(v + b), &r),
        );
        self.claim(
            "2 f a - b",
            [f, e, e],
            e,
            |[f, a, b]| field.double_times_sub(&FactorX8(*f), a, b),
            |v, [f, a, b]| (f * a).times(&two).plus(&(v + b), &r),
        );
        self.claim(
            "a^2 - b - c",
            [e; 3],
            e,
            |[a, b, c]| field.square_sub_both(a, b, c),
            |v, [a, b, c]| (a * a).plus(&(&(v + b) + c), &r),
        );
        self.claim(
            "a as a factor",
            [e],
            f,
            |[a]| field.factor(a).0,
            |v, [a]| v - a,
        );
        self.claim(
            "a - b as a factor",
            [e; 2],
            f,
            |[a, b]| field.difference(a, b).0,
            |v, [a, b]| &(a - b) - v,
        );
        if p.ranges[L - 1][0].is_zero() {
            self.claim(
                "3 a^2 + b as a factor",
                [e; 2],
                f,
                |[a, b]| field.square_triple_add(a, b).0,
                |v, [a, b]| (a * a).times(&three).plus(&(v - b), &r),
            );
        }
        if K::SPARSE {
            self.claim(
                "a^4 as squares in a chain",
                [e],
                e,
                |[a]| {
                    let mut values = [*a];
                    field.square_often(&mut values, 2);
                    values[0]
                },
                |v, [a]| {
                    let square = a * a;
                    (&square * &square).plus(v, &(&r * &r * &r))
                },
            );
        }
    }

    /// Single values become elements, and elements become integers below p.
    fn prove_conversions(&self) {
        let f = self.registers;
        let single = &self.single;
        // In words of single values, x; as an element, x or -x.
        let from_single = |name: &str, sign: i32, run: &dyn Fn() -> [Value; L]| {
            let r = &self.r * number(-sign);
            let outcome = outcome(
                &self.prime,
                [single],
                &self.element,
                |[words]: &[[Value; N]; 1]| {
                    let x = single.integer(words);
                    with(|arena| {
                        arena.words_in = words.to_vec();
                        arena.limit(x, [Number::zero(), number(&self.prime - 1)]);
                    });
                    run()
                },
                |v, [x]| v.times(&self.single_r).plus(x, &r),
            );
            self.report(name, &outcome);
        };
        if N != 6 {
            let values = [&self.value; MOST_LANES];
            from_single("single values to lanes", 1, &|| f.gather_values(values));
            for (name, sign) in [("not negated", 1), ("negated", -1)] {
                let mask = LaneMask::from_lanes(|_| sign == -1);
                let run = || f.gather_signed(values, mask);
                from_single(&format!("single values to lanes, {name}"), sign, &run);
            }
        }
        // Modulo a prime that is scaled, these are products by 1, which are at most p.
        let bound = BigInt::from(if self.is_below_3p { 3 } else { 2 }) * &self.prime;
        let below = &self.element.below(&bound);
        let to_integers = outcome(
            &self.prime,
            [below],
            &Form::words(N),
            |[a]: &[[Value; L]; 1]| {
                let range = [Number::zero(), number(&bound - 1)];
                let integer = below.integer(a);
                with(|arena| arena.limit(integer, range));
                f.rows(a, Leaving::Integer);
                let words = with(|arena| std::mem::take(&mut arena.words_out));
                let words = words[..N].try_into().expect("words");
                self.check_below_p(&words);
                words
            },
            |v, [a]| v - a,
        );
        self.report("lanes to integers", &to_integers);
    }

    /// Fails if p can be subtracted from an integer.
    fn check_below_p(&self, words: &[Value; N]) {
        with(|arena| arena.words_in = words.to_vec());
        let difference = self.less_prime(self.lanes_of_words());
        with(|arena| {
            arena.tighten(difference[L - 1]);
            if arena.range(difference[L - 1]).1 >= Number::zero() && !arena.is_impossible() {
                arena.fail("an integer that is not below p");
            }
        });
    }

    /// Limbs minus p, carried; the highest has the sign.
    fn less_prime(&self, mut limbs: [Value; L]) -> [Value; L] {
        let words = Symbolic;
        for (limb, p) in limbs.iter_mut().zip(self.element.digits(&self.prime)) {
            *limb = words.sub(*limb, words.splat(p.to_u64().expect("52 bits")));
        }
        for i in 0..L - 1 {
            limbs[i + 1] = words.add(limbs[i + 1], words.sar::<52>(limbs[i]));
        }
        limbs
    }

    /// Limbs of the words that are transposed next.
    fn lanes_of_words(&self) -> [Value; L] {
        let field = self.registers;
        let lanes = field.lane_array(&field.stored_zero());
        let [first, ..] = &lanes;
        field.gather_lanes([first; MOST_LANES])
    }
}

#[test]
fn p256() {
    Lanes::new("P-256", P256ReductionX8, P256Kernel).prove_all();
}

#[test]
fn secp256k1() {
    Lanes::new("secp256k1", Secp256k1ReductionX8, Secp256k1Kernel).prove_all();
}

/// The highest limb of a product modulo the prime of P-384 is at least -1 by this method.
fn p384_lanes() -> Lanes<AnyReduction<moduli::Tag, 6, 8>, 6, 8> {
    static IN_LANES: LaneModulus<6, 8> = LaneModulus::new(&moduli::P384);
    let kernel = AnyKernel::portable(&moduli::P384);
    let mut lanes = Lanes::new("P-384", AnyReduction::new(&IN_LANES), kernel);
    lanes.product.ranges[7][0] = number(-1);
    lanes
}

#[test]
fn p384() {
    p384_lanes().prove_all();
}

macro_rules! any_prime {
    ($($test:ident, $name:literal = $modulus:ident, $limbs:literal, $lanes:literal;)*) => {$(
        #[test]
        fn $test() {
            static IN_LANES: LaneModulus<$limbs, $lanes> = LaneModulus::new(&moduli::$modulus);
            let reduction = AnyReduction::<moduli::Tag, $limbs, $lanes>::new(&IN_LANES);
            Lanes::new($name, reduction, AnyKernel::portable(&moduli::$modulus)).prove_all();
        }
    )*};
}

any_prime! {
    p256_order, "order of P-256" = P256_ORDER, 4, 5;
    secp256k1_order, "order of secp256k1" = SECP256K1_ORDER, 4, 5;
    brainpool_256, "brainpoolP256r1" = BRAINPOOL_256, 4, 5;
    brainpool_256_order, "order of brainpoolP256r1" = BRAINPOOL_256_ORDER, 4, 5;
    p384_order, "order of P-384" = P384_ORDER, 6, 8;
    p521, "P-521" = P521, 9, 11;
    p521_order, "order of P-521" = P521_ORDER, 9, 11;
}

/// Proofs that must fail: of wrong claims, and of code that loses any one operation.
fn defects<K: Reduction<N, L>, const N: usize, const L: usize>(lanes: &mut Lanes<K, N, L>) {
    let product = |lanes: &Lanes<K, N, L>| {
        let (field, r) = (lanes.registers, -&lanes.r);
        lanes.outcome(
            [&lanes.factor, &lanes.element],
            &lanes.product,
            |[f, a]| field.times(&FactorX8(*f), a),
            |v, [f, a]| (f * a).plus(v, &r),
        )
    };
    lose_each_operation(|| product(lanes));
    lanes.r *= number(2);
    assert!(fails(|| product(lanes)), "twice R");
    lanes.r /= number(2);
    lanes.prime += 2;
    assert!(fails(|| product(lanes)), "another prime");
    lanes.prime -= 2;
    lanes.product.ranges[L - 1][1] /= number(4);
    assert!(fails(|| product(lanes)), "a result of two bits less");
}

#[test]
fn defects_p256() {
    defects(&mut Lanes::new("P-256", P256ReductionX8, P256Kernel));
}

#[test]
fn defects_secp256k1() {
    defects(&mut Lanes::new(
        "secp256k1",
        Secp256k1ReductionX8,
        Secp256k1Kernel,
    ));
}

#[test]
fn defects_p384() {
    defects(&mut p384_lanes());
}
