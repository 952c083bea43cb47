//! Look-ups that may depend on secrets: every point of a row is read, and masks select one.

#[cfg(target_arch = "x86_64")]
use super::masked_quads::ScanQuads;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;
use crate::ct;
use crate::curve::AffinePoint;
use crate::field::{Limbs, PrimeField};
#[cfg(target_arch = "x86_64")]
use crate::limbs::{Avx2Quads, Vectors as _};

/// The point of a row for an odd digit: number |digit| / 2, negated for a negative digit.
///
/// `row` holds P, 3P, 5P ... Reads the whole row in order, whatever the digit. Constant time.
#[inline(always)]
pub fn masked_odd_multiple<F: PrimeField>(
    field: F,
    row: &[AffinePoint<F::Element>],
    digit: i32,
) -> AffinePoint<F::Element> {
    let (sign, magnitude) = sign_and_magnitude(digit);
    debug_assert!(magnitude & 1 == 1 && magnitude / 2 < row.len() as u64);
    let [x, y] = masked_entry(row, magnitude >> 1, coordinates::<F>).map(F::from_words);
    AffinePoint {
        x,
        y: field.negate_if(&y, sign & 1 == 1),
    }
}

/// A mask, 0 for a positive digit and all ones for a negative one; and the absolute value. Constant
/// time.
#[inline(always)]
pub(super) fn sign_and_magnitude(digit: i32) -> (u64, u64) {
    let sign = ct::barrier((i64::from(digit) >> 63) as u64);
    (sign, (i64::from(digit) as u64 ^ sign).wrapping_sub(sign))
}

#[inline(always)]
fn coordinates<F: PrimeField>(point: &AffinePoint<F::Element>) -> [F::Integer; 2] {
    [&point.x, &point.y].map(F::to_words)
}

/// The coordinates of entry `index` of a row; zeros if no such entry exists.
#[inline(always)]
pub(super) fn masked_entry<E, I: Limbs, const N: usize>(
    row: &[E],
    index: u64,
    coordinates: impl Fn(&E) -> [I; N],
) -> [I; N] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Avx2::detect() {
        if const { I::COUNT == 4 } {
            return Avx2Quads::new(proof).call(ScanQuads {
                row,
                index,
                coordinates,
            });
        }
        // SAFETY: the token proves that the CPU has AVX2.
        return unsafe { scan_avx2(proof, row, index, coordinates) };
    }
    scan(row, index, coordinates)
}

/// The same code as [`scan`], which the compiler vectorizes with four words per vector.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2<E, I: Limbs, const N: usize>(
    _: Avx2,
    row: &[E],
    index: u64,
    coordinates: impl Fn(&E) -> [I; N],
) -> [I; N] {
    scan(row, index, coordinates)
}

#[inline(always)]
fn scan<E, I: Limbs, const N: usize>(
    row: &[E],
    index: u64,
    coordinates: impl Fn(&E) -> [I; N],
) -> [I; N] {
    let mut sums = [I::ZERO; N];
    for (i, entry) in row.iter().enumerate() {
        let mask = ct::mask_equal(i as u64, index);
        for (sum, words) in sums.iter_mut().zip(coordinates(entry)) {
            for (sum, word) in sum.as_mut().iter_mut().zip(words.as_ref()) {
                *sum |= word & mask;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{AnyKernel, Coordinate, LimbCount, MontgomeryField};

    /// The scan of this CPU and the plain one agree for every entry, and for none.
    fn every_index<const N: usize>()
    where
        [u64; N]: LimbCount,
    {
        type F<const N: usize> = MontgomeryField<AnyKernel<Coordinate, N>, N>;
        let element = |start: u64| {
            let words = core::array::from_fn(|i| (start + i as u64).wrapping_mul(u64::MAX / 9));
            <F<N>>::from_words(words)
        };
        let point = |i: u64| AffinePoint {
            x: element(100 * i + 1),
            y: element(100 * i + 51),
        };
        for length in [1, 2, 7, 12, 64] {
            let row: alloc::vec::Vec<_> = (0..length).map(point).collect();
            for index in 0..length + 3 {
                let expected = row.get(index as usize).map(coordinates::<F<N>>);
                let expected = expected.unwrap_or([[0; N]; 2]);
                assert_eq!(masked_entry(&row, index, coordinates::<F<N>>), expected);
                assert_eq!(scan(&row, index, coordinates::<F<N>>), expected);
            }
        }
    }

    #[test]
    fn one_entry_is_kept_and_no_other() {
        every_index::<1>();
        every_index::<4>();
        every_index::<5>();
        every_index::<6>();
        every_index::<8>();
        every_index::<9>();
    }
}
