//! The columns of products and squares, before they are reduced.

use super::registers::Limbs;
use crate::limbs::Words;

/// The columns of a product of two elements, the low half and the high half.
pub(in crate::field::lanes) type Columns<W, const L: usize> = [[<W as Words>::Word; L]; 2];

/// The statements for each index below a number, which is at most 11: one after the other, where
/// words are in registers. The compiler keeps a loop over rows of a long product as it is, and its
/// columns in memory then: products of eight limbs take twice as long. A short one it unrolls so
/// late that the sums of high columns come last, and wait for each other: 3 % of products of P-256.
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

/// The columns of a b. Below 2^52 (2L + small).
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

/// The columns of a^2: the products of distinct limbs, twice, plus the squares.
///
/// The highest limb, which is below 2^51, is doubled beforehand, and the columns of the others'
/// products once these are there: one addition fewer than with all columns doubled.
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
