//! How well codes order the vectors they stand for.
//!
//! Whether a byte or a bit a component is enough depends on the data: on how near neighbours are to
//! each other, beside how far they are from the centre. So it is measured, with vectors of the index
//! as queries: how many of the truly nearest are among the first by code.

use pelorus_kernels::TopK;

use crate::Metric;
use crate::distance::{Estimator, FullQuery, Query, QueryDistance};
use crate::quantize::code_query::BinaryQuery;
use crate::quantize::code_query::Int8Query;
use crate::quantize::codes::Codes;
use crate::storage::vectors::Vectors;

/// Vectors that are searched for.
const QUERIES: usize = 32;
/// Neighbours of each.
const NEIGHBORS: usize = 10;
/// The share of all these that int8 codes are to find among as many. Codes that suit their vectors
/// find nineteen in twenty and more, others less than two thirds; there is little in between.
const FOUND_MIN: f32 = 0.8;
/// Where sign bits are to show the nearest: among this many more.
const BIT_DEPTH: usize = 10 * NEIGHBORS;
/// Below this many components sign bits say too little.
const BITS_DIM_MIN: usize = 64;
/// Vectors for which codes may find less than half: there may be a place where they do not suit.
const POOR_MAX: usize = QUERIES / 16;

/// Whether int8 codes order vectors so well that links and walks may go by them.
pub(crate) fn codes_agree(metric: Metric, codes: &Codes, vectors: &Vectors) -> bool {
    agree(metric, codes, vectors, NEIGHBORS, |query| {
        Int8Query::new(codes, query)
    })
}

/// Whether sign bits order vectors so well that walks may look where they point.
pub(crate) fn bits_agree(metric: Metric, codes: &Codes, vectors: &Vectors) -> bool {
    codes.dim() >= BITS_DIM_MIN
        && agree(metric, codes, vectors, BIT_DEPTH, |query| {
            BinaryQuery::new(codes, query)
        })
}

fn agree<D: Estimator>(
    metric: Metric,
    codes: &Codes,
    vectors: &Vectors,
    depth: usize,
    distance: impl Fn(&Query<'_>) -> D,
) -> bool {
    let count = codes.len();
    let step = count.div_ceil(QUERIES).max(1);
    let queries: Vec<Vec<f32>> = (step / 2..count)
        .step_by(step)
        .map(|node| vectors.with(node as u32, <[f32]>::to_vec))
        .collect();
    let queries: Vec<Query<'_>> = queries.iter().map(|x| Query::new(metric, x)).collect();
    let mut rankings: Vec<Ranking<'_, D>> = queries
        .iter()
        .map(|query| Ranking::new(query, distance(query), vectors, count, depth))
        .collect();
    for node in (0..count as u32).filter(|&node| !vectors.is_dead(node)) {
        rankings.iter_mut().for_each(|ranking| ranking.offer(node));
    }
    let shares = rankings.into_iter().map(Ranking::found_share);
    let shares: Vec<f32> = shares.collect();
    let poor = shares.iter().filter(|&&share| share < 0.5).count();
    poor <= POOR_MAX && shares.iter().sum::<f32>() >= FOUND_MIN * shares.len() as f32
}

/// The nearest vectors of one query both ways.
struct Ranking<'a, D> {
    exact: FullQuery<'a>,
    coded: D,
    nearest: TopK<()>,
    by_code: TopK<f32>,
}

impl<'a, D: Estimator> Ranking<'a, D> {
    fn new(
        query: &'a Query<'a>,
        coded: D,
        vectors: &'a Vectors,
        limit: usize,
        depth: usize,
    ) -> Self {
        Self {
            exact: FullQuery {
                vectors,
                query,
                limit,
            },
            coded,
            nearest: TopK::new(NEIGHBORS),
            by_code: TopK::new(depth),
        }
    }

    fn offer(&mut self, node: u32) {
        let (key, mut estimate) = (self.exact.key(node), [0.0]);
        self.coded
            .estimate(&[self.coded.code_ref(node)], &mut estimate);
        self.nearest.push(-key, node, ());
        self.by_code.push(-estimate[0], node, key);
    }

    /// The share of the nearest by code that are as near as the truly nearest.
    fn found_share(self) -> f32 {
        let nearest = self.nearest.into_sorted();
        let bound = nearest.last().map_or(0.0, |last| -last.score);
        let by_code = self.by_code.into_sorted();
        let found = by_code.iter().filter(|found| found.item <= bound);
        found.count() as f32 / nearest.len().max(1) as f32
    }
}
