//! Lanes of doubles: products, sums, and conversions, for each prime.
//!
//! Not proved here: the last subtraction of p on the way out (`less_prime`), the words that digits
//! become (`to_words`), the test for zero, and transpositions.

use num_bigint::BigInt;
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    AnyKernel, Coordinate, DoublesField, DoublesReduction, DoublesRegisters, Factors as _,
    Field as _, Kernel, Modulus, P256DoublesReduction, P384DoublesReduction,
    Secp256k1DoublesReduction,
};
use sigmill::hazmat::limbs::{Doubles, F64x4, PortableDoubles};
use sigmill_proofs::Symbolic;
use sigmill_proofs::arena::{Value, with};
use sigmill_proofs::claim::{Form, Outcome, fails, integer, lose_each_operation, outcome};
use sigmill_proofs::doubles::Double;
use sigmill_proofs::polynomial::{Number, Polynomial, number, two_to};

/// A prime in lanes of doubles, and what is claimed of its functions.
struct Subject<K, const N: usize, const L: usize> {
    name: &'static str,
    reduction: K,
    field: DoublesRegisters<Symbolic, K, N, L, 4>,
    prime: BigInt,
    /// R, by which a product is divided.
    r: Number,
    /// The form of elements.
    form: Form,
}

type Inputs<const L: usize> = [[Double; L]; 3];
type Residue<'a> = &'a dyn Fn(&Polynomial, &[Polynomial; 3]) -> Polynomial;

impl<K: DoublesReduction<N, L>, const N: usize, const L: usize> Subject<K, N, L> {
    fn new<S: Kernel<N, Tag = K::Tag>>(
        name: &'static str,
        reduction: K,
        kernel: S,
        r: i32,
    ) -> Self {
        let constants = reduction.constants();
        let unit = constants.unit();
        let exponent = i32::try_from(unit.to_bits() >> 52).expect("positive") - 1023;
        Self {
            name,
            reduction,
            field: DoublesField::<_, _, _, N, L, 4>::new(Symbolic, reduction, kernel).registers(),
            prime: integer(kernel.modulus().prime()),
            r: two_to(r),
            form: Form {
                positions: constants.positions().to_vec(),
                unit: exponent,
                ranges: constants
                    .bounds()
                    .iter()
                    .map(|bound| {
                        let most = Number::from_float(bound / unit).expect("a number").floor();
                        [-most.clone(), most]
                    })
                    .collect(),
                is_cut: false,
            },
        }
    }

    /// The form of sums of `count` elements, which need not be an integer.
    fn sums(&self, count: f64) -> Form {
        let count = Number::from_float(count).expect("a number");
        let end = |end: &Number| (end * &count).round();
        let ranges = self.form.ranges.iter();
        Form {
            ranges: ranges.map(|range| range.each_ref().map(end)).collect(),
            ..self.form.clone()
        }
    }

    /// The outcome of a claim about inputs that are sums of so many elements each.
    fn outcome(
        &self,
        counts: [f64; 3],
        run: impl Fn(&Inputs<L>) -> [Double; L],
        residue: Residue<'_>,
    ) -> Outcome {
        let forms = counts.map(|count| self.sums(count));
        outcome(
            &self.prime,
            forms.each_ref(),
            &self.form,
            |inputs| run(&inputs.map(|limbs| limbs.map(Double::Number))).map(Double::number),
            residue,
        )
    }

    /// Asserts that a claim is proved.
    fn claim(
        &self,
        what: &str,
        counts: [f64; 3],
        run: impl Fn(&Inputs<L>) -> [Double; L],
        residue: Residue<'_>,
    ) {
        self.report(what, &self.outcome(counts, run, residue));
    }

    fn report(&self, what: &str, outcome: &Outcome) {
        outcome.assert_proved(&format!("lanes of doubles, {}: {what}", self.name));
    }

    fn products(&self) {
        let (field, r) = (self.field, &self.r);
        let room = K::ROOM;
        // (a b) / R - c.
        let product: Residue<'_> = &|v, [a, b, c]| (a * b).plus(&(v + c), &-r);
        let square: Residue<'_> = &|v, [a, _, c]| (a * a).plus(&(v + c), &-r);
        for (a, b) in [(1.0, room), (room, 1.0), (2.0, room / 2.0)] {
            let what = format!("product of {a} and {b} elements, minus 3");
            self.claim(
                &what,
                [a, b, 3.0],
                |[a, b, c]| field.mul_sub(a, b, c),
                product,
            );
        }
        let root = room.sqrt().next_up();
        let run = |[a, _, c]: &Inputs<L>| self.reduction.square(Symbolic, a, Some(c));
        self.claim("square of a sum, minus 3", [root, 0.0, 3.0], run, square);
        self.claim(
            "product",
            [1.0; 3],
            |[a, b, _]| field.mul(a, b),
            &|v, [a, b, _]| (a * b).plus(v, &-r),
        );
        self.claim(
            "square",
            [1.0; 3],
            |[a, ..]| field.square(a),
            &|v, [a, ..]| (a * a).plus(v, &-r),
        );
    }

