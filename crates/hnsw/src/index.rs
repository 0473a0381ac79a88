//! The index: what it owns, and how vectors get in and out.

use arc_swap::ArcSwapOption;

use crate::advance::Upkeep;
use crate::calibration::Generation;
use crate::codes::{Codes, EncodeScratch};
use crate::links::Links;
use crate::sync::{AtomicUsize, Mutex, RwLock};
use crate::twins::Twins;
use crate::vectors::Vectors;
use crate::walk::WalkScratch;
use crate::{HnswParams, Metric};

/// Components a vector may have at most.
const DIM_MAX: usize = 4096;

/// Vectors, codes and graph of one tensor field.
///
/// Any number of threads may search, push, remove and [`advance`](Self::advance) at once;
/// searches never wait for the others. A vector is found as soon as it is pushed: what the graph
/// has not taken in yet is scanned. A removed one is gone from all searches that start later.
pub struct VectorIndex {
    pub(crate) params: HnswParams,
    pub(crate) vectors: Vectors,
    /// The current generation, once there are enough vectors to calibrate one.
    pub(crate) generation: ArcSwapOption<Generation>,
    pub(crate) links: Links,
    pub(crate) twins: Twins,
    /// Nodes below this have been offered to the graph; the rest is the tail.
    pub(crate) linked: AtomicUsize,
    /// Read by threads that link, written by one that needs the graph for itself.
    pub(crate) upkeep: RwLock<Upkeep>,
    /// Scratch memory of searches that are not running.
    pub(crate) scratch: Mutex<Vec<WalkScratch>>,
    /// Held while a vector is added to all structures, and while a generation is exchanged.
    pub(crate) push: Mutex<EncodeScratch>,
}

impl VectorIndex {
    /// An empty index.
    ///
    /// # Panics
    /// If `dim` is not 1 to 4096, not 2 for [`Metric::Geodegrees`], or `m` is below 2.
    pub fn new(params: HnswParams) -> Self {
        assert!(
            (1..=DIM_MAX).contains(&params.dim),
            "dim {} is not 1 to 4096",
            params.dim
        );
        assert!(
            params.metric != Metric::Geodegrees || params.dim == 2,
            "geodegrees has dim 2"
        );
        assert!(params.m >= 2, "m {} is below 2", params.m);
        Self {
            vectors: Vectors::new(params.dim),
            generation: ArcSwapOption::empty(),
            links: Links::new(params.m, params.seed),
            twins: Twins::new(),
            linked: AtomicUsize::new(0),
            upkeep: RwLock::default(),
            scratch: Mutex::default(),
            push: Mutex::default(),
            params,
        }
    }

    /// Appends a vector, `[dim]`, as chunk `chunk` of document `doc` and answers its node. All
    /// searches that start later find it.
    ///
    /// # Panics
    /// If `vector` does not have the dimension of the index, or past 2^28 nodes or documents.
    pub fn push(&self, vector: &[f32], doc: u32, chunk: u32) -> u32 {
        assert_eq!(vector.len(), self.params.dim, "components of a vector");
        let mut scratch = self.push.lock();
        let node = self.vectors.push(vector, doc, chunk);
        if let Some(generation) = self.generation.load().as_deref() {
            generation.append(vector, &mut scratch);
        }
        node
    }

    /// Removes a node: no search that starts later returns it. Removing one twice is harmless.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn remove(&self, node: u32) {
        self.vectors.remove(node);
    }

    /// The vector of a node as it was pushed, removed or not.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn vector(&self, node: u32) -> Vec<f32> {
        self.vectors.vector(node).to_vec()
    }

    /// The number of living nodes.
    pub fn len(&self) -> usize {
        self.vectors.len() - self.vectors.dead()
    }

    /// The number of removed nodes. Their memory is given back only with the whole index, so an
    /// owner who sees them reach a quarter of all does well to push the living ones into a new one.
    pub fn removed(&self) -> usize {
        self.vectors.dead()
    }

    /// Whether no node is alive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held by vectors, codes and links.
    pub fn memory_bytes(&self) -> usize {
        let generation = self.generation.load();
        let codes = generation
            .as_deref()
            .and_then(|current| current.codes.as_ref());
        let codes = codes.map_or(0, Codes::memory_bytes);
        let graph = self.links.memory_bytes() + self.twins.memory_bytes();
        self.vectors.memory_bytes() + codes + graph
    }
}
