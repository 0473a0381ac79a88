//! From the documents of an add request to the changes that the writer commits, and the answer to the request.

use std::sync::Arc;

use pelorus_documents::{
    DocumentBatch, EmbeddedInputs, IndexKind, ItemError, PreparedDocuments, ReadyDocument,
    StoredFields, StoredVersion, TextField,
};
use pelorus_embed::EncoderInput;
use pelorus_lexical::InvertedBatch;
use serde::Serialize;

use crate::background::row_references::stored_tensors;
use crate::error::Result;
use crate::generated::EmbeddingReport;
use crate::index::Index;
use crate::index::text_fields::fields_with_settings;
use crate::read::response::ItemsResponse;
use crate::read::view::View;
use crate::read::within::Within;
use crate::write::job::{Outcome, Put, PutItems, PutResponse, Stored, invert};

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
        let existing = |id: &str| stored_version(&index, &view, id);
        let schema = &index.definition.documents;
        let (documents, inputs) = PreparedDocuments::prepare(schema, batch, options, existing)?;
        drop(view);
        Ok((Self { index, documents }, inputs))
    }

    /// The documents that the caller reaches, and may store; none for all.
    pub(crate) fn within(&self) -> Result<Option<Within>> {
        Within::read(self.documents.within())
    }

    /// The form of the request's answer.
    pub(crate) fn response(&self) -> PutResponse {
        match self.documents.reports_creation() {
            true => creation_response,
            false => add_response,
        }
    }

    /// Gives every document its vectors, or the reason why an input has none; and inverts the texts, but for those
    /// of documents that are whole only when their turn comes.
    pub(crate) fn with_vectors(
        self,
        vectors: &[f32],
        report: EmbeddingReport,
    ) -> Result<(PutItems, Option<InvertedBatch>)> {
        let schema = &self.index.definition.documents;
        let text_fields = self.documents.text_fields().to_vec();
        let embedded = report.of(vectors);
        if self.documents.keeps_other_fields() {
            let updates = self.documents.updates_with_vectors(schema, embedded)?;
            let updates = updates.into_iter().map(|update| update.map(Put::Update));
            return Ok((updates.collect(), None));
        }
        let documents = self.documents.with_vectors(schema, embedded)?.into_iter();
        let claimed = documents.map(|item| {
            let document = item?;
            claim_text_fields(&self.index, &text_fields, &document)?;
            Ok(Put::Document(document))
        });
        let mut items = claimed.collect();
        let words = invert(&self.index.lexical, &mut items);
        Ok((items, Some(words)))
    }
}

/// Records the language and stemming that the request sets for the document's text fields. A structured index has
/// declared its fields.
fn claim_text_fields(
    index: &Index,
    text_fields: &[(String, TextField)],
    document: &ReadyDocument,
) -> std::result::Result<(), ItemError> {
    if text_fields.is_empty() || matches!(index.definition.documents.kind, IndexKind::Structured(_))
    {
        return Ok(());
    }
    for (name, field) in fields_with_settings(text_fields, &document.values) {
        let claimed = index.fields.texts.claim(&index.lexical, name, field);
        claimed.map_err(|error| error.of(document.id.clone()))?;
    }
    Ok(())
}

impl EmbeddingReport {
    /// The vectors that it reports on, with its failures and parts.
    pub(crate) fn of(self, vectors: &[f32]) -> EmbeddedInputs<'_> {
        let Self { failures, parts } = self;
        let failures = failures.into_iter().map(|one| (one.row, one.message));
        let parts = parts.into_iter().map(|one| (one.row, one.chunks));
        EmbeddedInputs {
            vectors,
            failures: failures.collect(),
            parts: parts.collect(),
        }
    }
}

/// The stored version of a document, without tensors that are damaged; none where there is no such document.
pub(crate) fn stored_version(
    index: &Index,
    view: &View,
    id: &str,
) -> Result<Option<StoredVersion>> {
    let Some(doc) = index.version_of(view, id) else {
        return Ok(None);
    };
    let snapshot = &view.snapshot;
    let tensors = stored_tensors(index, snapshot, doc)?;
    let (Some(document), Some(tensors)) = (snapshot.document(doc)?, tensors) else {
        return Ok(None);
    };
    let dimensions = index.definition.documents.dimensions;
    let version = StoredVersion::decode(&document, &tensors.bytes, dimensions)?;
    Ok(Some(version.without(&tensors.damaged)))
}

/// Returns the stored fields of a document for an update, which does not read its vectors; none where there is no such
/// document.
pub(crate) fn stored_fields(index: &Index, view: &View, id: &str) -> Result<Option<StoredFields>> {
    let Some(doc) = index.version_of(view, id) else {
        return Ok(None);
    };
    let snapshot = &view.snapshot;
    let (Some(document), Some(tensors)) = (snapshot.document(doc)?, snapshot.tensors(doc)?) else {
        return Ok(None);
    };
    let dimensions = index.definition.documents.dimensions;
    Ok(Some(StoredFields::decode(&document, &tensors, dimensions)?))
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Stored {
        status: u16,
        _id: &'a str,
    },
    /// As clients before 2.0 read it.
    Created {
        status: u16,
        _id: &'a str,
        result: &'static str,
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
pub fn add_response(outcomes: &[Outcome]) -> Result<ItemsResponse> {
    items_of(outcomes, |stored| Item::Stored {
        status: 200,
        _id: &stored.id,
    })
}

/// As [`add_response`], with documents that are new told from those that took another's place.
pub fn creation_response(outcomes: &[Outcome]) -> Result<ItemsResponse> {
    items_of(outcomes, |stored| {
        let (status, result) = match stored.existed {
            true => (200, "updated"),
            false => (201, "created"),
        };
        Item::Created {
            status,
            _id: &stored.id,
            result,
        }
    })
}

fn items_of<'a>(
    outcomes: &'a [Outcome],
    stored: impl Fn(&'a Stored) -> Item<'a>,
) -> Result<ItemsResponse> {
    let items: Vec<Item<'_>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(one) => stored(one),
            Err(error) => Item::Refused {
                status: status_of(error),
                _id: error.id.as_deref().unwrap_or(""),
                message: &error.message,
                error: &error.message,
                code: error.code,
            },
        })
        .collect();
    items_response(outcomes, items)
}

/// The status of the item of a document that was refused.
pub(crate) fn status_of(error: &ItemError) -> u16 {
    match error.code {
        "document_not_found" => 404,
        "operation_conflict_error" => 409,
        "vectors_damaged" | "internal" => 500,
        "service_unavailable" => 503,
        _ => 400,
    }
}

/// The body of an answer with an item for each outcome.
pub(crate) fn items_response<T: Serialize>(
    outcomes: &[Outcome],
    items: Vec<T>,
) -> Result<ItemsResponse> {
    debug_assert_eq!(items.len(), outcomes.len(), "one item for each document");
    let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let (errors, failures): (Vec<u16>, Vec<u16>) =
        refused.map(status_of).partition(|status| *status >= 500);
    let (failure, error) = (failures.len() as u32, errors.len() as u32);
    let body = serde_json::to_vec(&Items {
        errors: failure + error > 0,
        items,
    })
    .expect("texts and numbers serialise into memory");
    Ok(ItemsResponse {
        body,
        success: outcomes.len() as u32 - failure - error,
        failure,
        error,
    })
}
