//! One open index: its store, the data derived from it, and the current view.

mod current_definition;
pub(crate) mod definition;
pub(crate) mod errors;
pub(crate) mod expiries;
pub(crate) mod field_history;
mod files;
mod live_columns;
mod loading;
pub(crate) mod memory;
mod opening;
mod search_caches;
pub(crate) mod seen_fields;
pub(crate) mod text_fields;
mod work;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use pelorus_columns::FieldValue;
use pelorus_documents::{IndexKind, StoredDocument};
use pelorus_lexical::{LexicalError, LexicalIndex};
use pelorus_suggest::Suggestions;

use crate::background::activity::Activity;
use crate::background::state::Background;
use crate::error::{EngineError, RegistryError, Result, WriteError};
use crate::generated::{EngineOptions, Severity};
use crate::read::readings::Readings;
use crate::read::view::{View, Views};
use crate::registry::lock::DirectoryLock;
use crate::registry::waker::Waker;
use crate::vectors::{VectorDamage, Vectors};
use crate::write::budget::WriteBudget;
use crate::write::queue::{QueueSender, WriteQueue};

use current_definition::CurrentDefinition;
use errors::IndexErrors;
use expiries::{Clock, Expiries};
use field_history::FieldHistory;
use files::IndexFiles;
pub(crate) use files::store_path;
use live_columns::LiveColumns;
pub(crate) use opening::{LEXICAL, Named, STORE_CACHE_BYTES, VECTORS, decode_named, encode_named};
use search_caches::SearchCaches;

/// The parts that every index of an engine shares.
#[derive(Debug, Clone)]
pub(crate) struct IndexContext {
    pub limits: Arc<EngineOptions>,
    pub clock: Clock,
    pub waker: Waker,
    pub activity: Arc<Activity>,
    pub writes: WriteBudget,
    /// Last, so that the directory is free for another engine only when all files are closed.
    pub _lock: Arc<DirectoryLock>,
}

/// The state of one index. Code that changes it, or wakes others to, takes it as an argument.
pub(crate) struct Index {
    pub definition: CurrentDefinition,
    pub files: IndexFiles,
    pub columns: LiveColumns,
    /// The moments from which documents are gone.
    pub expiries: Expiries,
    pub caches: SearchCaches,
    pub lexical: LexicalIndex,
    pub fields: FieldHistory,
    pub vectors: Vectors,
    /// The queries that somebody who types may mean.
    pub suggestions: Suggestions,
    pub views: Views,
    /// The readings that go on page by page.
    pub readings: Readings,
    pub queue: WriteQueue,
    pub errors: IndexErrors,
    pub background: Background,
    /// Last, so that the directory is free for another engine only when these files are closed.
    pub context: IndexContext,
}

/// The new columns of a document from the next view on.
pub(crate) struct Revised<'a> {
    pub doc: u32,
    pub id: &'a str,
    pub columns: &'a [(String, FieldValue)],
    pub expires_at: Option<i64>,
}

/// Dead versions taken out of the columns under one lock: some tens of microseconds.
const RECLAIM_STEP: usize = 16;

impl Index {
    pub fn name(&self) -> &str {
        &self.definition.documents.index
    }

    pub fn limits(&self) -> &EngineOptions {
        &self.context.limits
    }

    /// Descriptors that the index holds: its store's, and one for each field of vectors.
    pub fn descriptors(&self) -> usize {
        1 + self.vectors.field_count()
    }

