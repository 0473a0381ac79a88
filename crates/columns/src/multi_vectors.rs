use std::collections::BTreeMap;
use std::sync::Arc;

use pelorus_maxsim::MultiVector;

use crate::marks::Marks;
use crate::sparse::Sparse;

/// The vectors of the documents of one field of which each may have many.
#[derive(Debug, Default)]
pub struct MultiVectors {
    /// Shared, so that a search can score them without the columns.
    vectors: Sparse<Arc<MultiVector>>,
    /// Documents by the dimensions of their vectors.
    documents: BTreeMap<usize, usize>,
    bytes: usize,
}

impl MultiVectors {
    /// The vectors of a document.
    pub fn get(&self, doc: u32) -> Option<&Arc<MultiVector>> {
        self.vectors.get(doc)
    }

    /// The dimensions that vectors have, ascending: one, unless documents were added with several.
    pub fn dimensions(&self) -> impl Iterator<Item = usize> {
        self.documents.keys().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Sets the vectors of `doc`, in place of those that it has.
    pub(crate) fn insert(&mut self, doc: u32, vectors: &Arc<MultiVector>) {
        self.remove(doc);
        *self.documents.entry(vectors.dimensions()).or_default() += 1;
        self.bytes += bytes_of(vectors);
        self.vectors.insert(doc, vectors.clone());
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        let Some(vectors) = self.vectors.remove(doc) else {
            return;
        };
        self.bytes -= bytes_of(&vectors);
        let dimensions = vectors.dimensions();
        if let Some(count) = self.documents.get_mut(&dimensions) {
            *count -= 1;
            if *count == 0 {
                self.documents.remove(&dimensions);
            }
        }
    }

    /// Marks each document with vectors, as far as the marks reach.
    pub(crate) fn mark_all(&self, marks: &mut Marks) {
        self.vectors.scan(marks, |_| true);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.vectors.memory_bytes() + self.bytes
    }
}

/// The bytes that a document's vectors take, with the counts of those who share them.
fn bytes_of(vectors: &MultiVector) -> usize {
    size_of::<MultiVector>() + 2 * size_of::<usize>() + vectors.memory_bytes()
}
