//! One durable copy of each vector: a commit stores vectors with their documents, and in the background
//! the store comes to refer to the rows of the field's file, which search reads anyway, in their place.
//!
//! Nothing of that can lose a vector. Rows are referred to once they are durable and their bytes are those in the
//! store, in one commit that changes nothing else; so whether it succeeds, fails or ends in doubt, the store's word is
//! true. Rows keep their numbers as long as their document is in any view, and the checksum in the store is compared
//! whenever they are read.

use std::time::Instant;

use pelorus_documents::{RowReference, refer_to_rows, resolve_rows};
use pelorus_store::ReadView;

use crate::WriteDone;
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::read::response::ItemsResponse;
use crate::vectors::fields::FieldFolder;
use crate::write::job::Job;

/// Documents whose vectors are replaced by references in one commit: some megabytes.
const STEP: usize = 4_096;
/// Documents for which it is worth a commit while others are written, ...
pub(crate) const WORTH_BESIDE_WRITES: u64 = STEP as u64;
/// ... and while nothing else is left to do. With fewer an index stays one file that is written.
pub(crate) const WORTH_AT_REST: u64 = 1_024;

/// The tensors stored with a document, its vectors among them wherever they are.
#[derive(Default)]
pub(crate) struct StoredTensors {
    /// As they are [encoded](pelorus_documents::encode_tensors), or empty; zeros in place of vectors that are damaged.
    pub bytes: Vec<u8>,
    /// The fields whose vectors are damaged.
    pub damaged: Vec<String>,
}

impl StoredTensors {
    /// The tensors of a document whose vectors are all whole.
    ///
    /// # Errors
    /// [`EngineError::DamagedVectors`].
    pub fn whole(self, id: &str) -> Result<Vec<u8>> {
        match self.damaged.into_iter().next() {
            None => Ok(self.bytes),
            Some(field) => Err(EngineError::DamagedVectors {
                id: id.to_owned(),
                field,
            }),
        }
    }
}

/// The tensors stored with a document; none where that version is gone.
pub(crate) fn stored_tensors(
    index: &Index,
    snapshot: &ReadView,
    doc: u32,
) -> Result<Option<StoredTensors>> {
    let mut damaged = Vec::new();
    let Some(bytes) = snapshot.tensors(doc)? else {
        return Ok(None);
    };
    if bytes.is_empty() {
        return Ok(Some(StoredTensors { bytes, damaged }));
    }
    let dimensions = index.definition.documents.dimensions;
    let copy = |field: &str, rows, out: &mut Vec<u8>| -> Result<()> {
        if !index.vectors.copy_rows(field, doc, rows, out)? {
            damaged.push(field.to_owned());
        }
        Ok(())
    };
    let bytes = resolve_rows(bytes, dimensions, copy)?;
    Ok(Some(StoredTensors { bytes, damaged }))
}

/// Tells whether the vectors of so many documents are in the store and may be referred to by now.
pub(crate) fn is_worth_it(index: &Index, documents: u64) -> Result<bool> {
    let progress = &index.background.referring;
    if !progress.may_try(Instant::now()) {
        return Ok(false);
    }
    progress.has_waiting(documents, |from, counted| {
        let view = index.views.load();
        view.snapshot.scan_unreferred(from, |doc, bytes| {
            counted.end = doc.saturating_add(1);
            counted.waiting += u64::from(!bytes.is_empty());
            Ok::<_, EngineError>(counted.waiting < documents)
        })
    })
}

/// Asks the writer to replace the vectors of the next documents by references to their rows; tells whether it
/// has such a step to take now. `done` is told when that is durable; at once where there is nothing to do,
/// or another step is under way.
///
/// A failure is logged, and a step not worth it again for a while.
///
/// # Errors
/// Errors of the disk; `done` is not called then.
pub(crate) fn refer(index: &Index, done: WriteDone) -> Result<bool> {
    let progress = &index.background.referring;
    attempt(index, done).inspect_err(|error| progress.failed(index.name(), error))
}

fn attempt(index: &Index, done: WriteDone) -> Result<bool> {
    // There is none where writes are suspended, and in an index that is being closed or deleted.
    let is_trusted = index.errors.distrusted().is_none();
    let Some(writes) = index.writes().ok().filter(|_| is_trusted) else {
        done(Ok(ItemsResponse::default()));
        return Ok(false);
    };
    let Some(turn) = index.background.referring.begin() else {
        done(Ok(ItemsResponse::default()));
        return Ok(true);
    };
    let Some(step) = step(index)? else {
        turn.found_none();
        drop(turn);
        done(Ok(ItemsResponse::default()));
        return Ok(false);
    };
    let Step { end, looked_at, .. } = step;
    let name = index.name().to_owned();
    let done: WriteDone = Box::new(move |answer| {
        match &answer {
            Ok(_) => turn.passed(end, looked_at),
            Err(error) => turn.failed(&name, error),
        }
        drop(turn);
        done(answer);
    });
    let job = Job::StoreRowReferences {
        references: step.references,
        places: step.places,
        done,
    };
    writes.submit(job);
    Ok(true)
}

/// The references and places to write.
struct Step {
    references: Vec<(u32, Vec<u8>)>,
    places: Vec<FieldFolder>,
    /// The document after those that were looked at.
    end: u32,
    /// The number of these that have vectors in the store.
    looked_at: u64,
}

fn step(index: &Index) -> Result<Option<Step>> {
    // First: whatever it shows was pushed before the rows are secured.
    let view = index.views.load();
    let dimensions = index.definition.documents.dimensions;
    let from = index.background.referring.next();
    // The commit writes as much as it replaces, at most.
    let bytes = STEP * dimensions * size_of::<f32>();
    index.files.disk.for_derived(bytes)?;
    let secured = index.vectors.secure();
    let secured = secured.map_err(|error| EngineError::io("securing vectors", error))?;
    let places = secured.iter().map(|(field, _)| field);
    let mut step = Step {
        references: Vec::new(),
        places: places.cloned().chain(index.vectors.parked()).collect(),
        end: from,
        looked_at: 0,
    };
    view.snapshot.scan_unreferred(from, |doc, bytes| {
        let refer = |field: &str, count: usize, bytes: &[u8]| {
            let rows = index.vectors.rows_of(field, doc, bytes)?;
            let (_, end) = secured.iter().find(|(known, _)| known.name == field)?;
            let is_secured = rows.first + u64::from(rows.count) <= *end;
            (is_secured && rows.count as usize == count).then_some(RowReference {
                first: rows.first,
                count,
                checksum: rows.checksum,
            })
        };
        // A document without any tensors has nothing to refer to.
        if !bytes.is_empty() {
            let references = refer_to_rows(bytes, dimensions, refer)?;
            step.references
                .extend(references.map(|references| (doc, references)));
            step.looked_at += 1;
        }
        step.end = doc.saturating_add(1);
        Ok::<_, EngineError>(step.references.len() < STEP)
    })?;
    debug_assert!(step.end >= from && step.references.len() <= STEP);
    debug_assert!(step.references.is_sorted_by_key(|(doc, _)| *doc));
    let is_some = step.end > from;
    Ok(is_some.then_some(step))
}
