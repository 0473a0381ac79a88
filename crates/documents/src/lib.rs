//! Documents on their way in; nothing here knows an index. The body of a request is split, each document
//! checked against what its index asks of it and chunked, its stored form written and its vectors put
//! in place.
//!
//! ```text
//! body -> DocumentBatch -> PreparedDocuments -> (inputs -> vectors) -> ReadyDocument
//!         split.rs         check.rs, prepare.rs                        stored.rs, tensors.rs, values.rs
//!                          given.rs
//!                       -> DocumentUpdate    -> (stored version)    ->
//!                          update.rs            update/merge.rs
//!                          PreparedDocuments give updates as well, where documents keep their other fields.
//! ```
//!
//! A document's JSON is walked once when the body is split, where the numbers of custom vectors are read already, and
//! the stored form is read once; its typed values go along from then on. One that is wrong is an [`ItemError`], never a
//! failed batch.
#![forbid(unsafe_code)]

mod check;
mod custom_vector;
mod decimal;
mod error;
mod expiry;
mod generated;
mod geo_point;
mod given;
mod json;
pub mod length_prefixed;
mod media;
mod members;
mod multi_vector;
mod names;
mod numbers;
mod options;
mod prepare;
mod reader;
mod schema;
mod search_body;
mod sparse_vector;
mod split;
mod stored;
mod stored_version;
mod structured;
mod tensors;
mod unstructured;
mod update;
mod values;

pub use error::{DocumentsError, ItemError};
pub use expiry::EXPIRES_AT;
pub use generated::UpdateOptions;
pub use given::write_tensors;
pub use names::check_field_name_length;
pub use options::{TextField, Weights};
pub use prepare::{EmbeddedInputs, PreparedDocuments, ReadyDocument};
pub use schema::{DocumentSchema, IndexKind, StructuredField, StructuredFields};
pub use search_body::{SearchBody, WrittenVector, read_vector, split_search};
pub use split::{DocumentBatch, split_documents};
pub use stored::StoredDocument;
pub use stored_version::{StoredFields, StoredVersion};
pub use tensors::{
    FieldTensors, RowReference, TensorKind, decode_chunk, decode_references, decode_tensors,
    encode_tensors, refer_to_rows, resolve_rows,
};
pub use update::{DocumentUpdate, KnownFields, Revision, Updated, check_updates};
pub use values::IndexedValues;