    /// Makes a view current, and with it the columns of documents that were revised in place: whoever
    /// holds the lock of the columns sees both or neither.
    pub fn publish(&self, view: View, dead: Vec<u32>, revised: &[Revised<'_>]) -> Result<()> {
        self.check_next(&view, &dead);
        if revised.is_empty() {
            self.views.publish(view, dead);
            return Ok(());
        }
        let sequence = view.snapshot.sequence()?;
        let mut columns = self.columns.write();
        let mut revisions = self.columns.revisions.lock();
        for Revised {
            doc,
            id,
            columns: values,
            expires_at,
        } in revised
        {
            // One that was also replaced or deleted is not seen again.
            if view.alive.contains(*doc) {
                columns.insert(*doc, id, values);
                self.set_expiry(*doc, *expires_at);
                revisions.note(sequence, *doc);
            }
        }
        self.views.publish(view, dead);
        Ok(())
    }

    /// Checks what must hold of the view that follows the current one. Builds for release check nothing.
    fn check_next(&self, view: &View, dead: &[u32]) {
        debug_assert_eq!(view.live, view.alive.len(), "its count is that of its set");
        debug_assert!(
            view.snapshot.count().ok() == Some(view.live as u64),
            "the store holds as many documents"
        );
        debug_assert!(
            view.snapshot.sequence().ok() >= self.views.load().snapshot.sequence().ok(),
            "a sequence never falls"
        );
        debug_assert!(
            dead.iter().all(|&doc| !view.alive.contains(doc)),
            "the dead are not shown"
        );
    }

    /// The version of a document that a view shows, unless its moment has come.
    pub fn version_of(&self, view: &View, id: &str) -> Option<u32> {
        let version = self.stored_version_of(view, id);
        version.filter(|doc| !self.expiries.is_gone(*doc))
    }

    /// Gives a version the moment from which it is gone, and whoever deletes it then a call.
    pub fn set_expiry(&self, doc: u32, moment: Option<i64>) {
        if self.expiries.set(doc, moment) {
            self.context.waker.wake();
        }
    }

    /// The version of a document that a view has, whether its moment has come or not. Columns have it as long as somebody
    /// holds the view.
    pub fn stored_version_of(&self, view: &View, id: &str) -> Option<u32> {
        let columns = self.columns.read();
        columns.version_of(id, |doc| view.alive.contains(doc))
    }

    /// Takes dead versions out of columns and graphs; no reader sees them any more.
    pub fn reclaim(&self) {
        // The audit would find them in some structures and not in others.
        let _reclaiming = self.background.reclaiming.lock();
        let dead = self.views.reclaim();
        if dead.is_empty() {
            return;
        }
        // Searches wait for this lock, and a thread of low priority may be interrupted under it.
        debug_assert!(
            dead.iter()
                .all(|&doc| !self.views.load().alive.contains(doc)),
            "an ordinal never lives again"
        );
        self.expiries.remove(&dead);
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
            IndexKind::Unstructured { .. } => self
                .fields
                .seen
                .load()
                .with_tensor_fields(self.vectors.names()),
        }
    }

    /// Tells whether tensor search may use a field.
    pub fn has_tensor_field(&self, name: &str) -> bool {
        match self.definition.structured() {
            Some(declared) => declared.tensor_fields.iter().any(|field| field == name),
            None => self.fields.seen.load().has_tensor_field(name) || self.vectors.has_field(name),
        }
    }

    /// Tells whether lexical search may use a field.
    pub fn has_lexical_field(&self, name: &str) -> bool {
        match self.definition.structured() {
            Some(declared) => declared
                .get(name)
                .is_some_and(|field| field.has("lexical_search")),
            None => self.fields.seen.load().has_lexical_field(name) || self.lexical.has_field(name),
        }
    }

    /// The names that lexical search may use: declared ones, else those seen so far.
    pub fn lexical_field_names(&self) -> Vec<String> {
        match &self.definition.documents.kind {
            IndexKind::Structured(declared) => declared.lexical_field_names(),
            IndexKind::Unstructured { .. } => self
                .fields
                .seen
                .load()
                .with_lexical_fields(self.lexical.fields()),
        }
    }

    /// The way into the queue of writes.
    pub fn writes(&self) -> Result<QueueSender> {
        let sender = self.queue.sender();
        // Asked afterwards: an index that is deleted is marked before its queue is closed.
        if self.queue.is_dropped() {
            return Err(RegistryError::not_found(self.name()).into());
        }
        if let Some(error) = self.suspended() {
            return Err(error);
        }
        sender.ok_or_else(|| match self.is_retired() {
            true => {
                let index = self.name().to_owned();
                WriteError::Rebuilding { index }.into()
            }
            false => RegistryError::not_found(self.name()).into(),
        })
    }

