//! Four double-precision numbers in a 256-bit register: AVX2 and FMA.

use core::arch::asm;
use core::arch::x86_64::{
    __m256d, __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_add_pd, _mm256_and_si256,
    _mm256_blend_epi16, _mm256_blendv_pd, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_cmpeq_epi64, _mm256_fmadd_pd, _mm256_fnmadd_pd, _mm256_loadu_si256, _mm256_movemask_pd,
    _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set1_epi64x, _mm256_set1_pd,
    _mm256_setr_epi8, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_sll_epi64, _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_sub_epi64,
    _mm256_sub_pd, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};
use core::mem::MaybeUninit;

use super::array::array_as;
use super::doubles::{Doubles, F64x4};
use super::vectors::{methods, vectors_with};
use crate::cpu::Fma;

/// Numbers in AVX2 registers. Holds the proof that the CPU has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub struct FmaDoubles(Fma);

vectors_with!("avx2,fma", FmaDoubles(Fma), align_stack());

// SAFETY: for every `unsafe` block in this implementation, the token in `self` proves that the CPU
// has AVX2 and FMA. Intrinsics without pointers require nothing else. Those with pointers state
// what else they require.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the token of the backend is the reason, once for all"
)]
impl Doubles<4> for FmaDoubles {
    type Stored = F64x4;
    type Double = __m256d;
    type Word = __m256i;

    #[inline(always)]
    fn load_all<const L: usize>(self, numbers: &[F64x4; L]) -> [__m256d; L] {
        // SAFETY: a register accepts any bits.
        unsafe { array_as(numbers) }
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[__m256d; L]) -> [F64x4; L] {
        // SAFETY: `F64x4` accepts any bits.
        unsafe { array_as(a) }
    }

    methods! { f64 => __m256d:
        splat(number) = unsafe { _mm256_set1_pd(number) };
    }

    methods! { __m256d => __m256d:
        add(a, b) = unsafe { _mm256_add_pd(a, b) };
        sub(a, b) = unsafe { _mm256_sub_pd(a, b) };
        multiply_add(a, b, c) = unsafe { _mm256_fmadd_pd(a, b, c) };
        multiply_sub(a, b, c) = unsafe { _mm256_fnmadd_pd(a, b, c) };
        in_order(a) = unsafe { in_order(a) };
    }

    #[inline(always)]
    fn select(self, mask: u8, a: __m256d, b: __m256d) -> __m256d {
        unsafe {
            let bits = _mm256_setr_epi64x(1, 2, 4, 8);
            let mask = _mm256_and_si256(_mm256_set1_epi64x(mask.into()), bits);
            _mm256_blendv_pd(b, a, _mm256_castsi256_pd(_mm256_cmpeq_epi64(mask, bits)))
        }
    }

    #[inline(always)]
    fn begin_column(
        self,
        first: &'static [F64x4; 2],
        a: __m256d,
        b: __m256d,
    ) -> (__m256d, __m256d) {
        unsafe { begin_column(first, a, b) }
    }

    #[inline(always)]
    fn add_to_column(self, high: &mut __m256d, low: &mut __m256d, a: __m256d, b: __m256d) {
        unsafe { add_to_column(high, low, a, b) }
    }

    methods! { __m256d => __m256i:
        bits(a) = unsafe { _mm256_castpd_si256(a) };
    }

    methods! { __m256i => __m256d:
        from_bits(a) = unsafe { _mm256_castsi256_pd(a) };
    }

    methods! { u64 => __m256i:
        splat_word(word) = unsafe { _mm256_set1_epi64x(word as i64) };
    }

