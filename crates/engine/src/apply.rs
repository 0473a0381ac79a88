//! From the documents of an add request to what the applier commits, and the answer to the request.

use std::sync::Arc;

use pelorus_documents::{DocumentBatch, ItemError, PreparedDocuments, StoredVersion};
use pelorus_embed::EncoderInput;
use pelorus_store::ReadView;
use serde::Serialize;

use crate::error::Result;
use crate::generated::InputFailure;
use crate::index::Index;
use crate::job::{Put, PutItems};
use crate::response::ItemsResponse;

/// Checked documents of one index that wait for the vectors of their inputs.
pub struct PreparedBatch {
    pub(crate) index: Arc<Index>,
    documents: PreparedDocuments,
}

impl PreparedBatch {
    pub(crate) fn prepare(
        index: Arc<Index>,
        batch: &DocumentBatch,
        options: &[u8],
    ) -> Result<(Self, Vec<EncoderInput>)> {
        let view = index.views.load();
        let existing = |id: &str| stored_version(&index, &view.snapshot, id);
        let schema = &index.definition.documents;
        let (documents, inputs) = PreparedDocuments::prepare(schema, batch, options, existing)?;
        drop(view);
        Ok((Self { index, documents }, inputs))
    }

    /// Gives every document its vectors, `[inputs, dimensions]`, or the reason why an input has none.
    pub(crate) fn with_vectors(
        self,
        vectors: &[f32],
        failures: Vec<InputFailure>,
    ) -> Result<PutItems> {
        let schema = &self.index.definition.documents;
        let failures = failures.into_iter().map(|one| (one.row, one.message));
        let documents = self
            .documents
            .with_vectors(schema, vectors, failures.collect())?
            .into_iter();
        Ok(documents.map(|item| item.map(Put::Document)).collect())
    }
}

/// The stored version of a document; none where there is no such document.
pub(crate) fn stored_version(
    index: &Index,
    snapshot: &ReadView,
    id: &str,
) -> Result<Option<StoredVersion>> {
    let Some(doc) = snapshot.doc_of(id)? else {
        return Ok(None);
    };
    let (Some(document), Some(tensors)) = (snapshot.document(doc)?, snapshot.tensors(doc)?) else {
        return Ok(None);
    };
    let dimensions = index.definition.documents.dimensions;
    let version = StoredVersion::decode(&document, &tensors, dimensions)?;
    Ok(Some(version))
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Stored {
        status: u16,
        _id: &'a str,
    },
    Refused {
        status: u16,
        _id: &'a str,
        message: &'a str,
        error: &'a str,
        code: &'a str,
    },
}

#[derive(Serialize)]
struct Items<T> {
    errors: bool,
    items: Vec<T>,
}

/// The response body of an add: one item per document, in the order of the request.
pub(crate) fn add_response(
    outcomes: &[std::result::Result<String, ItemError>],
) -> Result<ItemsResponse> {
    let items: Vec<Item<'_>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(id) => Item::Stored {
                status: 200,
                _id: id,
            },
            Err(error) => Item::Refused {
                status: 400,
                _id: error.id.as_deref().unwrap_or(""),
                message: &error.message,
                error: &error.message,
                code: error.code,
            },
        })
        .collect();
    items_response(outcomes, items)
}

/// The body of an answer with an item for each outcome, all failures of which are the caller's.
pub(crate) fn items_response<T: Serialize>(
    outcomes: &[std::result::Result<String, ItemError>],
    items: Vec<T>,
) -> Result<ItemsResponse> {
    let failure = outcomes.iter().filter(|o| o.is_err()).count() as u32;
    let body = serde_json::to_vec(&Items {
        errors: failure > 0,
        items,
    })
    .expect("texts and numbers serialise into memory");
    Ok(ItemsResponse {
        body,
        success: outcomes.len() as u32 - failure,
        failure,
        error: 0,
    })
}
