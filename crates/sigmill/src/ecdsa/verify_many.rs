//! Many signatures on one curve: lanes side by side, shared inversions.

use alloc::vec;
use alloc::vec::Vec;

use super::verify::{Strategy, Verify, is_congruent_vartime};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use crate::field::{Field, Limbs as _, Mask as _, PrimeField, invert_all_vartime};
use crate::multiply::{
    BlockSumsVartime, variable_base_mul_affine_vartime, variable_base_mul_lanes_vartime,
};
use crate::scalar;
use crate::table::{WindowRows, generator_table};

/// How many rows share the inversions of a block.
///
/// The points of a block, about 60 of 64 bytes a row, should stay in the second-level cache; a
/// block has six inversions, each of which costs about 90 products.
pub(super) const BLOCK: usize = 64;

/// How many rows of fresh keys multiply their keys side by side, by steps that share an inversion
/// each.
pub(super) const MOST_FRESH: usize = 2048;

/// The fewest rows for which that is worth the inversions.
pub(super) const MANY_FRESH: usize = 256;

/// `verdicts[i]` = what the single call says of `rows[i]`: any mix of keys and strategies.
///
/// Rows of one strategy are fastest side by side, and rows of one key near each other.
///
/// # Panics
/// When the slices differ in length.
pub fn verify_many_vartime<C: Curve>(
    curve: C,
    rows: &[Verify<'_, C>],
    verdicts: &mut [Result<(), Error>],
) {
    curve.dispatch_lanes(VerifyMany { rows, verdicts });
}

/// Verifies many signatures: the operation behind [`verify_many_vartime`].
#[derive(Debug)]
pub struct VerifyMany<'a, 'r, C: Curve> {
    /// The signatures.
    pub rows: &'r [Verify<'a, C>],
    /// As long as `rows`.
    pub verdicts: &'r mut [Result<(), Error>],
}

impl<C: Curve> LanesOperation<C> for VerifyMany<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        let Self { rows, verdicts } = self;
        assert_eq!(rows.len(), verdicts.len(), "one verdict per row");
        let (mut prepared, mut fresh) = (Vec::new(), Vec::new());
        for (i, row) in rows.iter().enumerate() {
            match row.strategy {
                _ if row.digest.is_empty() => verdicts[i] = Err(Error::DigestEmpty),
                Strategy::Prepared(_) => prepared.push(i),
                Strategy::Fresh(_) => fresh.push(i),
            }
        }
        let engine = Blocks {
            group: Group::wide(curve, base),
            order,
            generator: generator_table(&Group::new(curve, base.single())),
            rows,
        };
        for indices in [prepared, fresh] {
            engine.verify(&indices, verdicts);
        }
    }
}

/// u2 Q of a group of rows, and the lanes in which it is wrong.
type Product<L> = (AffinePoint<<L as Field>::Element>, <L as Field>::Mask);

/// What the blocks of a call share.
struct Blocks<'a, 'r, C: Curve, L: LanesOf<C>, S> {
    group: Group<C, L>,
    order: S,
    generator: WindowRows<'a, C::BaseElement>,
    rows: &'r [Verify<'a, C>],
}

