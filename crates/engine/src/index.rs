//! One open index: its store, what is derived from it, and the current view.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};
use pelorus_columns::{Columns, FieldValue};
use pelorus_documents::length_prefixed::{Reader, push_text};
use pelorus_documents::{
    IndexKind, IndexedValues, StoredDocument, decode_references, decode_tensors,
};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalError, LexicalIndex, LexicalOptions};
use pelorus_store::{ReadView, Store};
use pelorus_suggest::Suggestions;

use crate::applier::Applier;
use crate::backoff::Backoff;
use crate::definition::Definition;
use crate::error::{EngineError, Result};
use crate::filter_cache::FilterCache;
use crate::generated::EngineOptions;
use crate::lock::DirectoryLock;
use crate::modifications::ModificationCache;
use crate::registry::{RegistryError, Waker};
use crate::revisions::Revisions;
use crate::room::Room;
use crate::row_references::Referring;
use crate::suggestions;
use crate::text_fields::TextFields;
use crate::trouble::Trouble;
use crate::uses::Uses;
use crate::vectors::{self, Vectors};
use crate::view::{View, Views};
use crate::write_error::WriteError;
use crate::write_queue::WriteBudget;

/// Memory for the pages of one index's store. Reads on the hot path take a few documents.
const STORE_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// What every index of an engine shares.
#[derive(Debug, Clone)]
pub(crate) struct IndexContext {
    pub limits: Arc<EngineOptions>,
    pub waker: Waker,
    pub uses: Arc<Uses>,
    pub writes: WriteBudget,
    /// Last, so that the directory is free for another engine only when all files are closed.
    pub _lock: Arc<DirectoryLock>,
}

/// One index.
pub(crate) struct Index {
    pub name: String,
    pub definition: Definition,
    /// The definition as it was last given, for the caller; shared with the index's place in the
    /// registry.
    pub definition_json: Arc<ArcSwap<Vec<u8>>>,
    pub limits: Arc<EngineOptions>,
    pub directory: PathBuf,
    pub room: Room,
    /// Exchanged for the same file opened anew when a write failed.
    store: ArcSwap<Store>,
    /// Values of documents that are changed in place are those of the current view: who reads them
    /// for a view takes that view under the same lock.
    pub columns: RwLock<Columns>,
    /// Changed with the columns, under their lock.
    pub revisions: Mutex<Revisions>,
    /// What passed the filters asked for lately.
    pub filters: FilterCache,
    /// What the score modifiers asked for lately make of documents.
    pub modifications: ModificationCache,
    pub lexical: LexicalIndex,
    pub text_fields: TextFields,
    pub vectors: Vectors,
    /// The queries that may be meant by what somebody types.
    pub suggestions: Suggestions,
    pub views: Views,
    applier: Mutex<Option<Applier>>,
    pub trouble: Trouble,
    dropped: AtomicBool,
    /// Nothing is written any more, not by the background either; searches go on.
    retired: AtomicBool,
    /// True while the index waits in the maintenance queue.
    pub scheduled: AtomicBool,
    /// When the background may save the vectors again after it could not.
    pub saving: Mutex<Backoff>,
    /// When it may flush the postings again after it could not.
    pub flushing: Mutex<Backoff>,
    /// How the store comes to refer to rows of vectors.
    pub referring: Referring,
    /// Slices that only link vectors of this index, waiting or running.
    pub helpers: AtomicUsize,
    /// True while the index waits in the linker's queue.
    pub linking: AtomicBool,
    /// Last, so that the directory is free for another engine only when these files are closed.
    pub context: IndexContext,
}

/// What the columns of a document hold from the next view on.
pub(crate) struct Revised<'a> {
    pub doc: u32,
    pub id: &'a str,
    pub columns: &'a [(String, FieldValue)],
}

/// Dead versions taken out of the columns under one lock: some tens of microseconds.
const RECLAIM_STEP: usize = 16;

