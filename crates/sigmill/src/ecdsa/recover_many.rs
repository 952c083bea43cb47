//! Recovery of many public keys on one curve: lanes side by side, shared inversions.

use alloc::vec;
use alloc::vec::Vec;

use super::Recover;
use super::quotients::{Quotients, quotients};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use crate::field::{Mask as _, lane_item};
use crate::multiply::{DoubleBaseManyVartime, MOST_TOGETHER, RowSum, SumForm, TakeSum};

/// The minimum number of rows for lanes. Eight lanes cost 2.3 times as much as one single call.
/// Measure with calls of `recover_many_vartime` with 1 to 4 rows.
const FEWEST: usize = 3;

/// The result for a row: a point.
type Recovered<C> = Result<AffinePoint<<C as Curve>::BaseElement>, Error>;

/// Many recoveries: entry i of the output is the result of the single one for row i, a point or an
/// error.
pub(crate) struct RecoverMany<'a, 'r, C: Curve> {
    pub(crate) rows: &'r [Recover<'a, C>],
}

impl<C: Curve> LanesOperation<C> for RecoverMany<'_, '_, C> {
    type Output = Vec<Recovered<C>>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) -> Self::Output {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        let rows = self.rows;
        let mut keys = vec![Err(Error::NotJudged); rows.len()];
        let (field, single_order) = (base.single(), order.single());
        let mut live = Vec::with_capacity(rows.len());
        for (i, row) in rows.iter().enumerate() {
            match row.x(field, single_order) {
                _ if row.digest.is_empty() => keys[i] = Err(Error::DigestEmpty),
                Err(error) => keys[i] = Err(error),
                Ok(x) => live.push((i, x)),
            }
        }
        let group = Group::wide(curve, base);
        for live in live.chunks(MOST_TOGETHER) {
            recover(&group, order, rows, live, &mut keys);
        }
        keys
    }
}

/// A row that may have a point R: its index, and x(R).
type Live<C> = (usize, <C as Curve>::BaseElement);

/// Recovers the keys of these rows.
#[inline(always)]
fn recover<C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[Recover<'_, C>],
    live: &[Live<C>],
    keys: &mut [Recovered<C>],
) {
    let points = match live.len() < FEWEST {
        true => None,
        false => lift_points(group, rows, live),
    };
    let Some((points, are_on_curve)) = points else {
        // The rows are few, or this prime has no roots in lanes.
        for &(index, _) in live {
            keys[index] = group.curve().dispatch(rows[index]);
        }
        return;
    };
    let mut take = |place: usize, sum: RowSum<'_, C>| {
        let index = live[place].0;
        keys[index] = match sum {
            _ if !are_on_curve[place / L::WIDTH].lane(place % L::WIDTH) => {
                Err(Error::RecoveryNotOnCurve)
            }
            RowSum::Point(sum) => Ok(*sum),
            // Unknown sums are recomputed one at a time, because the point is wanted.
            RowSum::Unknown | RowSum::X(_) | RowSum::Compressed(..) => {
                group.curve().dispatch(rows[index])
            }
        };
    };
    multiply(group, order, rows, live, &points, &mut take);
}

/// Steps 1.2 to 1.4: R in the lanes of each group, and the lanes in which R exists. Returns `None`
/// if the prime is not 3 modulo 4.
///
/// G replaces an R that does not exist. The lift of an x off the curve is a point of a twist. Its
/// order can be small, and its multiples would then force all other rows to be computed one at a
/// time.
#[inline(always)]
#[allow(clippy::type_complexity, reason = "two lists")]
fn lift_points<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    rows: &[Recover<'_, C>],
    live: &[Live<C>],
) -> Option<(Vec<AffinePoint<L::Element>>, Vec<L::Mask>)> {
    let field = group.field();
    let (mut x, mut y_is_odd) = (Vec::new(), Vec::new());
    for first in (0..live.len()).step_by(L::WIDTH) {
        let live = |lane: usize| lane_item(live, first + lane);
        x.push(field.pack(|lane| &live(lane).1));
        y_is_odd.push(L::Mask::from_lanes(|lane| rows[live(lane).0].id.is_y_odd()));
    }
    let lifted = group.lift_all_x_vartime(&x, &y_is_odd)?;
    let g = group.curve().generator();
    let g = group.pack(|_| g);
    let (mut points, mut are_on_curve) = (Vec::new(), Vec::new());
    for (x, (y, is_on_curve)) in x.iter().zip(&lifted) {
        let point = AffinePoint { x: *x, y: *y };
        points.push(group.select_affine(*is_on_curve, &point, &g));
        are_on_curve.push(*is_on_curve);
    }
    Some((points, are_on_curve))
}

