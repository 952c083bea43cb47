//! Look-ups under masks of coordinates of four words: masks and sums stay in registers of so many
//! over the whole row.

use crate::curve::AffinePoint;
use crate::field::{Limbs as _, PrimeField};
use crate::limbs::{NarrowQuads, NarrowQuadsOperation};

/// Entry `index` of a row; zeros where there is none.
pub(super) struct ScanQuads<'a, F: PrimeField> {
    pub(super) row: &'a [AffinePoint<F::Element>],
    pub(super) index: u64,
}

impl<Q: NarrowQuads, F: PrimeField> NarrowQuadsOperation<Q> for ScanQuads<'_, F> {
    type Output = AffinePoint<F::Element>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let index = quads.opaque(quads.splat(self.index));
        let mut number = quads.splat(0);
        let mut sums = [quads.splat(0); 2];
        for entry in self.row {
            let mask = quads.equal(number, index);
            number = quads.add(number, quads.splat(1));
            for (sum, coordinate) in sums.iter_mut().zip([&entry.x, &entry.y]) {
                let words = F::to_words(coordinate);
                let quad = words.as_ref().first_chunk().expect("four words");
                *sum = quads.or(*sum, quads.and(mask, quads.load_row(quad)));
            }
        }
        let [x, y] = sums.map(|sum| {
            let mut words = F::Integer::ZERO;
            words.as_mut().copy_from_slice(&quads.store(sum).0);
            F::from_words(words)
        });
        AffinePoint { x, y }
    }
}