impl<'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> Blocks<'a, '_, C, L, S> {
    /// Verifies the rows with these indices, all of one strategy, block by block.
    #[inline(always)]
    fn verify(&self, indices: &[usize], verdicts: &mut [Result<(), Error>]) {
        let Some(&first) = indices.first() else {
            return;
        };
        let terms = |&i: &usize| self.rows[i].strategy.most_terms();
        let stride = indices.iter().map(terms).max().unwrap_or(0) + self.generator.len();
        let groups = indices.len().min(BLOCK).div_ceil(L::WIDTH);
        let filler = self.rows[first].strategy.point();
        let mut sums = BlockSumsVartime::new(self.group, filler, groups, stride);
        let together = match self.rows[first].strategy {
            Strategy::Fresh(_) if indices.len() >= MANY_FRESH => MOST_FRESH,
            _ => BLOCK,
        };
        for rows in indices.chunks(together) {
            if let &[index] = rows {
                // A block's inversions are not worth it for one row.
                verdicts[index] = self.group.curve().dispatch_lanes(self.rows[index]);
                continue;
            }
            let (u1, u2) = self.scalars(rows);
            let products = self.products_of_fresh_keys(rows, &u2);
            for (number, block) in rows.chunks(BLOCK).enumerate() {
                let first = number * BLOCK;
                self.gather(
                    &mut sums,
                    block,
                    products.get(first / L::WIDTH..).unwrap_or_default(),
                    &u1[first..],
                    &u2[first..],
                );
                sums.add_up();
                self.judge(&sums, block, verdicts);
            }
        }
    }

    /// Gathers the terms of u1 G + u2 Q of every row of a block.
    #[inline(always)]
    fn gather(
        &self,
        sums: &mut BlockSumsVartime<'a, C, L>,
        block: &[usize],
        products: &[Product<L>],
        u1: &[C::Integer],
        u2: &[C::Integer],
    ) {
        sums.clear();
        for group in 0..block.len().div_ceil(L::WIDTH) {
            sums.push(products.get(group), |lane| {
                let place = group * L::WIDTH + lane;
                let prepared = match self.row(block, place).strategy {
                    Strategy::Prepared(q) => Some(q.terms_vartime(u2[place].as_ref())),
                    Strategy::Fresh(_) => None,
                };
                let base_terms = self.generator.terms_vartime(u1[place].as_ref());
                prepared.into_iter().flatten().chain(base_terms)
            });
        }
    }

    /// The row at a place of a block; beyond its end, where lanes are left over, the last row
    /// again.
    #[inline(always)]
    fn row(&self, block: &[usize], place: usize) -> &Verify<'a, C> {
        &self.rows[block[place.min(block.len() - 1)]]
    }

    /// u1 and u2 of every row of a block, steps 2 to 4: all s are inverted at once. As integers e, r and
    /// s are e/R, r/R and s/R.
    #[inline(always)]
    fn scalars(&self, block: &[usize]) -> (Vec<C::Integer>, Vec<C::Integer>) {
        let (order, single) = (self.order, self.order.single());
        let groups = block.len().div_ceil(L::WIDTH);
        let row = |group: usize, lane: usize| self.row(block, group * L::WIDTH + lane);
        let mut inverses = Vec::with_capacity(groups);
        for group in 0..groups {
            inverses.push(order.pack_over_r(|lane| *row(group, lane).signature.s()));
        }
        let mut scratch = inverses.clone();
        invert_all_vartime(order, &mut inverses[..], &mut scratch);
        let mut u1 = vec![C::Integer::ZERO; groups * L::WIDTH];
        let mut u2 = u1.clone();
        for (group, w) in inverses.iter().enumerate() {
            let places = group * L::WIDTH..(group + 1) * L::WIDTH;
            let digest = |lane| row(group, lane).digest;
            let e = order.pack_over_r(|lane| scalar::integer_from_digest(single, digest(lane)));
            order.to_integers(&order.mul(&e, w), &mut u1[places.clone()]);
            let r = order.pack_over_r(|lane| *row(group, lane).signature.r());
            order.to_integers(&order.mul(&r, w), &mut u2[places]);
        }
        (u1, u2)
    }

    /// u2 Q for a block of fresh keys; nothing for one of prepared keys.
    #[inline(always)]
    fn products_of_fresh_keys(&self, block: &[usize], u2: &[C::Integer]) -> Vec<Product<L>> {
        let base = self.group.field();
        if let Strategy::Prepared(_) = self.row(block, 0).strategy {
            return Vec::new();
        }
        let terms: Vec<_> = u2
            .chunks_exact(L::WIDTH)
            .enumerate()
            .map(|(group, scalars)| {
                let q = |lane| self.row(block, group * L::WIDTH + lane).strategy.point();
                let point = AffinePoint {
                    x: base.pack(|lane| &q(lane).x),
                    y: base.pack(|lane| &q(lane).y),
                };
                (point, scalars)
            })
            .collect();
        if block.len() < MANY_FRESH {
            variable_base_mul_lanes_vartime(&self.group, self.order.single().bits(), &terms)
        } else {
            variable_base_mul_affine_vartime(&self.group, self.order.single(), &terms)
        }
    }

    /// Steps 6 to 8: whether x(R) mod n = r. Rows whose sum is not known go the single way, by a
    /// choice of backends of their own, so that its code is not compiled once more here.
    #[inline(always)]
    fn judge(
        &self,
        sums: &BlockSumsVartime<'a, C, L>,
        block: &[usize],
        verdicts: &mut [Result<(), Error>],
    ) {
        let (base, order) = (self.group.field().single(), self.order.single());
        let mut x = vec![base.zero(); L::WIDTH];
        for (group, indices) in block.chunks(L::WIDTH).enumerate() {
            let (lanes, dead) = sums.sum(group);
            self.group.field().unpack(&lanes.x, &mut x);
            for (lane, &index) in indices.iter().enumerate() {
                let row = self.rows[index];
                verdicts[index] = if dead.lane(lane) {
                    self.group.curve().dispatch_lanes(row)
                } else {
                    let r = *row.signature.r();
                    let is_x = |candidate: &_| base.equal(candidate, &x[lane]);
                    match is_congruent_vartime(base, order, r, is_x) {
                        true => Ok(()),
                        false => Err(Error::SignatureMismatch),
                    }
                };
            }
        }
    }
}
