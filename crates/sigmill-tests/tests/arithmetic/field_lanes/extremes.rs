//! Elements as large as operations can produce.

use rand_chacha::rand_core::Rng;
use sigmill::hazmat::field::{Body, Factors, Field, Lanes, Registers};
use sigmill_tests::numbers::rng;

use super::subject::{Representation, Subject, Values};

/// The number of elements that a walk keeps.
const KEPT: usize = 8;

/// A long walk. Each step computes something from elements of earlier steps, checks it, and stores
/// it in place of a smaller one, or sometimes of any. So elements grow as large as they can
/// (`Representation::reached`), and every operation runs on the largest.
pub(super) fn walk<L: Representation>(subject: &Subject<L>, seed: u64, steps: usize) {
    let (field, f) = (subject.field, subject.field.single());
    let mut rng = rng(seed);
    let mut kept = vec![];
    subject.for_rounds(KEPT, |next| kept.push(subject.values(next)));
    for _ in 0..steps {
        let mut any = || kept[rng.next_u32() as usize % KEPT];
        let (a, b, c): (Values<L>, _, _) = (any(), any(), any());
        let (x, y, z) = (&a.lanes, &b.lanes, &c.lanes);
        let single = |operation: &dyn Fn(usize) -> _| std::array::from_fn(operation);
        let (sx, sy, sz) = (&a.single, &b.single, &c.single);
        let operation = rng.next_u32() % 14;
        let (lanes, single) = match operation {
            0 => (field.add(x, y), single(&|i| f.add(&sx[i], &sy[i]))),
            1 => (field.sub(x, y), single(&|i| f.sub(&sx[i], &sy[i]))),
            2 => (
                field.sub_both(x, y, z),
                single(&|i| f.sub_both(&sx[i], &sy[i], &sz[i])),
            ),
            3 => (field.negate(x), single(&|i| f.negate(&sx[i]))),
            4 => (field.double(x), single(&|i| f.double(&sx[i]))),
            5 => (field.half(x), single(&|i| f.half(&sx[i]))),
            6 => (field.mul(x, y), single(&|i| f.mul(&sx[i], &sy[i]))),
            7 => (field.square(x), single(&|i| f.square(&sx[i]))),
            8 => (field.sub(x, x), single(&|_| f.zero())),
            _ => {
                let mut lanes = *x;
                let which = operation - 9;
                let (elements, result) = ([x, y, z], &mut lanes);
                field.each(
                    1,
                    Fused {
                        which,
                        elements,
                        result,
                    },
                );
                (
                    lanes,
                    single(&|i| fused(f, which, [&sx[i], &sy[i], &sz[i]])),
                )
            }
        };
        subject.check("a step of a walk", &lanes, |i| single[i]);
        let largest = |values: &Values<L>| subject.largest(&values.lanes);
        let result = Values { single, lanes };
        let place = match rng.next_u32() % 4 {
            0 => rng.next_u32() as usize % KEPT,
            _ => {
                let smallest = (0..KEPT).min_by_key(|&i| largest(&kept[i])).unwrap();
                if largest(&kept[smallest]) > largest(&result) {
                    continue;
                }
                smallest
            }
        };
        kept[place] = result;
    }
    let largest = kept.iter().map(|values| subject.largest(&values.lanes));
    let largest = largest.max().unwrap();
    assert!(largest > field.reached(), "{largest:x}");
}

/// One of the operations that combine several steps between two reductions.
fn fused<F: Factors>(field: F, which: u32, [a, b, c]: [&F::Element; 3]) -> F::Element {
    match which {
        0 => field.mul_sub(a, b, c),
        1 => field.square_sub_both(a, b, c),
        2 => field.times_sub(&field.difference(a, b), c, a),
        3 => field.double_times_sub(&field.difference(a, b), c, b),
        _ => field.times_sub(&field.square_triple_add(a, b), c, a),
    }
}

/// [`fused`] in registers.
pub(super) struct Fused<'a, L: Lanes> {
    pub(super) which: u32,
    pub(super) elements: [&'a L::Element; 3],
    pub(super) result: &'a mut L::Element,
}

impl<L: Lanes> Body<L> for Fused<'_, L> {
    fn step(&mut self, field: L::Registers, _: usize) {
        let [a, b, c] = self.elements.map(|element| field.load(element));
        *self.result = field.store(&fused(field, self.which, [&a, &b, &c]));
    }
}
