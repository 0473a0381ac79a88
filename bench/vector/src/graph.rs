//! Our index as the bench sees it: the one place that knows the interface of `pelorus-hnsw`.

use std::time::Instant;

use parking_lot::Mutex;
use pelorus_hnsw::{HnswParams, Metric, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;

/// Nodes linked between two looks at the time; no more than a scheduling detail.
const LINK_BUDGET: usize = 1_024;

pub struct Graph {
    index: VectorIndex,
    /// The node of each document.
    nodes: Mutex<Vec<u32>>,
}

/// The documents a search may answer.
pub struct Accept {
    pub documents: BitSet,
    pub count: usize,
    /// Documents alive.
    pub live: usize,
}

impl Accept {
    /// All of `live` documents.
    pub fn all(live: usize) -> Self {
        Accept {
            documents: BitSet::full(live as u32),
            count: live,
            live,
        }
    }

    pub fn only(ids: &[u32], live: usize) -> Self {
        Accept {
            documents: ids.iter().copied().collect(),
            count: ids.len(),
            live,
        }
    }
}

impl Graph {
    pub fn new(dim: usize, m: usize, ef_construction: usize) -> Self {
        let metric = Metric::PrenormalizedAngular;
        let params = HnswParams {
            dim,
            metric,
            m,
            ef_construction,
            seed: 1,
        };
        Graph {
            index: VectorIndex::new(params),
            nodes: Mutex::default(),
        }
    }

    /// Adds the vector of the next document.
    pub fn push(&self, vector: &[f32]) {
        let mut nodes = self.nodes.lock();
        let document = nodes.len() as u32;
        nodes.push(self.index.push(vector, document, 0));
    }

    pub fn remove(&self, document: u32) {
        let node = self.nodes.lock()[document as usize];
        self.index.remove(node);
    }

    /// Links what waits, on so many threads; seconds.
    pub fn link(&self, threads: usize) -> f64 {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| while self.index.advance(LINK_BUDGET) > 0 {});
            }
        });
        started.elapsed().as_secs_f64()
    }

    /// Does a slice of the work that waits, as maintenance does; false when none is left.
    pub fn advance(&self, budget: usize) -> bool {
        self.index.advance(budget) > 0
    }

    /// The `k` nearest accepted documents, nearest first.
    pub fn search(&self, query: &[f32], k: usize, ef: usize, accept: &Accept) -> Vec<u32> {
        let search = VectorSearch {
            k,
            ef,
            stops_early: true,
            exact: false,
            approximate_threshold: None,
            accept_count: accept.count,
            live_docs: accept.live,
        };
        let hits = self.index.search(query, &search, &accept.documents);
        hits.iter().map(|hit| hit.doc).collect()
    }

    /// What the index says it holds.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_bytes()
    }
}
