//! The state of an index that belongs to the work in the background.

use std::sync::atomic::{AtomicBool, AtomicUsize};

use parking_lot::Mutex;

use crate::background::backoff::Backoff;
use crate::background::compaction_schedule::CompactionSchedule;
use crate::background::reference_progress::ReferenceProgress;

/// Notes of the threads in the background about one index.
pub(crate) struct Background {
    /// True while the index waits in the maintenance queue.
    pub scheduled: AtomicBool,
    /// True while the index waits in the linker's queue.
    pub linking: AtomicBool,
    /// Held while dead versions are taken out of columns and graphs.
    pub reclaiming: Mutex<()>,
    /// True while the deletion of expired documents waits to be written.
    pub reaping: AtomicBool,
    /// Slices that only link vectors of this index, waiting or running.
    pub helpers: AtomicUsize,
    /// The time at which the vectors may be saved again after that failed.
    pub saving: Mutex<Backoff>,
    /// The time at which the postings may be flushed again after that failed.
    pub flushing: Mutex<Backoff>,
    /// The progress of the store in referring to rows of vectors.
    pub referring: ReferenceProgress,
    /// The times at which the store gives back its free pages.
    pub compaction: CompactionSchedule,
}

impl Background {
    /// The state of an index that was just opened.
    pub fn new() -> Self {
        Self {
            scheduled: AtomicBool::new(false),
            linking: AtomicBool::new(false),
            reclaiming: Mutex::default(),
            reaping: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            saving: Mutex::new(Backoff::SLOW),
            flushing: Mutex::new(Backoff::SLOW),
            referring: ReferenceProgress::new(),
            compaction: CompactionSchedule::new(),
        }
    }
}
