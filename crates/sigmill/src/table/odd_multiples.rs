//! The odd multiples of a point that is used once.

use crate::curve::{AffinePoint, BaseField, CompressedPoint, Curve, Group};
use crate::field::inverse_square_root_vartime;

/// Number of multiples for an integer of 256 bits.
///
/// Width 5 adds 43 times on average, from 8 points; width 6 adds 37 times, from 16. A point costs
/// about 12 multiplications to compute and an addition 11, so width 5 is faster.
const COUNT: usize = 8;

/// Q, 3Q, 5Q, ... (2 N - 1) Q in affine coordinates. N is a power of two: 8 multiples end with 15Q.
#[derive(Clone, Debug)]
pub struct OddMultiples<E, const N: usize = COUNT>([AffinePoint<E>; N]);

impl<E, const N: usize> OddMultiples<E, N> {
    /// Width of the non-adjacent form for these multiples: 5 for 8 of them. Width 6 needs a sixth
    /// fewer additions on 256 bits and 8 points more, for 12 products each. Both cost as much on
    /// 384 bits; on 521 bits, width 6 would save 40 products of 5,700. Measure with `bench --
    /// --only '*/verify/fresh/single'` after a change.
    pub const WIDTH: u32 = N.ilog2() + 2;
}

impl<E: Copy, const N: usize> OddMultiples<E, N> {
    /// Computes the multiples of Q, whose order must be above 2 N. One doubling, N - 1 additions
    /// and one inversion: 66M + 25S for 8. Variable time: for public values only.
    pub fn new_vartime<C, F>(group: &Group<C, F>, q: &AffinePoint<E>) -> Self
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        Self(odd_multiples_vartime(group, q))
    }

    /// Computes the multiples of a point from its compressed form; `None` if no such point exists.
    /// A square root replaces the inversion. Variable time: for public values only.
    pub fn decompressed_vartime<C, F>(group: &Group<C, F>, q: &CompressedPoint<E>) -> Option<Self>
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        const { assert!(N > 1) };
        let mut multiples = [q.with_y(q.x); N];
        let scratch = &mut [q.x; N];
        fill_odd_multiples_vartime(group, &mut multiples, N, Some(q.y_is_odd), scratch)
            .then_some(Self(multiples))
    }

    /// Applies `image` to each multiple. If it is an endomorphism, these are the multiples of the
    /// image of Q.
    #[inline(always)]
    pub fn map(&self, image: impl Fn(&AffinePoint<E>) -> AffinePoint<E>) -> Self {
        Self(self.0.each_ref().map(image))
    }

    /// The multiples. That of an odd digit is at half of its absolute value.
    #[inline(always)]
    pub fn as_slice(&self) -> &[AffinePoint<E>] {
        &self.0
    }
}

/// Q, 3Q, 5Q, ... (2 COUNT - 1) Q in affine coordinates for a point Q, whose order is above
/// 2 COUNT. Variable time: for public values only.
#[inline(always)]
pub(crate) fn odd_multiples_vartime<C: Curve, F: BaseField<C>, const COUNT: usize>(
    group: &Group<C, F>,
    point: &AffinePoint<C::BaseElement>,
) -> [AffinePoint<C::BaseElement>; COUNT] {
    const { assert!(COUNT > 1) };
    let mut multiples = [*point; COUNT];
    fill_odd_multiples_vartime(group, &mut multiples, COUNT, None, &mut [point.x; COUNT]);
    multiples
}

