//! The table of a point that is used again: every multiple that a Booth digit can select at every
//! position. A multiplication needs no doubling.

use alloc::vec::Vec;

use aligned_vec::AVec;

use super::double_rows_vartime;
use super::prefetch::prefetch;
use super::rows_in_lanes::fill_rows_in_lanes_vartime;
use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf, Points};
use crate::error::Error;
use crate::field::{PrimeField as _, invert_all_vartime};
use crate::recode::{booth_digit, booth_digits};

/// Largest window of a table, in bits.
pub const MAX_WINDOW: u32 = 11;

/// Smallest window of tables that are built in lanes. Smaller tables consist mostly of doublings.
const FEWEST_IN_LANES: u32 = 3;

/// A table of multiples of P. Row i holds j 2^(w i) P for j = 1 .. 2^(w-1), affine (Gueron and
/// Krasnov; Drucker and Gueron §3.2): for 256 bits and w = 7, 37 rows of 64 points, 151,552 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowTable<E> {
    window: u32,
    points: Points<E>,
}

/// The number of rows, and of points per row, for a curve and a window.
///
/// # Errors
/// [`Error::WindowOutOfRange`] unless the window is 1 to [`MAX_WINDOW`] and 2^window is at most
/// the order (so that no multiple in a row is infinity or equals another one).
fn shape<C: Curve>(curve: C, window: u32) -> Result<(usize, usize), Error> {
    let bits = curve.scalar_field().bits();
    if !(1..=MAX_WINDOW).contains(&window) || window >= bits {
        return Err(Error::WindowOutOfRange { window });
    }
    Ok((booth_digits(bits, window) as usize, 1 << (window - 1)))
}

impl<E: Copy + PartialEq> WindowTable<E> {
    /// Builds the table of a point.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`] unless the window is 1 to [`MAX_WINDOW`] (and shorter than the
    /// order).
    ///
    /// Costs about 6 multiplications per point, one doubling per bit of the order, and one
    /// inversion per bit of the window. Variable time: for public values only.
    pub fn build_vartime<C, F>(
        group: &Group<C, F>,
        point: &AffinePoint<E>,
        window: u32,
    ) -> Result<Self, Error>
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        Ok(Self {
            window,
            points: build_points_vartime(group, point, window)?,
        })
    }

    /// Like [`build_vartime`](Self::build_vartime), but in lanes with rows side by side, if the
    /// number of rows makes it worthwhile.
    ///
    /// # Errors
    /// Same as `build_vartime`.
    pub fn build_lanes_vartime<C, L>(
        group: &Group<C, L>,
        point: &AffinePoint<E>,
        window: u32,
    ) -> Result<Self, Error>
    where
        C: Curve<BaseElement = E>,
        L: LanesOf<C>,
    {
        let single = group.single();
        if const { L::WIDTH == 1 } || window < FEWEST_IN_LANES {
            return Self::build_vartime(&single, point, window);
        }
        let (rows, width) = shape(group.curve(), window)?;
        let mut points = AVec::with_capacity(64, rows * width);
        points.resize(rows * width, *point);
        place_row_heads_vartime(&single, point, &mut points, width, window);
        fill_rows_in_lanes_vartime(group, &mut points, width);
        Ok(Self { window, points })
    }

    /// The size of the points of a table for curve `C`, in bytes.
    ///
    /// # Errors
    /// Same as [`build_vartime`](Self::build_vartime).
    pub fn memory_bytes_of<C>(curve: C, window: u32) -> Result<usize, Error>
    where
        C: Curve<BaseElement = E>,
    {
        let (rows, width) = shape(curve, window)?;
        Ok(rows * width * size_of::<AffinePoint<E>>())
    }

    /// Number of bits of the window.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// Number of points in a row: 2^(window - 1).
    pub fn row_length(&self) -> usize {
        1 << (self.window - 1)
    }

    /// All points, row after row.
    pub fn points(&self) -> &[AffinePoint<E>] {
        &self.points
    }

    /// The size of the points in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.points())
    }

    /// The rows, for multiplications.
    #[inline(always)]
    pub fn rows(&self) -> WindowRows<'_, E> {
        WindowRows {
            window: self.window,
            points: &self.points,
        }
    }
}

/// The rows of a [`WindowTable`], borrowed.
#[derive(Clone, Copy, Debug)]
pub struct WindowRows<'a, E> {
    window: u32,
    points: &'a [AffinePoint<E>],
}

impl<'a, E: Copy> WindowRows<'a, E> {
    /// Rows that are stored elsewhere. The caller ensures that the points are those of the window.
    #[inline(always)]
    pub(super) fn new(window: u32, points: &'a [AffinePoint<E>]) -> Self {
        Self { window, points }
    }

