//! Exact neighbors: what every recall is measured against.

use std::thread;

use pelorus_kernels::kernels;

/// Queries that share one pass over the base.
const GROUP: usize = 16;
/// Base rows that stay in the cache while a group is compared with them.
const ROWS: usize = 64;

/// For each of `among` (None: all of the base), `[queries, min(k, len)]` ids by inner product,
/// largest first and equal ones by id.
pub fn exact_neighbors(
    base: &[f32],
    queries: &[f32],
    dim: usize,
    k: usize,
    among: &[Option<&[u32]>],
) -> Vec<Vec<u32>> {
    let groups: Vec<&[f32]> = queries.chunks(GROUP * dim).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = groups.len().div_ceil(threads).max(1);
    let parts: Vec<Vec<Vec<u32>>> = thread::scope(|scope| {
        let work = |groups| move || neighbors_of_groups(base, groups, dim, k, among);
        let workers: Vec<_> = groups
            .chunks(share)
            .map(|groups| scope.spawn(work(groups)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("comparing does not panic"))
            .collect()
    });
    let joined = |which: usize| parts.iter().flat_map(|part| part[which].clone()).collect();
    (0..among.len()).map(joined).collect()
}

fn neighbors_of_groups(
    base: &[f32],
    groups: &[&[f32]],
    dim: usize,
    k: usize,
    among: &[Option<&[u32]>],
) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); among.len()];
    for group in groups {
        for scores in scores_of(base, group, dim) {
            for (ids, found) in among.iter().zip(&mut found) {
                let ranked = match ids {
                    None => nearest(scores.iter().copied().zip(0..).collect(), k),
                    Some(ids) => {
                        nearest(ids.iter().map(|&id| (scores[id as usize], id)).collect(), k)
                    }
                };
                found.extend(ranked);
            }
        }
    }
    found
}

/// The inner product of a query with every row of the base.
pub fn scores(base: &[f32], query: &[f32], dim: usize) -> Vec<f32> {
    scores_of(base, query, dim).swap_remove(0)
}

/// For each query of a group its inner product with every row of the base.
fn scores_of(base: &[f32], group: &[f32], dim: usize) -> Vec<Vec<f32>> {
    let dot = kernels().dot_f32;
    let mut scores = vec![Vec::with_capacity(base.len() / dim); group.len() / dim];
    for rows in base.chunks(ROWS * dim) {
        for (query, scores) in group.chunks_exact(dim).zip(&mut scores) {
            scores.extend(rows.chunks_exact(dim).map(|row| dot(query, row)));
        }
    }
    scores
}

fn nearest(mut scored: Vec<(f32, u32)>, k: usize) -> Vec<u32> {
    let by_score = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if scored.len() > k {
        scored.select_nth_unstable_by(k, by_score);
        scored.truncate(k);
    }
    scored.sort_by(by_score);
    scored.into_iter().map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{sample, tests::small};

    #[test]
    fn the_truth_holds_the_nearest_in_order_with_and_without_a_filter() {
        let sample = sample(&small()).unwrap();
        let even: Vec<u32> = (0..400).step_by(2).collect();
        let few = [7, 9];
        let among = [None, Some(&even[..]), Some(&few[..])];
        let truth = exact_neighbors(&sample.base, &sample.queries, 32, 5, &among);
        let all: Vec<u32> = (0..400).collect();
        for (ids, truth) in [&all[..], &even, &few].iter().zip(&truth) {
            let width = ids.len().min(5);
            assert_eq!(truth.len(), 10 * width);
            let queries = sample.queries.chunks_exact(32);
            for (query, found) in queries.zip(truth.chunks_exact(width)) {
                let cosine = |id: u32| -> f32 {
                    let row = &sample.base[id as usize * 32..];
                    query.iter().zip(row).map(|(a, b)| a * b).sum()
                };
                let mut best: Vec<f32> = ids.iter().map(|&id| cosine(id)).collect();
                best.sort_by(|a, b| b.total_cmp(a));
                for (expected, &id) in best.iter().zip(found) {
                    assert!(ids.contains(&id) && (expected - cosine(id)).abs() < 1e-5);
                }
            }
        }
    }
}
