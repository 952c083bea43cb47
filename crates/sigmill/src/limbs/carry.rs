//! The three operations on single limbs from which long arithmetic is built.

/// `a + b + carry`: the low limb and the carry out.
///
/// On input `carry` is 0 or 1; on output it is 0 or 1. Constant time. LLVM compiles a sequence of
/// such sums to a chain of ADC. It does not do so for sums of 128 bits.
#[inline(always)]
pub const fn add_with_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    debug_assert!(carry <= 1);
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry);
    (sum, (first | second) as u64)
}

/// `a - b - borrow`: the low limb and the borrow out.
///
/// On input `borrow` is 0 or 1; on output it is 0 or 1. Constant time.
#[inline(always)]
pub const fn subtract_with_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    debug_assert!(borrow <= 1);
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow);
    (difference, (first | second) as u64)
}

/// `accumulator + a * b + carry`: the low and the high limb.
///
/// Never overflows: (2^64 - 1) + (2^64 - 1)^2 + (2^64 - 1) = 2^128 - 1. Constant time if the
/// machine's multiplication is.
#[inline(always)]
pub const fn multiply_accumulate(accumulator: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = accumulator as u128 + a as u128 * b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}
