//! The calls of an engine, each handed to the index it names.

use std::path::Path;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_documents::DocumentBatch;
use pelorus_embed::EncoderInput;
use pelorus_lexical::InvertedBatch;
use serde::Serialize;

use crate::WriteDone;
use crate::audit::auditor;
use crate::background::compaction;
use crate::background::row_references;
use crate::backup::{IndexBackup, IndexRestore};
use crate::elsewhere::read_request as read;
use crate::error::{Result, WriteError};
use crate::generated::{
    AuditFigures, DeleteDocumentsRequest, EngineStats, GetDocumentRequest, GetDocumentsRequest,
    IndexMemory, IndexWork,
};
use crate::index::Index;
use crate::index::definition::Definition;
use crate::read::response::ItemsResponse;
use crate::read::retrieve;
use crate::read::scan::DocumentScan;
use crate::read::within::Within;
use crate::registry::Registry;
use crate::search::RankedSearch;
use crate::suggestions::QueryChanges;
use crate::write::add_batch::PreparedBatch;
use crate::write::job::{Deletion, Job, PutItems, PutResponse};
use crate::write::update_batch::update_response;
use crate::write::{delete_all, update_batch};
use crate::{search, suggestions};

/// Every index of one data directory. Cheap to clone; all clones are one engine. Types of requests
/// and answers that cross as JSON are those of `openapi/engine.yaml`.
///
/// Calls that name an index fail with `index_not_found` when there is none, and with the reason,
/// under one of these codes, when there is one that cannot serve them:
/// - `backend_data_parsing_error`: the stored data are damaged;
/// - `backend_communication_error`: the system refuses to read or write it;
/// - `insufficient_storage`: the disk is full;
/// - `service_unavailable`: derived data are being made anew (writes only).
#[derive(Clone)]
pub struct Engine {
    registry: Arc<Registry>,
}

