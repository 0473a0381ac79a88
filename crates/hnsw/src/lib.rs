//! Approximate nearest neighbours that stay exact where it counts: a mutable HNSW graph over
//! vectors that belong to documents.
//!
//! [`VectorIndex`] holds the vectors of one tensor field. Every vector is a *node*, and a document
//! may have many, one for each chunk of its text; searches answer documents, by their best chunk.
//!
//! A vector in: [`push`](VectorIndex::push) appends it in full precision (`vectors`,
//! `full_vectors`), with its sign bits and int8 code once there is a codec (`codes`); both tell how
//! it differs from the centre of all (`deviation`). In the background
//! [`maintain`](VectorIndex::maintain) calibrates codecs (`calibration`) and measures whether their
//! codes order the vectors (`agreement`; what does not is done without), hands new nodes to the
//! threads that link (`tail`), links them (`insert`, `select`, `row_edit`), hangs equal ones on
//! each other (`duplicates`), clears removed ones out of the graph (`repair`), makes sure that all can
//! be reached (`reach`) and copies the living to new numbers when many are dead (`compact`). Until
//! a node is linked, it is found by scanning the tail.
//!
//! A query out: `search` picks the cheaper of walk and scan (`plan`). A walk (`query_walk`, `walk`,
//! `traverse`) goes where sign bits point (`bit_query`) and ranks the nodes it expands by int8 code
//! (`code_query`), until the documents found have settled (`early_stop`). A scan (`scan`) guesses by
//! bits and ranks what may get in. What was found is ranked by exact distance (`rescore`).
//!
//! Memory grows in blocks that never move (`blocks`), maps of their own (`pages`); a row is written
//! before it is published, and links are atomics: that is why readers need no lock. What a walk
//! needs, the next one uses again (`scratch_pool`). Writers change a node's links under its lock,
//! and what must have the graph for itself takes turns with those that link (`maintain`). All of this
//! is a `core`, which the `index` exchanges for another when it compacts. On disk it is a `snapshot`.
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
pub use storage::full_vectors::{FullVectorsError, NumericType, UnknownNumericType};
pub use storage::snapshot::SnapshotError;
