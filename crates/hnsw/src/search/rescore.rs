//! From candidates ordered by key to hits ordered by exact distance.

use std::iter;

use pelorus_cancellation::Cancelled;

use crate::VectorHit;
use crate::distance::{Query, QueryDistance};
use crate::search::Search;
use crate::search::doc_pool::{Candidate, DocPool};
use crate::storage::node_table::NodeTable;

/// Vectors asked for before they are read.
const AHEAD: usize = 2;

/// Vectors read between two looks at whether the search is cancelled: each may come from the disk.
const READ_PER_CHECK: usize = 64;

/// Documents to hold for `k` wanted ones, so that one whose key is a little too large is still
/// there when exact distances decide. With fewer, [`rescore`] would more often answer none.
pub(crate) fn pool_capacity(k: usize) -> usize {
    k + (k / 2).min(128) + 8
}

/// The `k` nearest of the documents in `pool` by distance in full precision.
///
/// With u the k-th smallest of key + error, a candidate may be among the `k` nearest only if
/// key - error ≤ u; only those are read. None if the pool is full and its last candidate is one of them:
/// others that did not get in may be nearer.
///
/// # Errors
/// When the search is cancelled.
pub(crate) fn rescore<D: QueryDistance>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    pool: &mut DocPool,
) -> Result<Option<Vec<VectorHit>>, Cancelled> {
    let full = pool.is_full();
    let entries = pool.entries();
    let bound = kth_at_most(distance, entries, search.params.k);
    let may_be_near =
        |candidate: &&Candidate| candidate.key - distance.error(candidate.node) <= bound;
    if full && entries.last().is_some_and(|last| may_be_near(&last)) {
        return Ok(None);
    }
    let near: Vec<Candidate> = entries.iter().filter(may_be_near).copied().collect();
    nearest(distance, nodes, search, &near).map(Some)
}

/// The `k` nearest of some documents by distance in full precision.
///
/// # Errors
/// When the search is cancelled.
pub(crate) fn nearest<D: QueryDistance>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    candidates: &[Candidate],
) -> Result<Vec<VectorHit>, Cancelled> {
    let read = || read_hits(distance, nodes, search, candidates);
    let mut hits = match candidates.len() {
        0 => Vec::new(),
        _ => nodes
            .full()
            .reading(candidates.iter().map(|c| c.node), read)?,
    };
    rank(&mut hits, search.params.k);
    Ok(hits)
}

/// The candidates as hits, in their order.
fn read_hits<D: QueryDistance>(
    distance: &D,
    nodes: &NodeTable,
    search: &Search<'_>,
    candidates: &[Candidate],
) -> Result<Vec<VectorHit>, Cancelled> {
    let query = &search.query;
    let ahead = candidates
        .iter()
        .skip(AHEAD)
        .map(Some)
        .chain(iter::repeat(None));
    candidates
        .iter()
        .take(AHEAD)
        .for_each(|c| nodes.prefetch(c.node));
    let mut hits = Vec::with_capacity(candidates.len());
    for (at, (candidate, ahead)) in candidates.iter().zip(ahead).enumerate() {
        if at.is_multiple_of(READ_PER_CHECK) {
            search.cancellation.check()?;
        }
        if let Some(ahead) = ahead {
            nodes.prefetch(ahead.node);
        }
        hits.push(match nodes.has_several() {
            true => best_chunk(distance, query, nodes, candidate),
            false => hit(query, nodes, candidate.doc, candidate.node),
        });
    }
    Ok(hits)
}

/// An upper bound of the `k`-th key, whatever the errors.
fn kth_at_most<D: QueryDistance>(distance: &D, candidates: &[Candidate], k: usize) -> f32 {
    if candidates.len() < k {
        return f32::INFINITY;
    }
    let mut largest: Vec<f32> = candidates
        .iter()
        .map(|candidate| candidate.key + distance.error(candidate.node))
        .collect();
    *largest.select_nth_unstable_by(k - 1, f32::total_cmp).1
}

/// Nearest first, equal distances by document; only the first `k` are kept.
pub(crate) fn rank(hits: &mut Vec<VectorHit>, k: usize) {
    hits.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.doc.cmp(&b.doc)));
    hits.truncate(k);
}

/// The nearest chunk of a candidate's document. The search may have visited only some of its chunks,
/// or two whose keys are too close to tell apart. A document whose chunks were all removed since
/// the search visited it still counts, so that its place does not stay empty.
fn best_chunk<D: QueryDistance>(
    distance: &D,
    query: &Query<'_>,
    nodes: &NodeTable,
    candidate: &Candidate,
) -> VectorHit {
    let doc = candidate.doc;
    let bound = candidate.key + distance.error(candidate.node);
    nodes
        .nodes_of(doc, distance.limit())
        .filter(|&node| {
            node == candidate.node || distance.key(node) - distance.error(node) <= bound
        })
        .map(|node| hit(query, nodes, doc, node))
        .min_by(|a, b| {
            a.distance
                .total_cmp(&b.distance)
                .then(a.chunk.cmp(&b.chunk))
        })
        .unwrap_or_else(|| hit(query, nodes, doc, candidate.node))
}

/// A node as a hit, its distance in full precision.
pub(crate) fn hit(query: &Query<'_>, nodes: &NodeTable, doc: u32, node: u32) -> VectorHit {
    let distance = query.distance(nodes, node);
    VectorHit {
        doc,
        chunk: nodes.chunk(node),
        distance,
    }
}
