//! The work that waits for an index, and what it has done.

use crate::generated::IndexWork;
use crate::index::Index;
use crate::write::disk_reserve::bytes_on_disk;

impl IndexWork {
    pub fn of(index: &Index) -> Self {
        let (filter_hits, filter_misses) = index.caches.filters.uses();
        let [modifications, times] = [index.caches.modifications.uses(), index.caches.times.uses()];
        let to_relink = index.vectors.to_relink();
        Self {
            queued_writes: index.queue.len(),
            unlinked_vectors: index.vectors.unlinked(),
            vectors_to_relink: to_relink,
            unflushed_documents: index.lexical.unflushed(),
            text_segments: index.lexical.segment_count(),
            // A file that cannot be asked is told by health.
            store_bytes: bytes_on_disk(&index.files.store_path()).unwrap_or(0) as usize,
            compactions: index.background.compaction.done() as usize,
            filter_hits: filter_hits as usize,
            filter_misses: filter_misses as usize,
            score_hits: (modifications.0 + times.0) as usize,
            score_misses: (modifications.1 + times.1) as usize,
        }
    }
}
