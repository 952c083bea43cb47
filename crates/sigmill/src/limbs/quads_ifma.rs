//! Four words in a 256-bit register: AVX-512 VL and IFMA.

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_loadu_si256, _mm256_madd52hi_epu64,
    _mm256_madd52lo_epu64, _mm256_mask_blend_epi64, _mm256_permutexvar_epi64, _mm256_set1_epi64x,
    _mm256_slli_epi64, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_sub_epi64,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

use super::quads::{Quads, X4};
use super::vectors::{methods, vectors_with};
use crate::cpu::Ifma;

/// Quads in AVX registers. Holds the proof that the CPU has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct IfmaQuads(Ifma);

vectors_with!("avx512f,avx512vl,avx512ifma", IfmaQuads(Ifma));

// SAFETY: for every `unsafe` block in this implementation, the token in `self` proves that the CPU
// has AVX-512 F, VL and IFMA. Intrinsics without pointers require nothing else. Those with pointers
// state what else they require.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the token of the backend is the reason, once for all"
)]
impl Quads for IfmaQuads {
    type Quad = __m256i;

    #[inline(always)]
    fn load(self, words: &X4) -> __m256i {
        // SAFETY: `X4` is 32 bytes, and the load needs no alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, a: __m256i) -> X4 {
        let mut words = [0; 4];
        // SAFETY: `X4` is 32 bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), a) }
        words
    }

    methods! { u64 => __m256i:
        splat(word) = unsafe { _mm256_set1_epi64x(word as i64) };
    }

    methods! { __m256i => __m256i:
        add(a, b) = unsafe { _mm256_add_epi64(a, b) };
        sub(a, b) = unsafe { _mm256_sub_epi64(a, b) };
        and(a, b) = unsafe { _mm256_and_si256(a, b) };
        shr<BITS: i32>(a) = unsafe { _mm256_srli_epi64::<BITS>(a) };
        madd_low(sum, a, b) = unsafe { _mm256_madd52lo_epu64(sum, a, b) };
        madd_high(sum, a, b) = unsafe { _mm256_madd52hi_epu64(sum, a, b) };
        times_19(a) = unsafe { times_19(a) };
        blend<MASK: u8>(a, b) = unsafe { _mm256_mask_blend_epi64(MASK, b, a) };
        evens(a) = unsafe { _mm256_unpacklo_epi64(a, a) };
        odds(a) = unsafe { _mm256_unpackhi_epi64(a, a) };
        permute(a, indices) = unsafe { _mm256_permutexvar_epi64(indices, a) };
    }
}

/// 16 a + (2 a + a), hidden from the compiler. It would replace a shift and three additions of one
/// cycle each by two multiplications of five cycles.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn times_19(a: __m256i) -> __m256i {
    let mut times_16 = _mm256_slli_epi64::<4>(a);
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) times_16, options(pure, nomem, nostack, preserves_flags));
    }
    _mm256_add_epi64(times_16, _mm256_add_epi64(a, _mm256_add_epi64(a, a)))
}
