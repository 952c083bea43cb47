//! Inverses and Legendre symbols of every implementation that exposes them. Each is a chain of
//! dependent operations, so no operand occurs twice, and is checked against OpenSSL's integers.

use anyhow::{Context as _, Result, ensure};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use p256::elliptic_curve::PrimeField as _;
use sigmill::CurveName;
use sigmill::hazmat::cpu::Adx;
use sigmill::hazmat::curve::{Curve as _, P256};
use sigmill::hazmat::field::{
    Field as _, Modulus, PrimeField, binary_gcd_inverse, c25519, euler_symbol, fermat_inverse,
    p256 as base,
};
use sigmill::hazmat::limbs::from_hex;

use crate::inputs::{Inputs, openssl_group, padded};
use crate::registry::{OPENSSL, OURS, Output, Peer, Registry, Subject};

/// The length of the chain in one call.
const LENGTH: usize = 20;

/// The order of P-256.
const ORDER: Modulus<4> = Modulus::new(from_hex(
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
));

/// The repeated operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// x <- 1/x + 1
    Inverse,
    /// x <- x + 2 + (x|p)
    Symbol,
}

/// The moduli.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prime {
    P256,
    Order256,
    C25519,
}

impl Prime {
    fn value(self) -> Result<BigNum> {
        let mut context = BigNumContext::new()?;
        let group = openssl_group(CurveName::P256)?;
        let (mut prime, mut a, mut b) = (BigNum::new()?, BigNum::new()?, BigNum::new()?);
        match self {
            Self::P256 => group.components_gfp(&mut prime, &mut a, &mut b, &mut context)?,
            Self::Order256 => group.order(&mut prime, &mut context)?,
            Self::C25519 => {
                prime.set_bit(255)?;
                prime.sub_word(19)?;
            }
        }
        Ok(prime)
    }
}

/// One implementation of one operation: 32 octets, big-endian, at its interface.
struct Number<D, S, E> {
    decode: D,
    step: S,
    encode: E,
}

struct Chain<T, S, E> {
    value: T,
    step: S,
    encode: E,
}

impl<T: Copy, S: Fn(T) -> T, E: Fn(T) -> [u8; 32]> Subject for Chain<T, S, E> {
    fn call(&mut self, _: usize) -> bool {
        for _ in 0..LENGTH {
            self.value = (self.step)(self.value);
        }
        true
    }

    fn items_per_call(&self) -> usize {
        LENGTH
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        // Checked on creation.
        Ok(Output::Checked)
    }
}

/// Registers a chain that begins with the first private key, and is checked over two calls.
fn register_chain<T, D, S, E>(
    peer: &mut Peer<'_>,
    op: &str,
    timed: &'static str,
    (prime, kind): (Prime, Kind),
    number: Number<D, S, E>,
) where
    T: Copy + 'static,
    D: Fn(&[u8; 32]) -> Option<T> + 'static,
    S: Fn(T) -> T + Copy + 'static,
    E: Fn(T) -> [u8; 32] + Copy + 'static,
{
    peer.compute(op, timed, None, move |inputs| {
        let start = start(inputs, prime)?;
        let mut chain = Chain {
            value: (number.decode)(&start).context("the start is not read")?,
            step: number.step,
            encode: number.encode,
        };
        chain.call(0);
        chain.call(1);
        let expected = expected(&start, prime, kind)?;
        ensure!(
            (chain.encode)(chain.value) == expected,
            "the chain's value is not OpenSSL's"
        );
        Ok(Box::new(chain))
    });
}

fn start(inputs: &Inputs, prime: Prime) -> Result<[u8; 32]> {
    let inputs = inputs.curve(CurveName::P256)?;
    let key = inputs.keys.first().context("no key")?;
    let mut context = BigNumContext::new()?;
    let mut start = BigNum::new()?;
    let key = BigNum::from_slice(&key.private)?;
    start.nnmod(&key, &*prime.value()?, &mut context)?;
    octets(&start)
}

fn octets(number: &BigNumRef) -> Result<[u8; 32]> {
    Ok(padded(number, 32)?.as_slice().try_into()?)
}

/// OpenSSL's result of two calls.
fn expected(start: &[u8; 32], prime: Prime, kind: Kind) -> Result<[u8; 32]> {
    let mut chain = OpensslChain::new(start, prime, kind)?;
    ensure!(chain.call(0) && chain.call(1), "OpenSSL finds no inverse");
    octets(&chain.value)
}

pub(crate) fn register(registry: &mut Registry) {
    match Adx::detect() {
        Some(adx) => register_ours(
            registry,
            base::P256AdxField::new(base::P256AdxKernel::new(adx)),
            P256.scalar_field(),
            c25519::C25519Field::new(c25519::C25519Adx::new(adx)),
        ),
        None => register_ours(
            registry,
            base::P256Field::new(base::P256Kernel),
            P256.scalar_field(),
            c25519::C25519Field::new(c25519::C25519Portable),
        ),
    }
    register_openssl(registry, openssl::version::version());
    register_crrl(registry);
    register_rustcrypto(registry);
}

