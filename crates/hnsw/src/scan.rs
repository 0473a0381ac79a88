//! Finding the nearest documents by looking at every candidate.
//!
//! Where guesses are cheap, a node's key is computed only if its guess, less what it may be off,
//! could still get it into the pool. Whether a node is alive and its document accepted is asked as
//! late as what else is known of it allows.

use std::ops::Range;

use pelorus_kernels::BitSet;

use crate::doc_pool::{Candidate, DocPool};
use crate::keys::Keys;
use crate::vectors::Vectors;

/// Nodes guessed in one go.
const BATCH: usize = 32;
/// Nodes ranked in one go: enough for memory to answer meanwhile, and few, since each may narrow
/// what is promising.
const RANKED: usize = 8;
/// When fewer than one node in this many is accepted, going from document to document costs less
/// than passing over the rest.
const SPARSE: usize = 4;
/// When more than one node in this many is accepted, guessing all costs less than picking them.
const DENSE: usize = 2;

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
    if accept_count < limit / SPARSE {
        scan.documents();
    } else if accept_count > limit / DENSE {
        scan.all(0..limit as u32);
    } else {
        scan.accepted(0..limit as u32);
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

/// Three stations: asked for from memory, guessed, ranked. Each holds a batch, so that memory has
/// time to answer.
struct Scan<'a, K: Keys> {
    keys: &'a K,
    vectors: &'a Vectors,
    accept: &'a BitSet,
    pool: &'a mut DocPool,
    asked: Batch<K::Place>,
    next: Batch<K::Place>,
    promising: Vec<u32>,
}

/// Some nodes, and where their guesses are read from.
struct Batch<P> {
    nodes: Vec<u32>,
    places: Vec<P>,
}

impl<P> Batch<P> {
    fn new() -> Self {
        Self {
            nodes: Vec::with_capacity(BATCH),
            places: Vec::with_capacity(BATCH),
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
            asked: Batch::new(),
            next: Batch::new(),
            promising: Vec::with_capacity(RANKED),
        }
    }

    /// The nodes of all accepted documents.
    fn documents(&mut self) {
        let (vectors, limit) = (self.vectors, self.keys.limit() as u32);
        let nodes = self
            .accept
            .iter()
            .flat_map(|doc| vectors.nodes_ever_of(doc));
        let mut picked = [0; BATCH];
        let mut count = 0;
        for node in nodes.filter(|&node| node < limit) {
            picked[count] = node;
            count += 1;
            if count == BATCH {
                self.take(picked.into_iter());
                count = 0;
            }
        }
        self.take(picked.into_iter().take(count));
    }

    /// All nodes of a range.
    fn all(&mut self, nodes: Range<u32>) {
        for start in nodes.clone().step_by(BATCH) {
            self.take(start..nodes.end.min(start + BATCH as u32));
        }
    }

    /// The nodes of a range whose documents are accepted.
    fn accepted(&mut self, nodes: Range<u32>) {
        let mut picked = [0; 2 * BATCH];
        let mut count = 0;
        for start in nodes.clone().step_by(BATCH) {
            for node in start..nodes.end.min(start + BATCH as u32) {
                // Whether the next one is accepted is anybody's guess, so there is no branch.
                picked[count] = node;
                count += usize::from(self.accept.contains(self.vectors.doc(node)));
            }
            if count >= BATCH {
                self.take(picked.into_iter().take(BATCH));
                picked.copy_within(BATCH.., 0);
                count -= BATCH;
            }
        }
        self.take(picked.into_iter().take(count));
    }

    /// Asks for a batch of nodes and guesses the one before, which has come by now.
    #[inline(always)]
    fn take(&mut self, nodes: impl Iterator<Item = u32> + Clone) {
        self.next.nodes.clear();
        self.next.nodes.extend(nodes.clone());
        self.next.places.clear();
        self.next
            .places
            .extend(nodes.map(|node| self.keys.place(node)));
        std::mem::swap(&mut self.asked, &mut self.next);
        self.guess();
    }

    /// Guesses the batch asked for before the last.
    fn guess(&mut self) {
        let Batch { nodes, places } = &self.next;
        let mut least = [0.0; BATCH];
        let least = &mut least[..nodes.len()];
        self.keys.least(places, least);
        let bound = self.pool.bound();
        let mut near = [(0, 0.0); BATCH];
        let mut count = 0;
        for (&node, &least) in nodes.iter().zip(least.iter()) {
            near[count] = (node, least);
            count += usize::from(least <= bound);
        }
        for &(node, least) in &near[..count] {
            if K::EXACT_GUESSES {
                self.offer(node, least);
                continue;
            }
            self.keys.prefetch(node);
            self.vectors.prefetch_doc(node);
            self.promising.push(node);
            if self.promising.len() == RANKED {
                self.rank();
            }
        }
    }

    fn rank(&mut self) {
        for at in 0..self.promising.len() {
            let node = self.promising[at];
            self.offer(node, self.keys.key(node));
        }
        self.promising.clear();
    }

    #[inline(always)]
    fn offer(&mut self, node: u32, key: f32) {
        if key > self.pool.bound() {
            return;
        }
        let doc = self.vectors.doc(node);
        if self.accept.contains(doc) {
            self.pool.offer(Candidate { key, doc, node });
        }
    }

    fn finish(mut self) {
        self.take(0..0);
        self.rank();
    }
}
