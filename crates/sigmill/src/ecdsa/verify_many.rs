//! Many signatures on one curve: lanes side by side, shared inversions.

use alloc::vec::Vec;

use super::quotients::{Quotients, quotients};
use super::verify::{Strategy, Verify, times_reduced_of_integer_vartime};
use super::{RecoveryId, VerifyRecoverable};
use crate::curve::{Curve, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use crate::field::{PrimeField as _, lane_item};
use crate::multiply::{
    DoubleBaseManyVartime, MANY_FRESH, MOST_TOGETHER, RowSum, SumForm, block_rows,
};

/// Verifies many signatures: `verdicts[i]` becomes the result of the single call for `rows[i]`.
///
/// Accepts any mix of keys and strategies. It is fastest if rows of one strategy are adjacent and
/// rows of one key are near each other.
///
/// # Panics
/// If the slices differ in length.
pub fn verify_many_vartime<C: Curve>(
    curve: C,
    rows: &[Verify<'_, C>],
    verdicts: &mut [Result<(), Error>],
) {
    curve.dispatch_lanes(VerifyMany {
        rows,
        verdicts,
        ids: None,
    });
}

/// [`verify_many_vartime`] that also returns recovery ids: `ids[i]` becomes the recovery id of a
/// valid row, and `None` for any other row. Costs two field multiplications per row.
///
/// # Panics
/// If the slices differ in length.
pub fn verify_many_recoverable_vartime<C: Curve>(
    curve: C,
    rows: &[Verify<'_, C>],
    verdicts: &mut [Result<(), Error>],
    ids: &mut [Option<RecoveryId>],
) {
    assert_eq!(rows.len(), ids.len(), "one id per row");
    curve.dispatch_lanes(VerifyMany {
        rows,
        verdicts,
        ids: Some(ids),
    });
}

/// The operation behind [`verify_many_vartime`]: verifies many signatures.
#[derive(Debug)]
pub struct VerifyMany<'a, 'r, C: Curve> {
    /// The signatures.
    pub rows: &'r [Verify<'a, C>],
    /// As long as `rows`.
    pub verdicts: &'r mut [Result<(), Error>],
    /// Receives the recovery ids of valid rows, if they are wanted; as long as `rows`.
    pub ids: Option<&'r mut [Option<RecoveryId>]>,
}

impl<C: Curve> LanesOperation<C> for VerifyMany<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        let Self {
            rows,
            verdicts,
            mut ids,
        } = self;
        assert_eq!(rows.len(), verdicts.len(), "one verdict per row");
        if let Some(ids) = &mut ids {
            ids.fill(None);
        }
        let (mut prepared, mut fresh) = (Vec::new(), Vec::new());
        for (i, row) in rows.iter().enumerate() {
            match row.strategy {
                _ if row.digest.is_empty() => verdicts[i] = Err(Error::DigestEmpty),
                Strategy::Prepared(_) => prepared.push(i),
                Strategy::Fresh(_) => fresh.push(i),
            }
        }
        for indices in [prepared, fresh] {
            let group = Group::wide(curve, base);
            verify(&group, order, rows, &indices, verdicts, ids.as_deref_mut());
        }
    }
}

/// Verifies the rows with these indices. All have the same strategy.
#[inline(always)]
fn verify<C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[Verify<'_, C>],
    indices: &[usize],
    verdicts: &mut [Result<(), Error>],
    mut ids: Option<&mut [Option<RecoveryId>]>,
) {
    let strategies = indices.iter().map(|&i| rows[i].strategy);
    let Some(most_terms) = strategies.map(|strategy| strategy.most_terms()).max() else {
        return;
    };
    let (curve, single_order) = (group.curve(), order.single());
    let n = single_order.modulus();
    let is_fresh = rows[indices[0]].strategy.table().is_none();
    let together = match is_fresh && indices.len() < MANY_FRESH {
        true => block_rows(L::WIDTH),
        false => MOST_TOGETHER,
    };
    let count = indices.len();
    let form = match ids {
        None => SumForm::X,
        Some(_) => SumForm::Compressed,
    };
    let mut sums = DoubleBaseManyVartime::new(*group, single_order, count, most_terms, form);
    for indices in indices.chunks(together) {
        if let &[index] = indices {
            // For one row, the inversions of a block do not pay.
            let id = ids.as_deref_mut().map(|ids| &mut ids[index]);
            verdicts[index] = verify_alone(curve, &rows[index], id);
            continue;
        }
        let row = |place: usize| &rows[*lane_item(indices, place)];
        // Steps 2 to 4: e from the digest, u1 = e / s, u2 = r / s.
        let mut of_rows = Vec::with_capacity(indices.len());
        for &index in indices {
            of_rows.push(Quotients::of(&rows[index]));
        }
        let scalars = quotients(order, &of_rows, None, false);
        let mut fresh = Vec::new();
        if is_fresh {
            for first in (0..indices.len()).step_by(L::WIDTH) {
                fresh.push(group.pack(|lane| row(first + lane).strategy.point()));
            }
        }
        // Step 5: R = u1 G + u2 Q. Steps 6 to 8: check x(R) mod n = r. Rows whose R is not known
        // are verified one at a time. They dispatch separately, so that this code is not compiled
        // here a second time.
        let table = |place| row(place).strategy.table();
        let mut judge = |place: usize, sum: RowSum<'_, C>| {
            let index = indices[place];
            let id = ids.as_deref_mut().map(|ids| &mut ids[index]);
            verdicts[index] = judge(curve, &n, &rows[index], sum, id);
        };
        sums.multiply(indices.len(), &scalars, &fresh, &table, &mut judge);
    }
}

/// Returns the verdict of a row whose R is `sum`, and writes its recovery id to `id` if present.
#[inline(never)]
fn judge<C: Curve>(
    curve: C,
    n: &C::Integer,
    row: &Verify<'_, C>,
    sum: RowSum<'_, C>,
    id: Option<&mut Option<RecoveryId>>,
) -> Result<(), Error> {
    let (x, y_is_odd) = match sum {
        RowSum::X(x) => (x, None),
        RowSum::Compressed(x, y_is_odd) => (x, Some(y_is_odd)),
        RowSum::Unknown | RowSum::Point(_) => return verify_alone(curve, row, id),
    };
    let times = times_reduced_of_integer_vartime(*x, n, row.signature.r());
    let times = times.ok_or(Error::SignatureMismatch)?;
    if let (Some(id), Some(y_is_odd)) = (id, y_is_odd) {
        *id = Some(RecoveryId::new(y_is_odd, times > 0));
    }
    Ok(())
}

/// Verifies a row by itself, and writes its recovery id to `id` if present.
#[inline(never)]
fn verify_alone<C: Curve>(
    curve: C,
    row: &Verify<'_, C>,
    id: Option<&mut Option<RecoveryId>>,
) -> Result<(), Error> {
    let Some(id) = id else {
        return curve.dispatch_lanes(*row);
    };
    *id = Some(curve.dispatch(VerifyRecoverable(*row))?);
    Ok(())
}
