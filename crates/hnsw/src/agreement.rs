//! How well codes order the vectors they stand for.
//!
//! Whether a byte a component is enough depends on the data: on how near neighbours are to each
//! other, beside how far they are from the centre. So it is measured, with vectors of the index as
//! queries: how many of the truly nearest are among the first by code.

use pelorus_kernels::TopK;

use crate::Metric;
use crate::code_query::CodeQuery;
use crate::codes::Codes;
use crate::keys::{FullQuery, Keys, Query};
use crate::rescore::{Slack, pool_capacity};
use crate::vectors::Vectors;

/// Vectors that are searched for.
const QUERIES: usize = 32;
/// Neighbours of each.
const NEIGHBORS: usize = 10;
/// The share of them to be found.
const FOUND_MIN: f32 = 0.98;

/// The least slack with which codes find the nearest vectors, if any does.
pub(crate) fn slack_needed(metric: Metric, codes: &Codes, vectors: &Vectors) -> Option<Slack> {
    let count = codes.len();
    let step = count.div_ceil(QUERIES).max(1);
    let queries: Vec<Query<'_>> = (step / 2..count)
        .step_by(step)
        .map(|node| Query::new(metric, vectors.vector(node as u32)))
        .collect();
    let widest = pool_capacity(NEIGHBORS, Slack::MOST);
    let mut rankings: Vec<Ranking<'_>> = queries
        .iter()
        .map(|query| Ranking::new(query, codes, vectors, widest))
        .collect();
    for node in 0..count as u32 {
        codes.prefetch(node + u32::from((node as usize) + 1 < count));
        if !vectors.is_dead(node) {
            rankings.iter_mut().for_each(|ranking| ranking.offer(node));
        }
    }
    let orders: Vec<Vec<bool>> = rankings.into_iter().map(Ranking::nearest_by_code).collect();
    Slack::ALL.into_iter().find(|&slack| {
        let depth = pool_capacity(NEIGHBORS, slack);
        let found = orders.iter().map(|order| {
            let among = order.iter().take(depth).filter(|&&nearest| nearest);
            among.count().min(NEIGHBORS)
        });
        found.sum::<usize>() as f32 >= FOUND_MIN * (NEIGHBORS * orders.len()).min(count) as f32
    })
}

/// The nearest vectors of one query both ways.
struct Ranking<'a> {
    exact: FullQuery<'a>,
    coded: CodeQuery<'a>,
    nearest: TopK<()>,
    by_code: TopK<f32>,
}

impl<'a> Ranking<'a> {
    fn new(query: &'a Query<'a>, codes: &'a Codes, vectors: &'a Vectors, depth: usize) -> Self {
        let limit = codes.len();
        Self {
            exact: FullQuery {
                vectors,
                query,
                limit,
            },
            coded: CodeQuery::new(codes, query),
            nearest: TopK::new(NEIGHBORS),
            by_code: TopK::new(depth),
        }
    }

    fn offer(&mut self, node: u32) {
        let key = self.exact.key(node);
        self.nearest.push(-key, node, ());
        self.by_code.push(-self.coded.key(node), node, key);
    }

    /// Of the first by code, in order, whether each is as near as the truly nearest.
    fn nearest_by_code(self) -> Vec<bool> {
        let bound = self
            .nearest
            .into_sorted()
            .last()
            .map_or(0.0, |last| -last.score);
        let by_code = self.by_code.into_sorted();
        by_code
            .into_iter()
            .map(|found| found.item <= bound)
            .collect()
    }
}
