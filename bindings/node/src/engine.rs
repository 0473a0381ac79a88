//! `class Engine`: the calls of `pelorus_engine::Engine`, by the same names.

use std::path::PathBuf;

use napi::Env;
use napi_derive::napi;
use pelorus_engine::{EngineError, WriteDone};
use pelorus_priority::Priority;

use crate::add_batch::AddBatch;
use crate::bytes::{Bytes, ItemsResponse, RawValue};
use crate::cancellation::{Cancellation, of_call};
use crate::document_scan::DocumentScan;
use crate::error::{CodedError, answer, catch};
use crate::handover;
use crate::index_backup::{IndexBackup, IndexRestore};
use crate::log;
use crate::pool::{self, Lane};
use crate::promise::{self, Pending};
use crate::ranked_search::RankedSearch;
use crate::request_bytes::RequestBytes;
use crate::search_body::query_vector;
use crate::update_batch::UpdateBatch;

/// Every index of one data directory. Types of requests and answers that cross as JSON are those of
/// `openapi/engine.yaml`. A call that names an index rejects with `index_not_found` when there is none.
#[napi]
pub struct Engine {
    engine: Option<pelorus_engine::Engine>,
}

impl Engine {
    fn clone_inner(&self) -> pelorus_engine::Engine {
        self.engine.clone().expect("only drop takes the engine out")
    }

    fn call<T: napi::bindgen_prelude::ToNapiValue + Send + 'static>(
        &self,
        env: &Env,
        lane: Lane,
        work: impl FnOnce(pelorus_engine::Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        promise::run(env, lane, move || Ok(work(engine)?))
    }

    /// Starts the search of a plan by the name of its index; `vectors` are read where it runs.
    fn start_search(
        &self,
        env: &Env,
        (name, plan, call): (String, Vec<u8>, u32),
        vectors: impl FnOnce() -> Result<Vec<f32>, CodedError> + Send + 'static,
    ) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        let cancellation = answer(env, || of_call(call))?;
        promise::run_numbered(env, Lane::Interactive, call, move || {
            let answer = engine.search_until(&name, &plan, &vectors()?, &cancellation)?;
            Ok(Bytes(answer))
        })
    }

    /// Starts a write, which tells `done` how it ended.
    fn write(
        &self,
        env: &Env,
        start: impl FnOnce(&pelorus_engine::Engine, WriteDone) + Send + 'static,
    ) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        promise::start(env, Lane::Bulk, move |pending| {
            run_write(pending, |done| start(&engine, done));
        })
    }
}

impl Drop for Engine {
    /// The last handle may close files and wait for threads, and the garbage collector calls this
    /// on the event loop.
    fn drop(&mut self) {
        let engine = self.engine.take();
        pool::spawn(Lane::Bulk, move || drop(engine));
    }
}