impl Engine {
    /// Opens a data directory, making it where it is missing. `options` is `EngineOptions`.
    ///
    /// # Errors
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format`,
    /// `server_configuration_error`. An index that cannot be read does not stop the others: its own
    /// calls answer with the reason, and [`health`](Self::health) has it.
    pub fn open(directory: &Path, options: &[u8]) -> Result<Self> {
        let registry = Registry::open(directory, read("engine options", options)?)?;
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
    /// folder `damaged` of the data directory. After an error it is still there, or it is gone and the
    /// disk did not confirm it: the list of indexes tells.
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

    /// The definition that the index was created with, or that took its place.
    ///
    /// # Errors
    /// `index_not_found`, and why the index could never be opened.
    pub fn definition(&self, name: &str) -> Result<Vec<u8>> {
        self.registry.definition(name)
    }

    /// Gives the index another definition, durably. It may differ in what only the caller acts on.
    /// `done` is called when [`definition`](Self::definition) answers with it.
    ///
    /// Fails with `invalid_argument` for a definition that cannot be read, or by which documents would
    /// be stored or searched otherwise. After another error it is not known which definition the index
    /// will have; it has the old one until it takes writes again.
    pub fn redefine_index(&self, name: &str, definition: Vec<u8>, done: WriteDone) {
        let checked = self.index(name).and_then(|index| {
            Definition::parse(name, &definition)?.check_replaces(&index.definition)?;
            index.writes()
        });
        match checked {
            Ok(writes) => writes.submit(Job::Define { definition, done }),
            Err(error) => done(Err(error)),
        }
    }

    /// The health of the indexes, as `EngineHealth`. Waits for nothing.
    pub fn health(&self) -> Vec<u8> {
        written(&self.registry.health())
    }

    /// Returns the counts and sizes of the index, as `EngineStats`.
    ///
    /// # Errors
    /// As for every call that names an index.
    pub fn stats(&self, name: &str) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let audit = AuditFigures::from(&self.registry.slot(name)?.audit);
        let memory = IndexMemory::of(&index);
        let view = index.views.load();
        let gone = index.gone(&view);
        let gone_vectors: usize = gone.iter().map(|doc| index.vectors.count_of(*doc)).sum();
        Ok(written(&EngineStats {
            number_of_documents: view.live - gone.len(),
            number_of_vectors: view.vectors - gone_vectors,
            number_of_suggestions: index.suggestions.len(),
            memory_bytes: memory.total(),
            memory,
            work: Some(IndexWork::of(&index)),
            audit: Some(audit),
        }))
    }

    /// Compares all documents of an index with every structure that is derived from them, on the calling thread and
    /// without a pause; tells whether some differ. Those are made anew then, as health says.
    ///
    /// # Errors
    /// As for every call that names an index.
    pub fn audit(&self, name: &str) -> Result<bool> {
        let index = self.index(name)?;
        auditor::audit_now(&index, &*self.registry.slot(name)?)
    }

    /// Checks the documents of a batch against an index. Gives the batch to hand to
    /// [`Engine::apply`], and the inputs that it needs vectors of, each once.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for options that cannot be read.
    pub fn prepare(
        &self,
        name: &str,
        batch: &DocumentBatch,
        options: &[u8],
    ) -> Result<(PreparedBatch, Vec<EncoderInput>)> {
        let index = self.index(name)?;
        let prepared = PreparedBatch::prepare(index.clone(), batch, options);
        prepared.inspect_err(|error| index.read_failed(error))
    }

    /// Commits a prepared batch. `vectors` holds the rows of its inputs, `report` is an `EmbeddingReport`. A document that
    /// needs an input without a vector is refused. `done` is called when the documents are durable and visible; it must
    /// not block.
    pub fn apply(
        &self,
        prepared: PreparedBatch,
        vectors: Vec<f32>,
        report: &[u8],
        done: WriteDone,
    ) {
        let (index, respond) = (prepared.index.clone(), prepared.response());
        let ready = read("report", report).and_then(|report| {
            let within = prepared.within()?;
            let (items, words) = prepared.with_vectors(&vectors, report)?;
            Ok(Checked {
                index,
                items,
                words,
                within,
            })
        });
        put(ready, respond, done);
    }

    /// Changes single fields of stored documents: each document of the batch is an `_id` and the fields
    /// to change, with `null` for one to remove. `options` is `UpdateOptions`; the answer is
    /// `{"errors": bool, "items": [..]}`. `done` as in [`Engine::apply`].
    pub fn update_documents(
        &self,
        name: &str,
        batch: &DocumentBatch,
        options: &[u8],
        done: WriteDone,
    ) {
        let checked = self.index(name).and_then(|index| {
            let (items, within) = update_batch::checked(&index, batch, options)?;
            Ok(Checked {
                index,
                items,
                words: None,
                within,
            })
        });
        put(checked, update_response, done);
    }

    /// Reads one document: a JSON object of its fields, `None` where there is no such document.
    /// `request` is `GetDocumentRequest`.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn get_document(&self, name: &str, request: &[u8]) -> Result<Option<Vec<u8>>> {
        let index = self.index(name)?;
        let request: GetDocumentRequest = read("document to read", request)?;
        let document = index.catch_panic(|| retrieve::get_document(&index, &request));
        document.inspect_err(|error| index.read_failed(error))
    }

    /// Reads documents. `request` is `GetDocumentsRequest`; the answer is
    /// `{"errors": bool, "results": [..]}` in the order of the request.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn get_documents(&self, name: &str, request: &[u8]) -> Result<ItemsResponse> {
        let index = self.index(name)?;
        let request: GetDocumentsRequest = read("documents to read", request)?;
        let answer = index.catch_panic(|| retrieve::get_documents(&index, &request));
        answer.inspect_err(|error| index.read_failed(error))
    }

    /// Deletes documents by id. `request` is `DeleteDocumentsRequest`; the answer is
    /// `{"items": [..], "details": {..}}`. `done` as in [`Engine::apply`].
    pub fn delete_documents(&self, name: &str, request: &[u8], done: WriteDone) {
        let opened = read("documents to delete", request).and_then(
            |DeleteDocumentsRequest {
                 document_ids,
                 within,
             }| {
                let index = self.index(name)?;
                let within = Within::read(within.as_deref())?;
                Ok((document_ids, within, index.writes()?))
            },
        );
        match opened {
            Ok((ids, within, writes)) => {
                let respond = retrieve::delete_response(ids.clone());
                writes.submit(Job::Delete {
                    ids,
                    of: Deletion::Asked,
                    within,
                    kept: Vec::new(),
                    respond,
                    done,
                });
            }
            Err(error) => done(Err(error)),
        }
    }

    /// Deletes every document that there is when this is called. The answer is
    /// `{"documentCount": deleted}`; `done` as in [`Engine::apply`]. After an error some of them may
    /// be deleted.
    pub fn delete_all_documents(&self, name: &str, done: WriteDone) {
        let opened = self.index(name).and_then(|index| {
            let ids = index.catch_panic(|| retrieve::all_ids(&index));
            Ok((ids.inspect_err(|error| index.read_failed(error))?, index))
        });
        match opened {
            Ok((ids, index)) => delete_all::delete(index, ids, done),
            Err(error) => done(Err(error)),
        }
    }

    /// Begins to read the documents that pass a filter, page by page. `request` is `ScanRequest`.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request or a filter that cannot be read.
    pub fn scan_documents(&self, name: &str, request: &[u8]) -> Result<DocumentScan> {
        let index = self.index(name)?;
        let request = read("scan of documents", request)?;
        let scan = DocumentScan::open(Arc::clone(&index), request);
        scan.inspect_err(|error| index.read_failed(error))
    }

    /// Runs a search. `plan` is the `SearchPlan` of `openapi/engine.yaml` as JSON, `vectors` the query
    /// vectors as rows, one for each of its weights. The answer is `{"hits": [..]}`.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument`, `invalid_field_name`.
    pub fn search(&self, name: &str, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
        self.search_until(name, plan, vectors, &Cancellation::never())
    }

