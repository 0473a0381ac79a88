//! The thread that looks after broken indexes: it opens those again that could not be opened, lets
//! writing begin again where it failed, has derived files made anew, and expired documents deleted.

use std::fs;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{Registry, Slot, unopened};
use crate::background::{maintenance, reaper};
use crate::error::{EngineError, Result, catch_panic};
use crate::index::Index;
use crate::write::writer;

/// The time after which derived files of an index are made anew again at the earliest, ...
const REBUILD_PAUSE: Duration = Duration::from_secs(30);
/// ... and when a panic of a search asks for it.
const READ_REBUILD_PAUSE: Duration = Duration::from_secs(60 * 60);

/// Starts the thread. It ends when the registry is gone.
///
/// # Errors
/// `internal` when the system starts no thread.
pub(crate) fn start(registry: Weak<Registry>, calls: Receiver<()>) -> Result<()> {
    let run = move || {
        while wait(&calls, due(&registry)) {
            // Mended by `due` of the next round.
        }
    };
    std::thread::Builder::new()
        .name("pelorus-mender".into())
        .spawn(run)
        .map(drop)
        .map_err(EngineError::thread)
}

/// The time of the next step.
enum Due {
    /// Nothing is broken.
    Never,
    At(Instant),
    /// The registry is gone.
    End,
}

/// Mends the indexes that are due and tells when one is due again.
fn due(registry: &Weak<Registry>) -> Due {
    let Some(registry) = registry.upgrade() else {
        return Due::End;
    };
    match registry.mend(Instant::now()) {
        None => Due::Never,
        Some(at) => Due::At(at),
    }
}

/// Waits for a call or the time; false at the end.
fn wait(calls: &Receiver<()>, due: Due) -> bool {
    match due {
        Due::End => false,
        Due::Never => calls.recv().is_ok(),
        Due::At(at) => !matches!(calls.recv_deadline(at), Err(RecvTimeoutError::Disconnected)),
    }
}

impl Registry {
    /// Mends the indexes that are due and tells when one is due again.
    fn mend(&self, now: Instant) -> Option<Instant> {
        let slots: Vec<Arc<Slot>> = self.slots.read().values().cloned().collect();
        let due = slots.iter().filter_map(|slot| self.mend_slot(slot, now));
        let due = due.min();
        let removals = self.removals.lock().retry(&self.layout, now);
        due.into_iter().chain(removals).min()
    }

    fn mend_slot(&self, slot: &Arc<Slot>, now: Instant) -> Option<Instant> {
        if let Some(index) = slot.open.load_full() {
            let rebuild = index
                .errors
                .distrusted()
                .and_then(|reason| self.rebuild(slot, &reason, now));
            let write = index.retry_writes(now);
            let compaction = maintenance::retry_compaction(&index, now);
            let expiry = reaper::reap(&index, now);
            let due = rebuild.into_iter().chain(write).chain(compaction);
            return due.chain(expiry).min();
        }
        let due = {
            let unopened = slot.unopened.lock();
            unopened.as_ref()?.retry.until()
        };
        if due.is_some_and(|due| now < due) {
            return due;
        }
        let _turn = slot.turn.lock();
        let is_gone = slot.dropped.load(Ordering::Acquire) || slot.open.load().is_some();
        if is_gone || self.context().is_err() {
            return None;
        }
        match self.open_slot(slot) {
            Ok(_) => {
                log::info!("index {} is open again", slot.name);
                None
            }
            Err(_) => slot.unopened.lock().as_ref()?.retry.until(),
        }
    }

    /// Makes the derived files of an index anew from its store. Searches go on with what there is
    /// meanwhile; writes are refused. Gives when it is to be tried if it is too early.
    fn rebuild(&self, slot: &Slot, reason: &str, now: Instant) -> Option<Instant> {
        let _turn = slot.turn.lock();
        let index = slot.open.load_full()?;
        let mut rebuilt = slot.rebuilt.lock();
        if let Some(last) = *rebuilt {
            let is_doubted = index.takes_writes() && !index.errors.is_certain();
            if is_doubted && now < last + READ_REBUILD_PAUSE {
                // A panic of a search so soon after is a defect of ours, and no damage.
                index.errors.trust_again();
                return None;
            }
            if now < last + REBUILD_PAUSE {
                return Some(last + REBUILD_PAUSE);
            }
        }
        *rebuilt = Some(now);
        drop(rebuilt);
        log::error!(
            "index {}: {reason}; its derived files are made anew",
            slot.name
        );
        index.retire();
        let made = Index::set_derived_aside(index.files.directory(), &self.layout.trash())
            .and_then(|aside| {
                let made = catch_panic(|| {
                    let made = index.reopen_derived()?;
                    writer::start(&made)?;
                    Ok(made)
                });
                for folder in aside {
                    // A folder that cannot be removed now is removed at the next start.
                    let _ = fs::remove_dir_all(folder);
                }
                made
            });
        match made {
            Ok(made) => {
                slot.opened(&made);
                maintenance::wake(&made);
                log::info!("index {} is whole again", slot.name);
            }
            Err(error) => {
                // Nothing of it can be trusted any more; opening it is tried again and again.
                slot.failed(unopened(&slot.name, &slot.homes.lock(), error));
                slot.open.store(None);
                self.context().ok()?.waker.wake();
            }
        }
        None
    }
}
