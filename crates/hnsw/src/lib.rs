//! Approximate nearest neighbours that stay exact where it counts: a mutable HNSW graph over
//! vectors that belong to documents.

mod blocks;
mod calibration;
mod code_query;
mod codes;
mod doc_pool;
mod index;
mod keys;
mod metric;
mod params;
mod rescore;
mod scan;
mod search;
mod vectors;

pub use index::VectorIndex;
pub use metric::{Metric, UnknownMetric};
pub use params::{HnswParams, VectorHit, VectorSearch};