const INVERSE: &str = "a chain of 20 dependent x <- 1/x + 1";
const SYMBOL: &str = "a chain of 20 dependent x <- x + 2 + (x|p)";

fn register_ours<F, S, K>(
    registry: &mut Registry,
    field: F,
    order: S,
    c25519: c25519::C25519Field<K>,
) where
    F: PrimeField<Integer = [u64; 4]>,
    S: PrimeField<Integer = [u64; 4]>,
    K: c25519::FoldKernel,
{
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    let chain = move |a: &_| base::fermat_inverse(field, a);
    ours(
        &mut peer,
        "p256/field-inverse",
        (Prime::P256, &base::PRIME),
        field,
        chain,
    );
    let power = move |a: &_| fermat_inverse(order, a);
    ours(
        &mut peer,
        "p256/order-inverse",
        (Prime::Order256, &ORDER),
        order,
        power,
    );
    let chain = move |a: &_| c25519.invert_fermat(a);
    ours(
        &mut peer,
        "c25519/field-inverse",
        (Prime::C25519, &c25519::PRIME),
        c25519,
        chain,
    );
    // Those modulo the primes of a curve are among the other layers.
    let vartime = move |x| c25519.invert_vartime(&x).unwrap_or(c25519.zero());
    let step = move |x| c25519.add(&vartime(x), &c25519.one());
    let of = (Prime::C25519, Kind::Inverse);
    register_chain(
        &mut peer,
        "c25519/field-inverse/vartime",
        INVERSE,
        of,
        number(c25519, step),
    );
    symbols(&mut peer, "p256/legendre", Prime::P256, field);
    symbols(&mut peer, "c25519/legendre", Prime::C25519, c25519);
}

/// An inversion in a field with this modulus.
type Step<F> = fn(F, &'static Modulus<4>, &Element<F>) -> Element<F>;
type Element<F> = <F as sigmill::hazmat::field::Field>::Element;

/// Every inversion of sigmill.
fn ours<F: PrimeField<Integer = [u64; 4]>>(
    peer: &mut Peer<'_>,
    op: &str,
    (prime, modulus): (Prime, &'static Modulus<4>),
    field: F,
    fermat: impl Fn(&F::Element) -> F::Element + Copy + 'static,
) {
    let one = move |x: F::Element| field.add(&x, &field.one());
    let mut add = |name: &str, timed, step: Step<F>| {
        register_chain(
            peer,
            &format!("{op}/{name}"),
            timed,
            (prime, Kind::Inverse),
            number(field, move |x| one(step(field, modulus, &x))),
        );
    };
    add("ct", INVERSE, |field, _, x| field.invert(x));
    add(
        "ct-binary-gcd",
        "the same by the binary GCD, in Montgomery form where the field is",
        |field, modulus, x| {
            let inverse = binary_gcd_inverse(modulus, &field.to_integer(x));
            field.from_integer(&inverse).unwrap_or(field.zero())
        },
    );
    register_chain(
        peer,
        &format!("{op}/fermat"),
        "the same by a power",
        (prime, Kind::Inverse),
        number(field, move |x| one(fermat(&x))),
    );
}

fn symbols<F: PrimeField<Integer = [u64; 4]>>(
    peer: &mut Peer<'_>,
    op: &str,
    prime: Prime,
    field: F,
) {
    let mut add = |name: &str, timed, symbol: fn(F, &F::Element) -> i32| {
        register_chain(
            peer,
            &format!("{op}/{name}"),
            timed,
            (prime, Kind::Symbol),
            number(field, move |x| {
                let twice = field.double(&field.one());
                let step = if symbol(field, &x) == 1 {
                    field.add(&twice, &field.one())
                } else {
                    field.one()
                };
                field.add(&x, &step)
            }),
        );
    };
    add("ct", SYMBOL, |field, x| field.legendre(x));
    add("fermat", "the same by a power", euler_symbol);
}

/// A field's conversions from and to octets, and a step.
#[allow(
    clippy::type_complexity,
    reason = "the types of closures have no names to shorten it by"
)]
fn number<F: PrimeField<Integer = [u64; 4]>, S: Fn(F::Element) -> F::Element>(
    field: F,
    step: S,
) -> Number<impl Fn(&[u8; 32]) -> Option<F::Element>, S, impl Fn(F::Element) -> [u8; 32] + Copy> {
    Number {
        decode: move |octets: &[u8; 32]| field.from_be_bytes(octets),
        step,
        encode: move |x| {
            let mut octets = [0; 32];
            field.write_be_bytes(&x, &mut octets);
            octets
        },
    }
}

