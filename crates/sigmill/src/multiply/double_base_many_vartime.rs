//! Sums of multiples of the generator and other points, many at once: lanes work side by side and
//! share inversions.

use alloc::vec::Vec;

use super::{
    BlockSumsVartime, LaneMultiples, variable_base_mul_affine_vartime,
    variable_base_mul_lanes_vartime,
};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarField};
use crate::field::{Limbs as _, MOST_LANES, Mask as _};
use crate::table::{WindowRows, generator_table};

/// The number of rows that share the inversions of a block of sums.
///
/// The points of a block, about 60 of 64 bytes for each row, should stay in the second-level cache.
/// A block has six inversions, each of which costs about 90 products. Between 32 and 128 rows,
/// times differ by 2 %. Measure with `bench -- --only 'p256/verify/prepared/bulk'` after a change.
const BLOCK_ROWS: usize = 64;

/// The same in eight lanes. CPUs with eight lanes have a larger second-level cache.
const BLOCK_ROWS_IN_EIGHT_LANES: usize = 128;

/// The number of rows that share the inversions of a block of sums, in a field of this width.
pub const fn block_rows(width: usize) -> usize {
    if width < MOST_LANES {
        BLOCK_ROWS
    } else {
        BLOCK_ROWS_IN_EIGHT_LANES
    }
}

/// The most rows verified at once. They share the inversion of their scalars. Fresh keys are
/// multiplied side by side, in steps that share one inversion each. More rows would leave a
/// second-level cache of 2 MB, and threads without work at the end of a section. Measure with
/// `bench -- --only 'p256/verify/fresh/bulk'` after a change.
pub const MOST_TOGETHER: usize = 2048;

/// The fewest rows with fresh keys for which such steps pay. For fewer, Jacobian coordinates are
/// faster. Measure with `bench -- --only 'p256/verify/fresh/bulk'` after a change.
pub const MANY_FRESH: usize = 256;

/// The required form of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumForm {
    /// x.
    X,
    /// x, and whether y is odd.
    Compressed,
    /// The point.
    Point,
}

/// The sum of a row, as it is handed over.
#[derive(Clone, Copy, Debug)]
pub enum RowSum<'a, C: Curve> {
    /// Unknown: an addition was exceptional, or the sum is infinity.
    Unknown,
    /// Its x, as an integer below p.
    X(&'a C::Integer),
    /// Its x as an integer below p, and whether y as such an integer is odd.
    Compressed(&'a C::Integer, bool),
    /// The point.
    Point(&'a AffinePoint<C::BaseElement>),
}

/// A consumer that receives the sum of a row and the row's number.
pub type TakeSum<'f, C> = dyn FnMut(usize, RowSum<'_, C>) + 'f;

/// u1 G + u2 Q for many rows, as many together as one call of [`multiply`](Self::multiply) passes.
/// Memory is reused from call to call. Variable time: for public values only.
#[derive(Debug)]
pub struct DoubleBaseManyVartime<'t, C: Curve, L: LanesOf<C>, S> {
    group: Group<C, L>,
    order: S,
    generator: WindowRows<'t, C::BaseElement>,
    sums: BlockSumsVartime<'t, C, L>,
    form: SumForm,
}

impl<'t, C: Curve, L: LanesOf<C>, S: ScalarField<C>> DoubleBaseManyVartime<'t, C, L, S> {
    /// Prepares for this number of rows. u2 Q of each is the sum of at most `most_terms` points: 1
    /// for a fresh key, one for each row of a table. `order` is the field of the scalars.
    #[inline(always)]
    pub fn new(
        group: Group<C, L>,
        order: S,
        rows: usize,
        most_terms: usize,
        form: SumForm,
    ) -> Self {
        const { assert!(L::WIDTH <= MOST_LANES) };
        const { assert!(block_rows(L::WIDTH).is_multiple_of(MOST_LANES)) };
        let generator = generator_table(&group.single());
        let groups = rows.min(block_rows(L::WIDTH)).div_ceil(L::WIDTH);
        let stride = most_terms + generator.len();
        let sums = BlockSumsVartime::new(group, generator.point(), groups, stride);
        Self {
            group,
            order,
            generator,
            sums: match form {
                SumForm::X => sums,
                SumForm::Compressed | SumForm::Point => sums.with_y(),
            },
            form,
        }
    }

