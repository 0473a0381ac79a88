//! The progress of a store in referring to rows of vectors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use crate::background::backoff::Backoff;
use crate::error::{EngineError, Result};

/// The progress of one index, step by step.
pub(crate) struct ReferenceProgress(Arc<Progress>);

struct Progress {
    /// While a step is under way.
    is_busy: AtomicBool,
    /// Documents below this were looked at.
    next: AtomicU32,
    counted: Mutex<Counted>,
    /// The time at which it may be tried again after it failed.
    retry: Mutex<Backoff>,
}

/// Documents behind the steps, some of which may be gone by now.
#[derive(Default)]
pub(crate) struct Counted {
    /// Those below were counted.
    pub end: u32,
    /// So many of them have vectors in the store.
    pub waiting: u64,
}

impl ReferenceProgress {
    pub fn new() -> Self {
        Self(Arc::new(Progress {
            is_busy: AtomicBool::default(),
            next: AtomicU32::default(),
            counted: Mutex::default(),
            retry: Mutex::new(Backoff::SLOW),
        }))
    }

    /// The first document that no step has looked at.
    pub fn next(&self) -> u32 {
        self.0.next.load(Ordering::Relaxed)
    }

    /// Tells whether no failure forbids a step.
    pub fn may_try(&self, now: Instant) -> bool {
        self.0.retry.lock().may_try(now)
    }

    /// Tells whether so many documents wait. Where fewer are known, `count` adds others, from the one that it is
    /// given on.
    pub fn has_waiting(
        &self,
        documents: u64,
        count: impl FnOnce(u32, &mut Counted) -> Result<()>,
    ) -> Result<bool> {
        let mut counted = self.0.counted.lock();
        if counted.waiting < documents {
            let from = counted.end.max(self.next());
            count(from, &mut counted)?;
        }
        Ok(counted.waiting >= documents)
    }

    /// Begins a step; none while another is under way.
    pub fn begin(&self) -> Option<Turn> {
        let was_busy = self.0.is_busy.swap(true, Ordering::AcqRel);
        (!was_busy).then(|| Turn(Arc::clone(&self.0)))
    }

    /// Notes a failed step of the index with this name: the next waits for a while.
    pub fn failed(&self, index: &str, error: &EngineError) {
        self.0.failed(index, error);
    }
}

impl Progress {
    fn failed(&self, index: &str, error: &EngineError) {
        let pause = self.retry.lock().failed(Instant::now()).as_secs();
        log::warn!(
            "the vectors of index {index} stay in its store: {error}; tried again after {pause} s at the earliest"
        );
    }
}

/// One step. The next may begin once it is dropped.
pub(crate) struct Turn(Arc<Progress>);

impl Turn {
    /// Notes that the step has looked at the documents below `end`, of which so many had vectors.
    pub fn passed(&self, end: u32, looked_at: u64) {
        let Progress {
            next,
            counted,
            retry,
            ..
        } = &*self.0;
        debug_assert!(end >= next.load(Ordering::Relaxed), "steps go on");
        next.store(end, Ordering::Relaxed);
        let mut counted = counted.lock();
        counted.waiting = match end < counted.end {
            true => counted.waiting.saturating_sub(looked_at),
            false => 0,
        };
        counted.end = counted.end.max(end);
        drop(counted);
        retry.lock().succeeded();
    }

    /// Notes that no document is left to look at: those that were counted are gone.
    pub fn found_none(&self) {
        let mut counted = self.0.counted.lock();
        counted.waiting = 0;
        counted.end = self.0.next.load(Ordering::Relaxed);
    }

    /// Notes that the step failed.
    pub fn failed(&self, index: &str, error: &EngineError) {
        self.0.failed(index, error);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.is_busy.store(false, Ordering::Release);
    }
}
