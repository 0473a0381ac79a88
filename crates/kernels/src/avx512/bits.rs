//! Products of sign bits without a population count: a word of bits is a mask that admits codes of
//! the query, sixty-four at a time, to a sum.

use std::arch::x86_64::*;

use super::{ROWS, four, i8::LANES, store_keys, sum_rows};
use crate::vector::Vector;
use crate::{BitQuery, KeyWeights};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn keys(query: &BitQuery, weights: KeyWeights, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        let rows = four(rows);
        let sums = sums_of_set(query.codes(), rows);
        // SAFETY: the rows were checked.
        unsafe { store_keys(query, weights, sums, &rows, out) };
    }
}

/// The sum of those codes whose bits are set, for each row of a sixty-fourth of their number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn sums_of_set(codes: &[i8], rows: [&[u64]; ROWS]) -> __m128i {
    let words = codes.len() / LANES;
    let one = _mm512_set1_epi8(1);
    let mut sums = [_mm512_setzero_si512(); ROWS];
    for word in 0..words {
        // SAFETY: `64 word + 64 <= codes.len()`.
        let q = unsafe { __m512i::load(codes, word * LANES) };
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = _mm512_dpbusd_epi32(*sum, one, _mm512_maskz_mov_epi8(row[word], q));
        }
    }
    sum_rows(sums)
}
