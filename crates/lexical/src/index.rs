//! The index as the engine holds it: one writer, one flusher, any number of searches.

mod background;
mod recovery;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;

use crate::analysis::{Analyzer, FieldAnalysis, Segmentation};
use crate::error::{LexicalError, Result, catch_panic};
use crate::field_table::{FieldTable, Slot};
use crate::inverted::{Inverted, InvertedBatch};
use crate::manifest::Manifest;
use crate::posting_list::PostingCursor;
use crate::query::{LexicalHits, LexicalQuery, QueryAnalyses};
use crate::reader::LexicalReader;
use crate::segment::TextSegment;
use crate::term_matches::FieldSelection;
use crate::view::View;

/// Limits of a [`LexicalIndex`].
#[derive(Debug, Clone)]
pub struct LexicalOptions {
    /// Most distinct text fields, at most 53,248. Default 1,024.
    pub fields_max: usize,
    /// Documents in memory from which on [`LexicalIndex::needs_flush`] says so: as many are added
    /// again after a crash. Default 65,536.
    pub flush_documents: usize,
    /// Bytes in memory from which on [`LexicalIndex::needs_flush`] says so. Default 64 MiB.
    pub flush_bytes: usize,
    /// The cut of texts in scripts without blanks. Files of texts that were cut otherwise are not used. Default
    /// [`Segmentation::Pairs`].
    pub segmentation: Segmentation,
}

impl Default for LexicalOptions {
    fn default() -> Self {
        LexicalOptions {
            fields_max: 1_024,
            flush_documents: 65_536,
            flush_bytes: 64 * 1024 * 1024,
            segmentation: Segmentation::Pairs,
        }
    }
}

/// Full-text index over the documents of one Pelorus index.
///
/// Documents are named by ordinals, which ascend with every stored version. All files are
/// derived data: whatever is wrong with them, the engine adds the documents again.
pub struct LexicalIndex {
    dir: PathBuf,
    options: LexicalOptions,
    /// The analyses of fields, for those that have one set.
    field_analyses: ArcSwap<HashMap<String, FieldAnalysis>>,
    /// Taken by whoever replaces the view.
    writer: Mutex<Writer>,
    view: ArcSwap<View>,
    /// Taken for the whole of a flush, always before the writer.
    flusher: Mutex<Flusher>,
    watermark: AtomicU32,
    /// Once true, no file is made, changed or deleted any more.
    is_retired: Arc<AtomicBool>,
    rebuild_reason: Option<LexicalError>,
}

/// The state of the directory.
struct Flusher {
    manifest: Manifest,
    /// False until the directory exists and holds only files that the manifest names.
    is_prepared: bool,
    /// Merged away, but perhaps still being read.
    replaced: Vec<Arc<TextSegment>>,
}

struct Writer {
    /// Includes fields of documents that are not published yet.
    fields: FieldTable,
    /// Tells whether they differ from those of the view.
    has_new_fields: bool,
    /// Documents by ordinal.
    added: Vec<Inverted>,
    removed: Vec<u32>,
    next_ordinal: u32,
}

impl LexicalIndex {
    /// Opens the index in `dir`, creating it if need be. `alive` holds the ordinals of all stored
    /// documents: others found in the files are dead.
    ///
    /// Every byte of every file is compared with its checksum. Files that are missing, damaged, of
    /// another version or that lack a stored document below their watermark are wiped: the index is
    /// then empty and its watermark 0. So it is where the directory cannot be made, read or
    /// emptied; such an index works from memory, and each [`LexicalIndex::flush`] tries the
    /// directory again. [`LexicalIndex::rebuild_reason`] tells which it was.
    pub fn open(dir: &Path, options: LexicalOptions, alive: &BitSet) -> LexicalIndex {
        let recovered = recovery::recover(dir, alive, options.segmentation);
        let (manifest, view) = (recovered.manifest, recovered.view);
        let writer = Writer {
            fields: FieldTable::clone(&view.fields),
            has_new_fields: false,
            added: Vec::new(),
            removed: Vec::new(),
            next_ordinal: manifest.watermark,
        };
        LexicalIndex {
            dir: dir.to_owned(),
            options,
            field_analyses: ArcSwap::default(),
            writer: Mutex::new(writer),
            view: ArcSwap::from_pointee(view),
            watermark: AtomicU32::new(manifest.watermark),
            flusher: Mutex::new(Flusher {
                manifest,
                is_prepared: recovered.is_prepared,
                replaced: Vec::new(),
            }),
            is_retired: Arc::default(),
            rebuild_reason: recovered.reason,
        }
    }

