//! Many public keys from signatures on one curve: lanes side by side, shared inversions.

use alloc::vec;
use alloc::vec::Vec;

use super::verify_many::{BLOCK, MANY_FRESH, MOST_FRESH};
use super::{Recover, VerifyingKey};
use crate::curve::{AffinePoint, Curve, Domain, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use crate::field::{Field, Limbs as _, Mask as _, PrimeField, invert_all_vartime};
use crate::multiply::{
    BlockSumsVartime, variable_base_mul_affine_vartime, variable_base_mul_lanes_vartime,
};
use crate::scalar;
use crate::table::{WindowRows, generator_table};

/// The fewest rows that are not left to single calls: eight lanes take 2.3 times as long as one of these.
const FEWEST: usize = 3;

/// `keys[i]` = what the single call says of `rows[i]`: the public key, or why there is none.
///
/// Eight rows at once where the CPU has AVX-512 IFMA; roots by powers in lanes, and inversions that
/// some thousand rows share. Variable time: for public values only.
///
/// ```
/// use sigmill::ecdsa::{Recover, recover_many_vartime};
/// use sigmill::curve::Secp256k1;
/// use sigmill::secp256k1::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let digest = [7; 32];
/// let (signature, id) = key.sign_prehash_recoverable(&digest)?;
/// let rows = [Recover { digest: &digest, signature: signature.scalars(), id }; 3];
/// for recovered in recover_many_vartime(Secp256k1, &rows) {
///     assert_eq!(recovered.as_ref(), Ok(key.verifying_key()));
/// }
/// # Ok::<(), sigmill::Error>(())
/// ```
#[must_use]
pub fn recover_many_vartime<C: Domain>(
    domain: C,
    rows: &[Recover<'_, C::Curve>],
) -> Vec<Result<VerifyingKey<C>, Error>> {
    let points = domain.curve().dispatch_lanes(RecoverMany { rows });
    let key = |point: Result<_, _>| point.map(|point| VerifyingKey::from_affine(domain, point));
    points.into_iter().map(key).collect()
}

/// What the rows stand for: points.
type Recovered<C> = Result<AffinePoint<<C as Curve>::BaseElement>, Error>;

struct RecoverMany<'a, 'r, C: Curve> {
    rows: &'r [Recover<'a, C>],
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
        let engine = Blocks {
            group: Group::wide(curve, base),
            order,
            generator: generator_table(&Group::new(curve, field)),
            rows,
        };
        for rows in live.chunks(MOST_FRESH) {
            engine.recover(rows, &mut keys);
        }
        keys
    }
}

/// A row that may have a point R: its index, and x(R).
type Live<C> = (usize, <C as Curve>::BaseElement);

/// A point in every lane, with the lanes of which something is to be said.
type LanesPoint<L> = (AffinePoint<<L as Field>::Element>, <L as Field>::Mask);

/// What the blocks of a call share.
struct Blocks<'a, 'r, C: Curve, L: LanesOf<C>, S> {
    group: Group<C, L>,
    order: S,
    generator: WindowRows<'a, C::BaseElement>,
    rows: &'r [Recover<'r, C>],
}

