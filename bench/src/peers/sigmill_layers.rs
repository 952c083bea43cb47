//! sigmill's layers: chains of dependent operations, from which the minimal cost of a verification
//! can be computed. Each chain is checked against OpenSSL's integers and points.

use anyhow::{Context as _, Result, ensure};
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcPoint, PointConversionForm};
use sigmill::CurveName;
use sigmill::hazmat::curve::{
    self, AffinePoint, BaseField, Domain as _, Group, JacobianPoint, Operation, ScalarField,
};

use crate::inputs::{CurveInputs, openssl_group};
use crate::registry::{OURS, Output, Registry, Subject};

/// The repeated operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// x <- x q
    FieldMul,
    /// x <- x q, four independent chains
    FieldMulIndependent,
    /// x <- x^2
    FieldSquare,
    /// x <- 1/x + 1 mod p
    FieldInverse,
    /// x <- 1/x + 1 mod n
    ScalarInverse,
    /// P <- 2 P
    JacobianDouble,
    /// P <- P + Q, P Jacobian and Q affine
    MixedAdd,
}

impl Layer {
    const ALL: [(Self, &str, &str); 7] = [
        (
            Self::FieldMul,
            "field-mul",
            "a chain of 1,000 dependent x <- x q mod p",
        ),
        (
            Self::FieldMulIndependent,
            "field-mul/independent",
            "four chains side by side, each of 1,000 dependent x <- x q mod p",
        ),
        (
            Self::FieldSquare,
            "field-square",
            "a chain of 1,000 dependent x <- x^2 mod p",
        ),
        (
            Self::FieldInverse,
            "field-inverse/vartime",
            "a chain of 20 dependent x <- 1/x + 1 mod p",
        ),
        (
            Self::ScalarInverse,
            "order-inverse/vartime",
            "a chain of 20 dependent x <- 1/x + 1 mod n",
        ),
        (
            Self::JacobianDouble,
            "jacobian-double",
            "a chain of 200 dependent P <- 2 P",
        ),
        (
            Self::MixedAdd,
            "mixed-add",
            "a chain of 200 dependent P <- P + Q, P Jacobian, Q affine",
        ),
    ];

    /// The number of operations per call.
    fn items(self) -> usize {
        self.length()
            * if self == Self::FieldMulIndependent {
                4
            } else {
                1
            }
    }

    /// The length of the chain in one call.
    fn length(self) -> usize {
        match self {
            Self::FieldMul | Self::FieldMulIndependent | Self::FieldSquare => 1000,
            Self::FieldInverse | Self::ScalarInverse => 20,
            Self::JacobianDouble | Self::MixedAdd => 200,
        }
    }
}

pub(crate) fn register(registry: &mut Registry) {
    register_curve(curve::P256, registry, "p256", CurveName::P256);
    register_curve(curve::P384.curve(), registry, "p384", CurveName::P384);
}

fn register_curve<C: curve::Curve>(of: C, registry: &mut Registry, prefix: &str, curve: CurveName) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    for (layer, name, timed) in Layer::ALL {
        peer.compute(
            &format!("{prefix}/{name}"),
            timed,
            Some(curve),
            move |inputs| chain(of, layer, &*inputs.curve(curve)?),
        );
    }
}

/// The state of a chain.
#[derive(Clone, Copy)]
struct State<C: curve::Curve> {
    /// Its x-coordinate is the field element of the field chains.
    point: JacobianPoint<C::BaseElement>,
    scalar: C::ScalarElement,
    /// The factor or summand.
    q: AffinePoint<C::BaseElement>,
}

/// The chain's start, from the encodings of Q and of a scalar: x = x(Q), P = G.
struct Start<'a> {
    public: &'a [u8],
    scalar: &'a [u8],
}