    /// The reason that the index was empty after opening although there may have been files: the
    /// error of them, or of the directory. `None` when they were used, or when there were none.
    pub fn rebuild_reason(&self) -> Option<&LexicalError> {
        self.rebuild_reason.as_ref()
    }

    /// Stored documents with a smaller ordinal are in the files. After opening, all others must
    /// be added again.
    pub fn watermark(&self) -> u32 {
        self.watermark.load(Ordering::Acquire)
    }

    /// Analyses and inverts documents, each given as its (field, text) pairs, in the thread that
    /// calls and without waiting for any other: what [`LexicalIndex::add_batch`] adds is nearly
    /// finished. A field given several times holds all its texts, and no phrase spans two of them.
    pub fn invert<'d>(
        &self,
        documents: impl IntoIterator<Item: IntoIterator<Item = (&'d str, &'d str)>>,
    ) -> InvertedBatch {
        let known = self.field_analyses.load();
        let analysis = |name: &str| known.get(name).copied().unwrap_or_default();
        let analyzer = &mut Analyzer::new(self.options.segmentation);
        InvertedBatch::new(analyzer, analysis, documents)
    }

    /// Says how the texts of a field are analysed that are inverted from now on. To be told before any
    /// of them is, and after each opening: it is not kept here.
    pub fn set_field_analysis(&self, field: &str, analysis: FieldAnalysis) {
        self.field_analyses.rcu(|known| {
            let mut known = HashMap::clone(known);
            known.insert(field.to_owned(), analysis);
            known
        });
    }

    /// Adds the documents of a batch from the next [`LexicalIndex::publish`] on: `ordinals[row]` is
    /// that of the document at `row`, `None` leaves it out. Every stored document is added, also
    /// one without text: it counts.
    ///
    /// # Errors
    /// [`LexicalError::TooManyFields`], [`LexicalError::OrdinalNotAscending`]; nothing is added.
    ///
    /// # Panics
    /// If there are not as many ordinals as documents.
    pub fn add_batch(&self, batch: &InvertedBatch, ordinals: &[Option<u32>]) -> Result<()> {
        assert_eq!(
            ordinals.len(),
            batch.document_count(),
            "an ordinal, or none, for each document"
        );
        self.writer
            .lock()
            .add(batch, ordinals, self.options.fields_max)
    }

    /// Adds a single document, as [`LexicalIndex::add_batch`] does.
    ///
    /// # Errors
    /// As there.
    pub fn add(&self, doc: u32, fields: &[(&str, &str)]) -> Result<()> {
        self.add_batch(&self.invert([fields.iter().copied()]), &[Some(doc)])
    }

    /// Removes a document from the next [`LexicalIndex::publish`] on; of no effect if it is not
    /// here. Its text is not needed.
    pub fn remove(&self, doc: u32) {
        self.writer.lock().removed.push(doc);
    }

    /// Makes everything added and removed so far visible, all at once, to searches that start
    /// from now on.
    pub fn publish(&self) {
        let mut writer = self.writer.lock();
        if writer.added.is_empty() && writer.removed.is_empty() {
            return;
        }
        let mut view = View::clone(&self.view.load());
        if std::mem::take(&mut writer.has_new_fields) {
            view.fields = Arc::new(writer.fields.clone());
        }
        for added in writer.added.drain(..) {
            for row in 0..added.documents().len() {
                view.statistics.add(added.field_lengths(row));
            }
            view.live.push(added);
        }
        for doc in writer.removed.drain(..) {
            view.bury(doc);
        }
        debug_assert_eq!(
            view.statistics.documents,
            view.living(),
            "statistics are those of the living"
        );
        self.view.store(Arc::new(view));
    }

    /// Finds the best documents among those in `accept`.
    ///
    /// Scores are BM25 ([`BM25_K1`](crate::BM25_K1), [`BM25_B`](crate::BM25_B)) added up over the searched fields. They count exactly the
    /// live documents and do not depend on whether a document is in memory or in a segment. When
    /// all fields are searched, the document count of a term is that of documents holding it in
    /// any field; with explicit fields each uses its own.
    ///
    /// # Errors
    /// [`LexicalError::QueryTooLong`], and if a segment cannot be read: [`LexicalError::Damaged`]
    /// where its bytes are not those compared at opening.
    pub fn search(&self, query: &LexicalQuery, accept: &BitSet) -> Result<LexicalHits> {
        let reader = self.reader();
        reader.search_probing(query, accept, None, &Cancellation::never())
    }

    /// Returns a reader of the state that searches see now.
    pub fn reader(&self) -> LexicalReader<'_> {
        LexicalReader::new(
            &self.dir,
            self.view.load_full(),
            self.field_analyses.load_full(),
        )
    }

    /// The documents whose `field` holds the tokens of `value` one behind the other, dead ones
    /// possibly included. Empty for an unknown field and for a value without tokens.
    ///
    /// # Errors
    /// If a segment cannot be read, as in [`LexicalIndex::search`].
    pub fn contains(&self, field: &str, value: &str) -> Result<BitSet> {
        self.contains_until(field, value, &Cancellation::never())
    }

    /// As [`LexicalIndex::contains`], unless it is cancelled.
    ///
    /// # Errors
    /// As there, and [`LexicalError::Cancelled`].
    pub fn contains_until(
        &self,
        field: &str,
        value: &str,
        cancellation: &Cancellation,
    ) -> Result<BitSet> {
        let mut found = BitSet::default();
        let view = self.view.load_full();
        let analyses = QueryAnalyses::new(view.fields.clone(), None);
        let phrase = analyses.phrase(value, &mut analyses.analyzer());
        let (Some(slot), Some(phrase)) = (view.fields.slot(field), phrase) else {
            return Ok(found);
        };
        catch_panic(&self.dir, || {
            for part in view.parts() {
                cancellation.check()?;
                for (_, list) in part
                    .matches(&phrase, FieldSelection::Fields(&[slot]), cancellation)?
                    .lists
                {
                    PostingCursor::new(list).drain_below(u32::MAX, |docs, _, _| {
                        docs.iter().for_each(|&local| {
                            found.insert(part.ordinal(local));
                        });
                    });
                }
            }
            Ok(found)
        })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.dir
    }

    /// The state that searches see now.
    pub(crate) fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    /// Every text field a published document ever had, sorted.
    pub fn fields(&self) -> Vec<String> {
        let mut names = self.view.load().fields.names().to_vec();
        names.sort_unstable();
        names
    }

    /// Tells whether a published document ever had this text field.
    pub fn has_field(&self, name: &str) -> bool {
        self.view.load().fields.slot(name).is_some()
    }

    /// Live published documents.
    pub fn document_count(&self) -> u64 {
        self.view.load().statistics.documents
    }

    /// Documents whose postings are in memory alone.
    pub fn unflushed(&self) -> usize {
        let view = self.view.load();
        let frozen = view
            .frozen
            .as_ref()
            .map_or(0, |delta| delta.document_count());
        view.live.document_count() + frozen
    }

    /// Segments, each of which a search reads.
    pub fn segment_count(&self) -> usize {
        self.view.load().segments.len()
    }

    /// Bytes held in memory, estimated. Postings in segments are mapped files and not counted.
    pub fn memory_bytes(&self) -> usize {
        self.view.load().memory_bytes()
    }
}

