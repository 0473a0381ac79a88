//! One open index: the truth, what is derived from it, and the current view.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use pelorus_columns::Columns;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions};
use pelorus_store::{ReadView, Store};

use crate::applier::Applier;
use crate::backoff::Backoff;
use crate::definition::{Definition, IndexKind};
use crate::document::{IndexedValues, StoredDocument, index_values};
use crate::error::{EngineError, Result};
use crate::filter_cache::FilterCache;
use crate::limits::Limits;
use crate::lock::DirectoryLock;
use crate::tensors::{FieldTensors, decode_tensors};
use crate::vectors::Vectors;
use crate::view::{View, Views};

/// Memory for the pages of one index's truth. Reads on the hot path take a few documents.
const STORE_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// One index.
pub(crate) struct Index {
    pub name: String,
    pub definition: Definition,
    /// The definition as it was given, for the caller.
    pub definition_json: Vec<u8>,
    pub limits: Limits,
    pub directory: PathBuf,
    pub store: Store,
    pub columns: RwLock<Columns>,
    /// What passed the filters asked for lately.
    pub filters: FilterCache,
    pub lexical: LexicalIndex,
    pub vectors: Vectors,
    pub views: Views,
    applier: Mutex<Option<Applier>>,
    /// Set when a write failed half way: nothing more is accepted until a restart.
    poisoned: AtomicBool,
    pub dropped: AtomicBool,
    /// True while the index waits in the maintenance queue.
    pub scheduled: AtomicBool,
    /// When the background may save the vectors again after it could not.
    pub saving: Mutex<Backoff>,
    /// Slices that only link vectors of this index, waiting or running.
    pub helpers: AtomicUsize,
    /// Last, so that the directory is free for another engine only when these files are closed.
    _lock: Arc<DirectoryLock>,
}

/// Dead versions taken out of the columns under one lock: some tens of microseconds.
const RECLAIM_STEP: usize = 16;

/// Documents after which a rebuild of the postings looks whether memory has to be flushed.
const REBUILD_STEP: usize = 1_024;

const TRUTH: &str = "index.redb";

impl Index {
    /// Writes the files of a new, empty index into `directory`.
    pub fn create(directory: &Path, name: &str, definition: &[u8]) -> Result<()> {
        Definition::parse(name, definition)?.check()?;
        let stored = encode_named(name, definition);
        Store::create(&directory.join(TRUTH), &stored, STORE_CACHE_BYTES)?;
        Ok(())
    }

    /// Opens an index: reads the truth and rebuilds or catches up everything derived.
    pub fn open(directory: PathBuf, lock: Arc<DirectoryLock>, limits: Limits) -> Result<Arc<Self>> {
        let store = Store::open(&directory.join(TRUTH), STORE_CACHE_BYTES)?;
        let stored = store.definition()?;
        let (name, definition_json) = decode_named(&stored)?;
        let definition = Definition::parse(&name, &definition_json)?;
        let mut columns = Columns::new(definition.columns_schema());
        let mut alive = BitSet::default();
        let read = store.read()?;
        let folder = directory.join("vectors");
        let vectors = Vectors::open(definition.hnsw_params(), folder, read.next_doc()?)?;
        // Vectors are searchable at once: what is not in the graph yet is scanned, and
        // maintenance links it in the background.
        read.scan(
            0,
            vectors.tensors_from(),
            |doc, document, tensors| -> Result<()> {
                let stored = StoredDocument::decode(document)?;
                columns.insert(doc, stored.id, &index_values(&definition, &stored)?.columns);
                if let Some(tensors) = tensors {
                    vectors.insert(doc, &decode_tensors(tensors, definition.dimensions)?)?;
                }
                alive.insert(doc);
                Ok(())
            },
        )?;
        vectors.keep(&alive)?;
        let lexical = open_lexical(&directory, &definition, &read, &alive)?;
        let live = alive.len();
        let index = Arc::new(Self {
            columns: RwLock::new(columns),
            filters: FilterCache::new(),
            name,
            definition,
            definition_json,
            limits,
            directory,
            store,
            lexical,
            vectors,
            views: Views::new(View {
                alive,
                live,
                truth: read,
            }),
            applier: Mutex::default(),
            poisoned: AtomicBool::new(false),
            dropped: AtomicBool::new(false),
            scheduled: AtomicBool::new(false),
            saving: Mutex::default(),
            helpers: AtomicUsize::new(0),
            _lock: lock,
        });
        *index.applier.lock() = Some(Applier::start(&index)?);
        Ok(index)
    }