    /// As [`search`](Self::search), unless it is cancelled.
    ///
    /// # Errors
    /// As there, `vector_store_timeout` past the deadline, `client_closed_request` when it was cancelled.
    pub fn search_until(
        &self,
        name: &str,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>> {
        cancellation.check()?;
        let index = self.index(name)?;
        let answer = search::search(&index, plan, vectors, cancellation);
        if let Err(error) = &answer {
            index.read_failed(error);
        }
        answer
    }

    /// Runs a search, and keeps its ranking in this view for pages that follow. Its first page is that of
    /// [`search_until`](Self::search_until) with an `offset` of 0, which a plan for this has; those that
    /// follow are as its would be if nothing was written. Facets and totals count as many documents of the
    /// tensor leg as are ranked for all pages.
    ///
    /// # Errors
    /// As there.
    pub fn rank_until(
        &self,
        name: &str,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<RankedSearch> {
        cancellation.check()?;
        let index = self.index(name)?;
        let ranked = RankedSearch::new(Arc::clone(&index), plan, vectors, cancellation);
        ranked.inspect_err(|error| index.read_failed(error))
    }

    /// Stores queries that the index suggests. `request` is `PutQueriesRequest`; the answer is
    /// `{"indexed": count, "errors": [{"query", "message", "code"}]}`: a query that cannot be taken is an error of its
    /// own. `done` as in [`Engine::apply`].
    pub fn put_queries(&self, name: &str, request: &[u8], done: WriteDone) {
        let checked = read("queries to suggest", request);
        let changes = checked.map(|request| QueryChanges::Put(suggestions::checked(request)));
        self.change_queries(name, changes, done);
    }

    /// Removes queries from the suggestions; one that the index does not know is no error. `request` is
    /// `QueriesRequest`. `done` as in [`Engine::apply`].
    pub fn delete_queries(&self, name: &str, request: &[u8], done: WriteDone) {
        let keys = read("queries to delete", request);
        let changes = keys.map(|request| QueryChanges::Remove(suggestions::keys(&request)));
        self.change_queries(name, changes, done);
    }

    /// Removes all suggestions of the index. `done` as in [`Engine::apply`].
    pub fn delete_all_queries(&self, name: &str, done: WriteDone) {
        self.change_queries(name, Ok(QueryChanges::RemoveAll), done);
    }

    /// Reads queries that the index suggests. `request` is `QueriesRequest`; the answer is
    /// `{"queries": [..]}`, in the order of the request, without those it does not know.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn get_queries(&self, name: &str, request: &[u8]) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let request = read("queries to read", request)?;
        let answer =
            index.catch_panic(|| suggestions::get_queries(&index.views.load().snapshot, &request));
        answer.inspect_err(|error| index.read_failed(error))
    }

    /// Reads a page of the queries that the index suggests. `request` is `ScanQueriesRequest`; the answer is
    /// `{"queries": [{"query", "popularity", "metadata"}], "cursor"}`, in an order that stays.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn scan_queries(&self, name: &str, request: &[u8]) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let request = read("queries to read", request)?;
        let answer = index.catch_panic(|| {
            let view = index.views.load();
            suggestions::scan_queries(&view.snapshot, &index.suggestions, &request)
        });
        answer.inspect_err(|error| index.read_failed(error))
    }

