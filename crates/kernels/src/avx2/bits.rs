//! Products of sign bits by shuffles: each half byte a row shares with a plane looks up its number
//! of bits, times the plane's weight, in a table of sixteen.

use std::arch::x86_64::*;

use super::{ROWS, four};
use crate::{BitQuery, KeyWeights};

const WORDS: usize = 4;

#[target_feature(enable = "avx2,fma")]
pub(super) fn keys(query: &BitQuery, weights: KeyWeights, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    for (rows, out) in rows.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
        let rows = four(rows);
        let sums = sums_of_set(query, rows);
        for ((out, sum), row) in out.iter_mut().zip(sums).zip(rows) {
            *out = weights.key(query.product(sum_epi64(sum)), &row[query.words()..]);
        }
    }
}

/// Four words from `at`, zeros where they have ended.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(words: &[u64], at: usize) -> __m256i {
    let rest = &words[at..];
    if let Some(four) = rest.first_chunk::<WORDS>() {
        // SAFETY: thirty-two bytes are there; the load needs no alignment.
        return unsafe { _mm256_loadu_si256(four.as_ptr().cast()) };
    }
    let mut padded = [0; WORDS];
    for (padded, word) in padded.iter_mut().zip(rest) {
        *padded = *word;
    }
    // SAFETY: as above.
    unsafe { _mm256_loadu_si256(padded.as_ptr().cast()) }
}

/// The low and the high half of each byte.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn halves(v: __m256i) -> [__m256i; 2] {
    let low = _mm256_set1_epi8(0x0f);
    let shifted = _mm256_srli_epi16::<4>(v);
    [_mm256_and_si256(v, low), _mm256_and_si256(shifted, low)]
}

/// Bits that row and plane share in each byte, times the weight in the table: at most 64.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn shared(row: [__m256i; 2], plane: [__m256i; 2], counts: __m256i) -> __m256i {
    _mm256_add_epi8(
        _mm256_shuffle_epi8(counts, _mm256_and_si256(row[0], plane[0])),
        _mm256_shuffle_epi8(counts, _mm256_and_si256(row[1], plane[1])),
    )
}

/// The sum of those codes whose bits are set, for each row, in four parts.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sums_of_set(query: &BitQuery, rows: [&[u64]; ROWS]) -> [__m256i; ROWS] {
    let ones = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    let ones = _mm256_broadcastsi128_si256(ones);
    let twos = _mm256_add_epi8(ones, ones);
    let fours = _mm256_add_epi8(twos, twos);
    let eights = _mm256_add_epi8(fours, fours);
    let planes = [
        query.plane(0),
        query.plane(1),
        query.plane(2),
        query.plane(3),
    ];
    let mut sums = [_mm256_setzero_si256(); ROWS];
    for at in (0..query.words()).step_by(WORDS) {
        let (p0, p1) = (halves(load(planes[0], at)), halves(load(planes[1], at)));
        let (p2, p3) = (halves(load(planes[2], at)), halves(load(planes[3], at)));
        for (sum, row) in sums.iter_mut().zip(rows) {
            let row = halves(load(&row[..query.words()], at));
            // Bytes hold 8 (1 + 2 + 4) at most on one side and 8 * 8 on the other.
            let positive = _mm256_add_epi8(
                _mm256_add_epi8(shared(row, p0, ones), shared(row, p1, twos)),
                shared(row, p2, fours),
            );
            let negative = shared(row, p3, eights);
            let zero = _mm256_setzero_si256();
            let part = _mm256_sub_epi64(
                _mm256_sad_epu8(positive, zero),
                _mm256_sad_epu8(negative, zero),
            );
            *sum = _mm256_add_epi64(*sum, part);
        }
    }
    sums
}

/// The four lanes added up, which fit the low half of one.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum_epi64(v: __m256i) -> i32 {
    let half = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    _mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)))
}