    methods! { __m256i => __m256i:
        add_words(a, b) = unsafe { _mm256_add_epi64(a, b) };
        sub_words(a, b) = unsafe { _mm256_sub_epi64(a, b) };
        and(a, b) = unsafe { _mm256_and_si256(a, b) };
        or(a, b) = unsafe { _mm256_or_si256(a, b) };
        shl<BITS: i32>(a) = unsafe { _mm256_slli_epi64::<BITS>(a) };
        shr<BITS: i32>(a) = unsafe { _mm256_srli_epi64::<BITS>(a) };
        join_48(a, b) = unsafe { _mm256_blend_epi16::<0x88>(a, b) };
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
    fn low_16_shl_32(self, a: __m256i) -> __m256i {
        unsafe {
            let bytes = _mm256_setr_epi8(
                -1, -1, -1, -1, 0, 1, -1, -1, -1, -1, -1, -1, 8, 9, -1, -1, //
                -1, -1, -1, -1, 0, 1, -1, -1, -1, -1, -1, -1, 8, 9, -1, -1,
            );
            _mm256_shuffle_epi8(a, bytes)
        }
    }

    #[inline(always)]
    fn low_32_shl_16(self, a: __m256i) -> __m256i {
        unsafe {
            let bytes = _mm256_setr_epi8(
                -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, 8, 9, 10, 11, -1, -1, //
                -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, 8, 9, 10, 11, -1, -1,
            );
            _mm256_shuffle_epi8(a, bytes)
        }
    }

    methods! { __m256i => u8:
        signs(a) = unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(a)) as u8 };
    }

    #[inline(always)]
    fn zeros(self, a: __m256i) -> u8 {
        unsafe {
            let equal = _mm256_cmpeq_epi64(a, _mm256_setzero_si256());
            _mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u8
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [&[u64; 4]; 8]) -> [__m256i; 4] {
        // SAFETY: every row is 32 bytes, and the loads need no alignment.
        unsafe {
            let r0 = _mm256_loadu_si256(rows[0].as_ptr().cast());
            let r1 = _mm256_loadu_si256(rows[1].as_ptr().cast());
            let r2 = _mm256_loadu_si256(rows[2].as_ptr().cast());
            let r3 = _mm256_loadu_si256(rows[3].as_ptr().cast());
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
}

/// Emits no instruction. The compiler does not reorder it with others like it.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn in_order(mut a: __m256d) -> __m256d {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) a, options(nomem, nostack, preserves_flags));
    }
    a
}

/// Four instructions, two of which read their constant from memory; the compiler would use a
/// separate load. Stays in program order among others like it: columns that the compiler
/// interleaves do not fit in the registers.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn begin_column(first: &'static [F64x4; 2], a: __m256d, b: __m256d) -> (__m256d, __m256d) {
    let (high, low);
    // SAFETY: the address is that of eight numbers, aligned to 32 bytes. Only registers are
    // written.
    unsafe {
        asm!(
            "vmovapd {high}, {b}",
            "vfnmadd213pd {high}, {a}, [{first}]",
            "vaddpd {low}, {high}, [{first} + 32]",
            "vfmadd231pd {low}, {a}, {b}",
            high = out(ymm_reg) high,
            low = out(ymm_reg) low,
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            first = in(reg) first,
            options(readonly, nostack, preserves_flags),
        );
    }
    (high, low)
}

/// Five instructions. One of them copies a factor, because a multiply-add overwrites an operand.
/// Stays in program order, like [`begin_column`].
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_to_column(high: &mut __m256d, low: &mut __m256d, a: __m256d, b: __m256d) {
    let less;
    // SAFETY: only registers are read and written.
    unsafe {
        asm!(
            "vmovapd {less}, {b}",
            "vfnmadd213pd {less}, {a}, {high}",
            "vsubpd {high}, {less}, {high}",
            "vfmadd231pd {high}, {a}, {b}",
            "vaddpd {low}, {low}, {high}",
            less = out(ymm_reg) less,
            high = inout(ymm_reg) *high => _,
            low = inout(ymm_reg) *low,
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            options(nomem, nostack, preserves_flags),
        );
    }
    *high = less;
}

/// Emits no instruction, but reserves a place in the frame that is aligned to 32 bytes. The
/// compiler then aligns the frame, and with it all registers that it spills. Otherwise some of
/// these may cross two cache lines, depending on where the stack happens to start.
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "nothing is read or written where it points"
)]
#[inline(always)]
fn align_stack() {
    let anchor = MaybeUninit::<F64x4>::uninit();
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", in(reg) anchor.as_ptr(), options(nomem, nostack, preserves_flags));
    }
}
