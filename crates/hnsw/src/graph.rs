//! The graph with its nodes and their codes, all of one numbering, and how vectors get in and out.
//!
//! A node goes through these states: pushed (scanned by searches), handed out to a thread that links it,
//! linked (below the watermark [`Graph::linked`], found by walks), dead (passed through by walks, never
//! answered), gone (no link leads to it). Equal vectors share one node of the graph.

pub(crate) mod compact;
pub(crate) mod connectivity;
pub(crate) mod duplicates;
pub(crate) mod insert;
pub(crate) mod landmarks;
pub(crate) mod links;
pub(crate) mod maintenance;
pub(crate) mod repair;
pub(crate) mod tail;

use std::io;

use arc_swap::ArcSwapOption;

use crate::graph::duplicates::Duplicates;
use crate::graph::links::Links;
use crate::graph::maintenance::Maintenance;
use crate::quantize::codes::{Codes, EncodeScratch};
use crate::quantize::quantizer::Quantizer;
use crate::search::walk::ScratchPool;
use crate::storage::full_vectors::FullVectors;
use crate::storage::node_table::NodeTable;
use crate::storage::row_numbers::RowNumbers;
use crate::sync::{AtomicUsize, Mutex, Ordering, RwLock};
use crate::{HnswParams, NumericType};

/// Vectors, codes and graph of an index. Any number of threads may search, push, remove and
/// [`maintain`](Self::maintain) at once; searches never wait for the others.
pub(crate) struct Graph {
    pub params: HnswParams,
    pub nodes: NodeTable,
    /// The lasting numbers of the nodes' rows.
    pub numbers: RowNumbers,
    /// The current quantizer, once there are enough vectors to train one.
    pub quantizer: ArcSwapOption<Quantizer>,
    pub links: Links,
    pub duplicates: Duplicates,
    /// Nodes below this have been offered to the graph; the rest is the tail.
    pub linked: AtomicUsize,
    /// Removed nodes that no link leads to any more.
    pub swept: AtomicUsize,
    /// Nodes that were linked again since the last snapshot.
    pub relinked: AtomicUsize,
    /// Read by threads that link, written by one that needs the graph for itself.
    pub maintenance: RwLock<Maintenance>,
    pub scratch: ScratchPool,
    /// Held while a vector is added to all structures, and while a quantizer is exchanged.
    pub push: Mutex<EncodeScratch>,
}

impl Graph {
    /// An empty one, its full vectors in memory.
    #[cfg(test)]
    pub fn new(params: HnswParams) -> Self {
        let full = FullVectors::in_memory(params.dim, params.numeric);
        Self::over(params, full)
    }

    /// One whose full vectors are there already, but nothing else.
    pub fn over(params: HnswParams, full: FullVectors) -> Self {
        Self {
            nodes: NodeTable::new(full),
            numbers: RowNumbers::default(),
            quantizer: ArcSwapOption::empty(),
            links: Links::new(params.m, params.seed),
            duplicates: Duplicates::new(),
            linked: AtomicUsize::new(0),
            swept: AtomicUsize::new(0),
            relinked: AtomicUsize::new(0),
            maintenance: RwLock::default(),
            scratch: ScratchPool::default(),
            push: Mutex::default(),
            params,
        }
    }

    /// Appends a vector, `[dim]`, as chunk `chunk` of document `doc` and answers its node.
    ///
    /// # Errors
    /// Errors of the system while it wrote the vector; nothing was appended then.
    pub fn push(&self, vector: &[f32], doc: u32, chunk: u32) -> io::Result<u32> {
        assert_eq!(vector.len(), self.params.dim, "components of a vector");
        let mut scratch = self.push.lock();
        let node = self.nodes.push(vector, doc, chunk)?;
        if let Some(quantizer) = self.quantizer.load().as_deref() {
            match self.params.numeric {
                NumericType::Float => quantizer.append(vector, &mut scratch),
                // Codes stand for stored vectors.
                NumericType::Bfloat16 | NumericType::Int8 => self
                    .nodes
                    .with(node, |stored| quantizer.append(stored, &mut scratch)),
            }
        }
        Ok(node)
    }

    /// Removes a node: no search that starts later returns it. Removing one twice is harmless.
    pub fn remove(&self, node: u32) {
        self.nodes.remove(node);
    }

    /// The number of living nodes.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.nodes.dead()
    }

    /// The number of removed nodes, whose memory comes back when the index is compacted.
    pub fn removed(&self) -> usize {
        self.nodes.dead()
    }

    /// The number of removed nodes that links may still lead to.
    pub fn unswept(&self) -> usize {
        self.nodes
            .dead()
            .saturating_sub(self.swept.load(Ordering::Relaxed))
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> usize {
        let quantizer = self.quantizer.load();
        let codes = quantizer
            .as_deref()
            .and_then(|current| current.codes.as_deref());
        let codes = codes.map_or(0, Codes::memory_bytes);
        let links = self.links.memory_bytes() + self.duplicates.memory_bytes();
        let maintenance = self.maintenance.read().memory_bytes();
        let numbers = self.numbers.memory_bytes();
        let nodes = self.nodes.memory_bytes() + numbers;
        nodes + codes + links + maintenance + self.scratch.memory_bytes()
    }
}
