//! Lanes of 52 bits: every operation on registers, for the primes of all curves and their orders.
//!
//! Inputs are any elements. One of them is a factor where the operation accepts one; products read
//! 52 bits of each limb of a factor, so these bits stand for it.
//!
//! Not proved: for P-384, that the highest limb of a product is not negative (`Prime384::finish`
//! argues it, tests compare); for six words, the conversion of single values to lanes (too many
//! cases); for scaled primes (P-521 and its order), the comparison with zero, and that integers
//! from lanes are below p.

use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    AnyKernel, AnyReduction, FactorX8, Factors as _, Field as _, FieldX8, Form as Leaving, Kernel,
    LaneModulus, LaneRegisters as _, Lanes as _, MOST_LANES, Mask as _, P256ReductionX8, Reduction,
    Registers as _, RegistersX8, Residue, Secp256k1ReductionX8,
};
use sigmill::hazmat::limbs::Words as _;
use sigmill_proofs::Symbolic;
use sigmill_proofs::arena::{Value, plant, with};
use sigmill_proofs::claim::{Form, Outcome, integer, prove};
use sigmill_proofs::polynomial::{Number, Polynomial, number};
use sigmill_tests::moduli;

/// Registers modulo a prime, with the forms of their elements and factors.
struct Lanes<K: Reduction<N, L>, const N: usize, const L: usize> {
    name: &'static str,
    registers: RegistersX8<Symbolic, K, N, L>,
    /// Forms of arguments. Those of products are of results (P-384: highest limb at least -1).
    element: Form,
    factor: Form,
    product: Form,
    product_factor: Form,
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
        let element = Form::unsigned(L, 52, constants.weak_bound());
        let factor = Form::unsigned(L, 52, constants.factor_bound());
        let prime = integer(kernel.modulus().prime());
        let most = element.largest();
        let highest_word = kernel.modulus().prime()[N - 1];
        Self {
            name,
            registers: field.registers(),
            product: element.clone(),
            product_factor: factor.clone(),
            factor,
            single: Form::words(N, highest_word),
            r: number(BigInt::one() << if has_form { 52 * L } else { 0 }),
            single_r: number(BigInt::one() << if has_form { 64 * N } else { 0 }),
            value: field.single().one(),
            is_below_3p: most < number(BigInt::from(3) * &prime),
            element,
            prime,
        }
    }

    /// Proves that an operation on a factor and three elements returns a value of some form, which
    /// makes `residue` zero modulo the prime.
    fn outcome(
        &self,
        form: &Form,
        run: impl Fn(&FactorX8<Symbolic, L>, &[[Value; L]; 3]) -> [Value; L],
        residue: impl Fn(&Polynomial, &Polynomial, &[Polynomial; 3]) -> Polynomial,
    ) -> Outcome {
        let element = || self.element.element();
        let run = || {
            let (factor, inputs) = (self.factor.element(), [element(), element(), element()]);
            let result = run(&FactorX8(factor), &inputs).to_vec();
            let inputs = inputs.map(|input| self.element.integer(&input));
            (result, (self.factor.integer(&factor), inputs))
        };
        prove(form, &self.prime, run, |v, (f, inputs)| {
            residue(v, f, inputs)
        })
    }

    /// Asserts that an operation on elements is proved.
    fn prove(
        &self,
        operation: &str,
        run: impl Fn(&[[Value; L]; 3]) -> [Value; L],
        residue: impl Fn(&Polynomial, &[Polynomial; 3]) -> Polynomial,
    ) {
        let outcome = self.outcome(
            &self.element,
            |_, abc| run(abc),
            |v, _, abc| residue(v, abc),
        );
        self.report(operation, &outcome);
    }

    /// Asserts that an operation on a factor f and elements is proved.
    fn prove_product(
        &self,
        operation: &str,
        run: impl Fn(&FactorX8<Symbolic, L>, &[[Value; L]; 3]) -> [Value; L],
        residue: impl Fn(&Polynomial, &Polynomial, &[Polynomial; 3]) -> Polynomial,
    ) {
        self.report(operation, &self.outcome(&self.product, run, residue));
    }

    fn report(&self, operation: &str, outcome: &Outcome) {
        outcome.assert_proved(&format!("52-bit lanes, {}: {operation}", self.name));
    }

    /// The digits of a factor.
    fn digits(FactorX8(limbs): FactorX8<Symbolic, L>) -> [Value; L] {
        let mut digits = limbs;
        for digit in &mut digits[..L - 1] {
            *digit = with(|arena| arena.low(*digit, 52));
        }
        digits
    }

    fn prove_all(&self) {
        self.prove_sums();
        self.prove_products();
        self.prove_conversions();
        if self.is_below_3p {
            self.prove_comparison();
        }
    }

    fn prove_sums(&self) {
        let f = self.registers;
        self.prove(
            "a + b",
            |[a, b, _]| f.add(a, b),
            |v, [a, b, _]| &(a + b) - v,
        );
        self.prove(
            "a - b",
            |[a, b, _]| f.sub(a, b),
            |v, [a, b, _]| &(a - b) - v,
        );
        self.prove(
            "a - b - c",
            |[a, b, c]| f.sub_both(a, b, c),
            |v, [a, b, c]| &(&(a - b) - c) - v,
        );
        self.prove("-a", |[a, ..]| f.negate(a), |v, [a, ..]| v + a);
        self.prove(
            "a / 2",
            |[a, ..]| f.half(a),
            |v, [a, ..]| a - &v.times(&number(2)),
        );
    }

    /// With v for the result of a product, R v is the product of the factors.
    fn prove_products(&self) {
        let (f, r) = (self.registers, -&self.r);
        let [two, three] = [number(2), number(3)];
        self.prove_product(
            "f a",
            |factor, [a, ..]| f.times(factor, a),
            |v, f, [a, ..]| (f * a).plus(v, &r),
        );
        self.prove_product(
            "a^2",
            |_, [a, ..]| f.square(a),
            |v, _, [a, ..]| (a * a).plus(v, &r),
        );
        self.prove_product(
            "f a - b",
            |factor, [a, b, _]| f.times_sub(factor, a, b),
            |v, f, [a, b, _]| (f * a).plus(&(v + b), &r),
        );
        self.prove_product(
            "2 f a - b",
            |factor, [a, b, _]| f.double_times_sub(factor, a, b),
            |v, f, [a, b, _]| (f * a).times(&two).plus(&(v + b), &r),
        );
        self.prove_product(
            "a^2 - b - c",
            |_, [a, b, c]| f.square_sub_both(a, b, c),
            |v, _, [a, b, c]| (a * a).plus(&(&(v + b) + c), &r),
        );
        let difference = self.outcome(
            &self.factor,
            |_, [a, b, _]| Self::digits(f.difference(a, b)),
            |v, _, [a, b, _]| &(a - b) - v,
        );
        self.report("a - b as a factor", &difference);
        let sum = self.outcome(
            &self.product_factor,
            |_, [a, b, _]| Self::digits(f.square_triple_add(a, b)),
            |v, _, [a, b, _]| (a * a).times(&three).plus(&(v - b), &r),
        );
        self.report("3 a^2 + b as a factor", &sum);
    }

    /// Single values become elements, and elements become integers below p.
    fn prove_conversions(&self) {
        let f = self.registers;
        let to_lanes = |form: &Form| {
            let run = || {
                let words: [Value; N] = self.single.element();
                with(|arena| arena.words_in = words.to_vec());
                let element = f.gather_values([&self.value; MOST_LANES]);
                (element.to_vec(), self.single.integer(&words))
            };
            let residue =
                |v: &Polynomial, x: &Polynomial| v.times(&self.single_r).plus(x, &-&self.r);
            prove(form, &self.prime, run, residue)
        };
        if N != 6 {
            self.report("single values to lanes", &to_lanes(&self.element));
        }
        // Modulo a prime that is scaled, these are products, which are below 2p.
        let multiple = BigInt::from(if self.is_below_3p { 3 } else { 2 });
        let below_3p = self.element.below(&(multiple * &self.prime));
        let run = || {
            let element: [Value; L] = below_3p.element();
            f.rows(&element, Leaving::Integer);
            let words = with(|arena| std::mem::take(&mut arena.words_out));
            let words = words[..N].to_vec();
            // Less than p: a further p cannot be subtracted.
            with(|arena| arena.words_in = words.clone());
            let difference = self.less_prime(self.lanes_of_words());
            with(|arena| {
                if self.is_below_3p && arena.range(difference[L - 1]).1 >= Number::zero() {
                    arena.fail("an integer that is not below p");
                }
            });
            (words, below_3p.integer(&element))
        };
        let words = Form::words(N, u64::MAX);
        let outcome = prove(&words, &self.prime, run, |v, a| v - a);
        self.report("lanes to integers", &outcome);
    }

    /// Limbs minus p, carried; the highest has the sign.
    fn less_prime(&self, mut limbs: [Value; L]) -> [Value; L] {
        let words = Symbolic;
        for (limb, &p) in limbs.iter_mut().zip(&Form::digits(&self.prime, 52, L)) {
            *limb = words.sub(*limb, words.splat(p));
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

    /// The comparison with zero, in both cases.
    fn prove_comparison(&self) {
        let multiples = [0, 1, 2].map(|k| number(BigInt::from(k) * &self.prime));
        let run = || {
            let a: [Value; L] = self.element.element();
            let is_zero = self.registers.is_zero(&a).any();
            if !is_zero {
                // The limbs differ from those of each multiple of p.
                let others = with(|arena| arena.others());
                for zero in &multiples {
                    let excludes = |parts: &Vec<Value>| {
                        let difference = &self.element.integer(&a) - &self.element.integer(parts);
                        parts.len() == L && difference.as_constant().as_ref() == Some(zero)
                    };
                    if !others.iter().any(excludes) {
                        with(|arena| arena.fail(format!("{zero} may be overlooked")));
                    }
                }
            }
            (a.to_vec(), (is_zero, self.element.integer(&a)))
        };
        let zero = Polynomial::default();
        let residue = |_: &Polynomial, (is_zero, a): &(bool, Polynomial)| match is_zero {
            true => a.clone(),
            false => zero.clone(),
        };
        let outcome = prove(&self.element, &self.prime, run, residue);
        self.report("comparison with zero", &outcome);
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

#[test]
fn p384() {
    static IN_LANES: LaneModulus<6, 8> = LaneModulus::new(&moduli::P384);
    let reduction = AnyReduction::<moduli::Tag, 6, 8>::new(&IN_LANES);
    let mut lanes = Lanes::new("P-384", reduction, AnyKernel::portable(&moduli::P384));
    for form in [&mut lanes.product, &mut lanes.product_factor] {
        form.ranges[7][0] = number(-1);
    }
    lanes.prove_all();
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

/// Proofs that must fail: of wrong claims, of inputs beyond their range, and of code that loses any
/// one summand.
#[test]
fn planted_defects() {
    let lanes = || Lanes::new("P-256", P256ReductionX8, P256Kernel);
    let product = |lanes: &Lanes<P256ReductionX8, 4, 5>| {
        let (f, r) = (lanes.registers, -&lanes.r);
        lanes.outcome(
            &lanes.product,
            |factor, [a, ..]| f.times(factor, a),
            |v, f, [a, ..]| (f * a).plus(v, &r),
        )
    };
    assert!(product(&lanes()).failures.is_empty());
    let additions = plant(None);
    assert!(additions > 50);

    let mut wrong = lanes();
    wrong.r *= number(2);
    assert!(!product(&wrong).failures.is_empty(), "twice R");
    let mut wrong = lanes();
    wrong.prime += 2;
    assert!(!product(&wrong).failures.is_empty(), "another prime");
    let mut wrong = lanes();
    wrong.factor.ranges[4][1] *= number(4);
    assert!(
        !product(&wrong).failures.is_empty(),
        "a factor of two more bits"
    );

    for addition in 0..additions {
        plant(Some(addition));
        assert!(
            !product(&lanes()).failures.is_empty(),
            "addition {addition}"
        );
    }
    plant(None);
}
