//! Products of sign bits by counts of the bits in each byte.

use std::arch::aarch64::*;

use crate::{BitQuery, KeyWeights};

const WORDS: usize = 2;

#[target_feature(enable = "neon")]
pub(super) fn keys(query: &BitQuery, weights: KeyWeights, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    for (row, out) in rows.iter().zip(out) {
        let (bits, factors) = row.split_at(query.words());
        *out = weights.key(query.product(sum_of_set(query, bits)), factors);
    }
}

/// Two words from `at`, a zero after the last.
#[inline]
#[target_feature(enable = "neon")]
fn load(words: &[u64], at: usize) -> uint8x16_t {
    let high = words.get(at + 1).copied().unwrap_or(0);
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(words[at]), vcreate_u64(high)))
}

/// The sum of those codes whose bits are set in the row.
#[inline]
#[target_feature(enable = "neon")]
fn sum_of_set(query: &BitQuery, row: &[u64]) -> i32 {
    let planes: [&[u64]; 4] = std::array::from_fn(|j| query.plane(j));
    // A lane takes sixteen bits from each of at most 32 pairs of words.
    let mut counts = [vdupq_n_u16(0); 4];
    for at in (0..query.words()).step_by(WORDS) {
        let row = load(row, at);
        for (count, plane) in counts.iter_mut().zip(planes) {
            *count = vpadalq_u8(*count, vcntq_u8(vandq_u8(row, load(plane, at))));
        }
    }
    let [ones, twos, fours, eights] = counts.map(|count| vaddlvq_u16(count).cast_signed());
    ones + 2 * twos + 4 * fours - 8 * eights
}
