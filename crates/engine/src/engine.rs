//! The registry of indexes in one data directory.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::{Mutex, RwLock};

use crate::WriteDone;
use crate::applier::Job;
use crate::apply::ready_documents;
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::limits::Limits;
use crate::lock::{DirectoryLock, sync_directory};
use crate::memory::Memory;
use crate::prepare::{self, PreparedBatch};
use crate::response::ItemsResponse;
use crate::search::SearchRequest;
use crate::split::DocumentBatch;
use crate::{maintenance, retrieve, search};

/// Indexes closed at once: each waits for the disk, not for a core.
const CLOSING_THREADS: usize = 8;

/// Every index of one data directory. Cheap to clone; all clones are one engine.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    limits: Limits,
    indexes: RwLock<HashMap<String, Entry>>,
    /// Creation and deletion take turns; searches and writes never wait for them.
    changing: Mutex<()>,
    lock: Mutex<Option<Arc<DirectoryLock>>>,
}

/// An index, or why its files could not be opened. Those are left untouched.
#[derive(Clone)]
enum Entry {
    Open(Arc<Index>),
    Damaged(EngineError),
}

impl Engine {
    /// Opens a data directory, making it where it is missing. `options` is a JSON object with
    /// bounds: `lexicalFieldsMax`, `tensorFieldsMax`, `inFilterValuesMax`, defaults where absent.
    ///
    /// # Errors
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format`. An index that
    /// cannot be read does not stop the others: its own calls answer with the reason.
    pub fn open(directory: &Path, options: &[u8]) -> Result<Self> {
        let limits: Limits = serde_json::from_slice(options)
            .map_err(|e| EngineError::invalid_argument(format!("engine options: {e}")))?;
        let lock = DirectoryLock::acquire(directory)?;
        let engine = Self {
            shared: Arc::new(Shared {
                directory: directory.to_owned(),
                limits,
                indexes: RwLock::default(),
                changing: Mutex::default(),
                lock: Mutex::new(Some(Arc::new(lock))),
            }),
        };
        for name in ["indexes", "building", "trash"] {
            fs::create_dir_all(directory.join(name)).map_err(|e| engine.unusable(&e))?;
        }
        for left_over in ["building", "trash"] {
            for path in children(&directory.join(left_over)).map_err(|e| engine.unusable(&e))? {
                // What cannot be removed now is tried again at the next start.
                let _ = fs::remove_dir_all(path);
            }
        }
        for path in children(&directory.join("indexes")).map_err(|e| engine.unusable(&e))? {
            engine.open_index(path)?;
        }
        Ok(engine)
    }

    fn unusable(&self, error: &std::io::Error) -> EngineError {
        let directory = self.shared.directory.display();
        EngineError::new(
            "data_directory_unreadable",
            format!("the data directory {directory} cannot be used: {error}"),
        )
    }

    fn open_index(&self, path: PathBuf) -> Result<()> {
        let directory = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let lock = self.shared.lock.lock().clone();
        let lock = lock.ok_or_else(|| EngineError::internal("the engine is closed"))?;
        let (name, entry) = match Index::open(path, lock, self.shared.limits) {
            Ok(index) => {
                maintenance::wake(&index);
                (index.name.clone(), Entry::Open(index))
            }
            Err(error) if error.code == "newer_format" => return Err(error),
            Err(error) => (directory, Entry::Damaged(error)),
        };
        self.shared.indexes.write().insert(name, entry);
        Ok(())
    }

    /// Creates an index; durable when this returns.
    ///
    /// # Errors
    /// `index_already_exists`, `invalid_argument` for a definition that cannot be read.
    pub fn create_index(&self, name: &str, definition: &[u8]) -> Result<()> {
        let _turn = self.shared.changing.lock();
        if self.shared.indexes.read().contains_key(name) {
            return Err(EngineError::new(
                "index_already_exists",
                format!("Index {name} already exists"),
            ));
        }
        let generated = uuid::Uuid::new_v4().simple().to_string();
        let building = self.shared.directory.join("building").join(&generated);
        let home = self.shared.directory.join("indexes").join(&generated);
        let io = |e: std::io::Error| EngineError::internal(format!("creating index {name}: {e}"));
        fs::create_dir(&building).map_err(io)?;
        if let Err(error) = Index::create(&building, name, definition) {
            let _ = fs::remove_dir_all(&building);
            return Err(error);
        }
        sync_directory(&building).map_err(io)?;
        // The rename is the commit point.
        fs::rename(&building, &home).map_err(io)?;
        sync_directory(&self.shared.directory.join("indexes")).map_err(io)?;
        self.open_index(home)
    }

    /// Deletes an index; its name is free when this returns.
    ///
    /// # Errors
    /// `index_not_found`.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        let _turn = self.shared.changing.lock();
        let index = self.index(name)?;
        let trash = self.shared.directory.join("trash").join(
            index
                .directory
                .file_name()
                .expect("an index directory has a generated name"),
        );
        let io = |e: std::io::Error| EngineError::internal(format!("deleting index {name}: {e}"));
        index.dropped.store(true, Ordering::Release);
        self.shared.indexes.write().remove(name);
        index.close();
        fs::rename(&index.directory, &trash).map_err(io)?;
        sync_directory(&self.shared.directory.join("indexes")).map_err(io)?;
        drop(index);
        // A search may still hold the files open; what stays is removed at the next start.
        let _ = fs::remove_dir_all(&trash);
        Ok(())
    }

    /// Names of all indexes, sorted.
    pub fn list_indexes(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .shared
            .indexes
            .read()
            .iter()
            .filter(|(_, entry)| matches!(entry, Entry::Open(_)))
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    }

    fn index(&self, name: &str) -> Result<Arc<Index>> {
        match self.shared.indexes.read().get(name) {
            Some(Entry::Open(index)) => Ok(index.clone()),
            Some(Entry::Damaged(error)) => Err(error.clone()),
            None => Err(EngineError::index_not_found(name)),
        }
    }

    /// The definition that the index was created with.
    ///
    /// # Errors
    /// `index_not_found`.
    pub fn definition(&self, name: &str) -> Result<Vec<u8>> {
        Ok(self.index(name)?.definition_json.clone())
    }

    /// Counts and memory as a JSON object: `numberOfDocuments`, `numberOfVectors`,
    /// `memoryBytes`, `memory` (the same by what it is for), `status` (`green`, or `red` once a write has failed half way).
    ///
    /// # Errors
    /// `index_not_found`.
    pub fn stats(&self, name: &str) -> Result<Vec<u8>> {
        let index = self.index(name)?;
        let status = if index.is_poisoned() { "red" } else { "green" };
        let memory = Memory::of(&index);
        let stats = serde_json::json!({
            "numberOfDocuments": index.views.load().live,
            "numberOfVectors": index.vectors.len(),
            "memoryBytes": memory.total(),
            "memory": memory,
            "status": status,
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
        prepare::prepare(self.index(name)?, batch, options)
    }

    /// Commits a prepared batch. `vectors` holds one row per text of the batch. `done` is
    /// called when the documents are durable and visible; it must not block.
    pub fn apply(&self, prepared: PreparedBatch, vectors: Vec<f32>, done: WriteDone) {
        let index = prepared.index.clone();
        match ready_documents(prepared, &vectors).and_then(|items| Ok((items, index.applier()?))) {
            Ok((items, applier)) => applier.submit(Job::Add { items, done }),
            Err(error) => done(Err(error)),
        }
    }

    /// Reads documents. `request` is `{"documentIds": [..], "exposeFacets": bool}`; the answer
    /// is `{"errors": bool, "results": [..]}` in the order of the request.
    ///
    /// # Errors
    /// `index_not_found`, `invalid_argument` for a request that cannot be read.
    pub fn get_documents(&self, name: &str, request: &[u8]) -> Result<ItemsResponse> {
        retrieve::get_documents(&*self.index(name)?, request)
    }

    /// Deletes documents by id; `ids` is a JSON array of strings. The answer is
    /// `{"items": [..], "details": {..}}`. `done` as in [`Engine::apply`].
    pub fn delete_documents(&self, name: &str, ids: &[u8], done: WriteDone) {
        let ids: std::result::Result<Vec<String>, _> = serde_json::from_slice(ids);
        let ids = ids.map_err(|e| EngineError::invalid_argument(format!("document ids: {e}")));
        let applier = self.index(name).and_then(|index| index.applier());
        match ids.and_then(|ids| Ok((ids, applier?))) {
            Ok((ids, applier)) => {
                let respond = retrieve::delete_response(ids.clone());
                applier.submit(Job::Delete { ids, respond, done });
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
            Ok(index) => search::search_many(&index, requests),
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Finishes queued writes and releases the directory. Later calls find no index.
    pub fn close(&self) {
        let entries: Vec<Entry> = self
            .shared
            .indexes
            .write()
            .drain()
            .map(|(_, entry)| entry)
            .collect();
        let queue = Mutex::new(entries);
        std::thread::scope(|scope| {
            for _ in 0..CLOSING_THREADS {
                scope.spawn(|| {
                    while let Some(entry) = { queue.lock().pop() } {
                        if let Entry::Open(index) = entry {
                            index.close();
                            await_readers(&index);
                        }
                    }
                });
            }
        });
        self.shared.lock.lock().take();
    }
}

/// Waits a bounded time until searches and maintenance have let go, so that the files are
/// closed when the engine says so.
fn await_readers(index: &Arc<Index>) {
    for _ in 0..5_000 {
        if Arc::strong_count(index) == 1 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn children(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
