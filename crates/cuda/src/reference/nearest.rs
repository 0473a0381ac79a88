//! The exact search for the nearest.

use crate::{Nearness, encode_key};

/// The nearness of each query to some rows of the vectors, `[queries, rows]`; queries and vectors are `[.., dim]`.
pub fn nearness(
    queries: &[f32],
    vectors: &[f32],
    rows: &[u32],
    dim: usize,
    nearness: Nearness,
) -> Vec<f32> {
    let mut scores = Vec::new();
    for query in queries.chunks_exact(dim) {
        for &row in rows {
            let pairs = query.iter().zip(&vectors[row as usize * dim..][..dim]);
            let pairs = pairs.map(|(&a, &b)| (f64::from(a), f64::from(b)));
            let score: f64 = match nearness {
                Nearness::Dot => pairs.map(|(a, b)| a * b).sum(),
                Nearness::L2 => -pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>(),
            };
            scores.push(score as f32);
        }
    }
    scores
}

/// The keys of the best `k` of one query's scores of some rows, best first.
pub fn best(scores: &[f32], rows: &[u32], k: usize) -> Vec<u64> {
    let keys = scores.iter().zip(rows);
    merge(
        &keys
            .map(|(&score, &row)| encode_key(score, row))
            .collect::<Vec<_>>(),
        k,
    )
}

/// The best `k` of one query's keys, best first; 0 where there are fewer.
pub fn merge(keys: &[u64], k: usize) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable_by_key(|&key| std::cmp::Reverse(key));
    keys.resize(k, 0);
    keys
}
