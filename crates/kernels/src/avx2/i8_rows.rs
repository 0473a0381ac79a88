//! Inner products of one int8 code with many: four rows share each widened part of the query.

use std::arch::x86_64::*;

use super::{ROWS, four, i8::LANES, i8::load, i8::load_tail, sum_epi32};
use crate::scalar::i8_rows::check;

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(query: &[i8], rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        let sums = dots(query, four(rows));
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = sum_epi32(sum);
        }
    }
}

/// The product of each row with the query, in eight parts; all must be as long as the query.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn dots(query: &[i8], rows: [&[i8]; ROWS]) -> [__m256i; ROWS] {
    let mut sums = [_mm256_setzero_si256(); ROWS];
    let mut at = 0;
    while at + LANES <= query.len() {
        // SAFETY: `at + 16 <= query.len()` by the loop's condition.
        let q = unsafe { load(query, at) };
        for (sum, row) in sums.iter_mut().zip(rows) {
            // SAFETY: the row is as long as the query.
            let x = unsafe { load(row, at) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, q));
        }
        at += LANES;
    }
    if at < query.len() {
        let q = load_tail(query, at);
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(load_tail(row, at), q));
        }
    }
    sums
}
