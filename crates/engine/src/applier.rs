//! The only writer of an index: drains a queue and commits what waits in it together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;
use pelorus_store::{WriteBatch, WriteOp};

use crate::WriteDone;
use crate::admission::Admission;
use crate::apply::{ReadyDocument, add_response};
use crate::document::ItemError;
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::response::ItemsResponse;
use crate::tensors::encode_tensors;
use crate::view::View;

/// Most operations of one commit: bounds how long the first of a group waits for the rest.
const GROUP_OPERATIONS: usize = 1_024;

/// One request that waits for its commit.
pub(crate) enum Job {
    Add {
        items: Vec<std::result::Result<ReadyDocument, ItemError>>,
        done: WriteDone,
    },
    Delete {
        ids: Vec<String>,
        respond: DeleteResponse,
        done: WriteDone,
    },
}

/// Builds the answer to a delete from whether each id existed.
pub(crate) type DeleteResponse = Box<dyn FnOnce(&[bool]) -> Result<ItemsResponse> + Send>;

impl Job {
    fn operations(&self) -> usize {
        match self {
            Self::Add { items, .. } => items.len(),
            Self::Delete { ids, .. } => ids.len(),
        }
    }
}

/// Handle to the thread that applies writes.
#[derive(Clone)]
pub(crate) struct Applier {
    queue: Sender<Job>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Applier {
    pub fn start(index: &Arc<Index>) -> Result<Self> {
        let (queue, jobs) = crossbeam_channel::unbounded();
        let weak = Arc::downgrade(index);
        let thread = std::thread::Builder::new()
            .name("pelorus-applier".into())
            .spawn(move || run(&weak, &jobs))
            .map_err(|e| EngineError::internal(format!("cannot start a thread: {e}")))?;
        Ok(Self {
            queue,
            thread: Arc::new(Mutex::new(Some(thread))),
        })
    }

    pub fn submit(&self, job: Job) {
        if let Err(unsent) = self.queue.send(job) {
            let (Job::Add { done, .. } | Job::Delete { done, .. }) = unsent.into_inner();
            done(Err(EngineError::internal("the index is closed")));
        }
    }

    /// Waits until every queued job has been applied.
    pub fn stop(self) {
        drop(self.queue);
        if let Some(thread) = self.thread.lock().take() {
            // A panic of the applier has poisoned the index already.
            let _ = thread.join();
        }
    }
}

fn run(index: &Weak<Index>, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut operations = first.operations();
        let mut group = vec![first];
        while operations < GROUP_OPERATIONS
            && let Ok(job) = jobs.try_recv()
        {
            operations += job.operations();
            group.push(job);
        }
        let Some(index) = index.upgrade() else { return };
        apply_group(&index, group);
        crate::maintenance::wake(&index);
    }
}

/// Refuses the documents that would take the index over its bounds, before anything is committed.
fn admit(index: &Index, group: &mut [Job]) {
    let mut admission = Admission::new(index);
    for job in group {
        let Job::Add { items, .. } = job else {
            continue;
        };
        for item in items {
            if let Ok(document) = item
                && let Err(error) = admission.admit(document)
            {
                *item = Err(error);
            }
        }
    }
}

fn apply_group(index: &Index, mut group: Vec<Job>) {
    admit(index, &mut group);
    // The callbacks stay outside of what may panic: every caller gets an answer.
    let outcome = catch_unwind(AssertUnwindSafe(|| commit_group(index, &group)));
    match outcome.unwrap_or_else(|_| Err(EngineError::internal("a write panicked"))) {
        Ok(existed) => respond(group, existed),
        Err(error) => {
            index.poison();
            for job in group {
                let (Job::Add { done, .. } | Job::Delete { done, .. }) = job;
                done(Err(error.clone()));
            }
        }
    }
}

fn respond(group: Vec<Job>, existed: Vec<Vec<bool>>) {
    for (job, existed) in group.into_iter().zip(existed) {
        match job {
            Job::Add { items, done } => {
                let outcomes: Vec<_> = items
                    .into_iter()
                    .map(|item| item.map(|document| document.id))
                    .collect();
                done(add_response(&outcomes));
            }
            Job::Delete { respond, done, .. } => done(respond(&existed)),
        }
    }
}

/// Commits a group and applies it; tells for every operation of every job whether its id
/// existed before.
fn commit_group(index: &Index, group: &[Job]) -> Result<Vec<Vec<bool>>> {
    let read = index.store.read()?;
    let mut next = read.next_doc()?;
    let mut batch = WriteBatch { ops: Vec::new() };
    let mut docs = Vec::new();
    for job in group {
        match job {
            Job::Add { items, .. } => {
                for document in items.iter().flatten() {
                    docs.push(Some(next));
                    batch.ops.push(WriteOp::Put {
                        id: document.id.clone(),
                        doc: next,
                        document: document.document.clone(),
                        tensors: encode_tensors(&document.tensors, index.definition.numbers),
                    });
                    next = next.checked_add(1).ok_or_else(|| {
                        EngineError::internal("the index has used up its document numbers")
                    })?;
                }
            }
            Job::Delete { ids, .. } => {
                for id in ids {
                    docs.push(None);
                    batch.ops.push(WriteOp::Delete { id: id.clone() });
                }
            }
        }
    }
    drop(read);
    if batch.ops.is_empty() {
        return Ok(group.iter().map(|_| Vec::new()).collect());
    }
    let replaced = index.store.commit(&batch)?;
    drop(batch);
    make_visible(index, group, &docs, &replaced)?;

    let mut existed = replaced.iter().map(Option::is_some);
    Ok(group
        .iter()
        .map(|job| {
            let count = match job {
                Job::Add { items, .. } => items.iter().flatten().count(),
                Job::Delete { ids, .. } => ids.len(),
            };
            existed.by_ref().take(count).collect()
        })
        .collect())
}

/// Applies a durable group to everything derived and publishes the new view.
fn make_visible(
    index: &Index,
    group: &[Job],
    docs: &[Option<u32>],
    replaced: &[Option<u32>],
) -> Result<()> {
    let documents = group.iter().flat_map(|job| match job {
        Job::Add { items, .. } => items.iter().flatten().map(Some).collect::<Vec<_>>(),
        Job::Delete { ids, .. } => vec![None; ids.len()],
    });
    let view = index.views.load();
    let mut next = View {
        alive: view.alive.clone(),
        live: view.live,
        truth: index.store.read()?,
    };
    drop(view);
    let mut dead = Vec::new();
    for ((document, doc), replaced) in documents.zip(docs).zip(replaced) {
        if let Some(old) = replaced
            && next.alive.contains(*old)
        {
            next.alive.remove(*old);
            next.live -= 1;
            dead.push(*old);
            index.lexical.remove(*old);
        }
        if let (Some(document), Some(doc)) = (document, *doc) {
            index.insert(doc, &document.id, &document.values, &document.tensors)?;
            next.alive.insert(doc);
            next.live += 1;
        }
    }
    index.lexical.publish();
    index.views.publish(next, dead);
    Ok(())
}