/// The base of the ratios: OpenSSL's functions for secret numbers.
fn register_openssl(registry: &mut Registry, version: &str) {
    let inverse = "BN_mod_inverse of a number with BN_FLG_CONSTTIME, and BN_mod_add";
    let symbol = "BN_mod_exp of a number with BN_FLG_CONSTTIME by (p - 1) / 2, and BN_mod_add";
    for (prime, kind, op, timed) in [
        (Prime::P256, Kind::Inverse, "p256/field-inverse/ct", inverse),
        (
            Prime::Order256,
            Kind::Inverse,
            "p256/order-inverse/ct",
            inverse,
        ),
        (
            Prime::C25519,
            Kind::Inverse,
            "c25519/field-inverse/ct",
            inverse,
        ),
        (Prime::P256, Kind::Symbol, "p256/legendre/ct", symbol),
        (Prime::C25519, Kind::Symbol, "c25519/legendre/ct", symbol),
    ] {
        let mut peer = registry.peer(OPENSSL, version.to_owned());
        peer.compute(op, timed, None, move |inputs| {
            let start = start(inputs, prime)?;
            let chain = OpensslChain::new(&start, prime, kind)?;
            Ok(Box::new(chain))
        });
    }
}

/// OpenSSL's chain, against which all others are checked.
struct OpensslChain {
    kind: Kind,
    value: BigNum,
    prime: BigNum,
    half: BigNum,
    one: BigNum,
    context: BigNumContext,
}

impl OpensslChain {
    fn new(start: &[u8; 32], prime: Prime, kind: Kind) -> Result<Self> {
        let prime = prime.value()?;
        let mut half = BigNum::new()?;
        half.rshift1(&prime)?;
        Ok(Self {
            kind,
            value: BigNum::from_slice(start)?,
            prime,
            half,
            one: BigNum::from_u32(1)?,
            context: BigNumContext::new()?,
        })
    }

    fn step(&mut self) -> Result<()> {
        self.value.set_const_time();
        let (mut answer, mut next) = (BigNum::new()?, BigNum::new()?);
        let (value, prime, context) = (&self.value, &self.prime, &mut self.context);
        match self.kind {
            Kind::Inverse => {
                answer.mod_inverse(value, prime, context)?;
                next.mod_add(&answer, &self.one, prime, context)?;
            }
            Kind::Symbol => {
                answer.mod_exp(value, &self.half, prime, context)?;
                let step = BigNum::from_u32(if answer == self.one { 3 } else { 1 })?;
                next.mod_add(value, &step, prime, context)?;
            }
        }
        self.value = next;
        Ok(())
    }
}

impl Subject for OpensslChain {
    fn call(&mut self, _: usize) -> bool {
        (0..LENGTH).all(|_| self.step().is_ok())
    }

    fn items_per_call(&self) -> usize {
        LENGTH
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        Ok(Output::Checked)
    }
}

/// crrl's types have the same methods, without a common trait; encodings are little-endian.
macro_rules! crrl {
    ($peer:expr, $type:ty, $prime:expr, inverse $inverse:literal $(, symbol $symbol:literal)?) => {
        let decode = |octets: &[u8; 32]| {
            let mut octets = *octets;
            octets.reverse();
            <$type>::decode(&octets)
        };
        let encode = |x: $type| {
            let mut octets = x.encode();
            octets.reverse();
            octets
        };
        let step = |x: $type| <$type>::ONE / x + <$type>::ONE;
        let inverse = Number { decode, step, encode };
        register_chain($peer, $inverse, INVERSE, ($prime, Kind::Inverse), inverse);
        $(
            let three = <$type>::ONE + <$type>::ONE + <$type>::ONE;
            let step = move |x: $type| x + if x.legendre() == 1 { three } else { <$type>::ONE };
            let symbol = Number { decode, step, encode };
            register_chain($peer, $symbol, SYMBOL, ($prime, Kind::Symbol), symbol);
        )?
    };
}

fn register_crrl(registry: &mut Registry) {
    let version = registry.versions.of("crrl");
    let peer = &mut registry.peer("crrl", version);
    crrl!(peer, crrl::field::GFp256, Prime::P256,
        inverse "p256/field-inverse/ct", symbol "p256/legendre/ct");
    crrl!(peer, crrl::p256::Scalar, Prime::Order256, inverse "p256/order-inverse/ct");
    crrl!(peer, crrl::field::GF25519, Prime::C25519,
        inverse "c25519/field-inverse/ct", symbol "c25519/legendre/ct");
}

fn register_rustcrypto(registry: &mut Registry) {
    type Scalar = p256::Scalar;
    let version = registry.versions.of("p256");
    let peer = &mut registry.peer("p256", version);
    let decode = |octets: &[u8; 32]| Option::<Scalar>::from(Scalar::from_repr((*octets).into()));
    let encode = |x: Scalar| x.to_repr().into();
    let one = |x: Scalar| x + Scalar::ONE;
    let step = move |x: Scalar| one(Option::from(x.invert()).unwrap_or(Scalar::ZERO));
    let of = (Prime::Order256, Kind::Inverse);
    let number = Number {
        decode,
        step,
        encode,
    };
    register_chain(peer, "p256/order-inverse/ct", INVERSE, of, number);
    let step = move |x: Scalar| one(Option::from(x.invert_vartime()).unwrap_or(Scalar::ZERO));
    let number = Number {
        decode,
        step,
        encode,
    };
    register_chain(peer, "p256/order-inverse/vartime", INVERSE, of, number);
}
