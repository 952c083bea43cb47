//! Lanes of 29 bits: products, sums and conversions, for each prime.
//!
//! The debug assertions of the library run, too, and see both ends of each range. So they are
//! proved for all inputs as well.
//!
//! Not proved here: that instructions of AVX2 compute what portable quads compute (tests compare
//! them), that lanes do not mix, the subtraction of p from words that leave a field, and the
//! selection of entries of tables.

use num_bigint::BigInt;
use num_traits::One as _;
use sigmill::hazmat::field::c25519::{self, LazyField};
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    C25519FieldNarrowX4, Factors, Field, FieldNarrowX4, Form as LaneForm, Kernel, LaneRegisters,
    Lanes, Mask, MaskNarrowX4, Modulus, NarrowModulus, NarrowReduction, P256NarrowReduction,
    Registers, Secp256k1NarrowReduction,
};
use sigmill::hazmat::ladder::A24;
use sigmill::hazmat::limbs::PortableNarrowQuads;
use sigmill_proofs::Symbolic;
use sigmill_proofs::arena::{Value, with};
use sigmill_proofs::claim::{Form, comparison, fails, integer, lose_each_operation, outcome};
use sigmill_proofs::polynomial::{Number, Polynomial, number};

/// The limbs of one element.
type Limbs = [Value; 9];

/// The lanes of 2^255 - 19.
type C25519 = C25519FieldNarrowX4<Symbolic>;

/// Limbs below these bounds.
fn limbs_below(bounds: [u64; 9]) -> Form {
    Form::new(29, bounds.map(|bound| 0..u128::from(bound)))
}

fn r(modulus: &Modulus<4>) -> Number {
    match modulus.has_montgomery_form() {
        true => number(BigInt::one() << 261),
        false => number(1),
    }
}

/// Claims about a field.
struct Claims {
    name: &'static str,
    modulus: BigInt,
}

impl Claims {
    /// Asserts that a claim is proved.
    fn claim<const N: usize, const L: usize, const M: usize>(
        &self,
        what: &str,
        inputs: [&Form; N],
        result: &Form,
        run: impl Fn(&[[Value; L]; N]) -> [Value; M],
        residue: impl Fn(&Polynomial, &[Polynomial; N]) -> Polynomial,
    ) {
        let outcome = outcome(&self.modulus, inputs, result, run, residue);
        outcome.assert_proved(&format!("29-bit lanes, {}: {what}", self.name));
    }

    /// Claims `a = b` as a claim modulo a number that no coefficient reaches.
    fn exactly(&self) -> Self {
        Self {
            name: self.name,
            modulus: BigInt::one() << 1000,
        }
    }
}

/// Words that a function reads by a transposition.
fn reading<T>(words: &[Value; 4], run: impl FnOnce() -> T) -> T {
    with(|arena| arena.words_in = words.to_vec());
    run()
}

/// Words that a function writes by a transposition.
fn written(run: impl FnOnce()) -> [Value; 4] {
    run();
    let words = with(|arena| std::mem::take(&mut arena.words_out));
    words.try_into().expect("four words")
}