    /// Hands over u1 G + u2 Q of each of `rows` rows.
    ///
    /// `u1` and `u2` have one scalar for each lane of each group, little-endian in limbs, below the
    /// order. Q is either in the lanes of `fresh`, or `table` returns its table.
    ///
    /// Verification and recovery share this one function, so it works through references, once for
    /// each row.
    #[inline(never)]
    pub fn multiply(
        &mut self,
        rows: usize,
        [u1, u2]: &[Vec<C::Integer>; 2],
        fresh: &[AffinePoint<L::Element>],
        table: &dyn Fn(usize) -> Option<WindowRows<'t, C::BaseElement>>,
        take: &mut TakeSum<'_, C>,
    ) {
        let products = self.products(rows, fresh, u2);
        let field = self.group.field();
        let zero = C::Integer::ZERO;
        let (mut x_integers, mut y_integers) = ([zero; MOST_LANES], [zero; MOST_LANES]);
        let mut points = [*self.generator.point(); MOST_LANES];
        for start in (0..rows).step_by(block_rows(L::WIDTH)) {
            let block = start..rows.min(start + block_rows(L::WIDTH));
            let groups = block.len().div_ceil(L::WIDTH);
            let first = |group: usize| start + group * L::WIDTH;
            let point = |group| products.get(first(group) / L::WIDTH);
            let base = |group| LaneMultiples {
                tables: [self.generator; MOST_LANES],
                scalars: &u1[first(group)..],
            };
            if fresh.is_empty() {
                self.sums.read_block(groups, point, |group| {
                    let mut tables = [self.generator; MOST_LANES];
                    for (lane, rows) in tables[..L::WIDTH].iter_mut().enumerate() {
                        *rows = table(first(group) + lane).unwrap_or(*rows);
                    }
                    let scalars = &u2[first(group)..];
                    [LaneMultiples { tables, scalars }, base(group)]
                });
            } else {
                self.sums.read_block(groups, point, |group| [base(group)]);
            }
            self.sums.add_up();
            for (group, first) in block.clone().step_by(L::WIDTH).enumerate() {
                let (sum, exceptional) = self.sums.sum(group);
                if self.form == SumForm::Point {
                    self.group
                        .unpack(sum, L::WIDTH, |lane, sum| points[lane] = sum);
                } else {
                    field.to_integers(&sum.x, &mut x_integers[..L::WIDTH]);
                }
                if self.form == SumForm::Compressed {
                    field.to_integers(&sum.y, &mut y_integers[..L::WIDTH]);
                }
                for place in first..block.end.min(first + L::WIDTH) {
                    let lane = place - first;
                    if exceptional.lane(lane) {
                        take(place, RowSum::Unknown);
                        continue;
                    }
                    let x_integer = &x_integers[lane];
                    match self.form {
                        SumForm::X => take(place, RowSum::X(x_integer)),
                        SumForm::Compressed => {
                            let y_is_odd = y_integers[lane].as_ref()[0] & 1 == 1;
                            take(place, RowSum::Compressed(x_integer, y_is_odd));
                        }
                        SumForm::Point => take(place, RowSum::Point(&points[lane])),
                    }
                }
            }
        }
    }

    /// u2 Q in the lanes of each group, and the lanes in which it is exceptional.
    #[inline(always)]
    fn products(
        &self,
        rows: usize,
        fresh: &[AffinePoint<L::Element>],
        u2: &[C::Integer],
    ) -> Vec<(AffinePoint<L::Element>, L::Mask)> {
        if fresh.is_empty() {
            return Vec::new();
        }
        let mut terms = Vec::with_capacity(fresh.len());
        for (&point, scalars) in fresh.iter().zip(u2.chunks_exact(L::WIDTH)) {
            terms.push((point, scalars));
        }
        if rows < MANY_FRESH {
            variable_base_mul_lanes_vartime(&self.group, self.order.bits(), &terms)
        } else {
            variable_base_mul_affine_vartime(&self.group, self.order, &terms)
        }
    }
}
