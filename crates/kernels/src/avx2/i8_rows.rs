//! Inner products of one int8 code with many: four rows share each widened part of the query.

use std::arch::x86_64::*;

use super::i8::multiply_add;
use super::{ROWS, four, sum_epi32};
use crate::scalar::i8_rows::check;
use crate::vector;

#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(query: &[i8], rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    let step = |sum, x, q| multiply_add(sum, x, q);
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        // SAFETY: rows were checked to be as long as the query, and this function has the features
        // of the vector.
        let sums = unsafe { vector::fold_rows(query, four(rows), _mm256_setzero_si256(), step) };
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = sum_epi32(sum);
        }
    }
}
