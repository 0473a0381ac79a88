//! The counts of an index's audits since the engine was opened.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::Structure;
use crate::generated::{AuditDifferences, AuditFigures};

/// Counts of audits. They outlive the index that is made anew.
#[derive(Default)]
pub(crate) struct AuditCounts {
    rounds: AtomicUsize,
    documents: AtomicUsize,
    /// By structure.
    differences: [AtomicUsize; Structure::ALL.len()],
    relinked: AtomicUsize,
    /// The time at which the last round ended, or the index was first seen.
    since: Mutex<Option<Instant>>,
}

impl AuditCounts {
    /// Counts documents that were compared.
    pub fn compared(&self, documents: usize) {
        self.documents.fetch_add(documents, Ordering::Relaxed);
    }

    /// Counts documents that differ in a structure.
    pub fn differed(&self, structure: Structure, documents: usize) {
        self.differences[structure as usize].fetch_add(documents, Ordering::Relaxed);
    }

    /// Counts vectors that nothing led to and that are linked again.
    pub fn relinked(&self, vectors: usize) {
        self.relinked.fetch_add(vectors, Ordering::Relaxed);
    }

    /// Notes that a round has passed over all documents.
    pub fn passed(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes the end of a round, whether it has passed or not.
    pub fn ended(&self, now: Instant) {
        *self.since.lock() = Some(now);
    }

    /// The end of the last round; now, where this was never asked.
    pub fn since(&self, now: Instant) -> Instant {
        *self.since.lock().get_or_insert(now)
    }
}

impl From<&AuditCounts> for AuditFigures {
    fn from(counts: &AuditCounts) -> Self {
        let of =
            |structure: Structure| counts.differences[structure as usize].load(Ordering::Relaxed);
        Self {
            rounds: counts.rounds.load(Ordering::Relaxed),
            documents: counts.documents.load(Ordering::Relaxed),
            differences: AuditDifferences {
                ordinals: of(Structure::Ordinals),
                columns: of(Structure::Columns),
                text: of(Structure::Text),
                vectors: of(Structure::Vectors),
                graph: of(Structure::Graph),
            },
            relinked: counts.relinked.load(Ordering::Relaxed),
        }
    }
}
