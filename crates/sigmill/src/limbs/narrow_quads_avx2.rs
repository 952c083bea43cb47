//! Four words in a 256-bit register: AVX2.

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_cmpeq_epi64, _mm256_loadu_si256, _mm256_mul_epu32, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_sll_epi64,
    _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_sub_epi64,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

use super::array::array_as;
use super::narrow_quads::{AlignedX4, NarrowQuads};
use super::vectors::{methods, vectors_with};
use crate::cpu::Avx2;

/// Quads in AVX registers. Holds the proof that the CPU has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Quads(Avx2);

vectors_with!("avx2", Avx2Quads(Avx2));

// SAFETY: for every `unsafe` block in this implementation, the token in `self` proves that the CPU
// has AVX2. Intrinsics without pointers require nothing else. Those with pointers state what else
// they require.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the token of the backend is the reason, once for all"
)]
impl NarrowQuads for Avx2Quads {
    type Quad = __m256i;
    const IN_REGISTERS: bool = true;

    #[inline(always)]
    fn load_all<const L: usize>(self, words: &[AlignedX4; L]) -> [__m256i; L] {
        // SAFETY: a register accepts any bits.
        unsafe { array_as(words) }
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[__m256i; L]) -> [AlignedX4; L] {
        // SAFETY: `AlignedX4` accepts any bits.
        unsafe { array_as(a) }
    }

    methods! { u64 => __m256i:
        splat(word) = unsafe { _mm256_set1_epi64x(word as i64) };
    }

    methods! { __m256i => __m256i:
        opaque(a) = unsafe { opaque(a) };
        add(a, b) = unsafe { _mm256_add_epi64(a, b) };
        sub(a, b) = unsafe { _mm256_sub_epi64(a, b) };
        and(a, b) = unsafe { _mm256_and_si256(a, b) };
        or(a, b) = unsafe { _mm256_or_si256(a, b) };
        shl<BITS: i32>(a) = unsafe { _mm256_slli_epi64::<BITS>(a) };
        shr<BITS: i32>(a) = unsafe { _mm256_srli_epi64::<BITS>(a) };
        multiply(a, b) = unsafe { _mm256_mul_epu32(a, b) };
        equal(a, b) = unsafe { _mm256_cmpeq_epi64(a, b) };
        select(mask, a, b) = unsafe { _mm256_blendv_epi8(b, a, mask) };
    }

    #[inline(always)]
    fn shl_by(self, a: __m256i, bits: u32) -> __m256i {
        unsafe { _mm256_sll_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn shr_by(self, a: __m256i, bits: u32) -> __m256i {
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: __m256i) -> __m256i {
        match BY {
            1 => unsafe { _mm256_permute4x64_epi64::<0b00_11_10_01>(a) },
            2 => unsafe { _mm256_permute4x64_epi64::<0b01_00_11_10>(a) },
            _ => unreachable!("half of a power of two of words"),
        }
    }

    /// Interleaves pairs of rows, then combines the halves of the pairs.
    #[inline(always)]
    fn transpose(self, rows: [__m256i; 4]) -> [__m256i; 4] {
        let [r0, r1, r2, r3] = rows;
        unsafe {
            // Limbs 0 and 2, 1 and 3 of rows 0 and 1, and of rows 2 and 3.
            let (a02, a13) = (_mm256_unpacklo_epi64(r0, r1), _mm256_unpackhi_epi64(r0, r1));
            let (b02, b13) = (_mm256_unpacklo_epi64(r2, r3), _mm256_unpackhi_epi64(r2, r3));
            [
                _mm256_permute2x128_si256::<0x20>(a02, b02),
                _mm256_permute2x128_si256::<0x20>(a13, b13),
                _mm256_permute2x128_si256::<0x31>(a02, b02),
                _mm256_permute2x128_si256::<0x31>(a13, b13),
            ]
        }
    }

    #[inline(always)]
    fn load_row(self, row: &[u64; 4]) -> __m256i {
        // SAFETY: the row is 32 bytes, and the load needs no alignment.
        unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn opaque(mut a: __m256i) -> __m256i {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) a, options(pure, nomem, nostack, preserves_flags));
    }
    a
}