#[napi]
impl Engine {
    /// Opens a data directory, making it where it is missing. `options` is `EngineOptions`. Rejects with
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format`. On Linux the calling thread
    /// has turns of 0.3 ms from then on, and need not wait until longer ones of other threads are over.
    #[napi(catch_unwind, ts_return_type = "Promise<Engine>")]
    pub fn open(env: &Env, directory: String, options: &[u8]) -> napi::Result<RawValue> {
        let options = options.to_vec();
        log::install();
        // Every answer passes through this thread.
        Priority::Prompt.take();
        promise::run(env, Lane::Bulk, move || {
            let engine = pelorus_engine::Engine::open(&PathBuf::from(directory), &options)?;
            Ok(Engine {
                engine: Some(engine),
            })
        })
    }

    /// Offers this engine to one other thread, which takes it with `attach` and the token that this gives. All that have an
    /// engine have the same one: `close` by any closes it for all.
    #[napi(catch_unwind)]
    pub fn share(&self) -> u32 {
        handover::offer(self.clone_inner())
    }

    /// The engine that another thread offers by a token, which is good once. Throws `invalid_argument` where there is none.
    /// The calling thread has turns as that of `open` has.
    #[napi(factory, catch_unwind)]
    pub fn attach(env: &Env, token: u32) -> napi::Result<Self> {
        let engine = answer(env, || handover::take(token))?;
        Priority::Prompt.take();
        Ok(Engine {
            engine: Some(engine),
        })
    }

    /// Creates an index, durably. Rejects with `index_already_exists`.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn create_index(
        &self,
        env: &Env,
        name: String,
        definition: &[u8],
    ) -> napi::Result<RawValue> {
        let definition = definition.to_vec();
        self.call(env, Lane::Bulk, move |engine| {
            engine.create_index(&name, &definition)
        })
    }

    /// Deletes an index with all it holds.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn drop_index(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, Lane::Bulk, move |engine| engine.drop_index(&name))
    }

    /// Names of all indexes, sorted. From memory.
    #[napi(catch_unwind)]
    pub fn list_indexes(&self, env: &Env) -> napi::Result<Vec<String>> {
        answer(env, || Ok(self.clone_inner().list_indexes()))
    }

    /// `EngineHealth`. From memory, and waits for nothing.
    #[napi(catch_unwind, ts_return_type = "Buffer")]
    pub fn health(&self, env: &Env) -> napi::Result<RawValue> {
        let bytes = answer(env, || Ok(self.clone_inner().health()))?;
        RawValue::of(env, Bytes(bytes))
    }

    /// Replaces the definition; resolves when that is durable and `definition` answers with it.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn redefine_index(
        &self,
        env: &Env,
        name: String,
        definition: &[u8],
    ) -> napi::Result<RawValue> {
        let definition = definition.to_vec();
        self.write(env, move |engine, done| {
            engine.redefine_index(&name, definition, done)
        })
    }

    /// The bytes given to `createIndex`, or to `redefineIndex` since.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn definition(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, Lane::Interactive, move |engine| {
            engine.definition(&name).map(Bytes)
        })
    }

    /// `EngineStats`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn stats(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, Lane::Interactive, move |engine| {
            engine.stats(&name).map(Bytes)
        })
    }

    /// Splits an add request into envelope and documents. Rejects with `json_decode_error`, whose
    /// `details` is a `JsonSyntaxError`.
    #[napi(catch_unwind, ts_return_type = "Promise<AddBatch>")]
    pub fn prepare_add(
        &self,
        env: &Env,
        name: String,
        body: &RequestBytes,
    ) -> napi::Result<RawValue> {
        let body = body.take();
        self.call(env, Lane::Bulk, move |engine| {
            AddBatch::split(engine, name, body)
        })
    }

    /// Splits an update request into envelope and documents. Rejects as `prepareAdd` does.
    #[napi(catch_unwind, ts_return_type = "Promise<UpdateBatch>")]
    pub fn prepare_update(
        &self,
        env: &Env,
        name: String,
        body: &RequestBytes,
    ) -> napi::Result<RawValue> {
        let body = body.take();
        self.call(env, Lane::Bulk, move |engine| {
            UpdateBatch::split(engine, name, body)
        })
    }

    /// One document as a JSON object; null where there is none. `request` is `GetDocumentRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn get_document(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, Lane::Interactive, move |engine| {
            let document = engine.get_document(&name, &request)?;
            Ok(document.map(Bytes))
        })
    }

    /// `request` is `GetDocumentsRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn get_documents(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, Lane::Interactive, move |engine| {
            let response = engine.get_documents(&name, &request)?;
            Ok(ItemsResponse::from(response))
        })
    }

    /// Resolves when the deletion is durable and visible. `request` is `DeleteDocumentsRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn delete_documents(
        &self,
        env: &Env,
        name: String,
        request: &[u8],
    ) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.write(env, move |engine, done| {
            engine.delete_documents(&name, &request, done)
        })
    }

    /// Deletes every document there is; resolves when that is durable and visible.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn delete_all_documents(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.write(env, move |engine, done| {
            engine.delete_all_documents(&name, done)
        })
    }

    /// Begins to read all documents. `request` is `ScanRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<DocumentScan>")]
    pub fn scan_documents(
        &self,
        env: &Env,
        name: String,
        request: &[u8],
    ) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, Lane::Bulk, move |engine| {
            let scan = engine.scan_documents(&name, &request)?;
            Ok(DocumentScan::of(scan))
        })
    }

    /// Runs a `SearchPlan`. `vectors` is `[weights, dim]`, row-major: one row for each weight of the plan.
    /// `call` is its number by `beginCall`. Rejects with `vector_store_timeout` past the deadline, with
    /// `client_closed_request` once it is cancelled, and is then at work no more.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn search(
        &self,
        env: &Env,
        name: String,
        plan: &[u8],
        vectors: &[f32],
        call: u32,
    ) -> napi::Result<RawValue> {
        let vectors = vectors.to_vec();
        let search = (name, plan.to_vec(), call);
        self.start_search(env, search, move || Ok(vectors))
    }

    /// As `search`, for the one vector of a query as its list stands in JSON, which is read where the search runs. Rejects
    /// with `invalid_argument` where it is no list of finite numbers.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn search_written(
        &self,
        env: &Env,
        name: String,
        plan: &[u8],
        vector: &[u8],
        call: u32,
    ) -> napi::Result<RawValue> {
        let vector = vector.to_vec();
        let search = (name, plan.to_vec(), call);
        self.start_search(env, search, move || query_vector(&vector))
    }

    /// Runs a `SearchPlan` and keeps its ranking for pages that follow. As `search` otherwise.
    #[napi(catch_unwind, ts_return_type = "Promise<RankedSearch>")]
    pub fn rank(
        &self,
        env: &Env,
        name: String,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> napi::Result<RawValue> {
        let (plan, vectors) = (plan.to_vec(), vectors.to_vec());
        let cancellation = cancellation.inner();
        self.call(env, Lane::Interactive, move |engine| {
            let search = engine.rank_until(&name, &plan, &vectors, &cancellation);
            search.map(RankedSearch::of)
        })
    }

    /// Stores queries that the index suggests; resolves when that is durable and visible. `request`
    /// is `PutQueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn put_queries(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.write(env, move |engine, done| {
            engine.put_queries(&name, &request, done)
        })
    }

    /// Removes queries from the suggestions; resolves when that is durable and visible. `request` is `QueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn delete_queries(
        &self,
        env: &Env,
        name: String,
        request: &[u8],
    ) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.write(env, move |engine, done| {
            engine.delete_queries(&name, &request, done)
        })
    }

    /// Removes all suggestions; resolves when that is durable and visible.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn delete_all_queries(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.write(env, move |engine, done| {
            engine.delete_all_queries(&name, done)
        })
    }

    /// Queries that the index suggests. `request` is `QueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn get_queries(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, Lane::Interactive, move |engine| {
            engine.get_queries(&name, &request).map(Bytes)
        })
    }

    /// A page of the queries that the index suggests. `request` is `ScanQueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn scan_queries(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, Lane::Interactive, move |engine| {
            engine.scan_queries(&name, &request).map(Bytes)
        })
    }

    /// Suggests queries. `plan` is `SuggestPlan`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn suggest(&self, env: &Env, name: String, plan: &[u8]) -> napi::Result<RawValue> {
        let plan = plan.to_vec();
        self.call(env, Lane::Interactive, move |engine| {
            engine.suggest(&name, &plan).map(Bytes)
        })
    }

    /// Begins to copy an index as it is now, while it is written to.
    #[napi(catch_unwind, ts_return_type = "Promise<IndexBackup>")]
    pub fn back_up(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, Lane::Bulk, move |engine| {
            IndexBackup::of(engine.back_up(&name)?)
        })
    }

    /// Begins to make an index of the pieces of a copy, under a name that is free. Rejects with `index_already_exists`.
    #[napi(catch_unwind, ts_return_type = "Promise<IndexRestore>")]
    pub fn restore(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, Lane::Bulk, move |engine| {
            engine.restore(&name).map(IndexRestore::of)
        })
    }

    /// Finishes queued writes and releases the directory. Later calls find no index.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        self.call(env, Lane::Bulk, |engine| {
            engine.close();
            Ok(())
        })
    }
}

/// Starts a write whose answer comes from the writer's thread. When starting it panics, `done`
/// is dropped on the way and rejects the promise.
pub(crate) fn run_write(pending: Pending<ItemsResponse>, write: impl FnOnce(WriteDone)) {
    let done: WriteDone = Box::new(move |outcome: Result<_, EngineError>| {
        let settled = outcome.map(ItemsResponse::from).map_err(CodedError::from);
        pending.settle(settled);
    });
    let _ = catch(|| {
        write(done);
        Ok(())
    });
}

/// Bytes that every engine keeps free of documents on a disk of `total` bytes: where no more are left no document
/// is added.
#[napi(catch_unwind)]
pub fn storage_reserve(total: f64) -> f64 {
    pelorus_engine::storage_reserve(total as u64) as f64
}
