//! One index's life: documents in, a durable commit, a new view, answers out; and the
//! registry of all indexes in one data directory.
//!
//! Start reading at [`Engine`]. A document travels `pelorus_documents` -> `write::add_batch` ->
//! `write::writer`, an update `write::update_batch` -> `write::writer`; a query `search`. Everything that crosses to the
//! caller is JSON bytes, flat `f32` rows, inputs to embed, or an [`EngineError`] with a stable code.
#![forbid(unsafe_code)]

mod audit;
mod background;
mod backup;
pub mod elsewhere;
mod engine;
mod error;
mod generated;
mod index;
mod read;
mod registry;
mod search;
pub mod suggestions;
mod vectors;
mod verification;
mod write;

pub use backup::{IndexBackup, IndexRestore};
pub use engine::Engine;
pub use error::{
    DataDirectoryError, DefinitionError, EngineError, ErrorDetails, FilterError, RegistryError,
    RestoreError, Result, SearchError, WriteError,
};
pub use generated::{JsonSyntaxError, LexicalLeg, PrefixWords, SparseQuery, TensorLeg, Typing};
pub use pelorus_cancellation::{Cancellation, Cancelled};
pub use pelorus_documents::{DocumentBatch, SearchBody, WrittenVector, read_vector, split_search};
pub use read::response::ItemsResponse;
pub use read::scan::{DocumentScan, ScanPage};
pub use search::{
    CandidateChunk, CandidateFields, CandidateIndex, CandidateRanking, CandidateSearch,
    CandidateStep, ChunkText, Needs, RankedSearch, lexical_query, sparse_vector,
};
pub use verification::DataVerifier;
pub use write::add_batch::PreparedBatch;
pub use write::disk_reserve::storage_reserve;

/// Splits the JSON body of a request that carries documents.
///
/// # Errors
/// `json_decode_error` when it is not JSON; its details say where.
pub fn split_documents(body: Vec<u8>) -> Result<DocumentBatch> {
    Ok(pelorus_documents::split_documents(body)?)
}

/// Called once, from the writer's thread, when a write is durable and visible or has failed.
pub type WriteDone = Box<dyn FnOnce(Result<ItemsResponse>) + Send>;
