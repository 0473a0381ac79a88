//! The recall of codes: how well they order the vectors they stand for.
//!
//! A byte or a bit a component is enough or not, depending on the data: on how near neighbours are to each other,
//! beside how far they are from the centre. So it is measured, with vectors of the index as queries: how many of the
//! truly nearest are among the first by code.

use pelorus_kernels::TopK;

use crate::Metric;
use crate::distance::{Estimator, FullQuery, Query, QueryDistance};
use crate::quantize::code_query::BinaryQuery;
use crate::quantize::code_query::Int8Query;
use crate::quantize::codes::Codes;
use crate::quantize::quantizer::Traversal;
use crate::storage::node_table::NodeTable;

/// Vectors that are searched for.
const QUERIES: usize = 32;
/// Neighbours of each.
const NEIGHBORS: usize = 10;
/// Recall of 10 at 10 that int8 codes need. Codes that suit their vectors reach 0.95 and more, others
/// less than 0.67; there is little in between.
const RECALL_MIN: f32 = 0.8;
/// Sign bits need the same recall of 10 at this many: the nodes that they order are ranked by int8
/// codes.
const BIT_DEPTH: usize = 10 * NEIGHBORS;
/// Components below which the estimates of sign bits vary too much (their error falls with √dim).
const BITS_DIM_MIN: usize = 64;
/// Queries that may have a recall below a half: more of them show a region that codes do not suit.
const POOR_MAX: usize = QUERIES / 16;

/// The codes by which walks go: the smallest that have the recall which walks, and links, need. One pass over all
/// vectors, since neighbours in an index are nearer than in a sample of it.
pub(crate) fn suited_traversal(metric: Metric, codes: &Codes, nodes: &NodeTable) -> Traversal {
    let count = codes.len();
    let step = count.div_ceil(QUERIES).max(1);
    let queries: Vec<Vec<f32>> = (step / 2..count)
        .step_by(step)
        .map(|node| node as u32)
        .filter(|&node| !nodes.is_dead(node))
        .map(|node| nodes.with(node, <[f32]>::to_vec))
        .collect();
    let queries: Vec<Query<'_>> = queries.iter().map(|x| Query::new(metric, x)).collect();
    let mut rankings: Vec<Rankings<'_>> = queries
        .iter()
        .map(|query| Rankings::new(query, codes, nodes))
        .collect();
    for node in (0..count as u32).filter(|&node| !nodes.is_dead(node)) {
        rankings.iter_mut().for_each(|ranking| ranking.offer(node));
    }
    let (by_codes, by_bits): (Vec<f32>, Vec<f32>) =
        rankings.into_iter().map(Rankings::recalls).unzip();
    let bits_apply = codes.dim() >= BITS_DIM_MIN;
    match suffice(&by_codes) {
        true if bits_apply && suffice(&by_bits) => Traversal::Binary,
        true => Traversal::Int8,
        false => Traversal::Full,
    }
}

/// Tells whether these are the recalls of codes that suit their vectors.
fn suffice(recalls: &[f32]) -> bool {
    let poor = recalls.iter().filter(|&&recall| recall < 0.5).count();
    poor <= POOR_MAX && recalls.iter().sum::<f32>() >= RECALL_MIN * recalls.len() as f32
}

/// The nearest vectors of one query, truly and by each kind of code.
struct Rankings<'a> {
    exact: FullQuery<'a>,
    nearest: TopK<()>,
    codes: Int8Query<'a>,
    by_codes: TopK<f32>,
    bits: BinaryQuery<'a>,
    by_bits: TopK<f32>,
}

impl<'a> Rankings<'a> {
    fn new(query: &'a Query<'a>, codes: &'a Codes, nodes: &'a NodeTable) -> Self {
        Self {
            exact: FullQuery {
                nodes,
                query,
                limit: codes.len(),
            },
            nearest: TopK::new(NEIGHBORS),
            codes: Int8Query::new(codes, query),
            by_codes: TopK::new(NEIGHBORS),
            bits: BinaryQuery::new(codes, query),
            by_bits: TopK::new(BIT_DEPTH),
        }
    }

    fn offer(&mut self, node: u32) {
        let key = self.exact.key(node);
        self.nearest.push(-key, node, ());
        let mut estimate = [0.0];
        self.codes
            .estimate(&[self.codes.code_ref(node)], &mut estimate);
        self.by_codes.push(-estimate[0], node, key);
        self.bits
            .estimate(&[self.bits.code_ref(node)], &mut estimate);
        self.by_bits.push(-estimate[0], node, key);
    }

    /// By int8 codes and by sign bits, the share of the nearest that are as near as the truly nearest.
    fn recalls(self) -> (f32, f32) {
        let nearest = self.nearest.into_sorted();
        let bound = nearest.last().map_or(0.0, |last| -last.score);
        let recall = |ranking: TopK<f32>| {
            let ranking = ranking.into_sorted();
            let found = ranking.iter().filter(|found| found.item <= bound);
            found.count() as f32 / nearest.len().max(1) as f32
        };
        (recall(self.by_codes), recall(self.by_bits))
    }
}
