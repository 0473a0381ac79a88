//! The recall of codes: how well they order the vectors they stand for.
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
use crate::storage::node_table::NodeTable;

/// Vectors that are searched for.
const QUERIES: usize = 32;
/// Neighbours of each.
const NEIGHBORS: usize = 10;
/// Recall of 10 at 10 that int8 codes need. Codes that suit their vectors reach 0.95 and more, others
/// less than 0.67; there is little in between.
const RECALL_MIN: f32 = 0.8;
/// Sign bits need the same recall of 10 at this many: what they order is ranked by int8 codes.
const BIT_DEPTH: usize = 10 * NEIGHBORS;
/// Components below which the estimates of sign bits vary too much (their error falls with √dim).
const BITS_DIM_MIN: usize = 64;
/// Queries that may have a recall below a half: more of them show a region that codes do not suit.
const POOR_MAX: usize = QUERIES / 16;

/// Whether int8 codes have the recall that links and walks need.
pub(crate) fn int8_codes_suffice(metric: Metric, codes: &Codes, nodes: &NodeTable) -> bool {
    recall_suffices(metric, codes, nodes, NEIGHBORS, |query| {
        Int8Query::new(codes, query)
    })
}

/// Whether sign bits have the recall that the beam of a walk needs.
pub(crate) fn sign_bits_suffice(metric: Metric, codes: &Codes, nodes: &NodeTable) -> bool {
    codes.dim() >= BITS_DIM_MIN
        && recall_suffices(metric, codes, nodes, BIT_DEPTH, |query| {
            BinaryQuery::new(codes, query)
        })
}

fn recall_suffices<D: Estimator>(
    metric: Metric,
    codes: &Codes,
    nodes: &NodeTable,
    depth: usize,
    distance: impl Fn(&Query<'_>) -> D,
) -> bool {
    let count = codes.len();
    let step = count.div_ceil(QUERIES).max(1);
    let queries: Vec<Vec<f32>> = (step / 2..count)
        .step_by(step)
        .map(|node| nodes.with(node as u32, <[f32]>::to_vec))
        .collect();
    let queries: Vec<Query<'_>> = queries.iter().map(|x| Query::new(metric, x)).collect();
    let mut rankings: Vec<Ranking<'_, D>> = queries
        .iter()
        .map(|query| Ranking::new(query, distance(query), nodes, count, depth))
        .collect();
    for node in (0..count as u32).filter(|&node| !nodes.is_dead(node)) {
        rankings.iter_mut().for_each(|ranking| ranking.offer(node));
    }
    let recalls: Vec<f32> = rankings.into_iter().map(Ranking::recall).collect();
    let poor = recalls.iter().filter(|&&recall| recall < 0.5).count();
    poor <= POOR_MAX && recalls.iter().sum::<f32>() >= RECALL_MIN * recalls.len() as f32
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
        nodes: &'a NodeTable,
        limit: usize,
        depth: usize,
    ) -> Self {
        Self {
            exact: FullQuery {
                nodes,
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
    fn recall(self) -> f32 {
        let nearest = self.nearest.into_sorted();
        let bound = nearest.last().map_or(0.0, |last| -last.score);
        let by_code = self.by_code.into_sorted();
        let found = by_code.iter().filter(|found| found.item <= bound);
        found.count() as f32 / nearest.len().max(1) as f32
    }
}
