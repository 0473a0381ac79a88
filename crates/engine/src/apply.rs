//! From a request's documents to what the applier commits, and the answer to the request.

use std::sync::Arc;

use pelorus_documents::{
    DocumentBatch, ItemError, PreparedDocuments, ReadyDocument, StoredVersion,
};
use serde::Serialize;

use crate::error::Result;
use crate::index::Index;
use crate::response::ItemsResponse;

/// Checked documents of one index that wait for the vectors of their texts.
pub struct PreparedBatch {
    pub(crate) index: Arc<Index>,
    documents: PreparedDocuments,
}

impl PreparedBatch {
    pub(crate) fn prepare(
        index: Arc<Index>,
        batch: &DocumentBatch,
        options: &[u8],
    ) -> Result<Self> {
        let view = index.views.load();
        let existing = |id: &str| -> Result<Option<StoredVersion>> {
            let Some(doc) = view.snapshot.doc_of(id)? else {
                return Ok(None);
            };
            let (Some(document), Some(tensors)) =
                (view.snapshot.document(doc)?, view.snapshot.tensors(doc)?)
            else {
                return Ok(None);
            };
            let dimensions = index.definition.documents.dimensions;
            Ok(Some(StoredVersion::decode(
                &document, &tensors, dimensions,
            )?))
        };
        let schema = &index.definition.documents;
        let documents = PreparedDocuments::prepare(schema, batch, options, existing)?;
        drop(view);
        Ok(Self { index, documents })
    }

    /// The texts to embed, prefixes included, each once.
    pub fn texts(&self) -> &[String] {
        self.documents.texts()
    }

    /// Gives every document its vectors, `[texts, dimensions]`.
    pub(crate) fn with_vectors(
        self,
        vectors: &[f32],
    ) -> Result<Vec<std::result::Result<ReadyDocument, ItemError>>> {
        let schema = &self.index.definition.documents;
        Ok(self.documents.with_vectors(schema, vectors)?)
    }
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
struct Items<'a> {
    errors: bool,
    items: Vec<Item<'a>>,
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
