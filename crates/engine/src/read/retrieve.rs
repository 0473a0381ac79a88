//! Documents by id: read and deleted.

use pelorus_documents::{FieldTensors, StoredDocument, decode_tensors, write_tensors};
use serde::Serialize;

use crate::background::row_references::stored_tensors;
use crate::error::{EngineError, Result};
use crate::generated::{GetDocumentRequest, GetDocumentsRequest};
use crate::index::Index;
use crate::index::definition::Definition;
use crate::read::attributes::Attributes;
use crate::read::response::{ItemsResponse, check_answer_size, write_text};
use crate::read::view::View;
use crate::read::within::Within;
use crate::write::job::DeleteResponse;

/// Appends a document's members without braces: `"_id":..,"field":..`.
pub(crate) fn write_members(
    out: &mut Vec<u8>,
    document: &StoredDocument<'_>,
    attributes: &Attributes<'_>,
) {
    out.extend_from_slice(b"\"_id\":");
    write_text(out, document.id);
    for (name, json) in &document.fields {
        if attributes.shows(name) {
            out.push(b',');
            write_text(out, name);
            out.push(b':');
            out.extend_from_slice(json.as_bytes());
        }
    }
}

/// Reads one document, as a JSON object of its fields.
pub(crate) fn get_document(index: &Index, request: &GetDocumentRequest) -> Result<Option<Vec<u8>>> {
    let within = Within::read(request.within.as_deref())?;
    let found = Found {
        index,
        view: &index.views.load(),
        within: within.as_ref(),
        facets: request.expose_facets,
        tensors: false,
    };
    document_body(request, |id, out| found.write(id, out))
}

/// Reads documents in the order of the request.
pub(crate) fn get_documents(index: &Index, request: &GetDocumentsRequest) -> Result<ItemsResponse> {
    let within = Within::read(request.within.as_deref())?;
    let found = Found {
        index,
        view: &index.views.load(),
        within: within.as_ref(),
        facets: request.expose_facets,
        tensors: request.expose_tensors,
    };
    documents_response(request, |id, out| found.write(id, out))
}

/// Answers a request for one document. `write` appends the members of the document with an id and tells whether there
/// is one, as it does for [`documents_response`].
///
/// # Errors
/// Those of `write`.
pub fn document_body(
    request: &GetDocumentRequest,
    mut write: impl FnMut(&str, &mut Vec<u8>) -> Result<bool>,
) -> Result<Option<Vec<u8>>> {
    let mut document = vec![b'{'];
    if !write(&request.document_id, &mut document)? {
        return Ok(None);
    }
    document.push(b'}');
    Ok(Some(document))
}

/// Answers a request for documents, in its order; a missing one is an item, not a failure.
///
/// # Errors
/// Those of `write`, but for `vectors_damaged`, and `illegal_requested_doc_count`.
pub fn documents_response(
    request: &GetDocumentsRequest,
    mut write: impl FnMut(&str, &mut Vec<u8>) -> Result<bool>,
) -> Result<ItemsResponse> {
    let mut results = Vec::new();
    let mut response = ItemsResponse::default();
    for id in &request.document_ids {
        check_answer_size(results.len())?;
        if !results.is_empty() {
            results.push(b',');
        }
        if id.is_empty() {
            results.extend_from_slice(
                br#"{"_id":"","status":400,"message":"Document ID can't be empty"}"#,
            );
            response.failure += 1;
            continue;
        }
        let start = results.len();
        results.extend_from_slice(b"{\"_found\":true,");
        match write(id, &mut results) {
            Ok(true) => {
                results.push(b'}');
                response.success += 1;
            }
            Ok(false) => {
                results.truncate(start);
                results.extend_from_slice(b"{\"_id\":");
                write_text(&mut results, id);
                results.extend_from_slice(
                    br#","status":404,"message":"Document does not exist in the index","_found":false}"#,
                );
                response.failure += 1;
            }
            Err(error @ EngineError::DamagedVectors { .. }) => {
                results.truncate(start);
                results.extend_from_slice(b"{\"_id\":");
                write_text(&mut results, id);
                results.extend_from_slice(b",\"status\":500,\"message\":");
                write_text(&mut results, &error.to_string());
                results.extend_from_slice(b",\"_found\":false}");
                response.error += 1;
            }
            Err(error) => return Err(error),
        }
    }
    let errors = response.failure + response.error > 0;
    response.body = format!("{{\"errors\":{errors},\"results\":[").into_bytes();
    response.body.append(&mut results);
    response.body.extend_from_slice(b"]}");
    Ok(response)
}

/// The documents of a view that a caller reaches, and the forms in which their tensors are shown.
struct Found<'a> {
    index: &'a Index,
    view: &'a View,
    within: Option<&'a Within>,
    facets: bool,
    tensors: bool,
}

