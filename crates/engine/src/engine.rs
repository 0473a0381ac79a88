//! The calls of an engine, each handed to the index it names.

use std::path::Path;
use std::sync::Arc;

use crate::WriteDone;
use crate::applier::Job;
use crate::apply::ready_documents;
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::limits::Limits;
use crate::memory::Memory;
use crate::prepare::{self, PreparedBatch};
use crate::registry::Registry;
use crate::response::ItemsResponse;
use crate::search::SearchRequest;
use crate::split::DocumentBatch;
use crate::{retrieve, search};

/// Every index of one data directory. Cheap to clone; all clones are one engine.
///
/// Calls that name an index fail with `index_not_found` when there is none, and with the reason,
/// under one of these codes, when there is one that cannot serve them:
/// - `backend_data_parsing_error`: what is stored is damaged;
/// - `backend_communication_error`: the system refuses to read or write it;
/// - `insufficient_storage`: the disk is full;
/// - `service_unavailable`: what is derived from the documents is being made anew (writes only).
#[derive(Clone)]
pub struct Engine {
    registry: Arc<Registry>,
}

impl Engine {
    /// Opens a data directory, making it where it is missing. `options` is a JSON object with
    /// bounds: `lexicalFieldsMax`, `tensorFieldsMax`, `inFilterValuesMax`, `queuedBytesMax`,
    /// `openFilesMax`, defaults where absent.
    ///
    /// # Errors
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format`,
    /// `server_configuration_error`. An index that cannot be read does not stop the others: its own
    /// calls answer with the reason, and [`health`](Self::health) has it.
    pub fn open(directory: &Path, options: &[u8]) -> Result<Self> {
        let limits: Limits = serde_json::from_slice(options)
            .map_err(|e| EngineError::invalid_argument(format!("engine options: {e}")))?;
        let registry = Registry::open(directory, limits)?;
        Ok(Self { registry })
    }

    /// Creates an index; durable when this returns. After an error there is none of that name.
    ///
    /// # Errors
    /// `index_already_exists`, `invalid_argument` for a definition that cannot be read, and
    /// `insufficient_storage` or `backend_communication_error` when the disk refuses.
    pub fn create_index(&self, name: &str, definition: &[u8]) -> Result<()> {
        self.registry.create(name, definition)
    }

    /// Deletes an index; its name is free when this returns. One that is damaged is moved to the
    /// folder `damaged` of the data directory. After an error the index is still there.
    ///
    /// # Errors
    /// `index_not_found`, and `backend_communication_error` when the disk refuses.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        self.registry.drop_index(name)
    }

    /// Names of all indexes, sorted, those that cannot be opened among them.
    pub fn list_indexes(&self) -> Vec<String> {
        self.registry.names()
    }

    /// How the indexes are, as JSON: `{"status", "indexes": [{"name", "status", "code",
    /// "reason"}]}` with those that are not `green`. `yellow` answers everything, `red` does not.
    /// Waits for nothing.
    pub fn health(&self) -> Vec<u8> {
        let health = self.registry.health();
        serde_json::to_vec(&health).expect("texts serialise into memory")
    }

    fn index(&self, name: &str) -> Result<Arc<Index>> {
        self.registry.index(name)
    }

    /// The definition that the index was created with.
    ///
    /// # Errors
    /// `index_not_found`, and why the index could never be opened.
    pub fn definition(&self, name: &str) -> Result<Vec<u8>> {
        self.registry.definition(name)
    }

    /// Counts and memory as a JSON object: `numberOfDocuments`, `numberOfVectors`,
    /// `memoryBytes`, `memory` (the same by what it is for), `status` as in [`health`](Self::health).
    ///
    /// # Errors
    /// As for every call that names an index.
    pub fn stats(&self, name: &str) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let memory = Memory::of(&index);
        let stats = serde_json::json!({
            "numberOfDocuments": index.views.load().live,
            "numberOfVectors": index.vectors.len(),
            "memoryBytes": memory.total(),
            "memory": memory,
            "status": index.trouble.level(),
        });
        serde_json::to_vec(&stats).map_err(|e| EngineError::internal(e.to_string()))
    }

    /// Checks the documents of a batch against an index. Gives the batch to hand to
    /// [`Engine::apply`], and `{"texts": [...]}`: the distinct texts it needs vectors for.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for options that cannot be read.
    pub fn prepare(
        &self,
        name: &str,
        batch: &DocumentBatch,
        options: &[u8],
    ) -> Result<(PreparedBatch, Vec<u8>)> {
        let index = self.index(name)?;
        let prepared = prepare::prepare(index.clone(), batch, options);
        prepared.inspect_err(|error| index.read_failed(error))
    }

    /// Commits a prepared batch. `vectors` holds one row per text of the batch. `done` is
    /// called when the documents are durable and visible; it must not block.
    pub fn apply(&self, prepared: PreparedBatch, vectors: Vec<f32>, done: WriteDone) {
        let index = prepared.index.clone();
        match ready_documents(prepared, &vectors).and_then(|items| Ok((items, index.applier()?))) {
            Ok((items, applier)) => applier.submit(&index, Job::Add { items, done }),
            Err(error) => done(Err(error)),
        }
    }

    /// Reads documents. `request` is `{"documentIds": [..], "exposeFacets": bool}`; the answer
    /// is `{"errors": bool, "results": [..]}` in the order of the request.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn get_documents(&self, name: &str, request: &[u8]) -> Result<ItemsResponse> {
        let index = self.index(name)?;
        let answer = index.contain(|| retrieve::get_documents(&index, request));
        answer.inspect_err(|error| index.read_failed(error))
    }

    /// Deletes documents by id; `ids` is a JSON array of strings. The answer is
    /// `{"items": [..], "details": {..}}`. `done` as in [`Engine::apply`].
    pub fn delete_documents(&self, name: &str, ids: &[u8], done: WriteDone) {
        let ids: std::result::Result<Vec<String>, _> = serde_json::from_slice(ids);
        let ids = ids.map_err(|e| EngineError::invalid_argument(format!("document ids: {e}")));
        let opened = ids.and_then(|ids| {
            let index = self.index(name)?;
            Ok((ids, index.applier()?, index))
        });
        match opened {
            Ok((ids, applier, index)) => {
                let respond = retrieve::delete_response(ids.clone());
                applier.submit(&index, Job::Delete { ids, respond, done });
            }
            Err(error) => done(Err(error)),
        }
    }

    /// Runs a search. `plan` is JSON (see `search::Plan`), `vectors` the query vectors as rows.
    /// The answer is the response body: `{"hits": [..], "query": .., "limit": .., "offset": ..}`.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument`, `invalid_field_name`.
    pub fn search(&self, name: &str, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
        let request = SearchRequest { plan, vectors };
        let answer = self.search_many(name, &[request]).pop();
        answer.unwrap_or_else(|| Err(EngineError::internal("a search has no answer")))
    }

    /// Runs searches of one index; what each is answered is what [`Engine::search`] answers it.
    /// Together they cost less: while the walk of one waits for memory, another's computes.
    pub fn search_many(&self, name: &str, requests: &[SearchRequest<'_>]) -> Vec<Result<Vec<u8>>> {
        match self.index(name) {
            Ok(index) => {
                let answers = search::search_many(&index, requests);
                let failed = answers.iter().filter_map(|answer| answer.as_ref().err());
                failed.for_each(|error| index.read_failed(error));
                answers
            }
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Finishes queued writes and releases the directory. Later calls find no index.
    pub fn close(&self) {
        self.registry.close();
    }
}