/// Documents of a rebuild of the postings that are inverted together, at most; and bytes of their
/// texts after which no other joins them. Then it looks whether memory has to be flushed.
const REBUILD_STEP: usize = 1_024;
const REBUILD_STEP_BYTES: usize = 4 * 1024 * 1024;

const STORE: &str = "index.redb";
const LEXICAL: &str = "lexical";
const VECTORS: &str = "vectors";

impl Index {
    /// Writes the files of a new, empty index into `directory`.
    pub fn create(directory: &Path, name: &str, definition: &[u8]) -> Result<()> {
        Definition::parse(name, definition)?.check()?;
        let stored = encode_named(name, definition, &[]);
        Store::create(&directory.join(STORE), &stored, STORE_CACHE_BYTES)?;
        Ok(())
    }

    /// The name in the store of the index in `directory`.
    pub fn stored_name(directory: &Path) -> Result<String> {
        let store = Store::open(&directory.join(STORE), STORE_CACHE_BYTES)?;
        Ok(decode_named(&store.definition()?)?.name)
    }

    /// Moves the postings of the index in `directory` into the folder `aside`, where they can be read by
    /// whoever has them open, and deletes what its vectors have beside their rows: those may be all
    /// that there is of the vectors. Gives the folders.
    pub fn set_derived_aside(directory: &Path, aside: &Path) -> Result<Vec<PathBuf>> {
        let mut moved = Vec::new();
        let target = aside.join(format!("{}.{LEXICAL}", uuid::Uuid::new_v4().simple()));
        match fs::rename(directory.join(LEXICAL), &target) {
            Ok(()) => moved.push(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(EngineError::io(format!("setting {LEXICAL} aside"), error));
            }
        }
        vectors::forget_snapshots(&directory.join(VECTORS))
            .map_err(|error| EngineError::io("deleting graphs", error))?;
        Ok(moved)
    }

    /// Opens the index `name` in `directory`: reads its store, and reads, catches up or rebuilds
    /// everything derived.
    pub fn open(name: &str, directory: &Path, context: IndexContext) -> Result<Arc<Self>> {
        let store = Store::open(&directory.join(STORE), STORE_CACHE_BYTES)?;
        Self::over(name, directory, Arc::new(store), context, None)
    }

    /// The same index over the same store, with what is derived read anew. The old one must have
    /// been [retired](Self::retire).
    pub fn reopen_derived(&self) -> Result<Arc<Self>> {
        let store = match self.takes_writes() {
            true => self.store(),
            false => Arc::new(self.store().reopen()?),
        };
        let (name, directory) = (&self.name, &self.directory);
        Self::over(
            name,
            directory,
            store,
            self.context.clone(),
            Some(&self.vectors),
        )
    }

    fn over(
        name: &str,
        directory: &Path,
        store: Arc<Store>,
        context: IndexContext,
        before: Option<&Vectors>,
    ) -> Result<Arc<Self>> {
        let stored = store.definition()?;
        let Named {
            name: stored_name,
            definition: definition_json,
            text_fields,
        } = decode_named(&stored)?;
        if stored_name != name {
            let folder = name.to_owned();
            let store = stored_name;
            return Err(RegistryError::NameMismatch { folder, store }.into());
        }
        let definition = Definition::parse(name, &definition_json)?;
        let read = store.read()?;
        let folder = directory.join(VECTORS);
        let params = definition.hnsw_params();
        let in_memory = |error: EngineError| {
            log::warn!("index {name}: {error}; its vectors are in memory until they are saved");
            Vectors::in_memory(params.clone(), folder.clone(), &read)
        };
        let vectors = match Vectors::open(params.clone(), folder.clone(), &read, before) {
            Err(error) if error.may_pass() => in_memory(error)?,
            opened => opened?,
        };
        let loaded = match Loaded::read(&definition, &read, vectors) {
            Err(LoadError::Vectors(error)) => Loaded::read(&definition, &read, in_memory(error)?),
            loaded => loaded,
        };
        let Loaded {
            columns,
            alive,
            vectors,
        } = loaded.map_err(LoadError::into_inner)?;
        vectors.keep(&alive);
        let lexical = LexicalParts {
            directory: &directory.join(LEXICAL),
            text_fields: &text_fields,
        };
        let lexical = open_lexical(lexical, name, &definition, &read, &alive)?;
        let suggestions = suggestions::load(&read)?;
        let live = alive.len();
        let index = Arc::new(Self {
            name: name.to_owned(),
            columns: RwLock::new(columns),
            revisions: Mutex::default(),
            filters: FilterCache::new(),
            modifications: ModificationCache::new(),
            definition,
            definition_json: Arc::new(ArcSwap::from_pointee(definition_json)),
            limits: context.limits.clone(),
            room: Room::of(directory),
            directory: directory.to_owned(),
            store: ArcSwap::new(store),
            lexical,
            text_fields,
            vectors,
            suggestions,
            views: Views::new(View {
                alive,
                live,
                snapshot: read,
            }),
            applier: Mutex::default(),
            trouble: Trouble::none(name, context.waker.clone()),
            dropped: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            scheduled: AtomicBool::new(false),
            saving: Mutex::new(Backoff::SLOW),
            flushing: Mutex::new(Backoff::SLOW),
            referring: Referring::new(),
            helpers: AtomicUsize::new(0),
            linking: AtomicBool::new(false),
            context,
        });
        *index.applier.lock() = Some(Applier::start(&index)?);
        Ok(index)
    }

