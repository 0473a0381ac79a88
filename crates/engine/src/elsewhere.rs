//! The parts of calls that an index which is kept elsewhere has in common with one of this process: its definition, the
//! bounds on its fields, the reading of requests and the answers.

use serde::de::DeserializeOwned;

use crate::error::{EngineError, Result};

pub use crate::generated::EngineOptions;
pub use crate::index::definition::Definition;
pub use crate::read::scan::{SCAN_PAGE_BYTES, ScanPlan};

/// Reads a request, which is JSON. `what` names it in the error.
///
/// # Errors
/// `invalid_argument`.
pub fn read_request<T: DeserializeOwned>(what: &'static str, json: &[u8]) -> Result<T> {
    serde_json::from_slice(json).map_err(|error| EngineError::request(what, error))
}
