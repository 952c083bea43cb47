//! edwards25519 (RFC 7748 §4.1): the twisted Edwards curve -x² + y² = 1 + d x² y² over the
//! integers modulo 2^255 - 19, used to add points of Curve25519. The u of Curve25519 is (1 + y) /
//! (1 - y).
//!
//! -1 is a square modulo this prime and d is not, so the formulas are complete: their denominators
//! are nonzero for all points (Hisil, Wong, Carter, Dawson, *Twisted Edwards curves revisited*,
//! 2008, §3.1).

use zeroize::Zeroize;

use crate::field::Field as _;
use crate::field::c25519::{C25519Field, FieldElement, FoldKernel, LazyField as _};
use crate::limbs::from_hex;

/// L = 2^252 + 27742317777372353535851937790883648493, the order of the base point: a prime.
pub const ORDER: [u64; 4] =
    from_hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");

/// d = -121665 / 121666.
const D: [u64; 4] = from_hex("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3");

/// The base point: its y is 4/5, its u is 9.
const BASE_X: [u64; 4] =
    from_hex("216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a");
const BASE_Y: [u64; 4] =
    from_hex("6666666666666666666666666666666666666666666666666666666666666658");

/// A point in extended coordinates: x = X / Z, y = Y / Z, and T = X Y / Z.
///
/// Each coordinate is a product, below 2^255 + 2^199, so that sums and differences are folded once.
#[derive(Clone, Copy, Debug)]
pub struct EdwardsPoint {
    /// X = x Z.
    pub x: FieldElement,
    /// Y = y Z.
    pub y: FieldElement,
    /// Z; never zero.
    pub z: FieldElement,
    /// T = x y Z.
    pub t: FieldElement,
}

impl EdwardsPoint {
    /// The neutral element.
    pub const NEUTRAL: Self = Self {
        x: FieldElement::ZERO,
        y: FieldElement::ONE,
        z: FieldElement::ONE,
        t: FieldElement::ZERO,
    };
}

impl Zeroize for EdwardsPoint {
    fn zeroize(&mut self) {
        for coordinate in [&mut self.x, &mut self.y, &mut self.z, &mut self.t] {
            coordinate.zeroize();
        }
    }
}

/// A point in the form that an addition to another point needs: factors of the other point's
/// coordinates, all halved, so that Z need not be doubled. 96 bytes.
#[derive(Clone, Copy, Debug)]
pub struct EdwardsAddend {
    /// (y + x) / 2.
    pub plus: FieldElement,
    /// (y - x) / 2.
    pub minus: FieldElement,
    /// d x y.
    pub product: FieldElement,
}

/// The group of edwards25519, over the field of a kernel. Constant time.
#[derive(Clone, Copy, Debug)]
pub struct Edwards25519<K>(C25519Field<K>);

impl<K: FoldKernel> Edwards25519<K> {
    /// The group over a field.
    pub const fn new(field: C25519Field<K>) -> Self {
        Self(field)
    }

    /// The field.
    #[inline(always)]
    pub const fn field(self) -> C25519Field<K> {
        self.0
    }

    /// The base point.
    pub fn base(self) -> EdwardsPoint {
        let [x, y] = [BASE_X, BASE_Y].map(FieldElement::from_limbs);
        self.from_affine(&x, &y)
    }

    /// The point with coordinates below p.
    pub fn from_affine(self, x: &FieldElement, y: &FieldElement) -> EdwardsPoint {
        EdwardsPoint {
            x: *x,
            y: *y,
            z: FieldElement::ONE,
            t: self.0.mul(x, y),
        }
    }

    /// The addend of a point, given the inverse of its Z: 4M.
    pub fn addend(self, p: &EdwardsPoint, z_inverse: &FieldElement) -> EdwardsAddend {
        let f = self.0;
        let [x, y] = [&p.x, &p.y].map(|coordinate| f.mul(coordinate, z_inverse));
        EdwardsAddend {
            plus: f.half(&f.add(&y, &x)),
            minus: f.half(&f.sub(&y, &x)),
            product: f.mul(&f.mul(&x, &y), &FieldElement::from_limbs(D)),
        }
    }

    /// Q, or -Q if `negative` is all ones and not 0: 3M (a sum with the neutral element, whose
    /// products are known).
    #[inline(always)]
    pub fn from_addend(self, q: &EdwardsAddend, negative: u64) -> EdwardsPoint {
        let f = self.0;
        let [plus, minus] = self.swapped(negative, &q.plus, &q.minus);
        // Products by one, because coordinates must be products.
        let one = FieldElement::ONE;
        let [x, y] = [f.sub(&plus, &minus), f.add(&plus, &minus)].map(|a| f.mul(&a, &one));
        EdwardsPoint {
            x,
            y,
            z: one,
            t: f.mul(&x, &y),
        }
    }