    pub fn store(&self) -> Arc<Store> {
        self.store.load_full()
    }

    /// Replaces the store by the same file opened anew.
    pub fn exchange_store(&self, store: Arc<Store>) {
        self.store.store(store);
    }

    /// Descriptors that the index holds: its store's, and one for each field of vectors.
    pub fn descriptors(&self) -> usize {
        1 + self.vectors.field_count()
    }

    /// Makes a view current, and with it the columns of documents that were revised in place: whoever
    /// holds the lock of the columns sees both or neither.
    pub fn publish(&self, view: View, dead: Vec<u32>, revised: &[Revised<'_>]) -> Result<()> {
        if revised.is_empty() {
            self.views.publish(view, dead);
            return Ok(());
        }
        let sequence = view.snapshot.sequence()?;
        let mut columns = self.columns.write();
        let mut revisions = self.revisions.lock();
        for Revised {
            doc,
            id,
            columns: values,
        } in revised
        {
            // One that was also replaced or deleted is not seen again.
            if view.alive.contains(*doc) {
                columns.insert(*doc, id, values);
                revisions.note(sequence, *doc);
            }
        }
        self.views.publish(view, dead);
        Ok(())
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
        match &self.definition.documents.kind {
            IndexKind::Structured(declared) => declared.tensor_fields.clone(),
            IndexKind::Unstructured { .. } => self.vectors.names(),
        }
    }

    /// The names that lexical search may use: declared ones, else those seen so far.
    pub fn lexical_field_names(&self) -> Vec<String> {
        match &self.definition.documents.kind {
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
            return Err(RegistryError::not_found(&self.name).into());
        }
        if let Some(error) = self.suspended() {
            return Err(error);
        }
        let applier = self.applier.lock().clone();
        applier.ok_or_else(|| match self.is_retired() {
            true => {
                let index = self.name.clone();
                WriteError::Rebuilding { index }.into()
            }
            false => RegistryError::not_found(&self.name).into(),
        })
    }

    /// Stops the applier; jobs already queued are finished first. Then saves what would have to be
    /// made anew at the next start.
    pub fn close(&self) {
        self.stop_applier();
        if self.is_retired() {
            return;
        }
        // A failure loses nothing: the store rebuilds postings and vectors.
        if self.room.for_derived(self.lexical.memory_bytes()).is_ok() {
            let _ = self.lexical.close();
        }
        let _ = self.save_vectors();
        self.retired.store(true, Ordering::Release);
    }

    /// Ends all writing, by callers and by the background, and saves nothing. Searches go on.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Release);
        self.stop_applier();
        self.lexical.retire();
        self.vectors.retire();
    }

