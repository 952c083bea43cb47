//! Curves of tiny prime order for the generic code, and the same curves in plain integers.

use sigmill::curve::{AffinePoint, Curve, JacobianPoint};
use sigmill::field::PrimeField;

/// A tiny curve, with its constants in plain integers.
pub trait Tiny: Curve {
    const P: i64;
    const N: i64;
    const PLAIN_A: i64;
    const PLAIN_B: i64;
    const PLAIN_G: (i64, i64);

    fn element(value: i64) -> Self::BaseElement {
        let mut integer = <Self::Integer as sigmill::field::Limbs>::ZERO;
        integer.as_mut()[0] = value as u64;
        Self::base_field().from_integer(&integer).unwrap()
    }

    fn plain(element: &Self::BaseElement) -> i64 {
        let integer = Self::base_field().to_integer(element);
        assert!(integer.as_ref()[1..].iter().all(|&limb| limb == 0));
        integer.as_ref()[0] as i64
    }

    fn plain_point(point: &AffinePoint<Self::BaseElement>) -> Plain {
        Some((Self::plain(&point.x), Self::plain(&point.y)))
    }
}

/// Defines a tiny curve as a type, with or without an endomorphism. The base field has its own number of limbs beyond need, so that
/// the generic field runs with several.
#[macro_export]
macro_rules! tiny_curve {
    (
        $name:ident, $tangent:ty, p = $p:literal, n = $n:literal, a = $a:literal, b = $b:literal,
        G = ($x:literal, $y:literal), $limbs:literal limbs, window $window:literal
        $(, endomorphism beta = $beta:literal, split by $split_a:literal and $split_b:literal)?
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        struct $name;

        const _: () = {
            use once_cell::race::OnceBox;
            use sigmill::curve::{AffinePoint, Curve, Operation, Points};
            use sigmill::field::{Modulus, MontgomeryField, Portable, Residue};

            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            struct Prime;
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            struct Order;

            const fn limbs(value: u64) -> [u64; $limbs] {
                let mut limbs = [0; $limbs];
                limbs[0] = value;
                limbs
            }

            impl Modulus<$limbs> for Prime {
                const MODULUS: [u64; $limbs] = limbs($p);
            }
            impl Modulus<$limbs> for Order {
                const MODULUS: [u64; $limbs] = limbs($n);
            }

            type Element = Residue<Prime, $limbs>;

            impl Curve for $name {
                const LABEL: &'static str = stringify!($name);
                type Integer = [u64; $limbs];
                type BaseElement = Element;
                type ScalarElement = Residue<Order, $limbs>;
                type A = $tangent;
                const A: Element = Element::from_integer_const(&limbs($a));
                const B: Element = Element::from_integer_const(&limbs($b));
                const GENERATOR: AffinePoint<Element> = AffinePoint {
                    x: Element::from_integer_const(&limbs($x)),
                    y: Element::from_integer_const(&limbs($y)),
                };
                const GENERATOR_WINDOW: u32 = $window;
                const BASE_WINDOW: u32 = if $n < 128 { 2 } else { 3 };
                $(
                    const ENDOMORPHISM: Option<
                        sigmill::curve::Endomorphism<Element, [u64; $limbs]>,
                    > = Some(sigmill::curve::Endomorphism {
                        beta: Element::from_integer_const(&limbs($beta)),
                        split: sigmill::scalar::Split::new(
                            &limbs($n),
                            limbs($split_a),
                            limbs($split_b),
                        ),
                    });
                )?
                type BaseField = MontgomeryField<Portable<Prime>, $limbs>;
                type ScalarField = MontgomeryField<Portable<Order>, $limbs>;

                fn base_field() -> Self::BaseField {
                    MontgomeryField::new(Portable::new())
                }

                fn scalar_field() -> Self::ScalarField {
                    MontgomeryField::new(Portable::new())
                }

                fn generator_cell() -> &'static OnceBox<Points<Element>> {
                    static CELL: OnceBox<Points<Element>> = OnceBox::new();
                    &CELL
                }

                fn base_cell() -> &'static OnceBox<Points<Element>> {
                    static CELL: OnceBox<Points<Element>> = OnceBox::new();
                    &CELL
                }

                fn dispatch<O: Operation<Self>>(operation: O) -> O::Output {
                    operation.run(Self::base_field(), Self::scalar_field())
                }
            }

            impl $crate::tiny::Tiny for $name {
                const P: i64 = $p;
                const N: i64 = $n;
                const PLAIN_A: i64 = $a;
                const PLAIN_B: i64 = $b;
                const PLAIN_G: (i64, i64) = ($x, $y);
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

/// The sum of two points by the chord and tangent of a textbook.
pub fn plain_add<C: Tiny>(a: Plain, b: Plain) -> Plain {
    let p = C::P;
    let (Some((x1, y1)), Some((x2, y2))) = (a, b) else {
        return a.or(b);
    };
    let slope = if x1 != x2 {
        (y2 - y1) * inverse(x2 - x1, p)
    } else if (y1 + y2) % p == 0 {
        return None;
    } else {
        (3 * x1 * x1 + C::PLAIN_A) * inverse(2 * y1, p)
    };
    let x3 = (slope % p * slope - x1 - x2).rem_euclid(p);
    let y3 = (slope % p * (x1 - x3) - y1).rem_euclid(p);
    Some((x3, y3))
}

/// Every point of the curve that is not infinity, found by trying every pair of coordinates.
pub fn all_points<C: Tiny>() -> Vec<(i64, i64)> {
    let right = |x: i64| (x * x * x + C::PLAIN_A * x + C::PLAIN_B) % C::P;
    (0..C::P)
        .flat_map(|x| (0..C::P).map(move |y| (x, y)))
        .filter(|&(x, y)| y * y % C::P == right(x))
        .collect()
}

/// 0 G, 1 G, ... (n - 1) G by repeated addition; checks that G has order n.
pub fn multiples<C: Tiny>() -> Vec<Plain> {
    let mut multiples = vec![None];
    for k in 1..C::N {
        let next = plain_add::<C>(multiples[k as usize - 1], Some(C::PLAIN_G));
        assert!(next.is_some(), "G has order {k}");
        multiples.push(next);
    }
    assert_eq!(
        plain_add::<C>(*multiples.last().unwrap(), Some(C::PLAIN_G)),
        None
    );
    multiples
}

/// SEC 1 §4.1.4 in plain integers, for the key d G: `multiples` are those of G.
pub fn plain_verify<C: Tiny>(multiples: &[Plain], d: i64, e: i64, r: i64, s: i64) -> bool {
    let n = C::N;
    let w = inverse(s, n);
    let (u1, u2) = (e * w % n, r * w % n);
    match multiples[((u1 + u2 * d) % n) as usize] {
        Some((x, _)) => x % n == r,
        None => false,
    }
}

/// The Jacobian form of a point with this z, or of infinity, for which any x^2 = y^3 does.
pub fn jacobian<C: Tiny>(point: Plain, z: i64) -> JacobianPoint<C::BaseElement> {
    let p = C::P;
    let (x, y, z) = match point {
        Some((x, y)) => (x * z % p * z % p, y * z % p * z % p * z % p, z),
        None => (z * z % p, z * z % p * z % p, 0),
    };
    JacobianPoint {
        x: C::element(x),
        y: C::element(y),
        z: C::element(z),
    }
}
