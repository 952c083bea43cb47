//! The columns of products and squares, before they are reduced.

use super::registers::Limbs;
use crate::limbs::Words;

/// Columns of a product of two elements: the low half and the high half.
pub(in crate::field::lanes) type Columns<W, const L: usize> = [[<W as Words>::Word; L]; 2];

/// Repeats statements for each index below a count of at most 11, one after the other, if words are
/// in registers. The compiler would keep a loop over the rows of a long product, with its columns
/// in memory: products of eight limbs would cost twice as much. It would unroll a short loop so
/// late that the sums of high columns come last and wait for each other: 3 % of products of P-256.
macro_rules! unrolled {
    ($words:ident, $index:ident < $count:expr, $body:block) => {
        const { assert!($count <= 11) };
        unrolled!($words, $index < $count, $body, 0 1 2 3 4 5 6 7 8 9 10);
    };
    ($words:ident, $index:ident < $count:expr, $body:block, $($value:literal)*) => {
        if const { $words::IN_REGISTERS } {
            $(if const { $value < $count } {
                let $index = $value;
                $body
            })*
        } else {
            for $index in 0..$count {
                $body
            }
        }
    };
}

pub(in crate::field::lanes) use unrolled;

/// The columns of a b, below 2^52 (2L + small).
#[inline(always)]
pub(in crate::field::lanes) fn product_columns<W: Words, const L: usize>(
    words: W,
    a: &Limbs<W, L>,
    b: &Limbs<W, L>,
) -> Columns<W, L> {
    let mut columns = [[words.splat(0); L]; 2];
    let t = columns.as_flattened_mut();
    unrolled!(W, i < L, {
        add_row(words, t, i, a, b);
    });
    columns
}

/// Adds limb `i` of a, times b, to the columns.
#[inline(always)]
pub(super) fn add_row<W: Words, const L: usize>(
    words: W,
    t: &mut [W::Word],
    i: usize,
    a: &Limbs<W, L>,
    b: &Limbs<W, L>,
) {
    for (j, &b) in b.iter().enumerate() {
        t[i + j] = words.madd_low(t[i + j], a[i], b);
        t[i + j + 1] = words.madd_high(t[i + j + 1], a[i], b);
    }
}

/// The columns of a^2: twice the products of distinct limbs, plus the squares.
///
/// The highest limb, which is below 2^51, is doubled beforehand. The columns of the other products
/// are doubled once they are complete. This saves one addition compared with doubling all columns.
#[inline(always)]
pub(in crate::field::lanes) fn square_columns<W: Words, const L: usize>(
    words: W,
    a: &Limbs<W, L>,
) -> Columns<W, L> {
    let mut columns = [[words.splat(0); L]; 2];
    let t = columns.as_flattened_mut();
    unrolled!(W, i < L, {
        for j in i + 1..L - 1 {
            t[i + j] = words.madd_low(t[i + j], a[i], a[j]);
            t[i + j + 1] = words.madd_high(t[i + j + 1], a[i], a[j]);
        }
    });
    for column in &mut t[1..2 * L - 3] {
        *column = words.add(*column, *column);
    }
    let top = words.add(a[L - 1], a[L - 1]);
    for (i, &limb) in a[..L - 1].iter().enumerate() {
        t[i + L - 1] = words.madd_low(t[i + L - 1], limb, top);
        t[i + L] = words.madd_high(t[i + L], limb, top);
    }
    for (i, &limb) in a.iter().enumerate() {
        t[2 * i] = words.madd_low(t[2 * i], limb, limb);
        t[2 * i + 1] = words.madd_high(t[2 * i + 1], limb, limb);
    }
    columns
}