    /// [Retires](Self::retire) an index that is being deleted.
    pub fn drop_writes(&self) {
        self.dropped.store(true, Ordering::Release);
        self.retire();
    }

    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }

    /// Whether writes are accepted.
    pub fn takes_writes(&self) -> bool {
        self.trouble.suspended().is_none()
    }

    /// Whether the store was found damaged.
    pub fn is_damaged(&self) -> bool {
        let suspended = self.trouble.suspended();
        suspended.is_some_and(|error| error.is_damage())
    }

    /// What writes are answered while they are suspended.
    pub fn suspended(&self) -> Option<EngineError> {
        let error = WriteError::Suspended {
            index: self.name.clone(),
            source: Box::new(self.trouble.suspended()?),
        };
        Some(error.into())
    }

    /// Has the applier try to write again when that is due; gives when it is due next.
    pub fn retry_writes(&self, now: Instant) -> Option<Instant> {
        let (is_due, next) = self.trouble.due(now);
        if is_due && let Some(applier) = self.applier.lock().as_ref() {
            applier.resume();
        }
        next
    }

    /// Notes an error of a read: when it is the store's, the store may have closed itself.
    pub fn read_failed(&self, error: &EngineError) {
        if error.is_of_store() {
            self.trouble.suspend(error.clone(), true);
        }
    }

    /// Notes that what is derived may be wrong, and what was being written as well.
    pub fn distrust_writes(&self, error: &EngineError) {
        // First, so that no attempt to go on writing begins between the two.
        self.trouble.distrust(error.to_string());
        self.trouble.suspend(error.clone(), true);
    }

    /// An error of the postings as the caller is told it. Damage has them made anew.
    pub fn lexical_failed(&self, error: LexicalError) -> EngineError {
        if let LexicalError::Damaged { .. } = error {
            self.trouble.distrust(error.to_string());
        }
        error.into()
    }

    /// Runs what only reads. A panic becomes an error, and what was read is made anew.
    pub fn contain<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            let error = EngineError::of_panic(&*panic);
            self.trouble.distrust(error.to_string());
            Err(error)
        })
    }

    fn stop_applier(&self) {
        let applier = self.applier.lock().take();
        if let Some(applier) = applier {
            applier.stop();
        }
    }

    /// Writes snapshots of the vectors, unless writing is suspended.
    pub fn save_vectors(&self) -> Result<()> {
        if !self.takes_writes() {
            return Ok(());
        }
        let watermark = self.views.load().snapshot.next_doc()?;
        self.room.for_derived(self.vectors.memory_bytes())?;
        self.vectors.save(watermark).map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidData {
                self.trouble
                    .distrust(format!("vectors were lost by the disk: {error}"));
            }
            EngineError::io("saving vectors", error)
        })
    }
}

/// What is read of all documents at start.
struct Loaded {
    columns: Columns,
    alive: BitSet,
    vectors: Vectors,
}

/// Why documents could not be read, or what is derived from them not be written.
enum LoadError {
    Vectors(EngineError),
    Other(EngineError),
}

impl LoadError {
    fn into_inner(self) -> EngineError {
        let (Self::Vectors(error) | Self::Other(error)) = self;
        error
    }
}

impl<E: Into<EngineError>> From<E> for LoadError {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl Loaded {
    /// Reads every document, and the tensors that `vectors` lacks. Vectors are searchable at
    /// once: what is not in the graph yet is scanned, and maintenance links it in the background.
    fn read(
        definition: &Definition,
        read: &ReadView,
        vectors: Vectors,
    ) -> std::result::Result<Self, LoadError> {
        let mut columns = Columns::new(definition.columns_schema());
        let mut alive = BitSet::default();
        read.scan(0, vectors.tensors_from(), |doc, document, tensors| {
            let stored = StoredDocument::decode(document)?;
            columns.insert(
                doc,
                stored.id,
                &IndexedValues::of_stored(&definition.documents, &stored)?.columns,
            );
            if let Some(tensors) = tensors {
                let dimensions = definition.documents.dimensions;
                if decode_references(tensors, dimensions)?.is_none() {
                    let tensors = decode_tensors(tensors, dimensions)?;
                    vectors.insert(doc, &tensors).map_err(LoadError::Vectors)?;
                }
            }
            alive.insert(doc);
            Ok::<_, LoadError>(())
        })?;
        Ok(Self {
            columns,
            alive,
            vectors,
        })
    }
}

/// Where the postings are, and how their texts are analysed.
struct LexicalParts<'p> {
    directory: &'p Path,
    text_fields: &'p TextFields,
}

