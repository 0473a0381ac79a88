//! The queue of an index's only writer, and the thread that empties it.

use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;
use pelorus_store::CompactCopy;

use crate::error::{EngineError, Result, WriteError};
use crate::index::Index;
use crate::write::budget::{WriteBudget, WritePermit};
use crate::write::job::Job;

/// An entry of the queue.
pub(crate) enum Task {
    Write(Job, WritePermit),
    /// To try to end the suspension of the index.
    Resume,
    /// To put a copy in the place of the store.
    Compact(Box<CompactCopy>),
    /// To look at the index while nothing is written.
    Look(Box<dyn FnOnce(&Index) + Send>),
}

/// The queue of one index. It takes tasks from when it is [started](Self::start) until it is
/// [stopped](Self::stop).
pub(crate) struct WriteQueue {
    budget: WriteBudget,
    open: Mutex<Option<Open>>,
    /// A [`Life`], which only goes on.
    life: AtomicU8,
}

/// The stage of an index on its way to its end.
#[repr(u8)]
enum Life {
    /// Writes come and go.
    Serving,
    /// Nothing is written any more, not by the background either; searches go on.
    Retired,
    /// Retired, and to be deleted.
    Dropped,
}

struct Open {
    tasks: Sender<Task>,
    thread: JoinHandle<()>,
}

impl WriteQueue {
    /// A queue whose writes have their places in `budget`.
    pub fn new(budget: WriteBudget) -> Self {
        Self {
            budget,
            open: Mutex::default(),
            life: AtomicU8::new(Life::Serving as u8),
        }
    }

    /// Runs `write` with the tasks of the queue, on a thread of its own.
    ///
    /// # Errors
    /// `internal` when the system starts no thread.
    pub fn start(&self, write: impl FnOnce(Receiver<Task>) + Send + 'static) -> Result<()> {
        let (tasks, queued) = unbounded();
        let thread = std::thread::Builder::new()
            .name("pelorus-writer".into())
            .spawn(move || write(queued))
            .map_err(EngineError::thread)?;
        let before = self.open.lock().replace(Open { tasks, thread });
        debug_assert!(before.is_none(), "an index has one writer");
        Ok(())
    }

    /// The way into the queue; none where it is not open.
    pub fn sender(&self) -> Option<QueueSender> {
        let open = self.open.lock();
        open.as_ref().map(|open| QueueSender {
            tasks: open.tasks.clone(),
            budget: self.budget.clone(),
        })
    }

    /// The number of tasks that wait.
    pub fn len(&self) -> usize {
        let open = self.open.lock();
        open.as_ref().map_or(0, |open| open.tasks.len())
    }

    /// Asks the writer to try to end the suspension of its index.
    pub fn resume(&self) {
        if let Some(open) = &*self.open.lock() {
            // An index that is closed needs no more writing.
            let _ = open.tasks.send(Task::Resume);
        }
    }

    /// Closes the queue, and waits until every queued task is done.
    pub fn stop(&self) {
        let open = self.open.lock().take();
        if let Some(Open { tasks, thread }) = open {
            drop(tasks);
            // A panic on it has been answered to all who waited.
            let _ = thread.join();
        }
    }

    pub fn mark_retired(&self) {
        self.life.fetch_max(Life::Retired as u8, Ordering::AcqRel);
    }

    pub fn mark_dropped(&self) {
        self.life.fetch_max(Life::Dropped as u8, Ordering::AcqRel);
    }

    pub fn is_retired(&self) -> bool {
        self.life.load(Ordering::Acquire) >= Life::Retired as u8
    }

    pub fn is_dropped(&self) -> bool {
        self.life.load(Ordering::Acquire) >= Life::Dropped as u8
    }
}

/// A way into the queue, which stays open as long as this is held.
pub(crate) struct QueueSender {
    tasks: Sender<Task>,
    budget: WriteBudget,
}

impl QueueSender {
    /// Queues a write, or answers that too much waits already.
    pub fn submit(&self, job: Job) {
        match self.budget.take(job.queued_bytes()) {
            Ok(permit) => {
                if let Err(unsent) = self.tasks.send(Task::Write(job, permit))
                    && let Task::Write(job, _) = unsent.into_inner()
                {
                    job.fail(WriteError::Closed.into());
                }
            }
            Err(error) => job.fail(error.into()),
        }
    }

    /// Asks the writer to run `look`, when all before it in the queue is visible and nothing else is written.
    pub fn between_commits(&self, look: Box<dyn FnOnce(&Index) + Send>) {
        let _ = self.tasks.send(Task::Look(look));
    }

    /// Asks the writer to put a copy of the store in its place.
    pub fn compact(&self, copy: Box<CompactCopy>) {
        // The file of a copy that nobody needs is removed.
        let _ = self.tasks.send(Task::Compact(copy));
    }
}
