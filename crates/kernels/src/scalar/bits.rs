//! Products of bit planes: counts of the bits that row and plane share, weighted by the plane.

use crate::BitQuery;

pub(crate) fn products(query: &BitQuery, rows: &[&[u64]], out: &mut [f32]) {
    query.check_rows(rows, out);
    for (row, out) in rows.iter().zip(out) {
        let shared = |j| -> i32 {
            let pairs = row.iter().zip(query.plane(j));
            pairs.map(|(a, b)| (a & b).count_ones() as i32).sum()
        };
        *out = query.product(shared(0) + 2 * shared(1) + 4 * shared(2) - 8 * shared(3));
    }
}

/// Makes keys of products, each by the word after the bits of its row.
#[inline(always)]
pub(crate) fn keys(query: &BitQuery, weight: f32, rows: &[&[u64]], out: &mut [f32]) {
    for (row, out) in rows.iter().zip(out) {
        let facts = row[query.words()];
        let (add, factor) = (facts as u32, (facts >> 32) as u32);
        *out = f32::from_bits(add) - weight * f32::from_bits(factor) * *out;
    }
}
