//! One index's life: documents in, a durable commit, a new view, answers out; and the
//! registry of all indexes in one data directory.
//!
//! Start reading at [`Engine`]. A document travels `split` -> `document` -> `prepare` ->
//! `apply` -> `applier`; a query travels `plan` -> `search`. Everything that crosses to the
//! caller is JSON bytes, flat `f32` rows, or an [`EngineError`] with a stable code.
#![forbid(unsafe_code)]

mod admission;
mod applier;
mod apply;
mod backoff;
mod definition;
mod descriptors;
mod document;
mod engine;
mod error;
mod filter_cache;
mod generated;
mod index;
mod limits;
mod lock;
mod maintenance;
mod memory;
mod prepare;
mod priority;
mod registry;
mod response;
mod retrieve;
mod room;
mod scope;
mod search;
mod split;
mod tensors;
mod trouble;
mod vector_fields;
mod vectors;
mod view;
mod write_queue;

pub use engine::Engine;
pub use error::{EngineError, Result};
pub use prepare::PreparedBatch;
pub use response::ItemsResponse;
pub use split::{DocumentBatch, split_documents};

/// Called once, from the applier's thread, when a write is durable and visible or has failed.
pub type WriteDone = Box<dyn FnOnce(Result<ItemsResponse>) + Send>;
