//! k G for a secret k, spread over the lanes of a field.

use zeroize::Zeroizing;

use super::base::base_mul;
use super::extended_sums::{add_all, add_other, rotated};
use crate::ct;
use crate::curve::{
    AffinePoint, BaseField, Curve, ExtendedPoint, Group, ScalarField, SecretLanesOf,
};
use crate::field::{Body, Field as _, Lanes, Mask};
use crate::limbs::{self, array_from_fn};
use crate::recode::{make_odd, odd_digit};
use crate::table::{SPREAD_POINTS, SPREAD_WINDOW, spread_rows_per_lane, spread_table};

/// The number of lanes that sums are folded from.
const LANES: usize = 8;

/// The block of rows of each lane, lowest first.
///
/// Lanes are folded in halves, so the last addition joins the even lanes, which have row 0, to the
/// odd ones. It has no exceptional case if the bit of n above the highest row of the even lanes is
/// not set. That is bit 192. On P-256 it is the first of 32 zeros. On secp256k1 it is a one, so
/// there the last addition computes the double too.
const BLOCKS: [usize; LANES] = [0, 3, 1, 4, 2, 6, 5, 7];

/// k G for k in 1 .. n - 1, little-endian in limbs. Constant time. Wiped when dropped.
///
/// The odd digits of k, or of n - k if k is even, have 4 bits. Each of eight lanes adds up the
/// points of a block of digits, then the lanes are added. For 256 bits, this reads 64 rows of 8
/// points under masks and performs 8 additions of eight lanes and 3 of single points. If the field
/// has one lane, or the curve has no table for this, it is [`base_mul`].
///
/// No addition meets an exceptional case, except that on some curves the last may meet one for one
/// scalar. Its result is correct even then (docs/constant-time.md, "No exceptions").
#[inline(never)]
pub fn base_mul_spread<C: Curve, L: SecretLanesOf<C>, S: ScalarField<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    order: S,
    k: &C::Integer,
) -> Zeroizing<ExtendedPoint<C::BaseElement>> {
    if const { L::WIDTH != LANES } {
        return base_mul(single, order, k);
    }
    // The digits of a lane, and one more bit, are extracted as one piece.
    let fits = |&rows: &usize| rows * (SPREAD_WINDOW as usize) < 57;
    let rows = spread_rows_per_lane(wide).filter(fits);
    let table = rows.and_then(|_| spread_table(wide, single, |lane| BLOCKS[lane]));
    let (Some(rows), Some(table)) = (rows, table) else {
        return base_mul(single, order, k);
    };
    let n = order.modulus();
    let (odd, even) = make_odd(k, &n);
    // The bits of each lane's digits, and the bit above. For the highest block that bit is a one,
    // which makes the highest digit positive.
    let bits = SPREAD_WINDOW * rows as u32;
    let blocks: Zeroizing<[u64; LANES]> = Zeroizing::new(BLOCKS.map(|block| {
        let word = limbs::bits((*odd).as_ref(), bits * block as u32, bits + 1);
        word | u64::from(block == LANES - 1) << bits | 1
    }));
    let digits = |step: usize| {
        (*blocks).map(|block| odd_digit(&[block], SPREAD_WINDOW, step as u32, rows as u32 + 1))
    };
    let (steps, _) = table.as_chunks::<SPREAD_POINTS>();
    let field = wide.field();
    let mut point = Zeroizing::new(AffinePoint::filled(field.zero()));
    let mut sum = Zeroizing::new(ExtendedPoint::filled(field.zero()));
    for (step, points) in steps.iter().enumerate() {
        let taking = TakePoint {
            group: *wide,
            points,
            choice: Choice::new(&digits(step)),
            taken: &mut point,
        };
        field.each(1, taking);
        if step == 0 {
            *sum = wide.extended_from_affine(&point);
        } else {
            add_all(wide, core::slice::from_ref(&*point), &mut sum);
        }
    }
    // Lanes i and i + 4 are added in lanes, the rest in pairs of single points.
    let other = Zeroizing::new(rotated(field, &sum, L::WIDTH / 2));
    add_other(wide, &other, &mut sum);
    debug_assert!(!field.is_zero(&sum.zz).any());
    let sums = Zeroizing::new(unpack(wide, single, &sum));
    let bit = SPREAD_WINDOW * (rows * (BLOCKS[LANES - 2] + 1)) as u32;
    let mut sum = Zeroizing::new(fold(single, &sums, limbs::bits(n.as_ref(), bit, 1) == 1));
    sum.y = single.field().negate_if(&sum.y, even & 1 == 1);
    sum
}

/// The point that each lane selects from its row.
struct Choice<L: Lanes> {
    /// The lanes that select each point.
    here: [L::Mask; SPREAD_POINTS],
    /// The lanes that negate it.
    negative: L::Mask,
}