impl<C: curve::Curve> Operation<C> for Start<'_> {
    type Output = Option<State<C>>;

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let coordinates = self.public.get(1..)?;
        let (x, y) = coordinates.split_at(coordinates.len() / 2);
        let q = AffinePoint {
            x: base.from_be_bytes(x)?,
            y: base.from_be_bytes(y)?,
        };
        let point = Group::new(curve, base).from_affine(curve.generator());
        Some(State {
            point,
            scalar: order.from_be_bytes(self.scalar)?,
            q,
        })
    }
}

/// The chain itself.
struct Steps<'a, C: curve::Curve> {
    layer: Layer,
    state: &'a mut State<C>,
}

impl<C: curve::Curve> Operation<C> for Steps<'_, C> {
    /// Reports whether every inverse existed.
    type Output = bool;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> bool {
        let State { point, scalar, q } = self.state;
        let length = self.layer.length();
        let group = Group::new(curve, base);
        // Each chain begins and ends in memory, and stays in registers as far as they suffice.
        match self.layer {
            Layer::FieldMul => point.x = repeat(length, point.x, |x| base.mul(&x, &q.x)),
            Layer::FieldMulIndependent => {
                // Four starts, so that no two chains do the same work.
                let mut starts = [point.x, point.y, q.y, base.one()];
                starts = repeat(length, starts, |chains| chains.map(|x| base.mul(&x, &q.x)));
                [point.x, point.y, ..] = starts;
                point.z = base.add(&starts[2], &starts[3]);
            }
            Layer::FieldSquare => point.x = repeat(length, point.x, |x| base.square(&x)),
            Layer::FieldInverse => {
                let chain = repeat(length, Some(point.x), |x| {
                    Some(base.add(&base.invert_vartime(&x?)?, &base.one()))
                });
                let Some(x) = chain else { return false };
                point.x = x;
            }
            Layer::ScalarInverse => {
                let chain = repeat(length, Some(*scalar), |x| {
                    Some(order.add(&order.invert_vartime(&x?)?, &order.one()))
                });
                let Some(x) = chain else { return false };
                *scalar = x;
            }
            Layer::JacobianDouble => *point = repeat(length, *point, |p| group.double(&p)),
            Layer::MixedAdd => {
                *point = repeat(length, *point, |p| group.add_mixed_vartime(&p, q));
            }
        }
        true
    }
}

/// `step` applied `length` times to `start`.
#[inline(always)]
fn repeat<T>(length: usize, start: T, mut step: impl FnMut(T) -> T) -> T {
    let mut value = start;
    for _ in 0..length {
        value = step(value);
    }
    value
}

/// The chain's value, big-endian: x, the scalar, or x and y of the point.
struct Value<'a, C: curve::Curve> {
    layer: Layer,
    state: &'a State<C>,
    len: usize,
}

impl<C: curve::Curve> Operation<C> for Value<'_, C> {
    type Output = Option<Vec<u8>>;

    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let mut bytes = vec![0; self.len];
        match self.layer {
            Layer::FieldMul
            | Layer::FieldMulIndependent
            | Layer::FieldSquare
            | Layer::FieldInverse => {
                base.write_be_bytes(&self.state.point.x, &mut bytes);
            }
            Layer::ScalarInverse => order.write_be_bytes(&self.state.scalar, &mut bytes),
            Layer::JacobianDouble | Layer::MixedAdd => {
                let affine = Group::new(curve, base).to_affine_vartime(&self.state.point)?;
                bytes.resize(2 * self.len, 0);
                base.write_be_bytes(&affine.x, &mut bytes[..self.len]);
                base.write_be_bytes(&affine.y, &mut bytes[self.len..]);
            }
        }
        Some(bytes)
    }
}

struct Chain<C: curve::Curve> {
    curve: C,
    layer: Layer,
    state: State<C>,
}

impl<C: curve::Curve> Subject for Chain<C> {
    fn call(&mut self, _: usize) -> bool {
        self.curve.dispatch(Steps {
            layer: self.layer,
            state: &mut self.state,
        })
    }

