use pelorus_sparse::{SparseIndex, SparseVector};

use crate::marks::Marks;
use crate::sparse::Sparse;

/// The sparse vectors of the documents of one field.
#[derive(Debug, Default)]
pub(crate) struct SparseVectors {
    /// Entries of each document that has a vector.
    counts: Sparse<u16>,
    index: SparseIndex,
}

impl SparseVectors {
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(crate) fn has(&self, doc: u32) -> bool {
        self.counts.get(doc).is_some()
    }

    /// Tells whether the vector of `doc` is this one; `None` if it has none.
    pub(crate) fn equality(&self, doc: u32, vector: &SparseVector) -> Option<bool> {
        let count = *self.counts.get(doc)?;
        Some(usize::from(count) == vector.entries().len() && self.index.holds(doc, vector))
    }

    /// Sets the vector of `doc`, in place of the one that it has.
    pub(crate) fn insert(&mut self, doc: u32, vector: &SparseVector) {
        if self.equality(doc, vector) == Some(true) {
            return;
        }
        self.remove(doc);
        let count = u16::try_from(vector.entries().len()).expect("a vector has few entries");
        self.counts.insert(doc, count);
        self.index.insert(doc, vector);
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        if let Some(count) = self.counts.remove(doc) {
            self.index.remove(doc, usize::from(count));
        }
        if self.counts.is_empty() {
            self.index = SparseIndex::default();
        }
    }

    /// Marks each document with a vector, as far as the marks reach.
    pub(crate) fn mark_all(&self, marks: &mut Marks) {
        self.counts.scan(marks, |_| true);
    }

    pub(crate) fn index(&self) -> &SparseIndex {
        &self.index
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.counts.memory_bytes() + self.index.memory_bytes()
    }
}
