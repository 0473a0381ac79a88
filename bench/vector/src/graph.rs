//! Our index as the bench sees it: the one place that knows the interface of `pelorus-hnsw`.

use std::path::Path;
use std::time::Instant;

use parking_lot::Mutex;
use pelorus_hnsw::{HnswParams, Metric, NumericType, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
use serde::Deserialize;

use crate::dataset::Result;

/// Nodes linked between two looks at the time; no more than a scheduling detail.
const LINK_BUDGET: usize = 1_024;
/// The search list of a request that does not name one.
pub const EF_DEFAULT: usize = 2_000;

pub struct Graph {
    index: VectorIndex,
    /// Documents pushed so far.
    documents: Mutex<u32>,
    in_folder: bool,
}

/// The parameters by which an index is built.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Filled in from the data set.
    #[serde(skip)]
    pub dim: usize,
    pub m: usize,
    pub ef_construction: usize,
    /// Floats, unless the bench is about other types.
    #[serde(skip)]
    pub numeric: NumericType,
}

impl Shape {
    fn params(self) -> HnswParams {
        HnswParams {
            dim: self.dim,
            metric: Metric::PrenormalizedAngular,
            numeric: self.numeric,
            m: self.m,
            ef_construction: self.ef_construction,
            seed: 1,
        }
    }
}

/// The documents a search may answer.
pub struct Accept {
    pub documents: BitSet,
    pub count: usize,
    /// Documents alive.
    pub live: usize,
}

/// The parameters of a search.
#[derive(Clone, Copy)]
pub struct Wish {
    pub k: usize,
    pub ef: usize,
    /// Tells whether the search may stop before its list is full.
    pub stops_early: bool,
    /// Tells whether every document is compared.
    pub exact: bool,
}

impl Wish {
    /// The parameters for a request that names nothing but `k`.
    pub fn by_default(k: usize) -> Self {
        Wish {
            k,
            ef: EF_DEFAULT,
            stops_early: true,
            exact: false,
        }
    }

    /// The parameters of the oracle.
    pub fn exactly(k: usize) -> Self {
        Wish {
            exact: true,
            ..Self::by_default(k)
        }
    }

    fn search(self, accept: &Accept) -> VectorSearch {
        VectorSearch {
            k: self.k,
            watched: self.k,
            ef: self.ef,
            stops_early: self.stops_early,
            exact: self.exact,
            approximate_threshold: None,
            accept_count: accept.count,
            live_docs: accept.live,
        }
    }
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
    /// An empty index; with a folder, its full vectors are kept there.
    pub fn create(shape: Shape, folder: Option<&Path>) -> Result<Self> {
        let index = match folder {
            None => VectorIndex::new(shape.params()),
            Some(folder) => VectorIndex::create(shape.params(), folder)?,
        };
        Ok(Graph {
            index,
            documents: Mutex::default(),
            in_folder: folder.is_some(),
        })
    }

    /// The index that was saved to a folder.
    pub fn open(shape: Shape, folder: &Path) -> Result<Self> {
        let (index, watermark) = VectorIndex::open(shape.params(), folder)?;
        Ok(Graph {
            index,
            documents: Mutex::new(watermark),
            in_folder: true,
        })
    }

    /// Writes a snapshot to the folder it was created in; false for one that has none.
    pub fn save(&self) -> Result<bool> {
        if self.in_folder {
            self.index.save(*self.documents.lock())?;
        }
        Ok(self.in_folder)
    }

    /// Adds the vector of the next document.
    pub fn push(&self, vector: &[f32]) {
        let mut documents = self.documents.lock();
        let pushed = self.index.push(vector, *documents, 0);
        pushed.expect("an index in memory, or a disk with room");
        *documents += 1;
    }

    pub fn remove(&self, document: u32) {
        self.index.remove(document);
    }

    /// Links what waits, on so many threads; seconds.
    pub fn link(&self, threads: usize) -> f64 {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| while self.index.maintain(LINK_BUDGET) > 0 {});
            }
        });
        started.elapsed().as_secs_f64()
    }

    /// Does a slice of the work that waits, as maintenance does; false when none is left.
    pub fn maintain(&self, budget: usize) -> bool {
        self.index.maintain(budget) > 0
    }

    /// The nearest accepted documents, nearest first.
    pub fn search(&self, query: &[f32], wish: Wish, accept: &Accept) -> Vec<u32> {
        let search = wish.search(accept);
        let hits = self.index.search(query, &search, &accept.documents);
        hits.iter().map(|hit| hit.doc).collect()
    }

    /// The memory by the index's own account.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_bytes()
    }

    /// All of it, in memory or in files.
    pub fn bytes(&self) -> usize {
        let files = if self.in_folder {
            self.index.stored_bytes()
        } else {
            0
        };
        self.index.memory_bytes() + files
    }

    /// Living vectors that no links lead to.
    pub fn unreachable(&self) -> usize {
        self.index.unreachable().len()
    }
}