    /// Adds one document version to everything derived; the view makes it visible later.
    pub fn insert(
        &self,
        doc: u32,
        id: &str,
        values: &IndexedValues,
        tensors: &[FieldTensors],
    ) -> Result<()> {
        self.columns.write().insert(doc, id, &values.columns);
        self.vectors.insert(doc, tensors)?;
        Ok(self.lexical.add(doc, &borrowed(&values.lexical))?)
    }

    /// Takes dead versions out of columns and graphs; no reader sees them any more.
    pub fn reclaim(&self) {
        let dead = self.views.reclaim();
        if dead.is_empty() {
            return;
        }
        // Searches wait for this lock, and a thread of low priority may be interrupted under it.
        for some in dead.chunks(RECLAIM_STEP) {
            let mut columns = self.columns.write();
            some.iter().for_each(|&doc| columns.remove(doc));
        }
        self.vectors.remove(&dead);
    }

    /// The names that tensor search may use: declared ones, else those seen so far.
    pub fn tensor_field_names(&self) -> Vec<String> {
        match &self.definition.kind {
            IndexKind::Structured(declared) => declared.tensor_fields.clone(),
            IndexKind::Unstructured { .. } => self.vectors.names(),
        }
    }

    /// The names that lexical search may use: declared ones, else those seen so far.
    pub fn lexical_field_names(&self) -> Vec<String> {
        match &self.definition.kind {
            IndexKind::Structured(declared) => declared
                .fields
                .iter()
                .filter(|field| field.has("lexical_search"))
                .map(|field| field.name.clone())
                .collect(),
            IndexKind::Unstructured { .. } => self.lexical.fields(),
        }
    }

    /// The queue of writes.
    pub fn applier(&self) -> Result<Applier> {
        if self.dropped.load(Ordering::Acquire) {
            return Err(EngineError::index_not_found(&self.name));
        }
        if self.poisoned.load(Ordering::Acquire) {
            return Err(EngineError::internal(format!(
                "index {} takes no writes after a failed one: restart the server",
                self.name
            )));
        }
        self.applier
            .lock()
            .clone()
            .ok_or_else(|| EngineError::index_not_found(&self.name))
    }

    /// Stops the applier; jobs already queued are finished first.
    pub fn close(&self) {
        let applier = self.applier.lock().take();
        if let Some(applier) = applier {
            applier.stop();
        }
        if !self.dropped.load(Ordering::Acquire) {
            // A failure loses nothing: the truth rebuilds postings and vectors.
            let _ = self.lexical.close();
            let _ = self.save_vectors();
        }
    }

    /// Writes snapshots of the vectors, unless a write failed half way.
    pub fn save_vectors(&self) -> Result<()> {
        if self.is_poisoned() {
            return Ok(());
        }
        let watermark = self.views.load().truth.next_doc()?;
        self.vectors
            .save(watermark)
            .map_err(|e| EngineError::internal(format!("saving vectors: {e}")))
    }

    pub fn poison(&self) {
        self.poisoned.store(true, Ordering::Release);
    }

    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }
}

/// Opens the postings and adds what the truth has beyond them.
fn open_lexical(
    directory: &Path,
    definition: &Definition,
    read: &ReadView,
    alive: &BitSet,
) -> Result<LexicalIndex> {
    let directory = directory.join("lexical");
    // How many fields there may be is decided before a document is stored; those that are, are added.
    let options = LexicalOptions {
        fields_max: usize::MAX,
        ..LexicalOptions::default()
    };
    let lexical = LexicalIndex::open(&directory, options, alive)?;
    let mut added = 0_usize;
    let watermark = lexical.watermark();
    read.scan(watermark, u32::MAX, |doc, document, _| -> Result<()> {
        let values = index_values(definition, &StoredDocument::decode(document)?)?;
        lexical.add(doc, &borrowed(&values.lexical))?;
        added += 1;
        if added.is_multiple_of(REBUILD_STEP) {
            lexical.publish();
            while lexical.needs_flush() {
                lexical.flush()?;
            }
        }
        Ok(())
    })?;
    lexical.publish();
    Ok(lexical)
}

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect()
}

/// The name goes into the truth too: the directory has a generated one.
fn encode_named(name: &str, definition: &[u8]) -> Vec<u8> {
    let mut bytes = (name.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(definition);
    bytes
}

fn decode_named(bytes: &[u8]) -> Result<(String, Vec<u8>)> {
    let read = || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (name, definition) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((
            std::str::from_utf8(name).ok()?.to_owned(),
            definition.to_vec(),
        ))
    };
    read().ok_or_else(|| {
        EngineError::new(
            "backend_data_parsing_error",
            "the index definition cannot be read",
        )
    })
}
