//! The times at which the free pages of a store are given back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::background::backoff::Backoff;

/// The pages of a store are looked at, all of them, after at least so many changes ...
const CHANGES_MIN: u64 = 4_096;
/// ... and one for so many documents, as the work grows with these.
const DOCUMENTS_PER_CHANGE: u64 = 4;

/// More changes than there are.
const UNKNOWN: u64 = u64::MAX / 2;

/// The schedule by which the store of an index is compacted.
pub(crate) struct CompactionSchedule {
    /// Changes committed since the pages were last looked at.
    changes: AtomicU64,
    /// The time at which it may be tried again after it failed or was interrupted.
    retry: Mutex<Backoff>,
    /// Copies that were put in the place of the store.
    done: AtomicU64,
}

impl CompactionSchedule {
    /// The state of an index that was just opened: the leavings of earlier processes are not known.
    pub fn new() -> Self {
        Self {
            changes: AtomicU64::new(UNKNOWN),
            retry: Mutex::new(Backoff::SLOW),
            done: AtomicU64::new(0),
        }
    }

    /// The number of times that pages were given back.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Notes that pages were given back.
    pub fn note_done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.succeeded();
    }

    /// Notes that so many changes were committed.
    pub fn note(&self, changes: usize) {
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
    }

    /// Tells whether enough has changed, and no pause forbids to look at the pages.
    pub fn is_due(&self, documents: usize, now: Instant) -> bool {
        let changes_min = CHANGES_MIN.max(documents as u64 / DOCUMENTS_PER_CHANGE);
        self.changes.load(Ordering::Relaxed) >= changes_min && self.retry.lock().may_try(now)
    }

    /// Until when it is put off. None where it is not, or no longer.
    pub fn until(&self, now: Instant) -> Option<Instant> {
        let until = self.retry.lock().until();
        until.filter(|&until| until > now)
    }

    /// Notes that the pages are looked at now.
    pub fn begin(&self) {
        self.changes.store(0, Ordering::Relaxed);
    }

    /// Notes that nothing is left to give back.
    pub fn succeeded(&self) {
        self.retry.lock().succeeded();
    }

    /// Puts it off; gives the pause.
    pub fn put_off(&self, now: Instant) -> Duration {
        let pause = self.retry.lock().failed(now);
        self.changes.store(UNKNOWN, Ordering::Relaxed);
        pause
    }

    /// Tells whether it was put off and that is over.
    pub fn is_overdue(&self, now: Instant) -> bool {
        let until = self.retry.lock().until();
        until.is_some_and(|until| until <= now)
    }
}
