//! Multiples of many points that are used once, side by side in lanes.

use alloc::vec;
use alloc::vec::Vec;

use super::double_base_vartime::variable_base_mul_vartime;
use super::parts;
use crate::curve::{AffinePoint, Curve, Group, JacobianPoint, LanesOf};
use crate::field::{MOST_LANES, Mask, invert_all_vartime};
use crate::recode::{booth_digit, booth_digits};
use crate::table::double_rows_vartime;

/// The window of the digits, in bits. Window 5 needs 52 additions of 11 products and a table of 16
/// points. Window 6 would save 9 additions and cost 16 points more, of 6 products each. Measure
/// with `bench -- --only 'p256/verify/fresh/bulk'` after a change.
const WINDOW: u32 = 5;

/// The points of each table: 1 to 16 times the point.
const TABLE: usize = 1 << (WINDOW - 1);

/// One group of points, one in each lane, and one integer for each lane, little-endian in limbs,
/// below the order and not zero.
pub type LanesTerm<'a, E, I> = (AffinePoint<E>, &'a [I]);

/// k P for every lane of every group, in affine coordinates, and the mask of exceptional lanes,
/// whose results are meaningless.
///
/// `bits` is the length of the order. A group of 256 bits costs 16 points by affine additions (6
/// products each), 256 doublings, 52 mixed additions and 7 products to make the result affine. The
/// groups share five inversions. If the curve has an endomorphism, halves of the integers share 130
/// doublings. A lane is exceptional if an addition was, or if an integer is zero. Without an
/// endomorphism, an exceptional addition requires a curve of tiny order. Variable time: for public
/// values only.
#[inline(never)]
pub fn variable_base_mul_lanes_vartime<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    bits: u32,
    terms: &[LanesTerm<'_, L::Element, C::Integer>],
) -> Vec<(AffinePoint<L::Element>, L::Mask)> {
    let field = group.field();
    let (products, tables_are_exceptional) = if const { L::WIDTH == 1 } {
        (one_by_one(group, terms), false)
    } else {
        by_tables(group, bits, terms)
    };
    let mut z_inverses = Vec::with_capacity(products.len());
    for product in &products {
        z_inverses.push(product.z);
    }
    let mut scratch = vec![field.zero(); z_inverses.len()];
    // After an exceptional addition, z stays zero.
    let zeros = invert_all_vartime(field, &mut z_inverses[..], &mut scratch);
    let mut results = Vec::with_capacity(terms.len());
    for (product, z_inverse) in products.iter().zip(&z_inverses) {
        let exceptional = if zeros || tables_are_exceptional {
            let zero = field.is_zero(z_inverse);
            L::Mask::from_lanes(|lane| tables_are_exceptional || zero.lane(lane))
        } else {
            L::Mask::from_lanes(|_| false)
        };
        results.push((group.scale(product, z_inverse), exceptional));
    }
    results
}

/// The products for fields of one lane, computed like single calls.
#[inline(always)]
fn one_by_one<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    terms: &[LanesTerm<'_, L::Element, C::Integer>],
) -> Vec<JacobianPoint<L::Element>> {
    let field = group.field();
    let single = group.single();
    let mut products = Vec::with_capacity(terms.len());
    for (point, scalars) in terms {
        group.unpack(point, 1, |_, point| {
            let product = variable_base_mul_vartime(&single, &point, &scalars[0]);
            products.push(JacobianPoint {
                x: field.pack(|_| &product.x),
                y: field.pack(|_| &product.y),
                z: field.pack(|_| &product.z),
            });
        });
    }
    products
}

/// k P in each lane of every group, using tables of the multiples of the points, which are built
/// together. Also returns true if a sum for the tables was exceptional.
#[inline(always)]
fn by_tables<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    bits: u32,
    terms: &[LanesTerm<'_, L::Element, C::Integer>],
) -> (Vec<JacobianPoint<L::Element>>, bool) {
    let mut tables = Vec::with_capacity(terms.len() * TABLE);
    for (point, _) in terms {
        tables.extend([*point; TABLE]);
    }
    let mut are_exceptional = false;
    let mut known = 1;
    while known < TABLE {
        are_exceptional |= double_rows_vartime(group, &mut tables, TABLE, known);
        known *= 2;
    }
    let mut table = Vec::with_capacity(TABLE * L::WIDTH);
    let mut products = Vec::with_capacity(terms.len());
    for ((_, scalars), points) in terms.iter().zip(tables.chunks_exact(TABLE)) {
        table.clear();
        unpack_points(group, points, &mut table);
        products.push(multiply(group, bits, &table, scalars));
    }
    (products, are_exceptional)
}

/// Appends the lanes of the points to a table: all lanes of the first point, and so on.
#[inline(never)]
fn unpack_points<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &[AffinePoint<L::Element>],
    table: &mut Vec<AffinePoint<L::Lane>>,
) {
    for point in points {
        group.take_lanes(point, 0..L::WIDTH, |_, point| table.push(point));
    }
}

/// k P in each lane of one group. `table` holds the lanes of P, those of 2P, and so on.
#[inline(never)]
fn multiply<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    bits: u32,
    table: &[AffinePoint<L::Lane>],
    scalars: &[C::Integer],
) -> JacobianPoint<L::Element> {
    let curve = group.curve();
    let mut sum = group.infinity();
    // The lanes whose digits have all been zero so far.
    let mut empty = L::Mask::from_lanes(|_| true);
    const { assert!(L::WIDTH <= MOST_LANES) };
    let mut halves = [parts::parts(curve, &scalars[0]); MOST_LANES];
    for (halves, scalar) in halves.iter_mut().zip(scalars).skip(1) {
        *halves = parts::parts(curve, scalar);
    }
    let beta = parts::beta(group);
    let mut digits = [0; MOST_LANES];
    let windows = booth_digits(parts::bits(curve, bits), WINDOW);
    let count = parts::count(curve) as u32;
    for step in (0..windows * count).rev() {
        let (index, part) = (step / count, (count - 1 - step % count) as usize);
        for (digit, halves) in digits.iter_mut().zip(&halves) {
            let half = &halves[part];
            *digit = booth_digit(half.magnitude.as_ref(), WINDOW, index);
            if half.negative != 0 {
                *digit = -*digit;
            }
        }
        if part == 0 && !empty.all(L::WIDTH) {
            for _ in 0..WINDOW {
                sum = group.double(&sum);
            }
        }
        let entry = |lane: usize| {
            let multiple = digits[lane].unsigned_abs().saturating_sub(1) as usize;
            &table[multiple * L::WIDTH + lane]
        };
        let point = group.load_lanes(entry);
        let point = parts::image(group, &beta, part, point);
        let point = group.negate_affine_if(&point, L::Mask::from_lanes(|lane| digits[lane] < 0));
        let mut next = group.add_mixed_incomplete(&sum, &point).0;
        if empty.any() {
            next = group.select(empty, &group.from_affine(&point), &next);
        }
        let skipped = L::Mask::from_lanes(|lane| digits[lane] == 0);
        if skipped.any() {
            next = group.select(skipped, &sum, &next);
            empty = L::Mask::from_lanes(|lane| empty.lane(lane) && skipped.lane(lane));
        } else {
            empty = skipped;
        }
        sum = next;
    }
    sum
}