    /// Suggests queries for a typed text. `plan` is `SuggestPlan`; the answer is
    /// `{"suggestions": [{"suggestion", "_score", "metadata"}]}`, best first.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a plan that cannot be read.
    pub fn suggest(&self, name: &str, plan: &[u8]) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let plan = read("suggestions", plan)?;
        index.catch_panic(|| Ok(suggestions::suggest(&index.suggestions, plan)))
    }

    /// Begins to copy an index as it is now, piece by piece, while it is written to.
    ///
    /// # Errors
    /// As for every call that names an index.
    pub fn back_up(&self, name: &str) -> Result<IndexBackup> {
        IndexBackup::begin(self.index(name)?)
    }

    /// Begins to make an index of the pieces of a copy, under any name that is free. The name is taken from now on.
    ///
    /// # Errors
    /// `index_already_exists`, and errors of the disk.
    pub fn restore(&self, name: &str) -> Result<IndexRestore> {
        IndexRestore::begin(&self.registry, name)
    }

    /// Finishes queued writes and releases the directory. Later calls find no index.
    pub fn close(&self) {
        self.registry.close();
    }

    /// Makes the store refer to the rows of vectors in their place, for the next documents that have theirs in the
    /// store: the background does so when it is worth it, and this is for tests of it. `done` is called when that is
    /// durable.
    #[doc(hidden)]
    pub fn refer_to_vectors(&self, name: &str, done: WriteDone) {
        let (sender, receiver) = std::sync::mpsc::channel();
        let tell = Box::new(move |answer| _ = sender.send(answer));
        let index = self.index(name);
        let asked =
            index.and_then(|index| index.catch_panic(|| row_references::refer(&index, tell)));
        done(asked.and_then(|_| receiver.recv().unwrap_or(Err(WriteError::Closed.into()))));
    }

    /// Puts a copy without free pages in the place of the store: the background does so when it is worth it, and this
    /// is for tests of it. `done` is called when that has happened, or did not because of other writes.
    #[doc(hidden)]
    pub fn compact_store(&self, name: &str, done: WriteDone) {
        let asked = self.index(name).and_then(|index| {
            index.catch_panic(|| compaction::compact(&index, |_| true))?;
            index.writes()
        });
        // Comes after it in the queue.
        let nothing = |done| Job::Delete {
            ids: Vec::new(),
            of: Deletion::Asked,
            within: None,
            kept: Vec::new(),
            respond: Box::new(|_| Ok(ItemsResponse::default())),
            done,
        };
        match asked {
            Ok(writes) => writes.submit(nothing(done)),
            Err(error) => done(Err(error)),
        }
    }

    /// Sets the clock by which documents expire ahead, for tests of that.
    #[doc(hidden)]
    pub fn set_clock_ahead(&self, milliseconds: i64) {
        if let Ok(context) = self.registry.context() {
            context.clock.set_ahead(milliseconds);
            context.waker.wake();
        }
    }

    fn index(&self, name: &str) -> Result<Arc<Index>> {
        self.registry.index(name)
    }

    fn change_queries(&self, name: &str, changes: Result<QueryChanges>, done: WriteDone) {
        let opened = changes.and_then(|changes| {
            let index = self.index(name)?;
            Ok((index.writes()?, changes))
        });
        match opened {
            Ok((writes, changes)) => {
                writes.submit(Job::Suggest { changes, done });
            }
            Err(error) => done(Err(error)),
        }
    }
}

/// The documents to store in an index.
struct Checked {
    index: Arc<Index>,
    items: PutItems,
    /// Their words, where these are at hand.
    words: Option<InvertedBatch>,
    /// The documents that the caller reaches, and may store; none for all.
    within: Option<Within>,
}

/// Queues documents to be stored in an index.
fn put(checked: Result<Checked>, respond: PutResponse, done: WriteDone) {
    match checked.and_then(|checked| Ok((checked.index.writes()?, checked))) {
        Ok((writes, checked)) => {
            let job = Job::Put {
                items: checked.items,
                words: checked.words.map(Box::new),
                within: checked.within,
                respond,
                done,
            };
            writes.submit(job);
        }
        Err(error) => done(Err(error)),
    }
}