impl<L: Lanes> Choice<L> {
    /// Creates the choice from the odd digits of the lanes.
    #[inline(always)]
    fn new(digits: &[i32; LANES]) -> Self {
        // Byte l has bit |digit| / 2 of lane l. Transposed, byte j has the lanes of point j.
        let one_hot = (0..).zip(digits).fold(0, |bytes, (lane, digit)| {
            // For odd d, |d| / 2 rounded down is d >> 1 if d is positive, otherwise !d >> 1.
            let index = (digit ^ (digit >> 31)) as u32 >> 1;
            // The barrier prevents an instruction that sets a bit, because memcheck takes its
            // operand for an index.
            bytes | ct::barrier(1 << (8 * lane + index))
        });
        let lanes_of_points = transpose_bits(one_hot);
        let negative = (0..).zip(digits).fold(0, |bits, (lane, &digit)| {
            bits | u64::from(digit as u32 >> 31) << lane
        });
        let mask = |bits: u64| L::Mask::from_lanes(|lane| bits >> lane & 1 == 1);
        Self {
            here: array_from_fn(|j| mask(lanes_of_points >> (8 * j))),
            negative: mask(negative),
        }
    }
}

/// Selects the point of its row in each lane, and reads all points to do so.
struct TakePoint<'a, C: Curve, L: SecretLanesOf<C>> {
    group: Group<C, L>,
    points: &'a [AffinePoint<L::Element>; SPREAD_POINTS],
    choice: Choice<L>,
    taken: &'a mut AffinePoint<L::Element>,
}

impl<C: Curve, L: SecretLanesOf<C>> Body<L> for TakePoint<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, _: usize) {
        let group = self.group.in_registers(field);
        let mut chosen = group.load(&self.points[0]);
        for (point, &here) in self.points.iter().zip(&self.choice.here).skip(1) {
            let point = group.load(point);
            chosen = group.select_affine(here, &point, &chosen);
        }
        let point = group.negate_affine_if(&chosen, self.choice.negative);
        *self.taken = group.store(&point);
    }
}

/// Bit i of byte j becomes bit j of byte i (H. S. Warren, "Hacker's Delight", 7-3).
#[inline(always)]
const fn transpose_bits(mut matrix: u64) -> u64 {
    let swap = (matrix ^ matrix >> 7) & 0x00aa_00aa_00aa_00aa;
    matrix ^= swap ^ swap << 7;
    let swap = (matrix ^ matrix >> 14) & 0x0000_cccc_0000_cccc;
    matrix ^= swap ^ swap << 14;
    let swap = (matrix ^ matrix >> 28) & 0x0000_0000_f0f0_f0f0;
    matrix ^ swap ^ swap << 28
}

/// The points of the lower half of the lanes.
#[inline(always)]
fn unpack<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    sum: &ExtendedPoint<L::Element>,
) -> [ExtendedPoint<C::BaseElement>; LANES / 2] {
    let [x, y, zz, zzz] = [&sum.x, &sum.y, &sum.zz, &sum.zzz].map(|coordinate| {
        let mut lanes = [single.field().zero(); LANES];
        wide.field().unpack(coordinate, &mut lanes[..L::WIDTH]);
        lanes
    });
    let [first, second, third, fourth, ..] = ExtendedPoint { x, y, zz, zzz }.split_lanes();
    [first, second, third, fourth]
}

/// The sum of four points, with two additions side by side. The last addition is complete if it has
/// to be.
#[inline(always)]
fn fold<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    points: &[ExtendedPoint<C::BaseElement>; LANES / 2],
    last_may_double: bool,
) -> ExtendedPoint<C::BaseElement> {
    let pair = group.pair();
    let both =
        |p: &ExtendedPoint<C::BaseElement>, q: &ExtendedPoint<C::BaseElement>| ExtendedPoint {
            x: [p.x, q.x],
            y: [p.y, q.y],
            zz: [p.zz, q.zz],
            zzz: [p.zzz, q.zzz],
        };
    let [p0, p1, p2, p3] = points;
    let (sums, exceptional) = pair.add_extended_points_incomplete(&both(p0, p1), &both(p2, p3));
    debug_assert!(exceptional == [false; 2]);
    let [even, odd] = sums.split_lanes();
    let (sum, exceptional) = group.add_extended_points_incomplete(&even, &odd);
    if !last_may_double {
        debug_assert!(!exceptional);
        return sum;
    }
    let exceptional = ct::mask(exceptional) & 1 == 1;
    let twice = group.double(&group.jacobian_from_extended(&odd));
    group.select_extended(exceptional, &group.extended_from_jacobian(&twice), &sum)
}

#[cfg(test)]
mod tests {
    use super::transpose_bits;

    #[test]
    fn bits_change_places() {
        for i in 0..8 {
            for j in 0..8 {
                assert_eq!(transpose_bits(1 << (8 * j + i)), 1 << (8 * i + j));
            }
        }
    }
}