/// Fills rows of `count` points with the odd multiples of their first points, which are already
/// present. The rows share an inversion. If `y_is_odd` is given, the first point of the last row
/// has only x, and y is computed too; the result is `false` if no such point exists. `scratch` is
/// as long as the rows.
///
/// One doubling and `count` - 1 additions per row, and one inversion or one square root: for one
/// row of 8 this costs 66M + 25S, one of them in the inversion.
///
/// Q is (x Z^2, y Z^3, Z) with the Z of 2Q. Additions of two points with the same Z cost less, so
/// 2Q is converted to the Z of each sum. That is the previous Z times a factor of the addition. So
/// from the inverse of the last Z all others follow by one product each.
///
/// A point (x, y) with known d = y^2 but unknown y is (x d, d^2, y) in Jacobian coordinates. Every
/// z of its multiples is y times a value that follows from x and d. Let W be the product of all z
/// without that y. One power yields t = 1 / (y W) up to its sign (D. J. Bernstein, N. Duif, T.
/// Lange, P. Schwabe and B.-Y. Yang, *High-speed high-security signatures*, 2011, §5, also combine
/// a division and a root). Then 1 / y = t W, and 1 / W = t^2 d W. If t^2 d W^2 is 1, then d is a
/// square, and such a point exists. W contains d^2, so it is zero if d is. It is also zero if a
/// multiple is infinity: on the curve or, for an x of no point, on the twist.
///
/// Variable time: for public values only.
///
/// # Panics
/// If `rows` are not rows of `count` points, if `count` is below 2, or if `scratch` has another
/// length.
#[inline(never)]
pub(crate) fn fill_odd_multiples_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    rows: &mut [AffinePoint<C::BaseElement>],
    count: usize,
    y_is_odd: Option<bool>,
    scratch: &mut [C::BaseElement],
) -> bool {
    assert!(count > 1 && !rows.is_empty() && rows.len().is_multiple_of(count));
    assert_eq!(rows.len(), scratch.len(), "scratch as long as the rows");
    let f = group.field();
    let one = f.one();
    let compressed = rows.len() - count;
    // The scratch of a row holds the z of its last point, the product of those of the rows before,
    // and, from the third point on, the ratio of the point's z to the z of the point before.
    let (mut product, mut d) = (one, one);
    for (i, (row, scratch)) in in_rows(rows, scratch, count).enumerate() {
        let (mut q, mut a_z4) = (row[0], group.curve().a());
        if y_is_odd.is_some() && i * count == compressed {
            d = group.right_side(&q.x);
            (q.x, q.y) = (f.mul(&q.x, &d), f.square(&d));
            a_z4 = f.mul(&a_z4, &q.y);
        }
        let y2 = f.square(&q.y);
        let y4 = f.square(&y2);
        // The Z of 2Q is y.
        let mut twice = group.double_by_squares(&q.x, &[y2, y4], &a_z4);
        let (x, y) = (f.mul(&q.x, &y2), y4);
        let mut multiple = AffinePoint { x, y };
        let mut z = q.y;
        for (point, ratio) in row[1..].iter_mut().zip(&mut scratch[1..]) {
            (multiple, *ratio) = group.add_at_same_z(&mut twice, &multiple);
            z = f.mul(&z, ratio);
            *point = multiple;
        }
        (scratch[0], scratch[1]) = (z, product);
        product = if i == 0 { z } else { f.mul(&product, &z) };
    }
    if f.is_zero(&product) {
        return fill_one_by_one(group, rows, count, y_is_odd);
    }
    let (mut inverse, root_inverse) = match y_is_odd {
        None => (f.invert_vartime(&product).unwrap_or(one), one),
        Some(y_is_odd) => {
            let square = f.mul(&d, &f.square(&product));
            let Some(both) = inverse_square_root_vartime(f, &square) else {
                return false;
            };
            let mut root_inverse = f.mul(&both, &product);
            let mut y = f.mul(&d, &root_inverse);
            if f.is_odd(&y) != y_is_odd {
                (y, root_inverse) = (f.negate(&y), f.negate(&root_inverse));
            }
            rows[compressed].y = y;
            let inverse = f.mul(&f.mul(&d, &product), &f.square(&both));
            (inverse, root_inverse)
        }
    };
    for (i, (row, scratch)) in in_rows(rows, scratch, count).enumerate().rev() {
        let mut z_inverse = inverse;
        if i > 0 {
            z_inverse = f.mul(&inverse, &scratch[1]);
            inverse = f.mul(&inverse, &scratch[0]);
        }
        if y_is_odd.is_some() && i * count == compressed {
            z_inverse = f.mul(&z_inverse, &root_inverse);
        }
        for j in (1..count).rev() {
            if j + 1 < count {
                z_inverse = f.mul(&z_inverse, &scratch[j + 1]);
            }
            row[j] = group.scale_by(&row[j].x, &row[j].y, &z_inverse);
        }
    }
    true
}

/// Each row with its part of the scratch.
#[inline(always)]
fn in_rows<'a, P, E>(
    rows: &'a mut [P],
    scratch: &'a mut [E],
    count: usize,
) -> impl DoubleEndedIterator<Item = (&'a mut [P], &'a mut [E])> + ExactSizeIterator {
    rows.chunks_exact_mut(count)
        .zip(scratch.chunks_exact_mut(count))
}

/// Same for exceptional additions: the order is too small for that many multiples. A multiple that
/// is infinity is not stored, because it is never read.
#[cold]
#[inline(never)]
fn fill_one_by_one<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    rows: &mut [AffinePoint<C::BaseElement>],
    count: usize,
    y_is_odd: Option<bool>,
) -> bool {
    let compressed = rows.len() - count;
    if let Some(y_is_odd) = y_is_odd {
        match group.lift_x_vartime(&rows[compressed].x, y_is_odd) {
            Some(point) => rows[compressed] = point,
            None => return false,
        }
    }
    for row in rows.chunks_exact_mut(count) {
        let mut multiple = group.from_affine(&row[0]);
        let twice = group.double(&multiple);
        for point in &mut row[1..] {
            multiple = group.add_vartime(&multiple, &twice);
            if let Some(affine) = group.to_affine_vartime(&multiple) {
                *point = affine;
            }
        }
    }
    true
}
