//! Look-ups under masks of coordinates of four words: masks and sums stay in registers of so many
//! over the whole row.

use core::array;

use crate::curve::AffinePoint;
use crate::field::{Limbs as _, PrimeField};
use crate::limbs::{NarrowQuads, NarrowQuadsOperation};

/// Entries of a group: as many as have their masks in registers beside the sums.
const GROUP: usize = 8;

/// Entry `index` of a row; zeros where there is none.
///
/// Groups of eight entries have the same eight masks, which keep one entry of each; a mask of the
/// group keeps one of these. That takes 4.5 instructions an entry, where a mask for each takes six.
pub(super) struct ScanQuads<'a, F: PrimeField> {
    pub(super) row: &'a [AffinePoint<F::Element>],
    pub(super) index: u64,
}

impl<Q: NarrowQuads, F: PrimeField> NarrowQuadsOperation<Q> for ScanQuads<'_, F> {
    type Output = AffinePoint<F::Element>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let zero = quads.splat(0);
        let in_group = quads.opaque(quads.splat(self.index % GROUP as u64));
        let of_group = quads.opaque(quads.splat(self.index / GROUP as u64));
        let masks: [_; GROUP] = array::from_fn(|i| quads.equal(quads.splat(i as u64), in_group));
        let (groups, rest) = self.row.as_chunks::<GROUP>();
        let mut number = zero;
        let mut sums = [zero; 2];
        for group in groups {
            let mask = quads.equal(number, of_group);
            number = quads.add(number, quads.splat(1));
            let kept = keep::<Q, F>(quads, group, &masks, [zero; 2]);
            sums = array::from_fn(|i| quads.or(sums[i], quads.and(mask, kept[i])));
        }
        let mask = quads.equal(number, of_group);
        let masks = masks.map(|of_entry| quads.and(mask, of_entry));
        sums = keep::<Q, F>(quads, rest, &masks, sums);
        let [x, y] = sums.map(|sum| {
            let mut words = F::Integer::ZERO;
            words.as_mut().copy_from_slice(&quads.store(sum).0);
            F::from_words(words)
        });
        AffinePoint { x, y }
    }
}

/// Adds what masks keep of entries.
#[inline(always)]
fn keep<Q: NarrowQuads, F: PrimeField>(
    quads: Q,
    entries: &[AffinePoint<F::Element>],
    masks: &[Q::Quad; GROUP],
    mut sums: [Q::Quad; 2],
) -> [Q::Quad; 2] {
    for (entry, &mask) in entries.iter().zip(masks) {
        for (sum, coordinate) in sums.iter_mut().zip([&entry.x, &entry.y]) {
            let words = F::to_words(coordinate);
            let quad = words.as_ref().first_chunk().expect("four words");
            *sum = quads.or(*sum, quads.and(mask, quads.load_row(quad)));
        }
    }
    sums
}