    fn items_per_call(&self) -> usize {
        self.layer.items()
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        // Checked on creation.
        Ok(Output::Checked)
    }
}

/// A chain that begins with the first key, checked over the length of one call.
fn chain<C: curve::Curve>(
    curve: C,
    layer: Layer,
    inputs: &CurveInputs,
) -> Result<Box<dyn Subject>> {
    let key = inputs.keys.first().context("no key")?;
    let mut state: State<C> = curve
        .dispatch(Start {
            public: &key.public,
            scalar: &key.private,
        })
        .context("the first key is not read")?;
    if !matches!(layer, Layer::JacobianDouble | Layer::MixedAdd) {
        state.point.x = state.q.x;
    }
    let mut chain = Chain {
        curve,
        layer,
        state,
    };
    ensure!(chain.call(0), "an inverse is missing");
    let len = inputs.curve.field_len();
    let value = curve
        .dispatch(Value {
            layer,
            state: &chain.state,
            len,
        })
        .context("infinity")?;
    let expected = expected(layer, inputs)?;
    ensure!(value == expected, "the chain's value is not OpenSSL's");
    Ok(Box::new(chain))
}

/// OpenSSL's result for the length of one call.
fn expected(layer: Layer, inputs: &CurveInputs) -> Result<Vec<u8>> {
    let key = inputs.keys.first().context("no key")?;
    let group = openssl_group(inputs.curve)?;
    let mut context = BigNumContext::new()?;
    let len = inputs.curve.field_len();
    let (mut p, mut a, mut b, mut n) = (
        BigNum::new()?,
        BigNum::new()?,
        BigNum::new()?,
        BigNum::new()?,
    );
    group.components_gfp(&mut p, &mut a, &mut b, &mut context)?;
    group.order(&mut n, &mut context)?;
    let length = u32::try_from(layer.length())?;
    let mut power_of_two = BigNum::new()?;
    power_of_two.set_bit(i32::try_from(length)?)?;

    let mut x = BigNum::from_slice(&key.public[1..=len])?;
    let mut result = BigNum::new()?;
    match layer {
        Layer::FieldMul | Layer::FieldMulIndependent => {
            result.mod_exp(&x, &*BigNum::from_u32(length + 1)?, &p, &mut context)?;
        }
        Layer::FieldSquare => result.mod_exp(&x, &power_of_two, &p, &mut context)?,
        Layer::FieldInverse | Layer::ScalarInverse => {
            let modulus = if layer == Layer::FieldInverse { &p } else { &n };
            if layer == Layer::ScalarInverse {
                x = BigNum::from_slice(&key.private)?;
            }
            let one = BigNum::from_u32(1)?;
            for _ in 0..length {
                let mut inverse = BigNum::new()?;
                inverse.mod_inverse(&x, modulus, &mut context)?;
                x.mod_add(&inverse, &one, modulus, &mut context)?;
            }
            result = x;
        }
        Layer::JacobianDouble | Layer::MixedAdd => {
            // 2^length G, or 1 G + length Q.
            let mut point = EcPoint::new(&group)?;
            if layer == Layer::JacobianDouble {
                let mut scalar = BigNum::new()?;
                scalar.nnmod(&power_of_two, &n, &mut context)?;
                point.mul_generator2(&group, &scalar, &mut context)?;
            } else {
                let q = EcPoint::from_bytes(&group, &key.public, &mut context)?;
                let (one, count) = (BigNum::from_u32(1)?, BigNum::from_u32(length)?);
                point.mul_full(&group, &one, &q, &count, &mut context)?;
            }
            let uncompressed = PointConversionForm::UNCOMPRESSED;
            return Ok(point.to_bytes(&group, uncompressed, &mut context)?[1..].to_vec());
        }
    }
    Ok(result.to_vec_padded(i32::try_from(len)?)?)
}