/// Steps 1.5 and 1.6: passes Q = u1 G + u2 R with u1 = -e / r and u2 = s / r to `take` for every
/// row.
#[inline(always)]
fn multiply<C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[Recover<'_, C>],
    live: &[Live<C>],
    points: &[AffinePoint<L::Element>],
    take: &mut TakeSum<'_, C>,
) {
    let mut of_rows = Vec::with_capacity(live.len());
    for &(index, _) in live {
        let Recover {
            digest, signature, ..
        } = &rows[index];
        of_rows.push(Quotients {
            digest,
            number: signature.s(),
            divisor: signature.r(),
        });
    }
    let scalars = quotients(order, &of_rows, None, true);
    let mut sums =
        DoubleBaseManyVartime::new(*group, order.single(), live.len(), 1, SumForm::Point);
    sums.multiply(live.len(), &scalars, points, &|_| None, take);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Secp256k1;
    use crate::ecdsa::{RecoveryId, Sign, Signature, SignatureScalars};
    use crate::field::Field as _;
    use crate::scalar;

    /// An x that no point of secp256k1 has, but a point of small order of the twist has.
    const TWIST: &str = "58d02dcabcbd0eebdeffbc020bd970a57c24ffb3735411d2fd1e15b7511c4790";

    /// Counts the rows that are computed one at a time.
    struct SingleRows<'r>(&'r [Recover<'r, Secp256k1>]);

    impl LanesOperation<Secp256k1> for SingleRows<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: LanesOf<Secp256k1>, S: ScalarLanesOf<Secp256k1>>(
            self,
            curve: Secp256k1,
            base: L,
            order: S,
        ) -> usize {
            let group = Group::wide(curve, base);
            let x = |row: &Recover<'_, _>| row.x(base.single(), order.single()).unwrap();
            let live: Vec<_> = (0..).zip(self.0.iter().map(x)).collect();
            let (points, _) = lift_points(&group, self.0, &live).unwrap();
            let mut single = 0;
            multiply(&group, order, self.0, &live, &points, &mut |_, sum| {
                single += usize::from(matches!(sum, RowSum::Unknown));
            });
            single
        }
    }

    #[test]
    fn a_row_off_the_curve_takes_no_other_row_the_single_way() {
        let mut p1363 = [1; 64];
        for (byte, digits) in p1363.iter_mut().zip(TWIST.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(core::str::from_utf8(digits).unwrap(), 16).unwrap();
        }
        let twist = Signature::<Secp256k1>::from_p1363(&p1363).unwrap();
        let order = Secp256k1.scalar_field();
        let digests: Vec<[u8; 32]> = (0..300_u64)
            .map(|i| (i * i).to_le_bytes().repeat(4).try_into().unwrap())
            .collect();
        let sign = |digest: &[u8; 32]| {
            let e = scalar::from_digest(order, digest);
            let (secret, nonce) = (
                scalar::from_digest(order, &[3; 32]),
                order.add(&e, &order.one()),
            );
            let sign = Sign::<Secp256k1> {
                secret: &secret,
                nonce: &nonce,
                e: &e,
            };
            Secp256k1.dispatch_secret_lanes(sign).unwrap()
        };
        let mut signatures: Vec<(SignatureScalars<_>, RecoveryId)> =
            digests.iter().map(sign).collect();
        signatures[11].0 = *twist.scalars();
        let rows = digests.iter().zip(&signatures);
        let rows: Vec<_> = rows
            .map(|(digest, (signature, id))| Recover {
                digest,
                signature,
                id: *id,
            })
            .collect();
        let key = Secp256k1.dispatch(rows[0]).unwrap();
        // Side by side in Jacobian coordinates, and in affine ones.
        for rows in [&rows[..24], &rows] {
            assert_eq!(Secp256k1.dispatch_lanes(SingleRows(rows)), 0);
            let keys = Secp256k1.dispatch_lanes(RecoverMany { rows });
            for (i, recovered) in keys.iter().enumerate() {
                match i {
                    11 => assert_eq!(*recovered, Err(Error::RecoveryNotOnCurve)),
                    _ => assert_eq!(*recovered, Ok(key)),
                }
            }
        }
    }
}
