//! Finding the nearest documents by looking at every candidate.
//!
//! Where guesses are cheap, a node's key is computed only if its guess, less what it may be off,
//! could still get it into the pool.

use std::ops::Range;

use pelorus_kernels::BitSet;

use crate::doc_pool::{Candidate, DocPool};
use crate::keys::Keys;
use crate::vectors::Vectors;

/// Nodes guessed in one go.
const BATCH: usize = 32;
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
        let mut scan = Scan::new(keys, pool);
        for doc in accept.iter() {
            for node in vectors.nodes_of(doc, keys.limit()) {
                scan.take(node, doc);
            }
        }
        scan.finish();
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
    let mut scan = Scan::new(keys, pool);
    for node in nodes.start as u32..nodes.end as u32 {
        let doc = vectors.doc(node);
        if accept.contains(doc) {
            scan.take(node, doc);
        }
    }
    scan.finish();
}

/// Three stations: asked for from memory, guessed, ranked. Each holds a batch, so that memory has
/// time to answer.
struct Scan<'a, K> {
    keys: &'a K,
    pool: &'a mut DocPool,
    asked: Batch,
    next: Batch,
    promising: Batch,
}

/// Some nodes of accepted documents.
struct Batch {
    nodes: [u32; BATCH],
    docs: [u32; BATCH],
    len: usize,
}

impl Batch {
    const EMPTY: Self = Self {
        nodes: [0; BATCH],
        docs: [0; BATCH],
        len: 0,
    };

    #[inline(always)]
    fn push(&mut self, node: u32, doc: u32) {
        (self.nodes[self.len], self.docs[self.len]) = (node, doc);
        self.len += 1;
    }
}

impl<'a, K: Keys> Scan<'a, K> {
    fn new(keys: &'a K, pool: &'a mut DocPool) -> Self {
        Self {
            keys,
            pool,
            asked: Batch::EMPTY,
            next: Batch::EMPTY,
            promising: Batch::EMPTY,
        }
    }

    #[inline(always)]
    fn take(&mut self, node: u32, doc: u32) {
        self.keys.place(node);
        self.next.push(node, doc);
        if self.next.len == BATCH {
            std::mem::swap(&mut self.asked, &mut self.next);
            // What was asked for a batch ago has come by now.
            let waiting = std::mem::replace(&mut self.next, Batch::EMPTY);
            self.guess(&waiting);
        }
    }

    fn guess(&mut self, batch: &Batch) {
        let mut guesses = [0.0; BATCH];
        let nodes = &batch.nodes[..batch.len];
        if nodes.is_empty() {
            return;
        }
        let mut places = [self.keys.place(nodes[0]); BATCH];
        for (place, &node) in places.iter_mut().zip(nodes) {
            *place = self.keys.place(node);
        }
        self.keys
            .guess(&places[..nodes.len()], &mut guesses[..nodes.len()]);
        for (i, (&node, &guess)) in nodes.iter().zip(&guesses).enumerate() {
            if guess > self.pool.bound() && guess - self.keys.doubt(places[i]) > self.pool.bound() {
                continue;
            }
            let doc = batch.docs[i];
            if K::EXACT_GUESSES {
                let key = guess;
                self.pool.offer(Candidate { key, doc, node });
                continue;
            }
            self.keys.prefetch(node);
            self.promising.push(node, doc);
            if self.promising.len == BATCH {
                self.rank();
            }
        }
    }

    fn rank(&mut self) {
        let batch = std::mem::replace(&mut self.promising, Batch::EMPTY);
        for (&node, &doc) in batch.nodes[..batch.len].iter().zip(&batch.docs) {
            let key = self.keys.key(node);
            if key <= self.pool.bound() {
                self.pool.offer(Candidate { key, doc, node });
            }
        }
    }

    fn finish(mut self) {
        let asked = std::mem::replace(&mut self.asked, Batch::EMPTY);
        self.guess(&asked);
        let next = std::mem::replace(&mut self.next, Batch::EMPTY);
        self.guess(&next);
        self.rank();
    }
}