    /// R of single values, divided by that of lanes.
    fn shift(&self) -> Number {
        match self.r == number(1) {
            true => number(1),
            false => two_to(64 * i32::try_from(N).expect("few")) / &self.r,
        }
    }

    /// An element becomes digits that are not negative and amount to less than 2p: from R of lanes
    /// to that of single values.
    fn digits(&self) {
        let convert = |limbs: &[Double; L]| self.reduction.digits_of_single(Symbolic, limbs);
        let (_, constants) = convert(&self.field.zero());
        let digits = Form {
            positions: constants.positions().to_vec(),
            ..Form::words(L)
        };
        let shift = self.shift();
        let outcome = outcome(
            &self.prime,
            [&self.form],
            &digits,
            |[element]: &[[Value; L]; 1]| {
                let (result, _) = convert(&element.map(Double::Number));
                with(|arena| {
                    let mut most = number(0);
                    for (digit, position) in result.iter().zip(constants.positions()) {
                        most += arena.range(*digit).1 * two_to(position.cast_signed());
                    }
                    if most >= number(&self.prime * 2) {
                        arena.fail("digits of 2p or more");
                    }
                });
                result
            },
            |v, [element]| v.clone().plus(element, &-&shift),
        );
        self.report("to digits", &outcome);
    }

    /// Words of 64 bits become an element: from R of single values to that of lanes.
    fn single_values(&self) {
        let shift = self.shift();
        let outcome = outcome(
            &self.prime,
            [&Form::words(N)],
            &self.form,
            |[single]: &[[Value; N]; 1]| {
                let limbs = self.reduction.limbs_of_single(Symbolic, *single);
                limbs.map(Double::number)
            },
            |v, [single]| &v.times(&shift) - single,
        );
        self.report("from words", &outcome);
    }

    /// Claims that do not hold have no proof: factors beyond the room, sums of too many elements,
    /// another R, and code that loses any one operation.
    fn no_proof(&self, too_large: f64) {
        let (field, r) = (self.field, &self.r);
        let product: Residue<'_> = &|v, [a, b, _]| (a * b).plus(v, &-r);
        let run = |[a, b, _]: &Inputs<L>| field.mul(a, b);
        lose_each_operation(|| self.outcome([1.0; 3], run, product));
        assert!(fails(|| self.outcome([1.0, too_large, 0.0], run, product)));
        assert!(fails(|| self.outcome([too_large, 1.0, 0.0], run, product)));
        let twice: Residue<'_> = &|v, [a, b, _]| (a * b).plus(v, &(r * number(-2)));
        assert!(fails(|| self.outcome([1.0; 3], run, twice)));
        let run = |[a, ..]: &Inputs<L>| self.reduction.reduce_weakly(Symbolic, *a);
        let too_many = [2f64.powi(45), 0.0, 0.0];
        assert!(fails(|| self.outcome(too_many, run, &|v, [a, ..]| a - v)));
    }

