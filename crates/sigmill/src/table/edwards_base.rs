//! The table for multiplying the base point of edwards25519 by secrets.

use alloc::boxed::Box;
use alloc::vec::Vec;

use aligned_vec::{AVec, ConstAlign};
use once_cell::race::OnceBox;

use super::masked::{masked_entry, sign_and_magnitude};
use crate::curve::{Edwards25519, EdwardsAddend, EdwardsPoint};
use crate::field::c25519::{FieldElement, FoldKernel};
use crate::field::invert_all_vartime;
use crate::recode::odd_digits;

/// The window of odd digits, in bits.
///
/// With one row for two digits, 387M + 15S in 39 KiB. Window 4 would cost 466M + 12S in 24 KiB.
/// Window 6, with one row for three digits, would cost 368M + 36S in 42 KiB and two thirds more
/// entries to read. Measure with `bench -- --only 'x25519/keygen/*'` after a change.
pub const EDWARDS_WINDOW: u32 = 5;

/// Number of odd digits of an integer below the order, which has 253 bits.
pub const EDWARDS_DIGITS: u32 = odd_digits(253, EDWARDS_WINDOW);

/// Number of points in a row: the odd multiples 1 to 31.
pub const EDWARDS_POINTS: usize = 1 << (EDWARDS_WINDOW - 1);

/// Number of rows: one for two digits, because five doublings lead from the digits of odd number to
/// those of even number.
pub const EDWARDS_ROWS: usize = EDWARDS_DIGITS.div_ceil(2) as usize;

/// The points of the table, which starts at a cache line.
type Addends = AVec<EdwardsAddend, ConstAlign<64>>;

/// Row i holds j 2^(10 i) 8 B for j = 1, 3, 5 ... 31, where B is the base point: 26 rows of 16
/// points of 96 bytes, 39,936 bytes.
///
/// Built at the first call, in a fraction of a millisecond. A race between threads builds it twice
/// and keeps one.
#[inline(always)]
pub fn edwards_base_table<K: FoldKernel>(group: Edwards25519<K>) -> &'static [EdwardsAddend] {
    static CELL: OnceBox<Addends> = OnceBox::new();
    CELL.get_or_init(|| build(group))
}

/// Additions of arbitrary points, about 9M per point, and one inversion for all: some 6,300
/// products.
#[cold]
#[inline(never)]
fn build<K: FoldKernel>(group: Edwards25519<K>) -> Box<Addends> {
    let doubled = |p: EdwardsPoint, times: u32| (0..times).fold(p, |p, _| group.double(&p));
    let mut points = Vec::with_capacity(EDWARDS_ROWS * EDWARDS_POINTS);
    let mut head = doubled(group.base(), 3);
    for _ in 0..EDWARDS_ROWS {
        let step = group.double(&head);
        let mut point = head;
        for _ in 0..EDWARDS_POINTS {
            points.push(point);
            point = group.add(&point, &step);
        }
        head = doubled(head, 2 * EDWARDS_WINDOW);
    }
    let mut inverses: Vec<FieldElement> = points.iter().map(|point| point.z).collect();
    let mut scratch = inverses.clone();
    invert_all_vartime(group.field(), &mut inverses[..], &mut scratch);
    let addends = points.iter().zip(&inverses);
    let addends = addends.map(|(point, z_inverse)| group.addend(point, z_inverse));
    Box::new(AVec::from_iter(64, addends))
}

/// The point of a row for an odd digit: number |digit| / 2, and a mask that is all ones if the
/// digit is negative, otherwise 0.
///
/// Reads the whole row in order, whatever the digit. Constant time.
#[inline(always)]
pub fn masked_edwards_multiple(row: &[EdwardsAddend], digit: i32) -> (EdwardsAddend, u64) {
    let (sign, magnitude) = sign_and_magnitude(digit);
    debug_assert!(magnitude & 1 == 1 && magnitude / 2 < row.len() as u64);
    let words = |entry: &EdwardsAddend| {
        [&entry.plus, &entry.minus, &entry.product].map(|element| *element.limbs())
    };
    let [plus, minus, product] =
        masked_entry(row, magnitude >> 1, words).map(FieldElement::from_limbs);
    let addend = EdwardsAddend {
        plus,
        minus,
        product,
    };
    (addend, sign)
}
