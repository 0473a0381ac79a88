//! Approximate nearest neighbours that stay exact where it counts: a mutable HNSW graph over
//! vectors that belong to documents.

mod advance;
mod blocks;
mod calibration;
mod code_query;
mod codes;
mod convergence;
mod doc_pool;
mod frontier;
mod index;
mod insert;
mod keys;
mod links;
mod metric;
mod pages;
mod params;
mod plan;
mod repair;
mod rescore;
mod scan;
mod search;
mod space;
mod traverse;
mod vectors;
mod visited;

pub use index::VectorIndex;
pub use metric::{Metric, UnknownMetric};
pub use params::{HnswParams, VectorHit, VectorSearch};