    /// On numbers instead of ranges, the backend computes the same as portable doubles.
    fn backend(&self) {
        let (k, mut state) = (self.reduction, 1u64);
        let mut element = || {
            let constants = k.constants();
            constants.bounds().map(|bound| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let most = (bound / constants.unit()) as i64;
                ((state >> 1) as i64 % most - (state as i64 & 1) * most / 2) as f64
                    * constants.unit()
            })
        };
        for _ in 0..20 {
            let inputs = [element(), element(), element()];
            let symbolic = inputs.map(|limbs| limbs.map(|limb| Symbolic.splat(limb)));
            let portable = inputs.map(|limbs| limbs.map(|limb| F64x4([limb; 4])));
            let results = functions(k, Symbolic, &symbolic);
            let expected = functions(k, PortableDoubles, &portable);
            for (result, expected) in results.iter().flatten().zip(expected.iter().flatten()) {
                let value = result.number();
                let result = with(|arena| arena.as_constant(value));
                assert_eq!(result, Number::from_float(expected.0[0]), "{}", self.name);
            }
        }
        with(|arena| assert!(arena.failures().is_empty(), "{:?}", arena.failures()));
    }

    fn sums_and_factors(&self) {
        let (field, r) = (self.field, &self.r);
        let one = [1.0; 3];
        self.claim(
            "a b - c",
            one,
            |[a, b, c]| field.mul_sub(a, b, c),
            &|v, [a, b, c]| (a * b).plus(&(v + c), &-r),
        );
        self.claim(
            "a^2 - b - c",
            one,
            |[a, b, c]| field.square_sub_both(a, b, c),
            &|v, [a, b, c]| (a * a).plus(&(&(v + b) + c), &-r),
        );
        self.claim(
            "a + b",
            one,
            |[a, b, _]| field.add(a, b),
            &|v, [a, b, _]| &(a + b) - v,
        );
        self.claim(
            "a - b",
            one,
            |[a, b, _]| field.sub(a, b),
            &|v, [a, b, _]| &(a - b) - v,
        );
        self.claim(
            "a - b - c",
            one,
            |[a, b, c]| field.sub_both(a, b, c),
            &|v, [a, b, c]| &(&(a - b) - c) - v,
        );
        self.claim("-a", one, |[a, ..]| field.negate(a), &|v, [a, ..]| v + a);
        self.claim("a / 2", one, |[a, ..]| field.half(a), &|v, [a, ..]| {
            a - &v.times(&number(2))
        });
        let run = |[a, ..]: &Inputs<L>| self.reduction.reduce_weakly(Symbolic, *a);
        self.claim("sum of 8", [8.0, 0.0, 0.0], run, &|v, [a, ..]| a - v);
        self.claim(
            "(a - b) c",
            one,
            |[a, b, c]| field.times(&field.difference(a, b), c),
            &|v, [a, b, c]| (&(a - b) * c).plus(v, &-r),
        );
        self.claim(
            "2 (a - b) c - a",
            one,
            |[a, b, c]| field.double_times_sub(&field.difference(a, b), c, a),
            &|v, [a, b, c]| (&(a - b) * c).times(&number(2)).plus(&(v + a), &-r),
        );
        self.claim(
            "(3 a^2 + b) c",
            one,
            |[a, b, c]| field.times(&field.square_triple_add(a, b), c),
            &|v, [a, b, c]| {
                // R^2 v = (3 a^2 + R b) c.
                let factor = (a * a).times(&number(3)).plus(b, r);
                (&factor * c).plus(v, &-(r * r))
            },
        );
    }
}

/// a b / R - c, a^2 / R - c, and a reduced.
fn functions<K, D, const N: usize, const L: usize>(
    k: K,
    d: D,
    [a, b, c]: &[[D::Double; L]; 3],
) -> [[D::Double; L]; 3]
where
    K: DoublesReduction<N, L>,
    D: Doubles<4>,
{
    [
        k.product(d, a, b, Some(c)),
        k.square(d, a, Some(c)),
        k.reduce_weakly(d, *a),
    ]
}

fn p256() -> Subject<P256DoublesReduction, 4, 6> {
    Subject::new("P-256", P256DoublesReduction, P256Kernel, 240)
}

fn secp256k1() -> Subject<Secp256k1DoublesReduction, 4, 6> {
    Subject::new("secp256k1", Secp256k1DoublesReduction, Secp256k1Kernel, 0)
}

/// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
static P384: Modulus<6> = Modulus::new([
    0xffff_ffff,
    0xffff_ffff << 32,
    u64::MAX - 1,
    u64::MAX,
    u64::MAX,
    u64::MAX,
]);

fn p384() -> Subject<P384DoublesReduction<Coordinate>, 6, 8> {
    let reduction = P384DoublesReduction::new(P384.prime()).expect("the prime");
    Subject::new(
        "P-384",
        reduction,
        AnyKernel::<Coordinate, 6>::portable(&P384),
        336,
    )
}

#[test]
fn products_p256() {
    p256().products();
}

#[test]
fn products_secp256k1() {
    secp256k1().products();
}

#[test]
fn products_p384() {
    p384().products();
}

#[test]
fn sums_p256() {
    p256().sums_and_factors();
}

#[test]
fn sums_secp256k1() {
    secp256k1().sums_and_factors();
}

#[test]
fn sums_p384() {
    p384().sums_and_factors();
}

#[test]
fn words_p256() {
    p256().single_values();
    p256().digits();
}

#[test]
fn no_proof_p256() {
    p256().no_proof(2.0 * P256DoublesReduction::ROOM);
}

#[test]
fn words_secp256k1() {
    secp256k1().single_values();
    secp256k1().digits();
}

#[test]
fn no_proof_secp256k1() {
    // It has room for more than 50 times an element.
    secp256k1().no_proof(64.0 * Secp256k1DoublesReduction::ROOM);
}

#[test]
fn words_p384() {
    p384().single_values();
    p384().digits();
}

#[test]
fn no_proof_p384() {
    p384().no_proof(2.0 * P384DoublesReduction::<Coordinate>::ROOM);
}

#[test]
fn backend() {
    p256().backend();
    secp256k1().backend();
    p384().backend();
}