impl<'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> Blocks<'a, '_, C, L, S> {
    #[inline(always)]
    fn recover(&self, live: &[Live<C>], keys: &mut [Recovered<C>]) {
        let points = match live.len() < FEWEST {
            true => None,
            false => self.points(live),
        };
        let Some(points) = points else {
            // Few rows, or no roots in lanes for this prime.
            for &(index, _) in live {
                keys[index] = self.group.curve().dispatch(self.rows[index]);
            }
            return;
        };
        let (u1, u2) = self.scalars(live);
        let products = self.products(live.len(), &points, &u2);
        let groups = live.len().min(BLOCK).div_ceil(L::WIDTH);
        let stride = 1 + self.generator.len();
        let mut sums =
            BlockSumsVartime::new(self.group, self.generator.point(), groups, stride).with_y();
        for (number, block) in live.chunks(BLOCK).enumerate() {
            let first = number * BLOCK / L::WIDTH;
            let groups = block.len().div_ceil(L::WIDTH);
            sums.clear();
            for group in first..first + groups {
                sums.push(Some(&products[group]), |lane| {
                    self.generator
                        .terms_vartime(u1[group * L::WIDTH + lane].as_ref())
                });
            }
            sums.add_up();
            for (group, rows) in block.chunks(L::WIDTH).enumerate() {
                let on_curve = points[first + group].1;
                self.take(&sums, group, on_curve, rows, keys);
            }
        }
    }

    /// The row of a lane; where lanes are left over, the last row again.
    #[inline(always)]
    fn row<'l>(&self, live: &'l [Live<C>], place: usize) -> (&Recover<'_, C>, &'l C::BaseElement) {
        let (index, x) = &live[place.min(live.len() - 1)];
        (&self.rows[*index], x)
    }

    /// Steps 1.2 to 1.4: R of every row, and the lanes in which there is one; `None` where the prime is
    /// not 3 modulo 4.
    ///
    /// Where there is none, G takes its place: what lifts off the curve is a point of a twist,
    /// whose order can be small, and whose multiples would then take all other rows the single way.
    #[inline(always)]
    fn points(&self, live: &[Live<C>]) -> Option<Vec<LanesPoint<L>>> {
        let (mut x, mut y_is_odd) = (Vec::new(), Vec::new());
        for group in 0..live.len().div_ceil(L::WIDTH) {
            let row = |lane: usize| self.row(live, group * L::WIDTH + lane);
            x.push(self.group.field().pack(|lane| row(lane).1));
            y_is_odd.push(L::Mask::from_lanes(|lane| row(lane).0.id.is_y_odd()));
        }
        let lifted = self.group.lift_all_x_vartime(&x, &y_is_odd)?;
        let field = self.group.field();
        let g = self.generator.point();
        let (gx, gy) = (field.pack(|_| &g.x), field.pack(|_| &g.y));
        let mut points = Vec::with_capacity(x.len());
        for (x, (y, is_on_curve)) in x.iter().zip(&lifted) {
            let point = AffinePoint {
                x: field.select(*is_on_curve, x, &gx),
                y: field.select(*is_on_curve, y, &gy),
            };
            points.push((point, *is_on_curve));
        }
        Some(points)
    }

    /// u2 R of every row, with the lanes in which it is wrong.
    #[inline(always)]
    fn products(
        &self,
        rows: usize,
        points: &[LanesPoint<L>],
        u2: &[C::Integer],
    ) -> Vec<LanesPoint<L>> {
        let scalars = u2.chunks_exact(L::WIDTH);
        let terms: Vec<_> = points
            .iter()
            .zip(scalars)
            .map(|(point, u2)| (point.0, u2))
            .collect();
        if rows < MANY_FRESH {
            variable_base_mul_lanes_vartime(&self.group, self.order.single().bits(), &terms)
        } else {
            variable_base_mul_affine_vartime(&self.group, self.order.single(), &terms)
        }
    }

    /// u1 = -e / r and u2 = s / r of every row: all r are inverted at once. As integers e, r and s are
    /// divided by the constant of the Montgomery form.
    #[inline(always)]
    fn scalars(&self, live: &[Live<C>]) -> (Vec<C::Integer>, Vec<C::Integer>) {
        let (order, single) = (self.order, self.order.single());
        let groups = live.len().div_ceil(L::WIDTH);
        let row = |group: usize, lane: usize| self.row(live, group * L::WIDTH + lane).0;
        let mut inverses = Vec::with_capacity(groups);
        for group in 0..groups {
            inverses.push(order.pack_over_r(|lane| *row(group, lane).signature.r()));
        }
        let mut scratch = inverses.clone();
        invert_all_vartime(order, &mut inverses[..], &mut scratch);
        let mut u1 = vec![C::Integer::ZERO; groups * L::WIDTH];
        let mut u2 = u1.clone();
        for (group, w) in inverses.iter().enumerate() {
            let places = group * L::WIDTH..(group + 1) * L::WIDTH;
            let digest = |lane| row(group, lane).digest;
            let e = order.pack_over_r(|lane| scalar::integer_from_digest(single, digest(lane)));
            let e = order.negate(&e);
            order.to_integers(&order.mul(&e, w), &mut u1[places.clone()]);
            let s = order.pack_over_r(|lane| *row(group, lane).signature.s());
            order.to_integers(&order.mul(&s, w), &mut u2[places]);
        }
        (u1, u2)
    }

    /// The keys of a group. Rows whose sum is not known go the single way.
    #[inline(always)]
    fn take(
        &self,
        sums: &BlockSumsVartime<'a, C, L>,
        group: usize,
        on_curve: L::Mask,
        rows: &[Live<C>],
        keys: &mut [Recovered<C>],
    ) {
        let field = self.group.field();
        let single = field.single();
        let (point, dead) = sums.sum(group);
        let mut x = vec![single.zero(); L::WIDTH];
        let mut y = x.clone();
        field.unpack(&point.x, &mut x);
        field.unpack(&point.y, &mut y);
        for (lane, &(index, _)) in rows.iter().enumerate() {
            keys[index] = if !on_curve.lane(lane) {
                Err(Error::RecoveryNotOnCurve)
            } else if dead.lane(lane) {
                self.group.curve().dispatch(self.rows[index])
            } else {
                Ok(AffinePoint {
                    x: x[lane],
                    y: y[lane],
                })
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Secp256k1;
    use crate::ecdsa::{RecoveryId, Signature, SigningKey};

    /// An x of which no point of secp256k1 has it, but a point of small order of the twist.
    const TWIST: &str = "58d02dcabcbd0eebdeffbc020bd970a57c24ffb3735411d2fd1e15b7511c4790";

    /// How many lanes of the products of these rows are wrong, so that their rows go the single
    /// way.
    struct WrongLanes<'r>(&'r [Recover<'r, Secp256k1>]);

    impl LanesOperation<Secp256k1> for WrongLanes<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: LanesOf<Secp256k1>, S: ScalarLanesOf<Secp256k1>>(
            self,
            curve: Secp256k1,
            base: L,
            order: S,
        ) -> usize {
            let engine = Blocks {
                group: Group::wide(curve, base),
                order,
                generator: generator_table(&Group::new(curve, base.single())),
                rows: self.0,
            };
            let x = |row: &Recover<'_, _>| row.x(base.single(), order.single()).unwrap();
            let live: Vec<_> = (0..).zip(self.0.iter().map(x)).collect();
            let points = engine.points(&live).unwrap();
            let (_, u2) = engine.scalars(&live);
            let products = engine.products(live.len(), &points, &u2);
            let wrong = |mask: &L::Mask| (0..L::WIDTH).filter(|&lane| mask.lane(lane)).count();
            products.iter().map(|(_, mask)| wrong(mask)).sum()
        }
    }

    #[test]
    fn a_row_off_the_curve_takes_no_other_row_the_single_way() {
        let mut p1363 = [1; 64];
        for (byte, digits) in p1363.iter_mut().zip(TWIST.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(core::str::from_utf8(digits).unwrap(), 16).unwrap();
        }
        let twist = Signature::from_p1363(&p1363).unwrap();
        let key = SigningKey::<Secp256k1>::from_be_bytes(&[3; 32]).unwrap();
        let digests: Vec<[u8; 32]> = (0..300_u64)
            .map(|i| (i * i).to_le_bytes().repeat(4).try_into().unwrap())
            .collect();
        let sign = |digest: &[u8; 32]| key.sign_prehash_recoverable(digest).unwrap();
        let mut signatures: Vec<(_, RecoveryId)> = digests.iter().map(sign).collect();
        signatures[11].0 = twist;
        let rows = digests.iter().zip(&signatures);
        let rows: Vec<_> = rows
            .map(|(digest, (signature, id))| Recover {
                digest,
                signature: signature.scalars(),
                id: *id,
            })
            .collect();
        // Side by side in Jacobian coordinates, and in affine ones.
        for rows in [&rows[..24], &rows] {
            assert_eq!(Secp256k1.dispatch_lanes(WrongLanes(rows)), 0);
            let keys = recover_many_vartime(Secp256k1, rows);
            for (i, recovered) in keys.iter().enumerate() {
                match i {
                    11 => assert_eq!(*recovered, Err(Error::RecoveryNotOnCurve)),
                    _ => assert_eq!(recovered.as_ref(), Ok(key.verifying_key())),
                }
            }
        }
    }
}
