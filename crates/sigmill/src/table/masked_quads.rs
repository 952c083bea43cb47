//! Masked look-ups of coordinates of four words. Masks and sums stay in registers of four words
//! over the whole row.

use crate::field::Limbs;
use crate::limbs::{NarrowQuads, VectorOperation, array_from_fn};

/// Number of entries in a group: their masks fit in registers next to the sums.
const GROUP: usize = 8;

/// The coordinates of entry `index` of a row; zeros if no such entry exists.
///
/// All groups of eight entries share eight masks, which select one entry of each group. Another
/// mask selects the group. This needs 4.5 instructions per entry of two coordinates; a mask for
/// each entry needs six.
pub(super) struct ScanQuads<'a, E, W> {
    pub(super) row: &'a [E],
    pub(super) index: u64,
    pub(super) coordinates: W,
}

impl<Q: NarrowQuads, E, I: Limbs, W, const N: usize> VectorOperation<Q> for ScanQuads<'_, E, W>
where
    W: Fn(&E) -> [I; N],
{
    type Output = [I; N];

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let zero = quads.splat(0);
        let in_group = quads.opaque(quads.splat(self.index % GROUP as u64));
        let of_group = quads.opaque(quads.splat(self.index / GROUP as u64));
        let masks: [_; GROUP] = array_from_fn(|i| quads.equal(quads.splat(i as u64), in_group));
        let (groups, rest) = self.row.as_chunks::<GROUP>();
        let mut number = zero;
        let mut sums = [zero; N];
        for group in groups {
            let mask = quads.equal(number, of_group);
            number = quads.add(number, quads.splat(1));
            let kept = keep(quads, group, &masks, [zero; N], &self.coordinates);
            sums = array_from_fn(|i| quads.or(sums[i], quads.and(mask, kept[i])));
        }
        let mask = quads.equal(number, of_group);
        let masks = masks.map(|of_entry| quads.and(mask, of_entry));
        sums = keep(quads, rest, &masks, sums, &self.coordinates);
        sums.map(|sum| {
            let mut words = I::ZERO;
            words.as_mut().copy_from_slice(&quads.store(sum).0);
            words
        })
    }
}

/// Adds the entries under their masks.
#[inline(always)]
fn keep<Q: NarrowQuads, E, I: Limbs, const N: usize>(
    quads: Q,
    entries: &[E],
    masks: &[Q::Quad; GROUP],
    mut sums: [Q::Quad; N],
    coordinates: impl Fn(&E) -> [I; N],
) -> [Q::Quad; N] {
    for (entry, &mask) in entries.iter().zip(masks) {
        for (sum, words) in sums.iter_mut().zip(coordinates(entry)) {
            let quad = words.as_ref().first_chunk().expect("four words");
            *sum = quads.or(*sum, quads.and(mask, quads.load_row(quad)));
        }
    }
    sums
}
