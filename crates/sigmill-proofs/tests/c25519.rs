//! 2^255 - 19 on AVX-512 IFMA: eight lanes of limbs of 52 bits, and four products at once of limbs
//! of 51 bits.
//!
//! Not proved here: that instructions of IFMA compute what portable words compute (tests compare
//! them), the conversions of four products from and to words, the order of operands in the first
//! level of their ladder, and that the formulas of the ladders are those of the curve.

use num_bigint::BigInt;
use num_traits::One as _;
use sigmill::hazmat::field::c25519::{C25519FieldX8, C25519X4, Columns, LazyField};
use sigmill::hazmat::ladder::{A24, finish, multiply, sums_and_differences};
use sigmill_proofs::Symbolic;
use sigmill_proofs::arena::{Value, with};
use sigmill_proofs::claim::{Form, Outcome, fails, lose_each_operation, outcome, prove};
use sigmill_proofs::polynomial::{Polynomial, number};
use sigmill_proofs::quads::at_both_ends;

type X8 = C25519FieldX8<Symbolic>;
type X4 = C25519X4<Symbolic>;

/// Five limbs or columns.
type Limbs = [Value; 5];

/// A factor of the largest size that may be added in.
const SMALL: u64 = (1 << 17) - 1;

/// Columns from `least` on, and below `offset` plus a bound.
fn columns(bits: u32, [least, offset]: [[u64; 5]; 2], bound: u64) -> Form {
    let range = |i: usize| u128::from(least[i])..u128::from(offset[i] + bound);
    Form::new(bits, (0..5).map(range))
}

/// Factors of eight lanes: words of which only parts are read, and a highest limb.
fn factor(top: u64) -> Form {
    Form::unsigned(5, 52, top.into()).cut()
}

/// The prime 2^255 - 19.
fn prime() -> BigInt {
    (BigInt::one() << 255) - 19
}

/// Prints an outcome, and asserts that it is a proof.
fn expect(what: &str, outcome: &Outcome) {
    outcome.assert_proved(&format!("52-bit lanes, 2^255 - 19: {what}"));
}

/// Asserts that the [`outcome`] of a claim is a proof.
fn claim<const N: usize, const L: usize, const M: usize>(
    what: &str,
    inputs: [&Form; N],
    result: &Form,
    run: impl Fn(&[[Value; L]; N]) -> [Value; M],
    residue: impl Fn(&Polynomial, &[Polynomial; N]) -> Polynomial,
) {
    let outcome = outcome(&prime(), inputs, result, run, residue);
    expect(what, &outcome);
}

#[test]
fn eight_lanes() {
    let field = X8::new(Symbolic);
    let factor = &factor(X8::FACTOR_TOP);
    let of_lanes = |ends| columns(52, ends, X8::COLUMN_BOUND);
    let product = &of_lanes([[0; 5], [0; 5]]);
    let minuend = &of_lanes([X8::OFFSET, X8::OFFSET]);
    let either = &of_lanes([[0; 5], X8::OFFSET]);

    claim(
        "eight lanes, a b",
        [factor; 2],
        product,
        |[a, b]| field.product(a, b),
        |v, [a, b]| v - &(a * b),
    );
    claim(
        "eight lanes, a b as a minuend",
        [factor; 2],
        minuend,
        |[a, b]| field.products([[a, b]; 2])[0],
        |v, [a, b]| v - &(a * b),
    );
    claim(
        "eight lanes, a b of a pair",
        [factor; 2],
        product,
        |[a, b]| field.products([[a, b]; 2])[1],
        |v, [a, b]| v - &(a * b),
    );
    claim(
        "eight lanes, a^2 as a minuend",
        [factor],
        minuend,
        |[a]| field.squares([a, a])[0],
        |v, [a]| v - &(a * a),
    );
    claim(
        "eight lanes, a^2",
        [factor],
        product,
        |[a]| field.squares([a, a])[1],
        |v, [a]| v - &(a * a),
    );
    claim(
        "eight lanes, a + b",
        [minuend, product],
        factor,
        |&[a, b]| field.sums_and_differences([&[a, b]])[0][0],
        |v, [a, b]| v - &(a + b),
    );
    claim(
        "eight lanes, a - b",
        [minuend, product],
        factor,
        |&[a, b]| field.sums_and_differences([&[a, b]])[0][1],
        |v, [a, b]| v - &(a - b),
    );
    claim(
        "eight lanes, a - b alone",
        [minuend, product],
        factor,
        |[a, b]| field.difference(a, b),
        |v, [a, b]| v - &(a - b),
    );
    claim(
        "eight lanes, a as a factor",
        [either],
        factor,
        |[a]| field.factors([a])[0],
        |v, [a]| v - a,
    );
    claim(
        "eight lanes, a + SMALL b",
        [either, factor],
        factor,
        |[a, b]| field.add_multiple::<SMALL>(a, b),
        |v, [a, b]| &(v - a) - &b.times(&number(SMALL)),
    );
    claim(
        "eight lanes, a + A24 b",
        [either, factor],
        factor,
        |[a, b]| field.add_multiple::<A24>(a, b),
        |v, [a, b]| &(v - a) - &b.times(&number(A24)),
    );
    claim(
        "eight lanes, from words",
        [&Form::words(4)],
        minuend,
        |[words]: &[[Value; 4]; 1]| {
            with(|arena| arena.words_in = words.to_vec());
            field.pack_minuend([&[0; 4]; 8])
        },
        |v, [words]| v - words,
    );
    claim(
        "eight lanes, to words",
        [factor],
        &Form::words(4),
        |[a]| {
            field.unpack(a);
            let words = with(|arena| std::mem::take(&mut arena.words_out));
            <[Value; 4]>::try_from(words).expect("four words")
        },
        |v, [a]| v - a,
    );
}

