//! Inner products of one int8 code with many: four rows at a time, whose sums hide each other's
//! latency and are reduced together. The rows are lifted by 128, see `i8.rs`; the sum that this
//! adds depends on the query alone.

use std::arch::x86_64::*;

use super::i8::lifted_multiply_add;
use super::{ROWS, four, store_rows, sum_rows};
use crate::scalar::i8_rows::check;
use crate::vector;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn dot(query: &[i8], query_sum: i32, rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    if let ([row], [out]) = (rows, &mut *out) {
        *out = lifted_dot(query, row).wrapping_sub(query_sum.wrapping_mul(128));
        return;
    }
    let offset = _mm_set1_epi32(query_sum.wrapping_mul(128));
    let step = |sum, x, q| lifted_multiply_add(sum, x, q);
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        // SAFETY: rows were checked to be as long as the query, and this function has the features
        // of the vector.
        let sums = unsafe { vector::fold_rows(query, four(rows), _mm512_setzero_si512(), step) };
        store_rows(_mm_sub_epi32(sum_rows(sums), offset), out);
    }
}

/// `Σ query_i (row_i + 128)`, in four parts to hide latency.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn lifted_dot(query: &[i8], row: &[i8]) -> i32 {
    let step = |sum, x, q| lifted_multiply_add(sum, x, q);
    // SAFETY: this function has the features of the vector.
    let [s, t, u, v] = unsafe { vector::fold(row, query, _mm512_setzero_si512(), step) };
    _mm512_reduce_add_epi32(_mm512_add_epi32(
        _mm512_add_epi32(s, t),
        _mm512_add_epi32(u, v),
    ))
}
