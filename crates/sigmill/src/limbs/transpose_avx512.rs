//! Transposition of rows of four words to lanes of 512-bit registers.

use core::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_castsi256_si512, _mm512_inserti64x4,
    _mm512_permutex2var_epi64, _mm512_setr_epi64, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

/// Word j of the result holds word j of all eight rows.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transpose(rows: [&[u64; 4]; 8]) -> [__m512i; 4] {
    let mut both = [_mm512_setr_epi64(0, 0, 0, 0, 0, 0, 0, 0); 4];
    for i in 0..4 {
        // SAFETY: every row is 32 bytes, and the loads need no alignment.
        let (low, high) = unsafe {
            (
                _mm256_loadu_si256(rows[i].as_ptr().cast()),
                _mm256_loadu_si256(rows[i + 4].as_ptr().cast()),
            )
        };
        both[i] = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    }
    let [r0, r1, r2, r3] = both;
    // Words 0 and 2, 1 and 3 of rows 0, 1, 4, 5 and of rows 2, 3, 6, 7.
    let (a02, a13) = (_mm512_unpacklo_epi64(r0, r1), _mm512_unpackhi_epi64(r0, r1));
    let (b02, b13) = (_mm512_unpacklo_epi64(r2, r3), _mm512_unpackhi_epi64(r2, r3));
    let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    [
        _mm512_permutex2var_epi64(a02, first, b02),
        _mm512_permutex2var_epi64(a13, first, b13),
        _mm512_permutex2var_epi64(a02, second, b02),
        _mm512_permutex2var_epi64(a13, second, b13),
    ]
}
