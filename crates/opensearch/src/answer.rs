//! Documents of the cluster that were asked for by their ids.

use pelorus_engine::{EngineError, Result, SearchError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The answer to a multi-get, in the order of the request.
#[derive(Deserialize)]
struct Answer<Source> {
    docs: Vec<Got<Source>>,
}

#[derive(Deserialize)]
struct Got<Source> {
    #[serde(rename = "_source")]
    source: Option<Source>,
    error: Option<Cause>,
}

/// The reason why the cluster did not do as it was asked.
#[derive(Deserialize)]
struct Cause {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    reason: String,
}

/// Reads the answer to a multi-get: none for a document that is not there, as in an index that is not there.
///
/// # Errors
/// `service_unavailable` where the cluster could not look for one, `backend_data_parsing_error` for anything else.
pub(crate) fn read_found<Source: DeserializeOwned>(answer: &[u8]) -> Result<Vec<Option<Source>>> {
    let answer: Answer<Source> = serde_json::from_slice(answer).map_err(|_| unreadable())?;
    let found = |got: Got<Source>| match got.error {
        Some(cause) if cause.kind != "index_not_found_exception" => {
            Err(EngineError::ClusterUnavailable {
                reason: cause.reason,
            })
        }
        _ => Ok(got.source),
    };
    answer.docs.into_iter().map(found).collect()
}

pub(crate) fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("documents that can be read").into()
}
