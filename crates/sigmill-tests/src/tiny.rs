//! Curves of tiny prime order for the generic code, and the same curves in plain integers.

mod endomorphism;

use sigmill::hazmat::curve::{AffinePoint, Curve, JacobianPoint, Prime};
use sigmill::hazmat::field::Coordinate;
use sigmill::hazmat::field::{PrimeField, Residue};
use sigmill::hazmat::scalar::Scalar;

pub use endomorphism::{Parts, WithEndomorphism};

/// A coordinate on a tiny curve.
pub type Element = Residue<Coordinate, 1>;

/// The types of tiny curves: one without an endomorphism, one with.
pub trait TinyCurve:
    Curve<Integer = [u64; 1], BaseElement = Element, ScalarElement = Scalar<1>>
{
}

impl<C: Curve<Integer = [u64; 1], BaseElement = Element, ScalarElement = Scalar<1>>> TinyCurve
    for C
{
}

/// A tiny curve, with its constants in plain integers.
#[derive(Clone, Copy, Debug)]
pub struct Tiny<C = Prime<1, 2>> {
    pub curve: C,
    pub p: i64,
    pub n: i64,
    pub a: i64,
    pub b: i64,
    pub g: (i64, i64),
}

/// Defines a tiny curve, with or without an endomorphism: a row of the curves over any prime.
#[macro_export]
macro_rules! tiny_curve {
    (
        $name:ident, p = $p:literal, n = $n:literal, a = $a:literal, b = $b:literal,
        G = ($x:literal, $y:literal), window $window:literal
    ) => {
        const $name: $crate::tiny::Tiny = {
            use sigmill::hazmat::curve::{Constants, Params, Prime};
            use sigmill::hazmat::field::Modulus;

            static PRIME: Modulus<1> = Modulus::new([$p]);
            static ORDER: Modulus<1> = Modulus::new([$n]);
            static PARAMS: Params<1, 2> = Params::new(Constants {
                label: stringify!($name),
                prime: &PRIME,
                order: &ORDER,
                a: [$a],
                b: [$b],
                generator: [[$x], [$y]],
                generator_window: $window,
                base_window: if $n < 128 { 2 } else { 3 },
            });
            $crate::tiny::Tiny {
                curve: Prime::new(&PARAMS),
                p: $p,
                n: $n,
                a: $a,
                b: $b,
                g: ($x, $y),
            }
        };
    };
    (
        $name:ident, p = $p:literal, n = $n:literal, a = 0, b = $b:literal,
        G = ($x:literal, $y:literal), window $window:literal,
        endomorphism beta = $beta:literal, split by $split_a:literal and $split_b:literal
    ) => {
        const $name: $crate::tiny::Tiny<$crate::tiny::WithEndomorphism> = {
            use $crate::tiny::{Parts, Tiny, WithEndomorphism};

            $crate::tiny_curve!(
                WITHOUT, p = $p, n = $n, a = 0, b = $b, G = ($x, $y), window $window
            );
            static PARTS: Parts = Parts::new(WITHOUT.curve, $beta, [$split_a, $split_b]);
            Tiny {
                curve: WithEndomorphism::new(&PARTS),
                p: $p,
                n: $n,
                a: 0,
                b: $b,
                g: ($x, $y),
            }
        };
    };
}

/// A point in plain integers; `None` is infinity.
pub type Plain = Option<(i64, i64)>;

/// The inverse of a modulo m, by search.
pub fn inverse(a: i64, m: i64) -> i64 {
    let a = a.rem_euclid(m);
    (1..m).find(|x| a * x % m == 1).unwrap()
}

impl<C: TinyCurve> Tiny<C> {
    /// A coordinate.
    pub fn element(&self, value: i64) -> Element {
        let field = self.curve.base_field();
        field.from_integer(&[value as u64]).unwrap()
    }

    /// The point with these coordinates.
    pub fn affine(&self, (x, y): (i64, i64)) -> AffinePoint<Element> {
        AffinePoint {
            x: self.element(x),
            y: self.element(y),
        }
    }

    pub fn plain_point(&self, point: &AffinePoint<Element>) -> Plain {
        let field = self.curve.base_field();
        let [x, y] = [&point.x, &point.y].map(|element| field.to_integer(element)[0] as i64);
        Some((x, y))
    }

    /// The sum of two points by the textbook formulas for chord and tangent.
    pub fn plain_add(&self, a: Plain, b: Plain) -> Plain {
        let p = self.p;
        let (Some((x1, y1)), Some((x2, y2))) = (a, b) else {
            return a.or(b);
        };
        let slope = if x1 != x2 {
            (y2 - y1) * inverse(x2 - x1, p)
        } else if (y1 + y2) % p == 0 {
            return None;
        } else {
            (3 * x1 * x1 + self.a) * inverse(2 * y1, p)
        };
        let x3 = (slope % p * slope - x1 - x2).rem_euclid(p);
        let y3 = (slope % p * (x1 - x3) - y1).rem_euclid(p);
        Some((x3, y3))
    }

    /// Every point of the curve except infinity, found by trying every pair of coordinates.
    pub fn all_points(&self) -> Vec<(i64, i64)> {
        let p = self.p;
        let right = |x: i64| (x * x * x + self.a * x + self.b) % p;
        (0..p)
            .flat_map(|x| (0..p).map(move |y| (x, y)))
            .filter(|&(x, y)| y * y % p == right(x))
            .collect()
    }

    /// 0 G, 1 G, ... (n - 1) G by repeated addition; checks that G has order n.
    pub fn multiples(&self) -> Vec<Plain> {
        let mut multiples = vec![None];
        for k in 1..self.n {
            let next = self.plain_add(multiples[k as usize - 1], Some(self.g));
            assert!(next.is_some(), "G has order {k}");
            multiples.push(next);
        }
        let last = *multiples.last().unwrap();
        assert_eq!(self.plain_add(last, Some(self.g)), None);
        multiples
    }

    /// SEC 1 §4.1.4 in plain integers, for the key d G; `multiples` are those of G.
    pub fn plain_verify(&self, multiples: &[Plain], d: i64, e: i64, r: i64, s: i64) -> bool {
        let n = self.n;
        let w = inverse(s, n);
        let (u1, u2) = (e * w % n, r * w % n);
        match multiples[((u1 + u2 * d) % n) as usize] {
            Some((x, _)) => x % n == r,
            None => false,
        }
    }

    /// The Jacobian form of a point with this z. For infinity, any x^2 = y^3 is suitable.
    pub fn jacobian(&self, point: Plain, z: i64) -> JacobianPoint<Element> {
        let p = self.p;
        let (x, y, z) = match point {
            Some((x, y)) => (x * z % p * z % p, y * z % p * z % p * z % p, z),
            None => (z * z % p, z * z % p * z % p, 0),
        };
        JacobianPoint {
            x: self.element(x),
            y: self.element(y),
            z: self.element(z),
        }
    }
}
