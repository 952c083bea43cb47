//! Functions of sigmill, each with fixed sizes and a name that `prove.py` finds in the LLVM IR.
//!
//! Integers are arrays of limbs behind references, and results are written behind `out`. Loops
//! whose bounds are arguments or constants stay loops: `prove.py` runs them.

use sigmill::hazmat::field::for_proofs::{self, DivisionWords, GcdWords, MOST};
use sigmill::hazmat::{ct, limbs, recode};

/// Functions on integers of a number of limbs.
macro_rules! limbs {
    ($($count:literal: $add:ident $subtract:ident $subtract_assign:ident $is_below:ident
        $less_than:ident $masked:ident $select:ident $is_zero:ident $are_zero:ident $equal:ident
        $bit_length:ident $shift_right_one:ident $shift_right:ident $read:ident
        $booth:ident $odd:ident $make_odd:ident $signed:ident $from_signed:ident;)+) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $add(
            a: &[u64; $count],
            b: &[u64; $count],
            out: &mut [u64; $count],
        ) -> u64 {
            let carry;
            (*out, carry) = limbs::add(a, b);
            carry
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $subtract(
            a: &[u64; $count],
            b: &[u64; $count],
            out: &mut [u64; $count],
        ) -> u64 {
            let borrow;
            (*out, borrow) = limbs::subtract(a, b);
            borrow
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $subtract_assign(a: &mut [u64; $count], b: &[u64; $count]) -> u64 {
            limbs::subtract_assign(a, b)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $is_below(a: &[u64; $count], b: &[u64; $count]) -> u64 {
            limbs::is_below(a, b).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $less_than(a: &[u64; $count], b: &[u64; $count]) -> u64 {
            limbs::less_than(a, b).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $masked(a: &[u64; $count], mask: u64, out: &mut [u64; $count]) {
            *out = limbs::masked(a, mask);
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $select(
            mask: u64,
            a: &[u64; $count],
            b: &[u64; $count],
            out: &mut [u64; $count],
        ) {
            *out = limbs::select(mask, a, b);
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $is_zero(a: &[u64; $count]) -> u64 {
            limbs::is_zero(a).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $are_zero(a: &[u64; $count]) -> u64 {
            limbs::are_zero(a).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $equal(a: &[u64; $count], b: &[u64; $count]) -> u64 {
            limbs::equal(a, b).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $bit_length(a: &[u64; $count]) -> u64 {
            limbs::bit_length_vartime(a).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $shift_right_one(a: &[u64; $count], top: u64, out: &mut [u64; $count]) {
            *out = limbs::shift_right_one(a, top);
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $shift_right(a: &[u64; $count], bits: u32, out: &mut [u64; $count]) {
            *out = limbs::shift_right(a, bits);
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $read(bytes: &[u8; 8 * $count], out: &mut [u64; $count]) -> u64 {
            limbs::read_be_bytes(bytes, out).into()
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $booth(k: &[u64; $count], window: u32, index: u32) -> i32 {
            recode::booth_digit(k, window, index)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $odd(k: &[u64; $count], window: u32, index: u32, count: u32) -> i32 {
            recode::odd_digit(k, window, index, count)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $make_odd(
            k: &[u64; $count],
            n: &[u64; $count],
            out: &mut [u64; $count],
        ) -> u64 {
            let (odd, even) = recode::make_odd(k, n);
            *out = *odd;
            even
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $signed(a: &[u64; $count], out: &mut [i64; MOST]) {
            *out = for_proofs::to_signed(a);
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $from_signed(a: &[i64; MOST], out: &mut [u64; $count]) {
            *out = for_proofs::from_signed(a);
        }
    )+};
}

limbs! {
    4: add_4 subtract_4 subtract_assign_4 is_below_4 less_than_4 masked_4 select_4 is_zero_4
        are_zero_4 equal_4 bit_length_4 shift_right_one_4 shift_right_4 read_4 booth_4 odd_4
        make_odd_4 to_signed_4 from_signed_4;
    6: add_6 subtract_6 subtract_assign_6 is_below_6 less_than_6 masked_6 select_6 is_zero_6
        are_zero_6 equal_6 bit_length_6 shift_right_one_6 shift_right_6 read_6 booth_6 odd_6
        make_odd_6 to_signed_6 from_signed_6;
    9: add_9 subtract_9 subtract_assign_9 is_below_9 less_than_9 masked_9 select_9 is_zero_9
        are_zero_9 equal_9 bit_length_9 shift_right_one_9 shift_right_9 read_9 booth_9 odd_9
        make_odd_9 to_signed_9 from_signed_9;
}

#[unsafe(no_mangle)]
pub extern "C" fn add_with_carry(a: u64, b: u64, carry: u64, out: &mut u64) -> u64 {
    let carry_out;
    (*out, carry_out) = limbs::add_with_carry(a, b, carry);
    carry_out
}

#[unsafe(no_mangle)]
pub extern "C" fn subtract_with_borrow(a: u64, b: u64, borrow: u64, out: &mut u64) -> u64 {
    let borrow_out;
    (*out, borrow_out) = limbs::subtract_with_borrow(a, b, borrow);
    borrow_out
}

#[unsafe(no_mangle)]
pub extern "C" fn mask(condition: bool) -> u64 {
    ct::mask(condition)
}

#[unsafe(no_mangle)]
pub extern "C" fn mask_zero(word: u64) -> u64 {
    ct::mask_zero(word)
}

#[unsafe(no_mangle)]
pub extern "C" fn mask_equal(a: u64, b: u64) -> u64 {
    ct::mask_equal(a, b)
}

/// Splits into limbs of any size; the lanes of eight words use 52 bits, the narrow ones 29 bits.
#[unsafe(no_mangle)]
pub extern "C" fn to_radix_4_5(a: &[u64; 4], bits: u32, out: &mut [u64; 5]) {
    *out = limbs::to_radix(a, bits);
}

#[unsafe(no_mangle)]
pub extern "C" fn to_radix_4_9(a: &[u64; 4], bits: u32, out: &mut [u64; 9]) {
    *out = limbs::to_radix(a, bits);
}

#[unsafe(no_mangle)]
pub extern "C" fn to_radix_9_11(a: &[u64; 9], bits: u32, out: &mut [u64; 11]) {
    *out = limbs::to_radix(a, bits);
}

#[unsafe(no_mangle)]
pub extern "C" fn bits_4(a: &[u64; 4], start: u32, count: u32) -> u64 {
    limbs::bits(a, start, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn wnaf_digit(ahead: u64, carry: u64, width: u32, out: &mut [u64; 3]) {
    let (zeros, digit, carry) = recode::next_digit_vartime(ahead, carry, width);
    *out = [zeros.into(), i64::from(digit) as u64, carry];
}

#[unsafe(no_mangle)]
pub extern "C" fn division_step(words: &DivisionWords, out: &mut DivisionWords) {
    *out = for_proofs::division_step(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn twenty_division_steps(words: &[DivisionWords; 1], out: &mut [DivisionWords; 1]) {
    *out = for_proofs::twenty_division_steps(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn twenty_division_steps_of_two(
    words: &[DivisionWords; 2],
    out: &mut [DivisionWords; 2],
) {
    *out = for_proofs::twenty_division_steps(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn pack(f: i64, g: i64, out: &mut [i64; 2]) {
    *out = for_proofs::pack(f, g);
}

#[unsafe(no_mangle)]
pub extern "C" fn unpack(row: i64, out: &mut [i64; 2]) {
    *out = for_proofs::unpack(row);
}

#[unsafe(no_mangle)]
pub extern "C" fn gcd_step(words: &GcdWords, out: &mut GcdWords) {
    *out = for_proofs::gcd_step(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn thirty_gcd_steps(words: &GcdWords, out: &mut GcdWords) {
    *out = for_proofs::thirty_gcd_steps::<false>(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn thirty_symbol_steps(words: &GcdWords, out: &mut GcdWords) {
    *out = for_proofs::thirty_gcd_steps::<true>(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn last_symbol_steps(words: &GcdWords, out: &mut GcdWords) {
    *out = for_proofs::last_gcd_steps(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn gcd_matrix(words: &GcdWords, out: &mut [i64; 4]) {
    *out = for_proofs::gcd_matrix(*words);
}

#[unsafe(no_mangle)]
pub extern "C" fn approximations(a: &[i64; MOST], b: &[i64; MOST], limbs: u64, out: &mut [u64; 2]) {
    *out = for_proofs::approximations(a, b, limbs as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn negate_if(x: &mut [i64; MOST], sign: i64, length: u64) {
    for_proofs::negate_if(x, sign, length as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn normalize(
    d: &[i64; MOST],
    sign: i64,
    p: &[i64; MOST],
    length: u64,
    out: &mut [i64; MOST],
) {
    *out = for_proofs::normalize(d, sign, p, length as usize);
}