/// Proves a function of four products in one lane. The lanes have different operands, so the lane
/// does not depend on the others.
fn outcome_of_lane<const N: usize>(
    lane: usize,
    inputs: [&Form; N],
    result: &Form,
    run: impl Fn(&[Columns<Symbolic>; N]) -> Columns<Symbolic>,
    residue: impl Fn(&Polynomial, &[Polynomial; N]) -> Polynomial,
) -> Outcome {
    let once = || {
        let lanes: [[Limbs; 4]; N] = inputs.map(|input| std::array::from_fn(|_| input.element()));
        let quads = lanes.map(|lanes| std::array::from_fn(|i| lanes.map(|limbs| limbs[i])));
        let result = run(&quads).map(|quad| quad[lane]);
        let integers = std::array::from_fn(|i| inputs[i].integer(&lanes[i][lane]));
        (result.to_vec(), integers)
    };
    prove(result, &prime(), once, residue)
}

/// Asserts that a claim holds in each lane. The result may have different forms in them.
fn claim_x4<const N: usize>(
    what: &str,
    inputs: [&Form; N],
    results: [&Form; 4],
    run: impl Fn(&[Columns<Symbolic>; N]) -> Columns<Symbolic>,
    residue: impl Fn(&Polynomial, &[Polynomial; N]) -> Polynomial,
) {
    for (lane, result) in results.into_iter().enumerate() {
        let what = format!("product {lane} of four, {what}");
        let prove = || outcome_of_lane(lane, inputs, result, &run, &residue);
        at_both_ends(|| expect(&what, &prove()));
    }
}

#[test]
fn four_products() {
    let field = X4::new(Symbolic);
    let below = |bound| columns(51, [[0; 5]; 2], bound);
    let factor = &below(X4::FACTOR_BOUND);
    let product = &below(X4::COLUMN_BOUND);
    let minuend = &columns(51, [X4::OFFSET; 2], X4::COLUMN_BOUND);

    claim_x4(
        "a b",
        [factor; 2],
        [minuend, product, minuend, product],
        |[a, b]| field.multiply(a, b, &field.offset::<0b0101>()),
        |v, [a, b]| v - &(a * b),
    );
    claim_x4(
        "a as a factor",
        [&below(1 << 63)],
        [factor; 4],
        |[a]| field.carry(a),
        |v, [a]| v - a,
    );
    claim_x4(
        "a + SMALL b",
        [&below(1 << 62), factor],
        [&below(1 << 63); 4],
        |[a, b]| field.add_multiple::<SMALL>(a, b),
        |v, [a, b]| &(v - a) - &b.times(&number(SMALL)),
    );
}

/// The steps of the ladder with four products at a time, from the forms that they leave. Level 1 is
/// a product of what [`sums_and_differences`] returns, carried and permuted. The rest is
/// [`finish`].
#[test]
fn ladder_of_four_products() {
    let field = X4::new(Symbolic);
    let below = |bound| columns(51, [[0; 5]; 2], bound);
    let (product, sum) = (&below(X4::COLUMN_BOUND), &below(1 << 63));
    let minuend = &columns(51, [X4::OFFSET; 2], X4::COLUMN_BOUND);
    let u = &below(1 << 51);
    let quads = |[a, b, c, d]: [Limbs; 4]| std::array::from_fn(|i| [a[i], b[i], c[i], d[i]]);
    let claim = |what: &str,
                 lane: usize,
                 result: &Form,
                 run: &dyn Fn([Limbs; 5]) -> Columns<Symbolic>,
                 wanted: &dyn Fn(&[Polynomial; 5]) -> Polynomial| {
        let inputs = [minuend, product, minuend, product, u];
        at_both_ends(|| {
            claim(
                &format!("ladder of four products, {what}"),
                inputs,
                result,
                |limbs| run(*limbs).map(|quad| quad[lane]),
                |v, inputs| v - &wanted(inputs),
            );
        });
    };
    let both = |[a, b, c, d, _]: [Limbs; 5]| {
        sums_and_differences::<_, 0b1010>(Symbolic, &quads([a, b, c, d]))
    };
    claim("a + b", 0, sum, &both, &|[a, b, ..]| a + b);
    claim("a - b", 1, sum, &both, &|[a, b, ..]| a - b);
    claim("c + d", 2, sum, &both, &|[_, _, c, d, _]| c + d);
    claim("c - d", 3, sum, &both, &|[_, _, c, d, _]| c - d);

    let rest = |[aa, bb, da, cb, u]: [Limbs; 5]| {
        let squares = quads([aa, bb, da, cb]);
        finish(
            Symbolic,
            &quads([u; 4]),
            &squares,
            &field.offset::<0b0101>(),
        )
    };
    let a24 = number(A24);
    claim("X2", 0, minuend, &rest, &|[aa, bb, ..]| aa * bb);
    claim("Z2", 1, product, &rest, &|[aa, bb, ..]| {
        let e = aa - bb;
        &e * &aa.clone().plus(&e, &a24)
    });
    claim("X3", 2, minuend, &rest, &|[_, _, da, cb, _]| {
        &(da + cb) * &(da + cb)
    });
    claim("Z3", 3, product, &rest, &|[_, _, da, cb, u]| {
        u * &(&(da - cb) * &(da - cb))
    });
}

