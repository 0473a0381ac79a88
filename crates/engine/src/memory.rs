//! What an index holds in memory, by what it is for.

use serde::Serialize;

use crate::index::Index;

/// Bytes.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Memory {
    /// Vectors, their codes and graphs.
    pub vectors: usize,
    /// What filters and score modifiers read, and which versions are alive.
    pub columns: usize,
    /// Words that are not in files yet, and what is known of the files.
    pub lexical: usize,
    /// What passed the filters asked for lately.
    pub filters: usize,
    /// Pages of the truth.
    pub documents: usize,
}

impl Memory {
    pub fn of(index: &Index) -> Self {
        let alive = size_of_val(index.views.load().alive.words());
        Self {
            vectors: index.vectors.memory_bytes(),
            columns: index.columns.read().memory_bytes() + alive,
            lexical: index.lexical.memory_bytes(),
            filters: index.filters.memory_bytes(),
            documents: index.store().memory_bytes(),
        }
    }

    pub fn total(&self) -> usize {
        self.vectors + self.columns + self.lexical + self.filters + self.documents
    }
}
