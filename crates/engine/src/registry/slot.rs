//! An index's place in the registry.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;

use crate::audit::figures::AuditCounts;
use crate::background::backoff::Backoff;
use crate::error::EngineError;
use crate::index::Index;

/// The registry's record of an index from its creation until its deletion, whatever becomes of its
/// files.
///
/// The index is open, idle (closed, and opened by the next call that needs it) or unopened (it could
/// not be opened; it is tried again now and then). `turn` is held by whoever changes that.
pub(crate) struct Slot {
    pub name: String,
    /// The folder of its files. Several only where a start found more than one of this name.
    pub homes: Mutex<Vec<PathBuf>>,
    pub open: ArcSwapOption<Index>,
    /// The definition of the index that was open last.
    pub definition: ArcSwapOption<ArcSwap<Vec<u8>>>,
    pub unopened: Mutex<Option<Unopened>>,
    pub turn: Mutex<()>,
    pub dropped: AtomicBool,
    /// The time at which its derived files were last made anew while it ran.
    pub rebuilt: Mutex<Option<Instant>>,
    /// The counts of its audits.
    pub audit: AuditCounts,
    /// The count of all uses when it was last used.
    used: AtomicU64,
}

/// The reason that an index cannot be opened, and the next attempt.
pub(crate) struct Unopened {
    pub error: EngineError,
    pub retry: Backoff,
}

impl Slot {
    pub fn new(name: String, homes: Vec<PathBuf>) -> Arc<Self> {
        Arc::new(Self {
            name,
            homes: Mutex::new(homes),
            open: ArcSwapOption::empty(),
            definition: ArcSwapOption::empty(),
            unopened: Mutex::default(),
            turn: Mutex::default(),
            dropped: AtomicBool::new(false),
            rebuilt: Mutex::default(),
            audit: AuditCounts::default(),
            used: AtomicU64::new(0),
        })
    }

    /// Makes `index` the one that is open.
    pub fn opened(&self, index: &Arc<Index>) {
        self.definition.store(Some(index.definition.json.clone()));
        self.open.store(Some(index.clone()));
    }

    /// Notes that it is used now, by the count of all uses.
    pub fn touch(&self, now: u64) {
        self.used.store(now, Ordering::Relaxed);
    }

    /// The time of its last use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The reason that it cannot be opened; `None` where it can, as far as is known.
    pub fn error(&self) -> Option<EngineError> {
        let unopened = self.unopened.lock();
        unopened.as_ref().map(|unopened| unopened.error.clone())
    }

    /// Notes a failed attempt to open it.
    pub fn failed(&self, error: EngineError) {
        let mut unopened = self.unopened.lock();
        let mut retry = match unopened.take() {
            Some(before) if before.error.code() == error.code() => before.retry,
            _ if error.may_pass() => Backoff::QUICK,
            _ => Backoff::SLOW,
        };
        retry.failed(Instant::now());
        *unopened = Some(Unopened { error, retry });
    }
}