    /// The point P.
    #[inline(always)]
    pub(crate) fn point(self) -> &'a AffinePoint<E> {
        &self.points[0]
    }

    /// Number of rows: the largest number of terms of a multiple.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a table has rows")]
    pub fn len(self) -> usize {
        self.points.len() >> (self.window - 1)
    }

    /// Number of bits of the window.
    #[inline(always)]
    pub(crate) fn window(self) -> u32 {
        self.window
    }

    /// The points j 2^(w i) P of all rows i, for j from 1 to 2^(w-1), row after row.
    #[inline(always)]
    pub(crate) fn points(self) -> &'a [AffinePoint<E>] {
        self.points
    }

    /// The points whose sum is k P, with their signs (`true`: subtract), zero digits skipped.
    ///
    /// k is little-endian in limbs and below the order. The iterator prefetches each point that it
    /// returns: collect the terms first, then read the points. Variable time: for public values
    /// only.
    #[inline(always)]
    pub fn terms_vartime(self, k: &[u64]) -> impl Iterator<Item = (&'a AffinePoint<E>, bool)> {
        let width = 1 << (self.window - 1);
        let rows = self.points.chunks_exact(width).enumerate();
        rows.filter_map(move |(i, row)| {
            let digit = booth_digit(k, self.window, i as u32);
            let index = (digit.unsigned_abs() as usize).checked_sub(1)?;
            let point = &row[index];
            prefetch(point);
            Some((point, digit < 0))
        })
    }
}

/// The points of a table, row after row.
///
/// The first points of the rows come from doublings. All other points come from affine additions:
/// all rows double their length together, and each level shares one inversion. About 6
/// multiplications per point, 256 doublings and w inversions for 256 bits. Variable time: for
/// public values only.
///
/// # Errors
/// [`Error::WindowOutOfRange`] unless the window is 1 to [`MAX_WINDOW`] (and shorter than the
/// order).
pub(super) fn build_points_vartime<C, F>(
    group: &Group<C, F>,
    point: &AffinePoint<C::BaseElement>,
    window: u32,
) -> Result<Points<C::BaseElement>, Error>
where
    C: Curve,
    F: BaseField<C>,
{
    let (rows, width) = shape(group.curve(), window)?;
    Ok(build_rows_vartime(group, point, rows, width, window))
}

/// `rows` rows of `width` points, a power of two that is at most the order: row i holds the
/// multiples 1, 2, 3 ... of 2^(window i) P. Variable time: for public values only.
pub(super) fn build_rows_vartime<C, F>(
    group: &Group<C, F>,
    point: &AffinePoint<C::BaseElement>,
    rows: usize,
    width: usize,
    window: u32,
) -> Points<C::BaseElement>
where
    C: Curve,
    F: BaseField<C>,
{
    let mut points = AVec::with_capacity(64, rows * width);
    points.resize(rows * width, *point);
    place_row_heads_vartime(group, point, &mut points, width, window);
    let mut known = 1;
    while known < width {
        double_rows_vartime(group, &mut points, width, known);
        known *= 2;
    }
    points
}

/// The first point of each row, 2^(w i) P, by doublings and one shared inversion.
fn place_row_heads_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    point: &AffinePoint<C::BaseElement>,
    points: &mut [AffinePoint<C::BaseElement>],
    width: usize,
    window: u32,
) {
    let mut head = group.from_affine(point);
    let mut heads = Vec::with_capacity(points.len() / width);
    heads.push(head);
    while heads.len() < points.len() / width {
        for _ in 0..window {
            head = group.double(&head);
        }
        heads.push(head);
    }
    let mut z_inverses = Vec::with_capacity(heads.len());
    for head in &heads {
        z_inverses.push(head.z);
    }
    let mut scratch = z_inverses.clone();
    invert_all_vartime(group.field(), &mut z_inverses[..], &mut scratch);
    for (i, (head, z_inverse)) in heads.iter().zip(&z_inverses).enumerate() {
        points[i * width] = group.scale(head, z_inverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Domain as _, P256, P384};

    #[test]
    fn shapes_of_the_paper() {
        assert_eq!(shape(P256, 7).unwrap(), (37, 64));
        assert_eq!(shape(P256, 8).unwrap(), (33, 128));
        assert_eq!(shape(P256, 1).unwrap(), (257, 1));
        assert_eq!(shape(P384.curve(), 7).unwrap(), (55, 64));
        assert_eq!(shape(P256, 0), Err(Error::WindowOutOfRange { window: 0 }));
        assert_eq!(shape(P256, 12), Err(Error::WindowOutOfRange { window: 12 }));
    }
}
