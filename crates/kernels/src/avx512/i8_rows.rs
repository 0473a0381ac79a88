//! Inner products of one int8 code with many: four rows at a time, whose sums hide each other's
//! latency and are reduced together. The rows are lifted by 128, see `i8.rs`; what that adds
//! depends on the query alone.

use std::arch::x86_64::*;

use super::{ROWS, four, i8::LANES, i8::load, i8::load_tail, store_rows, sum_rows};
use crate::scalar::i8_rows::check;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dot(query: &[i8], query_sum: i32, rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    if let ([row], [out]) = (rows, &mut *out) {
        *out = lifted_dot(query, row).wrapping_sub(query_sum.wrapping_mul(128));
        return;
    }
    let offset = _mm_set1_epi32(query_sum.wrapping_mul(128));
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        let sums = lifted_dots(query, four(rows));
        store_rows(_mm_sub_epi32(sums, offset), out);
    }
}

/// `Σ query_i (row_i + 128)` of each row; all must be as long as the query.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn lifted_dots(query: &[i8], rows: [&[i8]; ROWS]) -> __m128i {
    let lift = _mm512_set1_epi8(-128);
    let mut sums = [_mm512_setzero_si512(); ROWS];
    let mut at = 0;
    while at + LANES <= query.len() {
        // SAFETY: `at + 64 <= query.len()` by the loop's condition.
        let q = unsafe { load(query, at) };
        for (sum, row) in sums.iter_mut().zip(rows) {
            // SAFETY: the row is as long as the query.
            let x = unsafe { load(row, at) };
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(x, lift), q);
        }
        at += LANES;
    }
    if at < query.len() {
        let q = load_tail(query, at);
        for (sum, row) in sums.iter_mut().zip(rows) {
            let x = load_tail(row, at);
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(x, lift), q);
        }
    }
    sum_rows(sums)
}

/// The same of one row, in four parts to hide latency.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn lifted_dot(query: &[i8], row: &[i8]) -> i32 {
    let lift = _mm512_set1_epi8(-128);
    let mut sums = [_mm512_setzero_si512(); 4];
    let mut at = 0;
    while at + 4 * LANES <= query.len() {
        for (i, sum) in sums.iter_mut().enumerate() {
            // SAFETY: four vectors fit by the loop's condition, and the row is as long as the query.
            let (q, x) = unsafe { (load(query, at + i * LANES), load(row, at + i * LANES)) };
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(x, lift), q);
        }
        at += 4 * LANES;
    }
    while at + LANES <= query.len() {
        // SAFETY: as above, for one vector.
        let (q, x) = unsafe { (load(query, at), load(row, at)) };
        sums[0] = _mm512_dpbusd_epi32(sums[0], _mm512_xor_si512(x, lift), q);
        at += LANES;
    }
    if at < query.len() {
        let (q, x) = (load_tail(query, at), load_tail(row, at));
        sums[1] = _mm512_dpbusd_epi32(sums[1], _mm512_xor_si512(x, lift), q);
    }
    let sums = _mm512_add_epi32(
        _mm512_add_epi32(sums[0], sums[1]),
        _mm512_add_epi32(sums[2], sums[3]),
    );
    _mm512_reduce_add_epi32(sums)
}
