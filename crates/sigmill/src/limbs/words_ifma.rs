//! Eight words in a 512-bit register: AVX-512 F and IFMA.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm256_storeu_si256, _mm512_add_epi64, _mm512_alignr_epi64,
    _mm512_and_si512, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_mask_blend_epi64, _mm512_or_si512, _mm512_permutex2var_epi64,
    _mm512_permutexvar_epi64, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_sll_epi64,
    _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srl_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
    _mm512_testn_epi64_mask, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use super::array::array_as;
use super::transpose_avx512::transpose;
use super::vectors::{methods, vectors_with};
use super::words::{Words, X8};
use crate::cpu::Ifma;

/// Words in AVX-512 registers. Holds the proof that the CPU has AVX-512 F and IFMA.
#[derive(Clone, Copy, Debug)]
pub struct IfmaWords(Ifma);

vectors_with!("avx512f,avx512ifma", IfmaWords(Ifma));

// SAFETY: for every `unsafe` block in this implementation, the token in `self` proves that the CPU
// has AVX-512 F and IFMA. Intrinsics without pointers require nothing else. Those with pointers
// state what else they require.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the token of the backend is the reason, once for all"
)]
impl Words for IfmaWords {
    type Word = __m512i;
    const IN_REGISTERS: bool = true;

    #[inline(always)]
    fn load_all<const L: usize>(self, words: &[X8; L]) -> [__m512i; L] {
        // SAFETY: a register accepts any bits.
        unsafe { array_as(words) }
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[__m512i; L]) -> [X8; L] {
        // SAFETY: `X8` accepts any bits.
        unsafe { array_as(a) }
    }

    methods! { u64 => __m512i:
        splat(word) = unsafe { _mm512_set1_epi64(word as i64) };
    }

    methods! { __m512i => __m512i:
        add(a, b) = unsafe { _mm512_add_epi64(a, b) };
        sub(a, b) = unsafe { _mm512_sub_epi64(a, b) };
        and(a, b) = unsafe { _mm512_and_si512(a, b) };
        or(a, b) = unsafe { _mm512_or_si512(a, b) };
        shl<BITS: u32>(a) = unsafe { _mm512_slli_epi64::<BITS>(a) };
        shr<BITS: u32>(a) = unsafe { _mm512_srli_epi64::<BITS>(a) };
        sar<BITS: u32>(a) = unsafe { _mm512_srai_epi64::<BITS>(a) };
        madd_low(sum, a, b) = unsafe { _mm512_madd52lo_epu64(sum, a, b) };
        madd_high(sum, a, b) = unsafe { _mm512_madd52hi_epu64(sum, a, b) };
    }

    #[inline(always)]
    fn shl_by(self, a: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn shr_by(self, a: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    methods! { __m512i => u8:
        zeros(a) = unsafe { _mm512_testn_epi64_mask(a, a) };
    }

    #[inline(always)]
    fn select(self, mask: u8, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi64(mask, b, a) }
    }

    #[inline(always)]
    fn lookup(self, table: &X8, index: __m512i) -> __m512i {
        let table = self.load(table);
        unsafe { _mm512_permutexvar_epi64(index, table) }
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: __m512i) -> __m512i {
        match BY {
            1 => unsafe { _mm512_alignr_epi64::<1>(a, a) },
            2 => unsafe { _mm512_alignr_epi64::<2>(a, a) },
            4 => unsafe { _mm512_alignr_epi64::<4>(a, a) },
            _ => unreachable!("half of a power of two of words"),
        }
    }

    /// Rows 0 to 3 and rows 4 to 7 are transposed side by side. Rows i and i + 4 share a register.
    /// Pairs of registers are interleaved, then the halves of the pairs are combined.
    #[inline(always)]
    fn transpose(self, rows: [&[u64; 4]; 8]) -> [__m512i; 4] {
        unsafe { transpose(rows) }
    }

    #[inline(always)]
    fn transpose_back(self, columns: [__m512i; 4]) -> [[u64; 4]; 8] {
        let [c0, c1, c2, c3] = columns;
        let mut rows = [[0; 4]; 8];
        unsafe {
            // Limbs 0, 1 and limbs 2, 3 of the even rows, then of the odd ones.
            let (even01, odd01) = (_mm512_unpacklo_epi64(c0, c1), _mm512_unpackhi_epi64(c0, c1));
            let (even23, odd23) = (_mm512_unpacklo_epi64(c2, c3), _mm512_unpackhi_epi64(c2, c3));
            let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            let pairs = [
                // Rows 0 and 4, 1 and 5, 2 and 6, 3 and 7.
                _mm512_permutex2var_epi64(even01, first, even23),
                _mm512_permutex2var_epi64(odd01, first, odd23),
                _mm512_permutex2var_epi64(even01, second, even23),
                _mm512_permutex2var_epi64(odd01, second, odd23),
            ];
            for (i, pair) in pairs.into_iter().enumerate() {
                // SAFETY: every row is 32 bytes, and the stores need no alignment.
                _mm256_storeu_si256(rows[i].as_mut_ptr().cast(), _mm512_castsi512_si256(pair));
                let high = _mm512_extracti64x4_epi64::<1>(pair);
                _mm256_storeu_si256(rows[i + 4].as_mut_ptr().cast(), high);
            }
        }
        rows
    }
}
