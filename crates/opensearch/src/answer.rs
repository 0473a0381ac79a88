//! Documents of the cluster that were asked for by their ids.

use pelorus_engine::elsewhere::index_not_found;
use pelorus_engine::{EngineError, Result, SearchError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::refusal::Cause;

/// The answer to a multi-get, in the order of the request.
#[derive(Deserialize)]
struct Answer<Source> {
    docs: Vec<Got<Source>>,
}

#[derive(Deserialize)]
struct Got<Source> {
    #[serde(rename = "_seq_no")]
    seq_no: Option<u64>,
    #[serde(rename = "_primary_term")]
    primary_term: Option<u64>,
    #[serde(rename = "_source")]
    source: Option<Source>,
    error: Option<Cause>,
}

const NO_INDEX: &str = "index_not_found_exception";

/// A document of the cluster, at one version.
pub(crate) struct Found<Source> {
    pub source: Source,
    pub version: Version,
}

/// A version of a document, under which a write takes effect or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub seq_no: u64,
    pub primary_term: u64,
}

/// Reads the answer to a multi-get: none for a document that is not there. `index` is the name of the one that has to be
/// there; without a name, an index that is not there has no documents.
///
/// # Errors
/// `index_not_found`, `service_unavailable` where the cluster could not look for one, `backend_data_parsing_error` for anything else.
pub(crate) fn read_found<Source: DeserializeOwned>(
    answer: &[u8],
    index: Option<&str>,
) -> Result<Vec<Option<Found<Source>>>> {
    let answer: Answer<Source> = serde_json::from_slice(answer).map_err(|_| unreadable())?;
    let found = |got: Got<Source>| match got {
        Got {
            error: Some(cause), ..
        } => match (&*cause.kind, index) {
            (NO_INDEX, None) => Ok(None),
            (NO_INDEX, Some(name)) => Err(index_not_found(name)),
            _ => Err(EngineError::ClusterUnavailable {
                reason: cause.reason.unwrap_or_default(),
            }),
        },
        Got {
            source: Some(source),
            seq_no: Some(seq_no),
            primary_term: Some(primary_term),
            ..
        } => Ok(Some(Found {
            source,
            version: Version {
                seq_no,
                primary_term,
            },
        })),
        _ => Ok(None),
    };
    answer.docs.into_iter().map(found).collect()
}

pub(crate) fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("documents that can be read").into()
}
