//! The parameters of an index and of a search, and its hits.

use crate::{Metric, NumericType};

/// The parameters by which a vector index is built.
#[derive(Clone, Debug, PartialEq)]
pub struct HnswParams {
    /// Components of every vector, 1 to 4096; 2 for [`Metric::Geodegrees`].
    pub dim: usize,
    /// The distance.
    pub metric: Metric,
    /// The type in which full vectors are kept.
    pub numeric: NumericType,
    /// Links of a node on the upper levels; the lowest level holds twice as many. At least 2;
    /// 16 is the usual choice.
    pub m: usize,
    /// The most candidates gathered for a new node's links, a ceiling: the search for them ends earlier
    /// once they are found. 512 is the default of the interface.
    pub ef_construction: usize,
    /// Decides the levels of nodes: equal seeds and pushes give equal graphs.
    pub seed: u64,
}

/// One search.
#[derive(Clone, Debug)]
pub struct VectorSearch {
    /// Distinct documents wanted.
    pub k: usize,
    /// The nearest of these, at most `k`, that have to settle before the search may stop early; the others come as they
    /// are found.
    pub watched: usize,
    /// The most candidates the graph search keeps, a ceiling: it stops earlier once the documents
    /// found have settled. At least `k` counts.
    pub ef: usize,
    /// Stop once the documents found have settled; otherwise only when `ef` candidates have been
    /// looked at. For measuring what stopping costs.
    pub stops_early: bool,
    /// Compare with every accepted vector in full precision.
    pub exact: bool,
    /// Search exactly when the accepted share of documents is below this, 0 to 1. None leaves the
    /// choice to the costs of a walk and a scan.
    pub approximate_threshold: Option<f32>,
    /// Members of the accepted set.
    pub accept_count: usize,
    /// Documents alive in the index, whether they have a vector here or not.
    pub live_docs: usize,
}

/// A document found, with its best chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The document.
    pub doc: u32,
    /// The nearest of its chunks.
    pub chunk: u32,
    /// Distance in full precision.
    pub distance: f32,
}
