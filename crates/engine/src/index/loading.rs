//! Reading of a store and of derived files as an index is opened, and the addition of missing parts.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use pelorus_columns::Columns;
use pelorus_documents::{IndexedValues, StoredDocument, decode_references, decode_tensors};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, MergePolicy};
use pelorus_store::{ReadView, StoreError};

use crate::error::{EngineError, Result};
use crate::index::definition::Definition;
use crate::index::text_fields::TextFields;
use crate::vectors::Vectors;

/// Documents of a rebuild of the postings that are inverted together, at most; and bytes of their
/// texts after which no other joins them. Then it looks whether memory has to be flushed.
const REBUILD_STEP: usize = 1_024;
const REBUILD_STEP_BYTES: usize = 4 * 1024 * 1024;

/// Runs both, at once if that is worth a thread.
///
/// # Errors
/// `internal` when the system starts no thread.
pub(super) fn both<A: Send, B>(
    is_worth_it: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> Result<(A, B)> {
    if !is_worth_it {
        return Ok((first(), second()));
    }
    thread::scope(|scope| {
        let named = thread::Builder::new().name("pelorus-opening".into());
        let first = named.spawn_scoped(scope, first);
        let first = first.map_err(EngineError::thread)?;
        let second = second();
        match first.join() {
            Ok(first) => Ok((first, second)),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// The parts that are read from all documents at start.
pub(super) struct Documents {
    pub columns: Columns,
    pub alive: BitSet,
    /// The moments of those that have one.
    pub expiries: Vec<(u32, i64)>,
}

impl Documents {
    pub fn read(definition: &Definition, read: &ReadView) -> Result<Self> {
        let mut columns = definition.columns();
        let mut alive = BitSet::default();
        let mut expiries = Vec::new();
        read.scan(0, u32::MAX, |doc, document, _| -> Result<()> {
            let stored = StoredDocument::decode(document)?;
            let values = IndexedValues::of_stored(&definition.documents, &stored)?;
            columns.insert(doc, stored.id, &values.columns);
            alive.insert(doc);
            expiries.extend(values.expires_at.map(|moment| (doc, moment)));
            Ok(())
        })?;
        if columns.id_count() != alive.len() {
            let error = StoreError::Damaged {
                place: "documents".to_owned(),
                reason: format!("{} have {} ids", alive.len(), columns.id_count()),
            };
            return Err(error.into());
        }
        Ok(Self {
            columns,
            alive,
            expiries,
        })
    }
}

/// The place of the vectors.
pub(super) struct VectorParts<'v> {
    pub index: &'v str,
    pub folder: PathBuf,
    /// The same vectors, opened before, where they are still read.
    pub before: Option<&'v Vectors>,
}

impl VectorParts<'_> {
    /// Opens the vectors and adds those that the store has beyond them, in memory where a file takes no more. They are
    /// searchable at once: nodes that are not in the graph yet are scanned, and maintenance links them in the
    /// background.
    pub fn open(self, definition: &Definition, read: &ReadView) -> Result<Vectors> {
        let Self {
            index,
            folder,
            before,
        } = self;
        let params = definition.hnsw_params();
        let in_memory = |error: EngineError| {
            log::warn!("index {index}: {error}; its vectors are in memory until they are saved");
            Vectors::in_memory(params.clone(), folder.clone(), read)
        };
        let vectors = match Vectors::open(params.clone(), folder.clone(), read, before) {
            Err(error) if error.may_pass() => in_memory(error)?,
            opened => opened?,
        };
        match add_stored_vectors(&vectors, definition, read) {
            Ok(()) => Ok(vectors),
            Err(AddError::Vectors(error)) => {
                let vectors = in_memory(error)?;
                add_stored_vectors(&vectors, definition, read).map_err(AddError::into_inner)?;
                Ok(vectors)
            }
            Err(AddError::Store(error)) => Err(error),
        }
    }
}

/// The reason that vectors of the store could not be added: they could not be written, or not be
/// read.
enum AddError {
    Vectors(EngineError),
    Store(EngineError),
}

impl AddError {
    fn into_inner(self) -> EngineError {
        let (Self::Vectors(error) | Self::Store(error)) = self;
        error
    }
}

impl<E: Into<EngineError>> From<E> for AddError {
    fn from(error: E) -> Self {
        Self::Store(error.into())
    }
}

/// Adds the vectors that the store has itself and `vectors` lack.
fn add_stored_vectors(
    vectors: &Vectors,
    definition: &Definition,
    read: &ReadView,
) -> std::result::Result<(), AddError> {
    let dimensions = definition.documents.dimensions;
    let from = vectors.tensors_from();
    read.scan(from, from, |doc, _, tensors| {
        if let Some(tensors) = tensors
            && decode_references(tensors, dimensions)?.is_none()
        {
            let tensors = decode_tensors(tensors, dimensions)?;
            vectors.insert(doc, &tensors).map_err(AddError::Vectors)?;
        }
        Ok::<_, AddError>(())
    })
}

/// The place of the postings, and the analyses of their texts.
pub(super) struct LexicalParts<'p> {
    pub directory: &'p Path,
    pub text_fields: &'p TextFields,
}

/// Opens the postings and adds the documents that the store has beyond them.
pub(super) fn open_lexical(
    parts: LexicalParts<'_>,
    name: &str,
    definition: &Definition,
    read: &ReadView,
    alive: &BitSet,
) -> Result<LexicalIndex> {
    // How many fields there may be is decided before a document is stored; those that are, are added.
    let options = LexicalOptions {
        fields_max: usize::MAX,
        segmentation: definition.segmentation,
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
        // Segments that cannot be written stay in memory.
        while lexical.needs_flush(MergePolicy::Leveled)
            && lexical.maintain(MergePolicy::Leveled).is_ok()
        {}
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use pelorus_store::{WriteBatch, WriteOp};

    use super::*;
    use crate::background::maintenance::tests::index_of_vectors;

    #[test]
    fn two_documents_with_one_id_are_damage() {
        let directory = tempfile::tempdir().unwrap();
        let (index, _) = index_of_vectors(directory.path(), 0);
        let put = |doc, id: u8| WriteOp::Put {
            doc,
            replaces: None,
            // As it is stored: a version, the length of the id and the id.
            document: vec![1, 1, 0, 0, 0, id],
            tensors: Vec::new(),
        };
        let read = |ops| {
            index.files.store().commit(&WriteBatch { ops }).unwrap();
            Documents::read(&index.definition, &index.files.store().read().unwrap())
        };
        assert_eq!(
            read(vec![put(0, b'a'), put(1, b'b')]).unwrap().alive.len(),
            2
        );
        let error = read(vec![put(2, b'a')]).map(|_| ()).unwrap_err();
        assert!(error.is_damage(), "{error}");
        assert!(error.to_string().contains("3 have 2 ids"), "{error}");
        index.close();
    }
}
