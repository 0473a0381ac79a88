//! From candidates ordered by key to hits ordered by exact distance.

use crate::VectorHit;
use crate::doc_pool::Candidate;
use crate::keys::{Keys, Query};
use crate::vectors::Vectors;

/// Documents to hold beyond `k`, so that one whose key is a little too large is still there when
/// exact distances decide.
pub(crate) fn pool_capacity(k: usize) -> usize {
    k + (k / 2).min(128) + 8
}

/// The `k` nearest of `candidates` (nearest first by key) by distance in full precision. Only
/// candidates within the margin of the `k`-th key are read.
pub(crate) fn rescore<K: Keys>(
    keys: &K,
    query: &Query<'_>,
    vectors: &Vectors,
    candidates: &[Candidate],
    k: usize,
) -> Vec<VectorHit> {
    let last = candidates.len().min(k).checked_sub(1);
    let bound = last.map_or(f32::INFINITY, |last| candidates[last].key + keys.margin());
    let near = candidates
        .iter()
        .take_while(|candidate| candidate.key <= bound);
    let mut hits: Vec<VectorHit> = near
        .filter_map(|candidate| best_chunk(keys, query, vectors, candidate))
        .collect();
    rank(&mut hits, k);
    hits
}

/// Nearest first, equal distances by document; only the first `k` are kept.
pub(crate) fn rank(hits: &mut Vec<VectorHit>, k: usize) {
    hits.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.doc.cmp(&b.doc)));
    hits.truncate(k);
}

/// The nearest chunk of a candidate's document. The search may have met only some of its chunks,
/// or two whose keys are too close to tell apart. None if all were removed since.
fn best_chunk<K: Keys>(
    keys: &K,
    query: &Query<'_>,
    vectors: &Vectors,
    candidate: &Candidate,
) -> Option<VectorHit> {
    let doc = candidate.doc;
    let bound = candidate.key + keys.margin();
    vectors
        .nodes_of(doc, keys.limit())
        .filter(|&node| node == candidate.node || keys.key(node) <= bound)
        .map(|node| hit(query, vectors, doc, node))
        .min_by(|a, b| {
            a.distance
                .total_cmp(&b.distance)
                .then(a.chunk.cmp(&b.chunk))
        })
}

/// A node as a hit, its distance in full precision.
pub(crate) fn hit(query: &Query<'_>, vectors: &Vectors, doc: u32, node: u32) -> VectorHit {
    let distance = query.distance(vectors, node);
    VectorHit {
        doc,
        chunk: vectors.chunk(node),
        node,
        distance,
    }
}