    /// P + Q, or P - Q if the mask with Q is all ones and not 0, for two pairs of P and Q: 7M each
    /// (EFD, "madd-2008-hwcd-3", with all factors of Q halved: then E, F, G and H are halved too,
    /// and the sum's coordinates are quarters).
    ///
    /// -Q is (-x, y): its `plus` is the `minus` of Q, and negating `product` exchanges F = Z - C
    /// and G = Z + C. The two sums alternate, level by level, so that neighbouring products do not
    /// wait for each other.
    #[inline(always)]
    pub fn add_addends(
        self,
        p: &[EdwardsPoint; 2],
        q: &[(EdwardsAddend, u64); 2],
    ) -> [EdwardsPoint; 2] {
        let f = self.0;
        let sums = both(|i| f.sum_and_difference(&p[i].y, &p[i].x));
        let factors = both(|i| self.swapped(q[i].1, &q[i].0.plus, &q[i].0.minus));
        let b = both(|i| f.mul(&sums[i][0], &factors[i][0]));
        let a = both(|i| f.mul(&sums[i][1], &factors[i][1]));
        let c = both(|i| f.mul(&p[i].t, &q[i].0.product));
        both(|i| {
            let [h, e] = f.sum_and_difference(&b[i], &a[i]);
            let [g, f] = f.sum_and_difference(&p[i].z, &c[i]);
            let [g, f] = self.swapped(q[i].1, &g, &f);
            self.from_factors([&e, &f, &g, &h])
        })
    }

    /// P + Q: 9M (EFD, "add-2008-hwcd-3").
    #[inline(never)]
    pub fn add(self, p: &EdwardsPoint, q: &EdwardsPoint) -> EdwardsPoint {
        let f = self.0;
        let a = f.mul(&f.sub(&p.y, &p.x), &f.sub(&q.y, &q.x));
        let b = f.mul(&f.add(&p.y, &p.x), &f.add(&q.y, &q.x));
        let two_d = f.double(&FieldElement::from_limbs(D));
        let c = f.mul(&f.mul(&p.t, &two_d), &q.t);
        let d = f.double(&f.mul(&p.z, &q.z));
        let (e, f_) = (f.sub(&b, &a), f.sub(&d, &c));
        let (g, h) = (f.add(&d, &c), f.add(&b, &a));
        self.from_factors([&e, &f_, &g, &h])
    }

    /// 2P: 5M + 3S (EFD, "dbl-2008-hwcd" with a = -1, with E as 2 X Y, and with the signs of F, H
    /// and therefore of all coordinates changed: then every sum and difference except one is of
    /// products).
    #[inline(never)]
    pub fn double(self, p: &EdwardsPoint) -> EdwardsPoint {
        let f = self.0;
        let twice = |a: &FieldElement| f.sum_and_difference(a, a)[0];
        let [a, b] = [&p.x, &p.y].map(|coordinate| f.square(coordinate));
        let c = twice(&f.square(&p.z));
        let e = twice(&f.mul(&p.x, &p.y));
        let [h, g] = f.sum_and_difference(&b, &a);
        self.from_factors([&e, &f.sub(&c, &g), &g, &h])
    }

    /// X = E F, Y = G H, Z = F G and T = E H: 4M. All formulas end with this.
    #[inline(always)]
    fn from_factors(self, [e, f, g, h]: [&FieldElement; 4]) -> EdwardsPoint {
        EdwardsPoint {
            x: self.0.mul(e, f),
            y: self.0.mul(g, h),
            z: self.0.mul(f, g),
            t: self.0.mul(e, h),
        }
    }

    /// `[b, a]` if `choice` is all ones, `[a, b]` if it is 0.
    #[inline(always)]
    fn swapped(self, choice: u64, a: &FieldElement, b: &FieldElement) -> [FieldElement; 2] {
        let (a, b) = (a.limbs(), b.limbs());
        [self.0.choose(choice, b, a), self.0.choose(choice, a, b)].map(FieldElement::from_limbs)
    }

    /// u = (Z + Y) / (Z - Y) of Curve25519, as numerator and denominator. The denominator is zero
    /// only for the neutral element, as y = 1 implies x = 0.
    #[inline(always)]
    pub fn montgomery_u(self, p: &EdwardsPoint) -> [FieldElement; 2] {
        [self.0.add(&p.z, &p.y), self.0.sub(&p.z, &p.y)]
    }
}

/// Evaluates a function for each of two indices.
#[inline(always)]
fn both<T>(of: impl Fn(usize) -> T) -> [T; 2] {
    [of(0), of(1)]
}
