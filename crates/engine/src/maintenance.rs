//! Background work on at most cores - 1 threads: linking fresh vectors into the graphs,
//! flushing the lexical delta, taking dead versions out of the derived structures.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::index::Index;

/// Nodes linked in one slice: a few milliseconds, so that many indexes share the threads
/// and a search never waits long for a core.
const GRAPH_SLICE: usize = 16;

/// Pause before looking again whether readers have let go of an old view.
const READERS_PAUSE: Duration = Duration::from_millis(2);

/// Puts an index into the queue of the maintenance threads unless it waits there already.
pub(crate) fn wake(index: &Arc<Index>) {
    if !index.scheduled.swap(true, Ordering::AcqRel) {
        enqueue(Arc::downgrade(index));
    }
}

fn enqueue(index: Weak<Index>) {
    // The threads live as long as the process, so the queue cannot be closed.
    let _ = queue().send(index);
}

fn queue() -> &'static Sender<Weak<Index>> {
    static QUEUE: OnceLock<Sender<Weak<Index>>> = OnceLock::new();
    QUEUE.get_or_init(|| {
        let (sender, receiver) = crossbeam_channel::unbounded::<Weak<Index>>();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores.saturating_sub(1).max(1) {
            let receiver = receiver.clone();
            // Without the thread writes still work; only the background work would wait.
            let _ = std::thread::Builder::new()
                .name("pelorus-maintenance".into())
                .spawn(move || {
                    while let Ok(index) = receiver.recv() {
                        if let Some(index) = index.upgrade() {
                            slice(&index);
                        }
                    }
                });
        }
        sender
    })
}

fn slice(index: &Arc<Index>) {
    // Cleared first: a write that arrives during this slice schedules another one.
    index.scheduled.store(false, Ordering::Release);
    if index.dropped.load(Ordering::Acquire) {
        return;
    }
    let work = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(index)));
    match work {
        Ok(true) => wake(index),
        Ok(false) => {}
        Err(_) => index.poison(),
    }
}

/// Does one slice; true when more is left.
fn work(index: &Index) -> bool {
    index.reclaim();
    if index.lexical.needs_flush() {
        // What is not flushed stays in the delta and is tried again with the next write.
        let _ = index.lexical.flush();
    }
    let left = index.vectors.advance(GRAPH_SLICE);
    let waiting = index.views.has_retired();
    if left == 0 && waiting {
        std::thread::sleep(READERS_PAUSE);
    }
    left > 0 || waiting
}