impl Found<'_> {
    /// Appends the members of a document, without braces, where there is one.
    fn write(&self, id: &str, out: &mut Vec<u8>) -> Result<bool> {
        let index = self.index;
        let Some(doc) = index.version_of(self.view, id) else {
            return Ok(false);
        };
        let snapshot = &self.view.snapshot;
        let Some(bytes) = snapshot.document(doc)? else {
            return Ok(false);
        };
        if let Some(within) = self.within
            && !within.has(&index.definition, &bytes)?
        {
            return Ok(false);
        }
        write_all_members(out, &StoredDocument::decode(&bytes)?, &index.definition);
        if (self.facets || self.tensors)
            && let Some(tensors) = stored_tensors(index, snapshot, doc)?
        {
            let dimensions = index.definition.documents.dimensions;
            let tensors = tensors.whole(id)?;
            if self.facets {
                write_facets(dimensions, &tensors, &[], out)?;
            }
            if self.tensors {
                out.push(b',');
                write_tensors(out, &tensors, &[], dimensions)?;
            }
        }
        Ok(true)
    }
}

/// Appends all members of a document.
pub fn write_all_members(
    out: &mut Vec<u8>,
    document: &StoredDocument<'_>,
    definition: &Definition,
) {
    write_members(out, document, &Attributes::of(definition, None));
}

/// As [`write_tensor_facets`], of stored tensors.
pub(crate) fn write_facets(
    dimensions: usize,
    tensors: &[u8],
    damaged: &[String],
    out: &mut Vec<u8>,
) -> Result<()> {
    let tensors = decode_tensors(tensors, dimensions)?;
    write_tensor_facets(out, &tensors, damaged, dimensions);
    Ok(())
}

/// Appends the member `_tensor_facets`, with a comma before it. Vectors of fields in `damaged` are null.
pub fn write_tensor_facets(
    out: &mut Vec<u8>,
    tensors: &[FieldTensors],
    damaged: &[String],
    dimensions: usize,
) {
    out.extend_from_slice(b",\"_tensor_facets\":[");
    let mut first = true;
    for tensor in tensors {
        debug_assert_eq!(
            tensor.vectors.len(),
            tensor.chunks.len() * dimensions,
            "a row of numbers for each chunk"
        );
        for (chunk, vector) in tensor
            .chunks
            .iter()
            .zip(tensor.vectors.chunks_exact(dimensions))
        {
            out.extend_from_slice(if first { b"{" } else { b",{" });
            first = false;
            write_text(out, &tensor.field);
            out.push(b':');
            write_text(out, chunk);
            out.extend_from_slice(b",\"_embedding\":");
            let vector = (!damaged.contains(&tensor.field)).then_some(vector);
            serde_json::to_writer(&mut *out, &vector).expect("floats serialise into memory");
            out.push(b'}');
        }
    }
    out.push(b']');
}

/// The ids of all documents.
pub(crate) fn all_ids(index: &Index) -> Result<Vec<String>> {
    let view = index.views.load();
    let gone = index.expiries.gone().unwrap_or_default();
    let mut ids = Vec::with_capacity(view.live);
    for doc in view.alive.iter().filter(|doc| !gone.contains(doc)) {
        if let Some(bytes) = view.snapshot.document(doc)? {
            ids.push(StoredDocument::decode(&bytes)?.id.to_owned());
        }
    }
    Ok(ids)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeleteDetails {
    received_document_ids: usize,
    deleted_documents: usize,
}

#[derive(Serialize)]
struct DeletedItem<'a> {
    _id: &'a str,
    status: u16,
    result: &'a str,
}

#[derive(Serialize)]
struct DeleteBody<'a> {
    items: Vec<DeletedItem<'a>>,
    details: DeleteDetails,
}

/// Answers a delete: an id that was not there is `not_found`, and only documents that were there
/// count.
pub(crate) fn delete_response(ids: Vec<String>) -> DeleteResponse {
    Box::new(move |existed| Ok(deletion_response(&ids, existed)))
}

/// Answers a delete of documents, by whether each id existed.
pub fn deletion_response(ids: &[String], existed: &[bool]) -> ItemsResponse {
    debug_assert_eq!(existed.len(), ids.len(), "each id has its outcome");
    let items: Vec<_> = ids
        .iter()
        .zip(existed)
        .map(|(id, existed)| match existed {
            true => DeletedItem {
                _id: id,
                status: 200,
                result: "deleted",
            },
            false => DeletedItem {
                _id: id,
                status: 404,
                result: "not_found",
            },
        })
        .collect();
    let deleted = existed.iter().filter(|existed| **existed).count();
    let details = DeleteDetails {
        received_document_ids: ids.len(),
        deleted_documents: deleted,
    };
    let body = serde_json::to_vec(&DeleteBody { items, details })
        .expect("texts and numbers serialise into memory");
    let failure = (ids.len() - deleted) as u32;
    ItemsResponse {
        body,
        success: deleted as u32,
        failure,
        error: 0,
    }
}
