//! Finding the nearest documents by looking at every candidate.

use std::ops::Range;

use pelorus_kernels::BitSet;

use crate::doc_pool::{Candidate, DocPool};
use crate::keys::Keys;
use crate::vectors::Vectors;

/// Nodes ahead of the one being read whose memory is asked for.
const LOOKAHEAD: usize = 4;
/// When fewer than one node in this many is accepted, going from document to document costs less
/// than passing over the rest.
const SPARSE: usize = 4;

/// Offers every accepted living node to `pool`.
pub(crate) fn scan<K: Keys>(
    keys: &K,
    vectors: &Vectors,
    accept: &BitSet,
    accept_count: usize,
    pool: &mut DocPool,
) {
    if accept_count < keys.limit() / SPARSE {
        scan_documents(keys, vectors, accept, pool);
    } else {
        scan_nodes(keys, vectors, accept, 0..keys.limit(), pool);
    }
}

/// Offers the accepted living nodes of a range, in the order of memory.
pub(crate) fn scan_nodes<K: Keys>(
    keys: &K,
    vectors: &Vectors,
    accept: &BitSet,
    nodes: Range<usize>,
    pool: &mut DocPool,
) {
    for node in nodes.start as u32..nodes.end as u32 {
        let doc = vectors.doc(node);
        if accept.contains(doc) {
            offer(keys, doc, node, pool);
        }
    }
}

/// Offers the nodes of each accepted document.
fn scan_documents<K: Keys>(keys: &K, vectors: &Vectors, accept: &BitSet, pool: &mut DocPool) {
    let nodes_of = |doc| {
        vectors
            .nodes_of(doc, keys.limit())
            .map(move |node| (doc, node))
    };
    let mut window = [(0, 0); LOOKAHEAD];
    let mut count = 0;
    for pair in accept.iter().flat_map(nodes_of) {
        keys.prefetch(pair.1);
        let (doc, node) = std::mem::replace(&mut window[count % LOOKAHEAD], pair);
        if count >= LOOKAHEAD {
            offer(keys, doc, node, pool);
        }
        count += 1;
    }
    for &(doc, node) in &window[..count.min(LOOKAHEAD)] {
        offer(keys, doc, node, pool);
    }
}

#[inline]
fn offer<K: Keys>(keys: &K, doc: u32, node: u32, pool: &mut DocPool) {
    let key = keys.key(node);
    if key <= pool.bound() {
        pool.offer(Candidate { key, doc, node });
    }
}
