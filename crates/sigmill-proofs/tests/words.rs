//! Lanes of 52 bits: products, sums and conversions, for each prime.

use num_bigint::BigInt;
use num_traits::One as _;
use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::secp256k1::Secp256k1Kernel;
use sigmill::hazmat::field::{
    Factors, Field, FieldX8, Kernel, P256ReductionX8, Reduction, Secp256k1ReductionX8,
};
use sigmill_proofs::Symbolic;
use sigmill_proofs::claim::{Form, prove};
use sigmill_proofs::polynomial::{Polynomial, number};

fn integer(words: &[u64]) -> BigInt {
    words
        .iter()
        .rev()
        .fold(BigInt::from(0), |sum, &word| (sum << 64) + word)
}

fn proofs<K, S, const N: usize, const L: usize>(name: &str, reduction: K, kernel: S)
where
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    let field = FieldX8::new(Symbolic, reduction, kernel).registers();
    let constants = reduction.constants();
    let prime = integer(kernel.modulus().prime());
    let form = Form::unsigned(L, 52, constants.weak_bound());
    let r = match constants.has_montgomery_form() {
        true => BigInt::one() << (52 * L),
        false => BigInt::one(),
    };
    let r = number(r);
    let one = number(1);
    type Run<'a, const L: usize> =
        &'a dyn Fn(&[[sigmill_proofs::arena::Value; L]; 3]) -> [sigmill_proofs::arena::Value; L];
    let claim =
        |what: &str, run: Run<L>, residue: &dyn Fn(&Polynomial, &[Polynomial; 3]) -> Polynomial| {
            let start = std::time::Instant::now();
            let outcome = prove(
                &form,
                &prime,
                || {
                    let inputs = [form.element(), form.element(), form.element()];
                    let result = run(&inputs);
                    (result.to_vec(), inputs.map(|input| form.integer(&input)))
                },
                |result, inputs| residue(result, inputs),
            );
            println!(
                "{name} {what}: {} cases, {:.4}, {:?} {:?}",
                outcome.cases,
                outcome.share,
                outcome.failures,
                start.elapsed()
            );
        };
    claim("product", &|[a, b, _]| field.mul(a, b), &|v, [a, b, _]| {
        (a * b).plus(v, &-&r)
    });
    claim("square", &|[a, ..]| field.square(a), &|v, [a, ..]| {
        (a * a).plus(v, &-&r)
    });
    claim("a b - c", &|[a, b, c]| field.mul_sub(a, b, c), &|v,
                                                            [
        a,
        b,
        c,
    ]| {
        (a * b).plus(&(v + c), &-&r)
    });
    claim(
        "a^2 - b - c",
        &|[a, b, c]| field.square_sub_both(a, b, c),
        &|v, [a, b, c]| (a * a).plus(&(&(v + c) + b), &-&r),
    );
    claim("sum", &|[a, b, _]| field.add(a, b), &|v, [a, b, _]| {
        &(a + b) - v
    });
    claim(
        "difference",
        &|[a, b, _]| field.sub(a, b),
        &|v, [a, b, _]| &(a - b) - v,
    );
    claim("a - b - c", &|[a, b, c]| field.sub_both(a, b, c), &|v,
                                                               [
        a,
        b,
        c,
    ]| {
        &(&(a - b) - c) - v
    });
    claim("negation", &|[a, ..]| field.negate(a), &|v, [a, ..]| v + a);
    claim("half", &|[a, ..]| field.half(a), &|v, [a, ..]| {
        a - &v.times(&number(2))
    });
    claim(
        "(a - b) c",
        &|[a, b, c]| field.times(&field.difference(a, b), c),
        &|v, [a, b, c]| (&(a - b) * c).plus(v, &-&r),
    );
    let _ = one;
}

#[test]
fn p256() {
    proofs("P-256", P256ReductionX8, P256Kernel);
}

#[test]
fn secp256k1() {
    proofs("secp256k1", Secp256k1ReductionX8, Secp256k1Kernel);
}
