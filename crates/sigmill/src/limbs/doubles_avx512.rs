//! Eight double-precision numbers in a 512-bit register: AVX-512 F.

use core::arch::asm;
use core::arch::x86_64::{
    __m512d, __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512,
    _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_cmplt_epi64_mask, _mm512_fmadd_pd,
    _mm512_fnmadd_pd, _mm512_mask_blend_pd, _mm512_or_si512, _mm512_set1_epi64, _mm512_set1_pd,
    _mm512_setzero_si512, _mm512_sll_epi64, _mm512_slli_epi64, _mm512_srl_epi64, _mm512_srli_epi64,
    _mm512_sub_epi64, _mm512_sub_pd, _mm512_ternarylogic_epi64, _mm512_testn_epi64_mask,
};

use super::array::array_as;
use super::doubles::{Doubles, F64x4, F64x8};
use super::transpose_avx512::transpose;
use super::vectors::{methods, vectors_with};
use crate::cpu::Avx512;

/// Numbers in AVX-512 registers. Holds the proof that the CPU has AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Doubles(Avx512);

vectors_with!("avx512f", Avx512Doubles(Avx512));

// SAFETY: for every `unsafe` block in this implementation, the token in `self` proves that the CPU
// has AVX-512 F. Intrinsics without pointers require nothing else. Those with pointers state what
// else they require.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the token of the backend is the reason, once for all"
)]
impl Doubles<8> for Avx512Doubles {
    type Stored = F64x8;
    type Double = __m512d;
    type Word = __m512i;

    #[inline(always)]
    fn load_all<const L: usize>(self, numbers: &[F64x8; L]) -> [__m512d; L] {
        // SAFETY: a register accepts any bits.
        unsafe { array_as(numbers) }
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[__m512d; L]) -> [F64x8; L] {
        // SAFETY: `F64x8` accepts any bits.
        unsafe { array_as(a) }
    }

    methods! { f64 => __m512d:
        splat(number) = unsafe { _mm512_set1_pd(number) };
    }

    methods! { __m512d => __m512d:
        add(a, b) = unsafe { _mm512_add_pd(a, b) };
        sub(a, b) = unsafe { _mm512_sub_pd(a, b) };
        multiply_add(a, b, c) = unsafe { _mm512_fmadd_pd(a, b, c) };
        multiply_sub(a, b, c) = unsafe { _mm512_fnmadd_pd(a, b, c) };
        in_order(a) = unsafe { in_order(a) };
    }

    #[inline(always)]
    fn select(self, mask: u8, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_mask_blend_pd(mask, b, a) }
    }

    #[inline(always)]
    fn begin_column(
        self,
        first: &'static [F64x4; 2],
        a: __m512d,
        b: __m512d,
    ) -> (__m512d, __m512d) {
        unsafe { begin_column(first, a, b) }
    }

    #[inline(always)]
    fn add_to_column(self, high: &mut __m512d, low: &mut __m512d, a: __m512d, b: __m512d) {
        unsafe { add_to_column(high, low, a, b) }
    }

    methods! { __m512d => __m512i:
        bits(a) = unsafe { _mm512_castpd_si512(a) };
    }

    methods! { __m512i => __m512d:
        from_bits(a) = unsafe { _mm512_castsi512_pd(a) };
    }

    methods! { u64 => __m512i:
        splat_word(word) = unsafe { _mm512_set1_epi64(word as i64) };
    }

    methods! { __m512i => __m512i:
        add_words(a, b) = unsafe { _mm512_add_epi64(a, b) };
        sub_words(a, b) = unsafe { _mm512_sub_epi64(a, b) };
        and(a, b) = unsafe { _mm512_and_si512(a, b) };
        or(a, b) = unsafe { _mm512_or_si512(a, b) };
        shl<BITS: i32>(a) = unsafe { _mm512_sll_epi64(a, _mm_cvtsi32_si128(BITS)) };
        shr<BITS: i32>(a) = unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(BITS)) };
        low_16_shl_32(a) = unsafe { _mm512_srli_epi64::<16>(_mm512_slli_epi64::<48>(a)) };
        low_32_shl_16(a) = unsafe { _mm512_srli_epi64::<16>(_mm512_slli_epi64::<32>(a)) };
    }

    #[inline(always)]
    fn shl_by(self, a: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn shr_by(self, a: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    /// The bit of the second operand where the third has a bit, otherwise that of the first.
    #[inline(always)]
    fn join_48(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe {
            let high = _mm512_set1_epi64((u64::MAX << 48) as i64);
            _mm512_ternarylogic_epi64::<0xd8>(a, b, high)
        }
    }

    methods! { __m512i => u8:
        signs(a) = unsafe { _mm512_cmplt_epi64_mask(a, _mm512_setzero_si512()) };
        zeros(a) = unsafe { _mm512_testn_epi64_mask(a, a) };
    }

    methods! { [&[u64; 4]; 8] => [__m512i; 4]:
        transpose(rows) = unsafe { transpose(rows) };
    }
}

/// Emits no instruction. The compiler does not reorder it with others like it.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_order(mut a: __m512d) -> __m512d {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) a, options(nomem, nostack, preserves_flags));
    }
    a
}

/// Same as in the trait, but the compiler inlines one function instead of one for each instruction.
#[inline]
#[target_feature(enable = "avx512f")]
fn begin_column([high, low]: &'static [F64x4; 2], a: __m512d, b: __m512d) -> (__m512d, __m512d) {
    let high = _mm512_fnmadd_pd(a, b, _mm512_set1_pd(high.0[0]));
    let low = _mm512_add_pd(_mm512_set1_pd(low.0[0]), high);
    (high, _mm512_fmadd_pd(a, b, low))
}

/// Like [`begin_column`].
#[inline]
#[target_feature(enable = "avx512f")]
fn add_to_column(high: &mut __m512d, low: &mut __m512d, a: __m512d, b: __m512d) {
    let less = _mm512_fnmadd_pd(a, b, *high);
    let rest = _mm512_fmadd_pd(a, b, _mm512_sub_pd(less, *high));
    (*high, *low) = (less, _mm512_add_pd(*low, rest));
}