    /// Stops the writer; jobs already queued are finished first. Then saves the data that would
    /// have to be made anew at the next start.
    pub fn close(&self) {
        self.queue.stop();
        if self.is_retired() {
            return;
        }
        // A failure loses nothing: the store rebuilds postings and vectors.
        if self
            .files
            .disk
            .for_derived(self.lexical.memory_bytes())
            .is_ok()
        {
            let _ = self.lexical.close();
        }
        let _ = self.save_vectors();
        self.queue.mark_retired();
    }

    /// Ends all writing, by callers and by the background, and saves nothing. Searches go on.
    pub fn retire(&self) {
        self.queue.mark_retired();
        self.queue.stop();
        self.lexical.retire();
        self.vectors.retire();
    }

    /// [Retires](Self::retire) an index that is being deleted.
    pub fn drop_writes(&self) {
        self.queue.mark_dropped();
        self.retire();
    }

    pub fn is_retired(&self) -> bool {
        self.queue.is_retired()
    }

    /// Tells whether writes are accepted.
    pub fn takes_writes(&self) -> bool {
        self.errors.suspended().is_none()
    }

    /// Tells whether the store was found damaged.
    pub fn is_damaged(&self) -> bool {
        let suspended = self.errors.suspended();
        suspended.is_some_and(|error| error.is_damage())
    }

    /// The error that it has, with how bad that is; none where nothing is wrong.
    pub fn status(&self) -> Option<(Severity, EngineError)> {
        self.errors.status().or_else(|| {
            let damage = self.vectors.damage(&self.views.load().alive)?;
            Some((Severity::Yellow, self.partly_damaged(damage)))
        })
    }

    /// Says which vectors are damaged. The document is named as far as it can be read.
    fn partly_damaged(&self, damage: VectorDamage) -> EngineError {
        EngineError::PartlyDamaged {
            documents: damage.documents,
            id: self.id_of(&self.views.load(), damage.first),
            fields: damage.fields,
        }
    }

    /// The `_id` of a document as it is stored; empty where it cannot be read.
    pub fn id_of(&self, view: &View, doc: u32) -> String {
        let document = view.snapshot.document(doc).ok().flatten();
        let stored = document.as_deref().map(StoredDocument::decode);
        let id = stored.and_then(|stored| Some(stored.ok()?.id.to_owned()));
        id.unwrap_or_default()
    }

    /// The answer to writes while they are suspended.
    pub fn suspended(&self) -> Option<EngineError> {
        let error = WriteError::Suspended {
            index: self.name().to_owned(),
            source: Box::new(self.errors.suspended()?),
        };
        Some(error.into())
    }

    /// Asks the writer to try again when that is due; gives when it is due next.
    pub fn retry_writes(&self, now: Instant) -> Option<Instant> {
        let (is_due, next) = self.errors.due(now);
        if is_due {
            self.queue.resume();
        }
        next
    }

    /// Notes an error of a read: when it is the store's, the store may have closed itself.
    pub fn read_failed(&self, error: &EngineError) {
        if error.is_of_store() {
            self.errors.suspend(error.clone(), true);
        }
    }

    /// Notes that derived data may be wrong, and those being written as well.
    pub fn distrust_writes(&self, error: &EngineError) {
        // First, so that no attempt to go on writing begins between the two.
        self.errors.distrust(error.to_string());
        self.errors.suspend(error.clone(), true);
    }

    /// An error of the postings as the caller is told it. Damage has them made anew.
    pub fn lexical_failed(&self, error: LexicalError) -> EngineError {
        if let LexicalError::Damaged { .. } = error {
            self.errors.distrust(error.to_string());
        }
        error.into()
    }

    /// Runs what only reads. A panic becomes an error, and the derived data that were read are made
    /// anew.
    pub fn catch_panic<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            let error = EngineError::of_panic(&*panic);
            self.errors.distrust(error.to_string());
            Err(error)
        })
    }

    /// Writes snapshots of the vectors, unless writing is suspended.
    pub fn save_vectors(&self) -> Result<()> {
        if !self.takes_writes() {
            return Ok(());
        }
        let watermark = self.views.load().snapshot.next_doc()?;
        self.files.disk.for_derived(self.vectors.memory_bytes())?;
        self.vectors.save(watermark).map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidData {
                self.errors
                    .distrust(format!("vectors were lost by the disk: {error}"));
            }
            EngineError::io("saving vectors", error)
        })
    }
}
