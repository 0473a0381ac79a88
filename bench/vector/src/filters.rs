//! The ids that filters let pass.

use pelorus_kernels::kernels;

use crate::random::Random;

/// Queries that a correlated filter is measured with.
const CORRELATED_QUERIES: usize = 100;
/// One in this many rows passes a correlated filter.
const CORRELATED_ONE_IN: usize = 100;

/// `round(rate * count)` ids, at least one, ascending, each as likely as any other.
pub fn random_filter(seed: u64, rate: f64, count: usize) -> Vec<u32> {
    // Each rate has a stream of its own: what passes a narrow filter need not pass a wider one.
    let mut random = Random::new(seed, rate.to_bits());
    let mut ids: Vec<u32> = (0..count as u32).collect();
    let passing = ((rate * count as f64).round() as usize).clamp(1, count);
    for i in 0..passing {
        let other = i + (random.uniform() * (count - i) as f64) as usize;
        ids.swap(i, other);
    }
    ids.truncate(passing);
    ids.sort_unstable();
    ids
}

/// The worst a filter can do to a graph: what passes lies farthest from where the queries are.
pub struct Correlated {
    /// The queries nearest to the first one, `[n, dim]`.
    pub queries: Vec<f32>,
    /// The hundredth of the base farthest from it, ascending.
    pub passing: Vec<u32>,
}

pub fn correlated_filter(base: &[f32], queries: &[f32], dim: usize) -> Correlated {
    let anchor = &queries[..dim];
    let near = by_cosine(anchor, queries, dim);
    let base_ids = by_cosine(anchor, base, dim);
    let passing = (base_ids.len() / CORRELATED_ONE_IN).max(1);
    let mut far: Vec<u32> = base_ids.iter().rev().take(passing).copied().collect();
    far.sort_unstable();
    let row = |&id: &u32| &queries[id as usize * dim..][..dim];
    Correlated {
        queries: near
            .iter()
            .take(CORRELATED_QUERIES)
            .flat_map(row)
            .copied()
            .collect(),
        passing: far,
    }
}

/// Rows by their inner product with `anchor`, largest first.
fn by_cosine(anchor: &[f32], rows: &[f32], dim: usize) -> Vec<u32> {
    let dot = kernels().dot_f32;
    let mut scored: Vec<(f32, u32)> = rows
        .chunks_exact(dim)
        .map(|row| dot(anchor, row))
        .zip(0..)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{sample, tests::small};

    #[test]
    fn a_random_filter_lets_its_share_pass_and_is_always_the_same() {
        let ids = random_filter(1, 0.1, 5_000);
        assert_eq!((ids.len(), &ids), (500, &random_filter(1, 0.1, 5_000)));
        assert!(ids.is_sorted_by(|a, b| a < b) && ids.iter().all(|&id| id < 5_000));
        let lower = ids.iter().filter(|&&id| id < 2_500).count();
        assert!((200..300).contains(&lower), "{lower}");
        assert_eq!(random_filter(1, 0.0001, 100).len(), 1);
    }

    #[test]
    fn rows_that_pass_a_correlated_filter_are_far_from_its_queries() {
        let sample = sample(&small()).unwrap();
        let filter = correlated_filter(&sample.base, &sample.queries, 32);
        assert_eq!((filter.passing.len(), filter.queries.len()), (4, 10 * 32));
        let anchor = &sample.queries[..32];
        let cosine = |row: &[f32]| anchor.iter().zip(row).map(|(a, b)| a * b).sum::<f32>();
        let farthest = filter
            .passing
            .iter()
            .map(|&id| cosine(&sample.base[id as usize * 32..][..32]));
        let bound = farthest.fold(f32::MIN, f32::max);
        let nearer = sample
            .base
            .chunks_exact(32)
            .filter(|row| cosine(row) >= bound);
        assert_eq!(nearer.count(), 400 - 4 + 1);
    }
}
