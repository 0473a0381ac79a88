//! Products of sign bits by population counts of 512 bits.
//!
//! Eight words of a row face one plane of the query after the other; a rest of four, two or one
//! words is repeated to face several planes at once, so that no part of a vector is idle.
//! Counts weigh what their planes do; a VNNI step multiplies and adds them in one.

use std::arch::x86_64::*;

use super::{ROWS, four, store_keys, sum_rows};
use crate::{BitQuery, KeyWeights};

/// Rows of common lengths have loops of their own, unrolled and with the planes in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
pub(super) fn keys(query: &BitQuery, weights: KeyWeights, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    match query.words() {
        6 => keys_of::<6>(query, weights, rows, out),
        12 => keys_of::<12>(query, weights, rows, out),
        16 => keys_of::<16>(query, weights, rows, out),
        _ => keys_of::<0>(query, weights, rows, out),
    }
}

/// Keys of checked rows of `WORDS` words, or of whatever length where that is 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
fn keys_of<const WORDS: usize>(
    query: &BitQuery,
    weights: KeyWeights,
    rows: &[&[u64]],
    out: &mut [f32],
) {
    let words = if WORDS == 0 { query.words() } else { WORDS };
    let planes: [*const u64; 4] = std::array::from_fn(|j| query.plane(j).as_ptr());
    let (fours, rest) = rows.as_chunks();
    for (rows, out) in fours.iter().zip(out.chunks_exact_mut(ROWS)) {
        // SAFETY: all rows and planes have the words of the query, as was checked.
        unsafe {
            let sums = sums_of_set(words, planes, rows);
            store_keys(query, weights, sums, rows, out);
        }
    }
    if !rest.is_empty() {
        let rows = four(rest);
        // SAFETY: as above.
        unsafe {
            let sums = sums_of_set(words, planes, &rows);
            store_keys(query, weights, sums, &rows, &mut out[ROWS * fours.len()..]);
        }
    }
}

/// Adds `weight` times the number of bits shared by a word of the row and of the plane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
fn count(sum: __m512i, row: __m512i, plane: __m512i, weight: __m512i) -> __m512i {
    let counts = _mm512_popcnt_epi64(_mm512_and_si512(row, plane));
    _mm512_dpwssd_epi32(sum, counts, weight)
}

/// Four words from `words`, without alignment.
///
/// # Safety
/// Four words must be readable.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load4(words: *const u64) -> __m256i {
    // SAFETY: the caller vouches for thirty-two bytes.
    unsafe { _mm256_loadu_si256(words.cast()) }
}

/// Two words from `words`, without alignment.
///
/// # Safety
/// Two words must be readable.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load2(words: *const u64) -> __m128i {
    // SAFETY: the caller vouches for sixteen bytes.
    unsafe { _mm_loadu_si128(words.cast()) }
}

/// The sum of those codes whose bits are set, for each row.
///
/// # Safety
/// Every plane and every row must have `words` readable words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
unsafe fn sums_of_set(words: usize, planes: [*const u64; 4], rows: &[&[u64]; ROWS]) -> __m128i {
    let rows = [
        rows[0].as_ptr(),
        rows[1].as_ptr(),
        rows[2].as_ptr(),
        rows[3].as_ptr(),
    ];
    let weights = [1, 2, 4, -8];
    let mut sums = [_mm512_setzero_si512(); ROWS];
    let mut at = 0;
    while at + 8 <= words {
        // SAFETY: planes and rows have `words` words, of which eight are left from `at`.
        unsafe {
            let planes = [
                _mm512_loadu_si512(planes[0].add(at).cast()),
                _mm512_loadu_si512(planes[1].add(at).cast()),
                _mm512_loadu_si512(planes[2].add(at).cast()),
                _mm512_loadu_si512(planes[3].add(at).cast()),
            ];
            for (sum, row) in sums.iter_mut().zip(rows) {
                let row = _mm512_loadu_si512(row.add(at).cast());
                for (plane, weight) in planes.into_iter().zip(weights) {
                    *sum = count(*sum, row, plane, _mm512_set1_epi64(weight));
                }
            }
        }
        at += 8;
    }
    if words & 4 != 0 {
        // SAFETY: as above, four words being left.
        unsafe {
            let (p0, p1) = (load4(planes[0].add(at)), load4(planes[1].add(at)));
            let (p2, p3) = (load4(planes[2].add(at)), load4(planes[3].add(at)));
            let low = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(p0), p1);
            let high = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(p2), p3);
            let low_weight = _mm512_set_epi64(2, 2, 2, 2, 1, 1, 1, 1);
            let high_weight = _mm512_set_epi64(-8, -8, -8, -8, 4, 4, 4, 4);
            for (sum, row) in sums.iter_mut().zip(rows) {
                let row = _mm512_broadcast_i64x4(load4(row.add(at)));
                *sum = count(*sum, row, low, low_weight);
                *sum = count(*sum, row, high, high_weight);
            }
        }
        at += 4;
    }
    let quarters = _mm512_set_epi64(-8, -8, 4, 4, 2, 2, 1, 1);
    if words & 2 != 0 {
        // SAFETY: as above, two words being left.
        unsafe {
            let low = _mm256_set_m128i(load2(planes[1].add(at)), load2(planes[0].add(at)));
            let high = _mm256_set_m128i(load2(planes[3].add(at)), load2(planes[2].add(at)));
            let all = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            for (sum, row) in sums.iter_mut().zip(rows) {
                let row = _mm512_broadcast_i32x4(load2(row.add(at)));
                *sum = count(*sum, row, all, quarters);
            }
        }
        at += 2;
    }
    if words & 1 != 0 {
        // SAFETY: as above, one word being left.
        unsafe {
            let mut all = _mm512_setzero_si512();
            for (lane, plane) in planes.into_iter().enumerate() {
                let word = _mm512_set1_epi64(plane.add(at).read().cast_signed());
                all = _mm512_mask_mov_epi64(all, 1 << (2 * lane), word);
            }
            for (sum, row) in sums.iter_mut().zip(rows) {
                let row = _mm512_set1_epi64(row.add(at).read().cast_signed());
                *sum = count(*sum, row, all, quarters);
            }
        }
    }
    sum_rows(sums)
}