/// The requirements of a field on the ladder: minuends are minuends, and subtrahends are other
/// products.
#[derive(Clone, Copy, Debug)]
struct Contract;

/// Reports whether a product is a minuend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct IsMinuend(bool);

impl LazyField for Contract {
    type Product = IsMinuend;
    type Factor = ();
    type Choice = ();
    const IN_TURN: bool = false;

    fn product(self, (): &(), (): &()) -> IsMinuend {
        IsMinuend(false)
    }

    fn products(self, _: [[&(); 2]; 2]) -> [IsMinuend; 2] {
        [IsMinuend(true), IsMinuend(false)]
    }

    fn squares(self, _: [&(); 2]) -> [IsMinuend; 2] {
        [IsMinuend(true), IsMinuend(false)]
    }

    fn difference(self, a: &IsMinuend, b: &IsMinuend) {
        assert_eq!([*a, *b], [IsMinuend(true), IsMinuend(false)]);
    }

    fn sums_and_differences<const N: usize>(self, products: [&[IsMinuend; 2]; N]) -> [[(); 2]; N] {
        products.map(|[a, b]| [(), self.difference(a, b)])
    }

    fn factors<const N: usize>(self, _: [&IsMinuend; N]) -> [(); N] {
        [(); N]
    }

    fn add_multiple<const SMALL: u64>(self, _: &IsMinuend, (): &()) {}

    fn choose(self, (): (), (): &(), (): &()) {}
}

/// The ladder of eight lanes subtracts products from minuends only, which is what the claims above
/// start from. In lanes of 29 bits, every product is a minuend.
#[test]
fn ladder() {
    let base = [IsMinuend(true), IsMinuend(false)];
    assert_eq!(multiply(Contract, &base, |_| ()), base);
}

/// Claims that are wrong fail: other ranges, another factor, another prime, a lost operation.
#[test]
fn defects_are_found() {
    let field = X8::new(Symbolic);
    let product = |factor: &Form, result: &Form, modulus: &BigInt, times| {
        let run = |[a, b]: &[Limbs; 2]| field.product(a, b);
        let residue = |v: &Polynomial, [a, b]: &[Polynomial; 2]| v - &(a * b).times(&number(times));
        outcome(modulus, [factor; 2], result, run, residue)
    };
    let of_lanes = |bound| columns(52, [[0; 5]; 2], bound);
    let (input, result) = (&factor(X8::FACTOR_TOP), &of_lanes(X8::COLUMN_BOUND));
    assert!(!fails(|| product(input, result, &prime(), 1)));
    lose_each_operation(|| product(input, result, &prime(), 1));
    assert!(fails(|| product(input, result, &(prime() - 2), 1)));
    assert!(fails(|| product(input, result, &prime(), 2)));
    let half = &of_lanes(X8::COLUMN_BOUND / 2);
    assert!(fails(|| product(input, half, &prime(), 1)));
    let twice = &factor(2 * X8::FACTOR_TOP);
    assert!(fails(|| product(twice, result, &prime(), 1)));

    let field = X4::new(Symbolic);
    let of_four = |bound| columns(51, [[0; 5]; 2], bound);
    let (input, result) = (&of_four(X4::FACTOR_BOUND), &of_four(X4::COLUMN_BOUND));
    let run = |[a, b]: &[Columns<Symbolic>; 2]| field.multiply(a, b, &field.offset::<0>());
    let product =
        |input: &Form| outcome_of_lane(0, [input; 2], result, run, |v, [a, b]| v - &(a * b));
    assert!(!fails(|| product(input)));
    lose_each_operation(|| product(input));
    assert!(fails(|| product(&of_four(1 << 52))));
    let run = |[a]: &[Columns<Symbolic>; 1]| field.carry(a);
    lose_each_operation(|| outcome_of_lane(0, [&of_four(1 << 63)], input, run, |v, [a]| v - a));
}
