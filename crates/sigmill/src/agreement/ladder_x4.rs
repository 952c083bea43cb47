//! The Montgomery ladder on Curve25519, for one value, with four products at a time.
//!
//! A step of the ladder (see `ladder`) has eleven products, which depend on each other in three
//! levels of four, three and two. Each level is one product of quads. The lanes hold:
//!
//! ```text
//!          lane 0     lane 1         lane 2      lane 3
//! point    X2         Z2             X3          Z3
//! factors  A          B              C           D            X + Z, X - Z
//! level 1  AA         BB             D A         C B          AA, BB of the doubled one
//! factors  AA         E = AA - BB    DA + CB     DA - CB
//! level 2  X2'=AA BB  -              X3'         W = (DA - CB)^2
//! level 3  -          Z2' = E G      -           Z3' = u W    G = AA + a24 E
//! ```
//!
//! (Hisil, Egrice and Yassi, *Fast 4 way vectorized ladder for the complete set of Montgomery
//! curves*, 2020, have four products on each of three levels for points (X : Z) with any Z.)

use super::ladder::A24;
use crate::field::c25519::{C25519X4, Columns};
use crate::limbs::{Quads, VectorOperation, array_from_fn};

/// The lanes of X, which are minuends.
const X: u8 = 0b0101;

/// k P for the point P = (u : 1): X and Z below 2^256. 255 steps.
pub(super) struct LadderX4<'a, B> {
    /// The coordinate u, below 2^255.
    pub(super) u: &'a [u64; 4],
    /// All ones if bit i of the clamped scalar differs from bit i + 1, otherwise 0.
    pub(super) bit_differs: B,
}

impl<Q: Quads, B: Fn(u32) -> u64> VectorOperation<Q> for LadderX4<'_, B> {
    type Output = [[u64; 4]; 2];

    #[inline(always)]
    fn run(self, quads: Q) -> [[u64; 4]; 2] {
        let field = C25519X4::new(quads);
        let (one, zero) = ([1, 0, 0, 0], [0; 4]);
        let u = field.pack([self.u; 4]);
        let x_lanes = field.offset::<X>();
        let mut point = add(quads, &field.pack([&one, &zero, self.u, &one]), &x_lanes);
        for i in (0..255).rev() {
            // The last step's double is in lanes 0 and 1, its sum in lanes 2 and 3. The first two
            // lanes receive the factors of whichever is doubled: 0, 1 or 2, 3.
            let choice = (self.bit_differs)(i) & 2;
            let left = quads.load(&[choice, choice | 1, 0, 1]);
            let right = quads.load(&[choice, choice | 1, 3, 2]);
            let factors = field.carry(&sums_and_differences::<Q, 0b1010>(quads, &point));
            let (mut a, mut b) = (factors, factors);
            for (a, b) in a.iter_mut().zip(&mut b) {
                *a = quads.permute(*a, left);
                *b = quads.permute(*b, right);
            }
            let squares = field.multiply(&a, &b, &x_lanes);
            point = finish(quads, &u, &squares, &x_lanes);
        }
        debug_assert!(field.are_products(&point, [1, 3]));
        let [x, z, _, _] = field.unpack(&field.carry(&point));
        [x, z]
    }
}

/// Levels 2 and 3 of a step, given AA, BB, DA, CB.
#[inline(always)]
pub fn finish<Q: Quads>(
    quads: Q,
    u: &Columns<Q>,
    squares: &Columns<Q>,
    x_lanes: &Columns<Q>,
) -> Columns<Q> {
    let field = C25519X4::new(quads);
    let raw = sums_and_differences::<Q, 0b1010>(quads, squares);
    let aa: Columns<Q> = array_from_fn(|i| quads.evens(squares[i]));
    let bb: Columns<Q> = array_from_fn(|i| quads.odds(squares[i]));
    // AA, E, DA + CB, DA - CB and BB, E, DA + CB, DA - CB.
    let left = field.carry(&blend::<Q, 0b0001>(quads, &aa, &raw));
    let right = field.carry(&blend::<Q, 0b0001>(quads, &bb, &raw));
    let second = field.multiply(&left, &right, x_lanes);
    let g = field.carry(&field.add_multiple::<A24>(&aa, &left));
    let w = field.carry(&second);
    let third = field.multiply(
        &blend::<Q, 0b0010>(quads, &left, &w),
        &blend::<Q, 0b0010>(quads, &g, u),
        &field.offset::<0>(),
    );
    blend::<Q, X>(quads, &second, &third)
}

/// For lanes (a, b, c, d): a + b, a + b, c + d, c + d, or the difference where `DIFFERENCES` has a
/// bit. a and c are minuends.
#[inline(always)]
pub fn sums_and_differences<Q: Quads, const DIFFERENCES: u8>(
    quads: Q,
    a: &Columns<Q>,
) -> Columns<Q> {
    debug_assert!(C25519X4::new(quads).are_products(a, [1, 3]));
    let mut result = *a;
    for column in &mut result {
        let (even, odd) = (quads.evens(*column), quads.odds(*column));
        *column = quads.blend::<DIFFERENCES>(quads.sub(even, odd), quads.add(even, odd));
    }
    result
}

/// The lanes of `a` where `MASK` has a bit, otherwise those of `b`.
#[inline(always)]
fn blend<Q: Quads, const MASK: u8>(quads: Q, a: &Columns<Q>, b: &Columns<Q>) -> Columns<Q> {
    array_from_fn(|i| quads.blend::<MASK>(a[i], b[i]))
}

#[inline(always)]
fn add<Q: Quads>(quads: Q, a: &Columns<Q>, b: &Columns<Q>) -> Columns<Q> {
    array_from_fn(|i| quads.add(a[i], b[i]))
}