fn proofs<K, S>(name: &'static str, reduction: K, kernel: S)
where
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let field = FieldNarrowX4::new(Symbolic, reduction, kernel).registers();
    let modulus = integer(kernel.modulus().prime());
    let claims = Claims { name, modulus };
    let r = r(kernel.modulus());
    let r = |polynomial: &Polynomial| polynomial.times(&r);
    let element = &limbs_below(NarrowModulus::ELEMENT_BOUNDS);
    let factor = &limbs_below(NarrowModulus::FACTOR_BOUNDS);
    let two = number(2);
    claims.claim(
        "a b",
        [element; 2],
        element,
        |[a, b]| field.mul(a, b),
        |v, [a, b]| &r(v) - &(a * b),
    );
    claims.claim(
        "a^2",
        [element],
        element,
        |[a]| field.square(a),
        |v, [a]| &r(v) - &(a * a),
    );
    claims.claim(
        "a b - c",
        [element; 3],
        element,
        |[a, b, c]| field.mul_sub(a, b, c),
        |v, [a, b, c]| &r(&(v + c)) - &(a * b),
    );
    claims.claim(
        "a^2 - b - c",
        [element; 3],
        element,
        |[a, b, c]| field.square_sub_both(a, b, c),
        |v, [a, b, c]| &r(&(&(v + b) + c)) - &(a * a),
    );

    claims.claim(
        "a + b",
        [element; 2],
        element,
        |[a, b]| field.add(a, b),
        |v, [a, b]| &(a + b) - v,
    );
    claims.claim(
        "a - b",
        [element; 2],
        element,
        |[a, b]| field.sub(a, b),
        |v, [a, b]| &(a - b) - v,
    );
    claims.claim(
        "a - b - c",
        [element; 3],
        element,
        |[a, b, c]| field.sub_both(a, b, c),
        |v, [a, b, c]| &(&(a - b) - c) - v,
    );
    claims.claim(
        "-a",
        [element],
        element,
        |[a]| field.negate(a),
        |v, [a]| v + a,
    );
    claims.claim(
        "a / 2",
        [element],
        element,
        |[a]| field.half(a),
        |v, [a]| &v.times(&two) - a,
    );
    claims.claim(
        "1",
        [],
        element,
        |_: &[Limbs; 0]| field.one(),
        |v, _| &r(&Polynomial::constant(number(1))) - v,
    );

    // Factors f are the limbs of any factor.
    claims.claim(
        "a as a factor",
        [element],
        factor,
        |[a]| *field.factor(a).limbs(),
        |v, [a]| v - a,
    );
    claims.claim(
        "a - b as a factor",
        [element; 2],
        factor,
        |[a, b]| *field.difference(a, b).limbs(),
        |v, [a, b]| &(a - b) - v,
    );
    claims.claim(
        "3 a^2 + b as a factor",
        [element; 2],
        factor,
        |[a, b]| *field.square_triple_add(a, b).limbs(),
        |v, [a, b]| &r(&(v - b)) - &(a * a).times(&number(3)),
    );
    claims.claim(
        "f b",
        [factor, element],
        element,
        |[f, b]| field.times(&field.factor(f), b),
        |v, [f, b]| &r(v) - &(f * b),
    );
    claims.claim(
        "f b - c",
        [factor, element, element],
        element,
        |[f, b, c]| field.times_sub(&field.factor(f), b, c),
        |v, [f, b, c]| &r(&(v + c)) - &(f * b),
    );
    claims.claim(
        "2 f b - c",
        [factor, element, element],
        element,
        |[f, b, c]| field.double_times_sub(&field.factor(f), b, c),
        |v, [f, b, c]| &r(&(v + c)) - &(f * b).times(&two),
    );

    let all = |holds| MaskNarrowX4::from_lanes(|_| holds);
    claims.claim(
        "the choice of a",
        [element; 2],
        element,
        |[a, b]| field.select(all(true), a, b),
        |v, [a, _]| v - a,
    );
    claims.claim(
        "the choice of b",
        [element; 2],
        element,
        |[a, b]| field.select(all(false), a, b),
        |v, [_, b]| v - b,
    );

    let values = FieldNarrowX4::new(Symbolic, reduction, kernel);
    let value = values.single().zero();
    let shift = number(1 << K::SHIFT);
    claims.claim(
        "from single values",
        [&Form::words(4)],
        element,
        |[words]| reading(words, || field.gather_values([&value; 8])),
        |v, [words]| v - &words.times(&shift),
    );
    let lanes = FieldNarrowX4::new(PortableNarrowQuads, reduction, kernel);
    let lanes = lanes.lanes(&lanes.zero());
    claims.claim(
        "from lanes",
        [&Form::words(4)],
        element,
        |[words]| reading(words, || field.gather_lanes([&lanes.as_ref()[0]; 8])),
        |v, [words]| v - words,
    );
    for (form, exponent) in [(LaneForm::Single, 256), (LaneForm::Integer, 0)] {
        let Some(to_form) = field.factor_of(form) else {
            continue;
        };
        let result = number(BigInt::one() << exponent);
        claims.claim(
            "to the R of words",
            [element],
            element,
            |[a]| field.mul(a, &field.load(&to_form)),
            |v, [a]| &r(v) - &a.times(&result),
        );
    }
    let with_fifth = Form::unsigned(5, 64, 2);
    claims.exactly().claim(
        "to words",
        [element],
        &with_fifth,
        |[a]| {
            let [w0, w1, w2, w3] = written(|| {
                field.rows(a, LaneForm::Lane);
            });
            [w0, w1, w2, w3, with(|arena| arena.floor(a[8], 24))]
        },
        |v, [a]| v - a,
    );
    let comparison = comparison(element, &claims.modulus, |a| field.is_zero(a).any());
    comparison.assert_proved(&format!("29-bit lanes, {name}: comparison with zero"));
}

#[test]
fn p256() {
    proofs("P-256", P256NarrowReduction, P256Kernel);
}

#[test]
fn secp256k1() {
    proofs("secp256k1", Secp256k1NarrowReduction, Secp256k1Kernel);
}