/// Opens the postings and adds what the store has beyond them.
fn open_lexical(
    parts: LexicalParts<'_>,
    name: &str,
    definition: &Definition,
    read: &ReadView,
    alive: &BitSet,
) -> Result<LexicalIndex> {
    // How many fields there may be is decided before a document is stored; those that are, are added.
    let options = LexicalOptions {
        fields_max: usize::MAX,
        ..LexicalOptions::default()
    };
    let lexical = LexicalIndex::open(parts.directory, options, alive);
    parts.text_fields.apply_to(&lexical);
    if let Some(reason) = lexical.rebuild_reason() {
        log::warn!("the text index of {name} is rebuilt: {reason}");
    }
    let mut step = RebuildStep::default();
    let watermark = lexical.watermark();
    read.scan(watermark, u32::MAX, |doc, document, _| -> Result<()> {
        let stored = StoredDocument::decode(document)?;
        let values = IndexedValues::of_stored(&definition.documents, &stored)?;
        step.push(doc, values.lexical);
        match step.is_full() {
            true => step.add_to(&lexical),
            false => Ok(()),
        }
    })?;
    step.add_to(&lexical)?;
    Ok(lexical)
}

/// Documents whose texts are added to the postings together.
#[derive(Default)]
struct RebuildStep {
    ordinals: Vec<Option<u32>>,
    texts: Vec<Vec<(String, String)>>,
    bytes: usize,
}

impl RebuildStep {
    fn push(&mut self, doc: u32, texts: Vec<(String, String)>) {
        self.bytes += texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        self.ordinals.push(Some(doc));
        self.texts.push(texts);
    }

    fn is_full(&self) -> bool {
        self.texts.len() >= REBUILD_STEP || self.bytes >= REBUILD_STEP_BYTES
    }

    fn add_to(&mut self, lexical: &LexicalIndex) -> Result<()> {
        let Self {
            ordinals, texts, ..
        } = std::mem::take(self);
        let texts = texts.iter().map(|texts| {
            let texts = texts.iter();
            texts.map(|(field, text)| (&**field, &**text))
        });
        lexical.add_batch(&lexical.invert(texts), &ordinals)?;
        lexical.publish();
        // What cannot be written stays in memory.
        while lexical.needs_flush() && lexical.maintain().is_ok() {}
        Ok(())
    }
}

/// What the store keeps of an index beside its documents.
struct Named {
    /// The directory has a generated one.
    name: String,
    definition: Vec<u8>,
    text_fields: TextFields,
}

/// The definition is JSON, which has no zero byte: one parts it from what follows.
/// `text_fields` is what [`TextFields::encode`] wrote.
pub(crate) fn encode_named(name: &str, definition: &[u8], text_fields: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_text(&mut bytes, name);
    bytes.extend_from_slice(definition);
    if !text_fields.is_empty() {
        bytes.push(0);
        bytes.extend_from_slice(text_fields);
    }
    bytes
}

fn decode_named(bytes: &[u8]) -> Result<Named> {
    let mut reader = Reader::new(bytes);
    let name = reader.text();
    let name = name.ok_or(RegistryError::UnreadableDefinition)?;
    let mut parts = reader.rest().splitn(2, |&byte| byte == 0);
    let definition = parts.next().unwrap_or_default();
    let text_fields = TextFields::decode(parts.next().unwrap_or_default());
    Ok(Named {
        name: name.to_owned(),
        definition: definition.to_vec(),
        text_fields: text_fields.ok_or(RegistryError::UnreadableDefinition)?,
    })
}