/// Writes JSON for the caller.
fn written(answer: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(answer).expect("numbers and texts serialise into memory")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::error::EngineError;
    use crate::split_documents;

    const DEFINITION: &[u8] = br#"{"settings": {"type": "unstructured", "model": "no_model",
        "normalizeEmbeddings": true, "treatUrlsAndPointersAsImages": false,
        "treatUrlsAndPointersAsMedia": false, "filterStringMaxLength": 50,
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {"spaceType": "euclidean", "parameters": {"efConstruction": 16, "m": 4}}},
        "resolved": {"dimensions": 2, "embeds": false}}"#;

    fn add(engine: &Engine, id: usize) -> Result<()> {
        let body = format!(
            r#"{{"documents": [{{"_id": "{id}", "title": "some words", "v": {{"vector": [{id}, 1]}}}}]}}"#
        );
        let options = br#"{"tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}},
            "useExistingTensors": false, "textChunkPrefix": "", "maxDocBytes": 100000}"#;
        let batch = split_documents(body.into_bytes())?;
        let (prepared, _) = engine.prepare("a", &batch, options)?;
        let (done, answer) = mpsc::channel();
        engine.apply(
            prepared,
            Vec::new(),
            br#"{"failures":[],"parts":[]}"#,
            Box::new(move |r| done.send(r).unwrap()),
        );
        let answer = answer.recv().unwrap()?;
        assert_eq!(
            answer.failure,
            0,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        Ok(())
    }

    /// Counts the documents that a search by words, and one by vector, finds.
    fn found(engine: &Engine) -> (usize, usize) {
        let plan = |rest: &str| {
            format!(
                r#"{{"limit": 1000, "offset": 0, "filter": null, "attributesToRetrieve": [],
                "showHighlights": false, "explain": false, "lexicalHighlights": null, "trackTotalHits": false, {rest}}}"#
            )
        };
        let words = plan(
            r#""retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "words", "operand": "or", "fields": null}"#,
        );
        let tensor = plan(
            r#""retrievalMethod": "tensor", "rankingMethod": "tensor", "tensor": {"fields": null, "efSearch": 2000,
            "approximate": true, "approximateThreshold": null, "weights": [1.0], "interpolation": null}"#,
        );
        let count = |plan: &str, query: &[f32]| {
            let answer = engine.search("a", plan.as_bytes(), query).unwrap();
            let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
            answer["hits"].as_array().unwrap().len()
        };
        (count(&words, &[]), count(&tensor, &[0.0, 1.0]))
    }

    fn status(engine: &Engine) -> String {
        let health: serde_json::Value = serde_json::from_slice(&engine.health()).unwrap();
        health["status"].as_str().unwrap().to_owned()
    }

    /// Waits until the index is another object than `old`, and healthy.
    fn await_rebuilt(engine: &Engine, old: &Arc<Index>) -> Arc<Index> {
        loop {
            let index = engine.index("a").unwrap();
            if !Arc::ptr_eq(&index, old) && status(engine) == "green" {
                return index;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_distrusted_part_is_made_anew_while_searches_go_on() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), b"{}").unwrap();
        engine.create_index("a", DEFINITION).unwrap();
        for id in 0..50 {
            add(&engine, id).unwrap();
        }
        let old = engine.index("a").unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let searching = scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(found(&engine), (50, 50));
                }
            });
            let panicked = old.catch_panic(|| -> Result<()> { panic!("a page is rotten") });
            assert_eq!(panicked.unwrap_err().code(), "internal");
            await_rebuilt(&engine, &old);
            stop.store(true, Ordering::Relaxed);
            searching.join().unwrap();
        });
        add(&engine, 50).unwrap();
        assert_eq!(found(&engine), (51, 51));

        // A second panic so soon is no damage, and the derived data are kept.
        let new = engine.index("a").unwrap();
        let _ = new.catch_panic(|| -> Result<()> { panic!("a defect") });
        while status(&engine) != "green" {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(Arc::ptr_eq(&new, &engine.index("a").unwrap()));
        drop((old, new));
        engine.close();
        let engine = Engine::open(directory.path(), b"{}").unwrap();
        assert_eq!(found(&engine), (51, 51));
    }

    #[test]
    fn writes_that_panicked_are_settled_by_what_the_store_holds() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), b"{}").unwrap();
        engine.create_index("a", DEFINITION).unwrap();
        add(&engine, 0).unwrap();
        let old = engine.index("a").unwrap();
        old.distrust_writes(&EngineError::Panic {
            message: "a write panicked".to_owned(),
        });
        let new = await_rebuilt(&engine, &old);
        add(&engine, 1).unwrap();
        assert_eq!(found(&engine), (2, 2));
        let late = old.writes().err().unwrap();
        assert_eq!(late.code(), "internal");
        drop((old, new));
        engine.close();
    }
}