#[test]
fn c25519() {
    /// A factor of the largest size that may be added in.
    const MOST: u64 = (1 << 17) - 1;

    let field = C25519::new(Symbolic);
    let claims = Claims {
        name: "2^255 - 19",
        modulus: integer(c25519::PRIME.prime()),
    };
    let product = &limbs_below(C25519::PRODUCT_BOUNDS);
    let sum = &limbs_below(C25519::SUM_BOUNDS);
    let difference = &limbs_below(C25519::DIFFERENCE_BOUNDS);
    let factors = [("sum", sum), ("difference", difference)];
    for (of_a, a) in factors {
        for (of_b, b) in factors {
            claims.claim(
                &format!("{of_a} times {of_b}"),
                [a, b],
                product,
                |[a, b]| field.product(a, b),
                |v, [a, b]| v - &(a * b),
            );
        }
        claims.claim(
            &format!("{of_a} squared"),
            [a],
            product,
            |[a]| field.squares([a, a])[1],
            |v, [a]| v - &(a * a),
        );
        claims.claim(
            &format!("a + SMALL {of_a}"),
            [product, a],
            sum,
            |[a, b]| field.add_multiple::<MOST>(a, b),
            |v, [a, b]| &(v - a) - &b.times(&number(MOST)),
        );
        claims.claim(
            &format!("a + A24 {of_a}"),
            [product, a],
            sum,
            |[a, b]| field.add_multiple::<A24>(a, b),
            |v, [a, b]| &(v - a) - &b.times(&number(A24)),
        );
    }
    claims.claim(
        "a + b",
        [product; 2],
        sum,
        |&[a, b]| field.sums_and_differences([&[a, b]])[0][0],
        |v, [a, b]| v - &(a + b),
    );
    claims.claim(
        "a - b",
        [product; 2],
        difference,
        |[a, b]| field.difference(a, b),
        |v, [a, b]| v - &(a - b),
    );
    claims.claim(
        "a as a factor",
        [product],
        sum,
        |[a]| field.factors([a])[0],
        |v, [a]| v - a,
    );
    claims.exactly().claim(
        "from words",
        [&Form::unsigned(4, 64, 1 << 63)],
        product,
        |[words]| reading(words, || field.pack([&[0; 4]; 4])),
        |v, [words]| v - words,
    );
    claims.exactly().claim(
        "to words",
        [product],
        &Form::words(4),
        |[a]| {
            written(|| {
                field.unpack(a);
            })
        },
        |v, [a]| v - a,
    );
}

/// Claims that are wrong fail: other ranges, another R, another prime, a lost operation.
fn defects<K, S>(reduction: K, kernel: S, other: &Modulus<4>)
where
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    let field = FieldNarrowX4::new(Symbolic, reduction, kernel).registers();
    let p = &integer(kernel.modulus().prime());
    let r = &r(kernel.modulus());
    let element = &limbs_below(NarrowModulus::ELEMENT_BOUNDS);
    let factor = &limbs_below(NarrowModulus::FACTOR_BOUNDS);
    let product = |p: &BigInt, inputs, result, r: &Number| {
        let run = |[a, b]: &[Limbs; 2]| field.times(&field.factor(a), b);
        outcome(p, inputs, result, run, |v, [a, b]| &v.times(r) - &(a * b))
    };
    let inputs = [factor, element];
    // The highest limb of the result takes more than half of its range. Columns of products of two
    // factors overflow.
    let mut bounds = NarrowModulus::ELEMENT_BOUNDS;
    bounds[8] /= 2;
    let narrower = &limbs_below(bounds);
    let is_wrong = |p: &BigInt, inputs, result, r: &Number| fails(|| product(p, inputs, result, r));
    assert!(!is_wrong(p, inputs, element, r));
    lose_each_operation(|| product(p, inputs, element, r));
    assert!(is_wrong(&integer(other.prime()), inputs, element, r));
    assert!(is_wrong(p, inputs, element, &(r * number(2))));
    assert!(is_wrong(p, inputs, narrower, r));
    assert!(is_wrong(p, [factor; 2], element, r));
}

#[test]
fn defects_are_found() {
    defects(P256NarrowReduction, P256Kernel, Secp256k1Kernel.modulus());
    defects(
        Secp256k1NarrowReduction,
        Secp256k1Kernel,
        P256Kernel.modulus(),
    );

    let (field, p) = (C25519::new(Symbolic), integer(c25519::PRIME.prime()));
    let result = &limbs_below(C25519::PRODUCT_BOUNDS);
    let factor = &limbs_below(C25519::DIFFERENCE_BOUNDS);
    let run = |[a, b]: &[Limbs; 2]| field.product(a, b);
    lose_each_operation(|| outcome(&p, [factor; 2], result, run, |v, [a, b]| v - &(a * b)));
}
