//! Approximate nearest neighbours that stay exact where it counts: a mutable HNSW graph over
//! vectors that belong to documents.
//!
//! [`VectorIndex`] holds the vectors of one tensor field. Every vector is a *node*, numbered in order of
//! arrival, and a document may have many, one for each chunk of its text; searches answer documents, by
//! their best chunk.
//!
//! # The map
//!
//! `graph`: the nodes, their codes and their links, all of one numbering.
//! - `links`: rows of edges; `duplicates`: equal vectors; `tail`: nodes that are not linked yet.
//! - `insert`: linking a node, selecting its links; `landmarks`: what descents are compared with.
//! - `repair`: after removals; `connectivity`: every node can be reached; `compact`: new numbers without
//!   the dead.
//! - `maintenance`: when each of these is done, and by which threads.
//!
//! `quantize`: stand-ins for vectors.
//! - `codes`: sign bits and int8 codes; `code_query`: keys of a query from them.
//! - `quantizer`: when they are trained; `quantizer_recall`: whether they are good enough to go by.
//!
//! `search`: its head shows how a search picks its path.
//! - `walk`, with its `beam`, `visited` set and `early_stop`; `scan`.
//! - `doc_pool`: the documents found so far; `rescore`: their order by distance.
//!
//! `storage`: where all this is kept.
//! - `node_table`: vectors, documents and chunks by node; `full_vectors`: in memory or a mapped file.
//! - `blocks`, `pages`: memory that grows without moving; `code_memory`: its budget, and files beyond;
//!   `read_ahead`: when what is in files is asked for; `snapshot`: an index on disk.
//! - `row_manifest`, `row_numbers`: which file has the rows that are kept nowhere else, and numbers of
//!   theirs that last; `opening`: that they are there.
//!
//! Beside them are `distance` (how all of these order nodes), `metric`, `params`, `index` (the public
//! face) and `sync` (locks and atomics, which tests replace by shuttle's).
//!
//! **A vector in.** [`push`](VectorIndex::push) appends it to the node table, with its codes once there is
//! a quantizer; from then on searches scan for it. [`maintain`](VectorIndex::maintain), called in the
//! background, links it: finds the nearest nodes by a walk, selects some of them, writes its row and adds
//! it to theirs. [`remove`](VectorIndex::remove) marks a node as dead; it is passed through until a sweep
//! has taken all links from it, and gives its memory back when the graph is compacted.
//!
//! **A query out.** `search` picks the path. A walk descends the levels and follows links with a beam that sign bits
//! order, ranks expanded nodes by int8 codes and stops when the best documents no longer change. A scan takes lower
//! bounds from sign bits, and ranks the nodes that may get in. `rescore` orders the found documents by distance in full
//! precision.
//!
//! # Invariants
//!
//! - Readers take no lock: memory never moves, a row is written before it is published, links are atomics.
//! - Writers change a node's links under that node's lock; work that needs the graph for itself (training, a slice of a
//!   sweep, a check of connectivity, a snapshot) takes turns with the threads that link.
//! - Numbers of nodes change only in a compaction, which makes a new graph; the index exchanges it for the
//!   old one, in which searches under way end.
//!
//! # Papers
//!
//! - Malkov and Yashunin, 2018, "Efficient and robust approximate nearest neighbor search using
//!   Hierarchical Navigable Small World graphs": the graph.
//! - Gao and Long, 2024, "RaBitQ": estimates from sign bits, with a bound of their error.
//! - Singh et al., 2021, "FreshDiskANN": repair after removals.
//! - Teofili and Lin, 2025, "Patience in Proximity": compare our early stop.
//!
//! # Example
//!
//! ```
//! use pelorus_hnsw::{HnswParams, Metric, NumericType, VectorIndex, VectorSearch};
//! use pelorus_kernels::BitSet;
//!
//! let metric = Metric::Euclidean;
//! let params = HnswParams {
//!     dim: 2,
//!     metric,
//!     numeric: NumericType::Float,
//!     m: 16,
//!     ef_construction: 512,
//!     seed: 1,
//! };
//! let index = VectorIndex::new(params);
//! index.push(&[0.0, 1.0], 7, 0)?;
//! index.push(&[3.0, 4.0], 8, 0)?;
//! let accept = BitSet::from_iter([7, 8]);
//! let search = VectorSearch {
//!     k: 1,
//!     watched: 1,
//!     ef: 2000,
//!     stops_early: true,
//!     exact: false,
//!     approximate_threshold: None,
//!     accept_count: accept.len(),
//!     live_docs: 2,
//! };
//! let hits = index.search(&[0.0, 0.0], &search, &accept);
//! assert_eq!((hits[0].doc, metric.score(hits[0].distance)), (7, 0.5));
//! # Ok::<(), std::io::Error>(())
//! ```

mod distance;
mod graph;
mod index;
mod metric;
mod params;
mod quantize;
mod search;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;
mod storage;
mod sync;

pub use index::VectorIndex;
pub use metric::{Metric, UnknownMetric};
pub use params::{HnswParams, VectorHit, VectorSearch};
pub use storage::code_memory::limit_code_memory;
pub use storage::full_vectors::{FullVectorsError, NumericType, UnknownNumericType};
pub use storage::inspection::{RowFiles, inspect_graph};
pub use storage::opening::{Opening, RowsError, StoredRows};
pub use storage::snapshot::SnapshotError;
