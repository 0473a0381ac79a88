//! Documents that are read by their ids, and the answers made of them.

use std::collections::HashMap;

use pelorus_documents::{StoredDocument, StoredVersion, encode_tensors, write_tensors};
use pelorus_engine::elsewhere::{
    Definition, GetDocumentRequest, GetDocumentsRequest, Within, document_body, documents_response,
    read_request, write_all_members, write_tensor_facets,
};
use pelorus_engine::{EngineError, ItemsResponse, Result, SearchError};
use serde::Deserialize;
use serde_json::json;

use crate::document::key;
use crate::layout::{CHUNKS, ID, SOURCES, STORED};
use crate::refusal::Cause;
use crate::refusal::Refusal;
use crate::source::{SourceError, StoredSource};

/// Documents that one body asks for.
const DOCUMENTS: usize = 200;

/// Documents that are asked for until each is there or known to be missing.
#[derive(Debug)]
pub struct DocumentsRead {
    /// Keys that are still to be asked for, the next one last.
    left: Vec<String>,
    with_tensors: bool,
    found: HashMap<String, StoredSource>,
}

#[derive(Deserialize)]
struct Answer {
    docs: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    _id: String,
    _source: Option<StoredSource>,
    error: Option<Cause>,
}

impl DocumentsRead {
    /// Reads the documents with some ids, with their tensors where these are asked for.
    pub fn new<'i>(ids: impl IntoIterator<Item = &'i str>, with_tensors: bool) -> Self {
        let mut left: Vec<String> = ids.into_iter().map(key).collect();
        left.sort_unstable();
        left.dedup();
        Self {
            left,
            with_tensors,
            found: HashMap::new(),
        }
    }

    /// The body of the next request; none where nothing is left to be asked for.
    pub fn next_body(&mut self) -> Option<Vec<u8>> {
        let start = self.left.len().saturating_sub(DOCUMENTS);
        let keys = self.left.split_off(start);
        if keys.is_empty() {
            return None;
        }
        let mut shown = vec![ID.to_owned(), STORED.to_owned()];
        if self.with_tensors {
            shown.extend([SOURCES.to_owned(), format!("{CHUNKS}*")]);
        }
        let docs = keys.iter().map(|key| json!({"_id": key, "_source": shown}));
        let docs: Vec<_> = docs.collect();
        Some(json!({"docs": docs}).to_string().into_bytes())
    }

    /// Takes in the answer to a body. Gives the reason why none of them can be read, if there is one.
    ///
    /// # Errors
    /// `backend_data_parsing_error`.
    pub fn take(&mut self, answer: &[u8]) -> Result<Option<Refusal>> {
        let Answer { docs } = serde_json::from_slice(answer)
            .map_err(|_| SearchError::ClusterAnswer("documents that can be read"))?;
        for Told {
            _id,
            _source,
            error,
        } in docs
        {
            if let Some(error) = error {
                let status = match &*error.kind {
                    "index_not_found_exception" => 404,
                    _ => 503,
                };
                return Ok(Some(error.with_status(status)));
            }
            if let Some(source) = _source {
                self.found.insert(_id, source);
            }
        }
        Ok(None)
    }

    fn get(&self, id: &str) -> Option<&StoredSource> {
        self.found.get(&key(id))
    }

    /// The stored version of a document, read with its tensors; none where there is no such document.
    pub(crate) fn version(&self, id: &str, dimensions: usize) -> Result<Option<StoredVersion>> {
        let Some(source) = self.get(id) else {
            return Ok(None);
        };
        let tensors = source.tensors(dimensions)?;
        Ok(Some(StoredVersion::of(&source.document()?, tensors)?))
    }

    /// Appends the members of a document, without braces, where there is one `within` the reach of the caller; its tensors are shown as `_tensor_facets`,
    /// as `_tensors`, or both.
    fn write(
        &self,
        definition: &Definition,
        id: &str,
        (facets, tensors): (bool, bool),
        within: Option<&Within>,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let Some(source) = self.get(id) else {
            return Ok(false);
        };
        let bytes = source.document()?;
        if let Some(within) = within
            && !within.has(definition, &bytes)?
        {
            return Ok(false);
        }
        write_all_members(out, &StoredDocument::decode(&bytes)?, definition);
        if facets || tensors {
            let dimensions = definition.documents.dimensions;
            let stored = source.tensors(dimensions)?;
            if facets {
                write_tensor_facets(out, &stored, &[], dimensions);
            }
            if tensors {
                let bytes = encode_tensors(&stored, definition.documents.numbers);
                out.push(b',');
                write_tensors(out, &bytes, &[], dimensions)?;
            }
        }
        Ok(true)
    }
}

/// A request for one document.
#[derive(Debug)]
pub struct GetDocument {
    request: GetDocumentRequest,
    within: Option<Within>,
    pub read: DocumentsRead,
}

impl GetDocument {
    /// `request` is `GetDocumentRequest`.
    ///
    /// # Errors
    /// `invalid_argument`.
    pub fn begin(request: &[u8]) -> Result<Self> {
        let request: GetDocumentRequest = read_request("document to read", request)?;
        let within = Within::read(request.within.as_deref())?;
        let read = DocumentsRead::new([&*request.document_id], request.expose_facets);
        Ok(Self {
            request,
            within,
            read,
        })
    }

    /// The answer once it was read; none where there is no such document.
    ///
    /// # Errors
    /// `backend_data_parsing_error`.
    pub fn answer(&self, definition: &Definition) -> Result<Option<Vec<u8>>> {
        let shown = (self.request.expose_facets, false);
        let within = self.within.as_ref();
        let write = |id: &str, out: &mut Vec<u8>| {
            let read = &self.read;
            read.write(definition, id, shown, within, out)
        };
        document_body(&self.request, write)
    }
}

/// A request for several documents.
#[derive(Debug)]
pub struct GetDocuments {
    request: GetDocumentsRequest,
    within: Option<Within>,
    pub read: DocumentsRead,
}

impl GetDocuments {
    /// `request` is `GetDocumentsRequest`.
    ///
    /// # Errors
    /// `invalid_argument`.
    pub fn begin(request: &[u8]) -> Result<Self> {
        let request: GetDocumentsRequest = read_request("documents to read", request)?;
        let ids = request.document_ids.iter().map(String::as_str);
        let with_tensors = request.expose_facets || request.expose_tensors;
        let within = Within::read(request.within.as_deref())?;
        let read = DocumentsRead::new(ids.filter(|id| !id.is_empty()), with_tensors);
        Ok(Self {
            request,
            within,
            read,
        })
    }

    /// The answer once they were read.
    ///
    /// # Errors
    /// `backend_data_parsing_error`, `illegal_requested_doc_count`.
    pub fn answer(&self, definition: &Definition) -> Result<ItemsResponse> {
        let shown = (self.request.expose_facets, self.request.expose_tensors);
        let within = self.within.as_ref();
        let write = |id: &str, out: &mut Vec<u8>| {
            let read = &self.read;
            read.write(definition, id, shown, within, out)
        };
        documents_response(&self.request, write)
    }
}

impl From<SourceError> for EngineError {
    fn from(error: SourceError) -> Self {
        SearchError::ClusterAnswer(match error {
            SourceError::Document => "document that can be read",
            SourceError::Tensors => "tensors that can be read",
        })
        .into()
    }
}
