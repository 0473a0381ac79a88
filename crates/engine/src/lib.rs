//! One index's life: documents in, a durable commit, a new view, answers out; and the
//! registry of all indexes in one data directory.
//!
//! Start reading at [`Engine`]. A document travels `pelorus_documents` -> `apply` ->
//! `applier`, an update `updates` -> `applier`; a query travels `plan` -> `search`. Everything that crosses to the
//! caller is JSON bytes, flat `f32` rows, inputs to embed, or an [`EngineError`] with a stable code.
#![forbid(unsafe_code)]

mod applier;
mod apply;
mod attributes;
mod backoff;
mod changes;
mod compaction;
mod definition;
mod delete_all;
mod descriptors;
mod document_rows;
mod engine;
mod error;
mod field_limits;
mod filter_cache;
mod filtered_view;
mod generated;
mod index;
mod job;
mod limits;
mod lock;
mod maintenance;
mod memory;
mod readings;
mod registry;
mod response;
mod retrieve;
mod revisions;
mod room;
mod row_references;
mod scan;
mod search;
mod seen_fields;
mod shown_columns;
mod suggestions;
mod text_fields;
mod trouble;
mod updates;
mod uses;
mod vector_fields;
mod vectors;
mod view;
mod write_error;
mod write_queue;

pub use apply::PreparedBatch;
pub use definition::DefinitionError;
pub use engine::Engine;
pub use error::{EngineError, ErrorDetails, Result};
pub use generated::JsonSyntaxError;
pub use lock::DataDirectoryError;
pub use pelorus_cancellation::{Cancellation, Cancelled};
pub use pelorus_documents::{DocumentBatch, SearchBody, split_search};
pub use registry::RegistryError;
pub use response::ItemsResponse;
pub use room::storage_reserve;
pub use scan::{DocumentScan, ScanPage};
pub use search::{RankedSearch, SearchError};
pub use write_error::WriteError;

/// Splits the JSON body of a request that carries documents.
///
/// # Errors
/// `json_decode_error` when it is not JSON; its details say where.
pub fn split_documents(body: Vec<u8>) -> Result<DocumentBatch> {
    Ok(pelorus_documents::split_documents(body)?)
}

/// Called once, from the applier's thread, when a write is durable and visible or has failed.
pub type WriteDone = Box<dyn FnOnce(Result<ItemsResponse>) + Send>;
