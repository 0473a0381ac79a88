//! The parts of calls that an index which is kept elsewhere has in common with one of this process: its definition, the
//! bounds on its fields, the reading of requests and the answers.

use pelorus_documents::EmbeddedInputs;
use serde::de::DeserializeOwned;

use crate::error::{EngineError, RegistryError, Result, WriteError};
use crate::generated::EmbeddingReport;

pub use crate::generated::{
    DeleteDocumentsRequest, EngineOptions, GetDocumentRequest, GetDocumentsRequest,
};
pub use crate::index::definition::Definition;
pub use crate::index::text_fields::{TextSettings, fields_with_settings};
pub use crate::read::retrieve::{
    deletion_response, document_body, documents_response, write_all_members, write_tensor_facets,
};
pub use crate::read::scan::{SCAN_PAGE_BYTES, ScanPlan};
pub use crate::read::within::Within;
pub use crate::write::add_batch::{add_response, creation_response};
pub use crate::write::field_limits::{FieldLimits, KnownColumns};
pub use crate::write::job::{Outcome, PutResponse, Stored};
pub use crate::write::update_batch::update_response;

/// Reads a request, which is JSON. `what` names it in the error.
///
/// # Errors
/// `invalid_argument`.
pub fn read_request<T: DeserializeOwned>(what: &'static str, json: &[u8]) -> Result<T> {
    serde_json::from_slice(json).map_err(|error| EngineError::request(what, error))
}

/// The vectors of an add, with what `report`, an `EmbeddingReport`, says of them.
///
/// # Errors
/// `invalid_argument`.
pub fn embedded_inputs<'v>(vectors: &'v [f32], report: &[u8]) -> Result<EmbeddedInputs<'v>> {
    Ok(read_request::<EmbeddingReport>("report", report)?.of(vectors))
}

/// Refuses a write whose caller is bound to a filter.
///
/// # Errors
/// `insufficient_scope`.
pub fn refuse_within(within: Option<&str>) -> Result<()> {
    match within {
        None => Ok(()),
        Some(_) => Err(WriteError::WithinElsewhere.into()),
    }
}

/// The error of a call that names an index which is not there.
pub fn index_not_found(name: &str) -> EngineError {
    RegistryError::not_found(name).into()
}
