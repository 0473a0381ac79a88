//! Products of bit planes: counts of the bits that row and plane share, weighted by the plane.

use crate::{BitQuery, KeyWeights};

pub(crate) fn keys(query: &BitQuery, weights: KeyWeights, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    for (row, out) in rows.iter().zip(out) {
        let (bits, factors) = row.split_at(query.words());
        let shared = |j| -> i32 {
            let pairs = bits.iter().zip(query.plane(j));
            pairs.map(|(a, b)| (a & b).count_ones() as i32).sum()
        };
        let sum = shared(0) + 2 * shared(1) + 4 * shared(2) - 8 * shared(3);
        *out = weights.key(query.product(sum), factors);
    }
}
