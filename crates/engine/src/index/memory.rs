//! The memory of an index, by use.

use crate::generated::IndexMemory;
use crate::index::Index;

impl IndexMemory {
    pub fn of(index: &Index) -> Self {
        let alive = size_of_val(index.views.load().alive.words());
        Self {
            vectors: index.vectors.memory_bytes(),
            columns: index.columns.read().memory_bytes()
                + index.caches.modifications.memory_bytes()
                + index.caches.times.memory_bytes()
                + alive
                + index.expiries.memory_bytes(),
            lexical: index.lexical.memory_bytes(),
            filters: index.caches.filters.memory_bytes(),
            suggestions: index.suggestions.memory_bytes(),
            documents: index.files.store().memory_bytes(),
        }
    }

    pub fn total(&self) -> usize {
        self.vectors
            + self.columns
            + self.lexical
            + self.filters
            + self.suggestions
            + self.documents
    }
}
