//! Finding the nearest documents by looking at every candidate.
//!
//! Where guesses are cheap, a node's key is computed only if its guess, less what it may be off,
//! could still get it into the pool. Whether a node is alive and its document accepted is asked as
//! late as what else is known of it allows.

use std::ops::Range;

use pelorus_kernels::{BitSet, not_above};

use crate::distance::Keys;
use crate::search::doc_pool::{Candidate, DocPool};
use crate::storage::vectors::Vectors;

/// Nodes guessed in one go.
const BATCH: usize = 32;
/// Nodes ranked in one go: enough for memory to answer meanwhile, and few, since each may narrow
/// what is promising.
const RANKED: usize = 8;
/// When more than one node in this many is accepted, guessing all in the order of memory costs less
/// than going from document to document.
const DENSE: usize = 3;

/// Offers every accepted living node to `pool`.
pub(crate) fn scan<K: Keys>(
    keys: &K,
    vectors: &Vectors,
    accept: &BitSet,
    accept_count: usize,
    pool: &mut DocPool,
) {
    let limit = keys.limit();
    let mut scan = Scan::new(keys, vectors, accept, pool);
    // What is not accepted may be guessed, but a key would be wasted on it.
    let dense = if K::EXACT_GUESSES { 1 } else { DENSE };
    if accept_count < limit / dense {
        scan.documents();
    } else {
        scan.all(0..limit as u32);
    }
    scan.finish();
}

/// Offers the accepted living nodes of a range, in the order of memory.
pub(crate) fn scan_nodes<K: Keys>(
    keys: &K,
    vectors: &Vectors,
    accept: &BitSet,
    nodes: Range<usize>,
    pool: &mut DocPool,
) {
    // Nothing waits to be linked, as far as most searches can tell.
    if nodes.is_empty() {
        return;
    }
    let mut scan = Scan::new(keys, vectors, accept, pool);
    scan.accepted(nodes.start as u32..nodes.end as u32);
    scan.finish();
}

/// Nodes here and there pass three stations: asked for from memory, guessed, ranked. Each holds a
/// batch, so that memory has time to answer.
struct Scan<'a, K: Keys> {
    keys: &'a K,
    vectors: &'a Vectors,
    accept: &'a BitSet,
    pool: &'a mut DocPool,
    asked: [Batch<K::Place>; 2],
    /// Which of the two is being filled.
    filling: usize,
    promising: [u32; RANKED],
    promised: usize,
}

/// Some nodes, and where their guesses are read from.
struct Batch<P> {
    nodes: [u32; BATCH],
    places: [P; BATCH],
    count: usize,
}

impl<P: Copy + Default> Batch<P> {
    fn new() -> Self {
        Self {
            nodes: [0; BATCH],
            places: [P::default(); BATCH],
            count: 0,
        }
    }
}

impl<'a, K: Keys> Scan<'a, K> {
    fn new(keys: &'a K, vectors: &'a Vectors, accept: &'a BitSet, pool: &'a mut DocPool) -> Self {
        Self {
            keys,
            vectors,
            accept,
            pool,
            asked: [Batch::new(), Batch::new()],
            filling: 0,
            promising: [0; RANKED],
            promised: 0,
        }
    }

    /// The nodes of all accepted documents.
    fn documents(&mut self) {
        let (vectors, limit) = (self.vectors, self.keys.limit() as u32);
        for doc in self.accept.iter() {
            for node in vectors.nodes_ever_of(doc) {
                if node < limit {
                    self.pick(node);
                }
            }
        }
    }

    /// All nodes of a range, one behind the other.
    fn all(&mut self, nodes: Range<u32>) {
        let mut least = [0.0; BATCH];
        for start in nodes.clone().step_by(BATCH) {
            let least = &mut least[..BATCH.min((nodes.end - start) as usize)];
            self.keys.least_of_run(start, least);
            self.sift(least, |i| start + i as u32);
        }
    }

    /// The nodes of a range whose documents are accepted.
    fn accepted(&mut self, nodes: Range<u32>) {
        for node in nodes {
            if self.accept.contains(self.vectors.doc(node)) {
                self.pick(node);
            }
        }
    }

    /// Asks for a node. Once a batch is asked for, the one before has come and is guessed.
    #[inline(always)]
    fn pick(&mut self, node: u32) {
        let batch = &mut self.asked[self.filling];
        batch.nodes[batch.count] = node;
        batch.places[batch.count] = self.keys.place(node);
        batch.count += 1;
        if batch.count == BATCH {
            self.filling ^= 1;
            self.guess();
        }
    }

    /// Guesses the batch that is to be filled next.
    fn guess(&mut self) {
        let batch = &mut self.asked[self.filling];
        let count = std::mem::take(&mut batch.count);
        let mut least = [0.0; BATCH];
        let least = &mut least[..count];
        self.keys.least(&batch.places[..count], least);
        let nodes = batch.nodes;
        self.sift(least, |i| nodes[i]);
    }

    /// Takes those guessed that may get into the pool.
    #[inline(always)]
    fn sift(&mut self, least: &[f32], node: impl Fn(usize) -> u32) {
        let mut near = not_above(least, self.pool.bound());
        while near != 0 {
            let i = near.trailing_zeros() as usize;
            near &= near - 1;
            self.consider(node(i), least[i]);
        }
    }

    fn consider(&mut self, node: u32, least: f32) {
        if K::EXACT_GUESSES {
            if least <= self.pool.bound() {
                self.offer(node, || least);
            }
            return;
        }
        self.keys.prefetch(node);
        self.vectors.prefetch_doc(node);
        self.promising[self.promised] = node;
        self.promised += 1;
        if self.promised == RANKED {
            self.rank();
        }
    }

    fn rank(&mut self) {
        for at in 0..std::mem::take(&mut self.promised) {
            let (node, keys) = (self.promising[at], self.keys);
            self.offer(node, || keys.key(node));
        }
    }

    #[inline(always)]
    fn offer(&mut self, node: u32, key: impl FnOnce() -> f32) {
        let doc = self.vectors.doc(node);
        if self.accept.contains(doc) {
            let key = key();
            self.pool.offer(Candidate { key, doc, node });
        }
    }

    fn finish(mut self) {
        for _ in 0..2 {
            self.filling ^= 1;
            self.guess();
        }
        self.rank();
    }
}