impl Writer {
    fn add(
        &mut self,
        batch: &InvertedBatch,
        ordinals: &[Option<u32>],
        fields_max: usize,
    ) -> Result<()> {
        let mut next_ordinal = self.next_ordinal;
        for &doc in ordinals.iter().flatten() {
            if doc < next_ordinal {
                return Err(LexicalError::OrdinalNotAscending {
                    expected: next_ordinal,
                    received: doc,
                });
            }
            next_ordinal = doc + 1;
        }
        // Fields that only documents left out have get no slot.
        let rows = (0..ordinals.len()).filter(|&row| ordinals[row].is_some());
        let numbers = rows.flat_map(|row| batch.inverted().fields(row));
        let mut is_used = vec![false; batch.names().len()];
        numbers.for_each(|one| is_used[one.field as usize] = true);
        debug_assert_eq!(batch.analyses().len(), batch.names().len(), "of each field");
        let used = batch.names().iter().zip(is_used);
        let used: Vec<Option<&str>> = used.map(|(name, used)| used.then_some(&**name)).collect();
        let names: Vec<&str> = used.iter().copied().flatten().collect();
        self.fields.check(&names, fields_max)?;
        let known = self.fields.names().len();
        let slot = |name: Option<&str>| name.map_or(0, |name| self.fields.assign(name));
        let slots: Vec<Slot> = used.iter().copied().map(slot).collect();
        self.has_new_fields |= self.fields.names().len() > known;
        for (number, _) in used.iter().enumerate().filter(|(_, name)| name.is_some()) {
            let analyses = batch.analyses()[number];
            self.has_new_fields |= self.fields.note(slots[number], analyses);
        }
        let inverted = batch.inverted().renumbered(
            |row| ordinals[row as usize],
            |field| u32::from(slots[field as usize]),
        );
        self.added.push(inverted);
        self.next_ordinal = next_ordinal;
        Ok(())
    }
}
