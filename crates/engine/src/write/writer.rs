//! The only writer of an index: drains a queue and commits all waiting jobs together.
//!
//! A write is answered when it is durable and visible, or has failed. After a failed one nothing
//! else is written until the content of the disk is known: the store is opened again in the
//! process, at once and then now and then, and writing goes on only when it takes writes and its
//! content is visible. Reads go on meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::Instant;

use crossbeam_channel::Receiver;
use pelorus_priority::Priority;
use pelorus_store::{CompactCopy, Store};

use crate::WriteDone;
use crate::background::compaction;
use crate::background::keep_up;
use crate::background::maintenance;
use crate::error::{EngineError, Result, WriteError, catch_panic};
use crate::index::Index;
use crate::read::response::ItemsResponse;
use crate::suggestions::{QueryChanges, QueryError, QueryLimits, put_response};
use crate::write::budget::WritePermit;
use crate::write::commit::{Staged, Unsettled, refresh, show, stage};
use crate::write::field_limits::FieldLimits;
use crate::write::job::{DeleteResponse, Job, Outcome, Put, PutResponse};
use crate::write::queue::Task;
use crate::write::update_batch::{Latest, admit_within};

/// Most operations of one commit: bounds how long the first of a group waits for the rest.
const GROUP_OPERATIONS: usize = 1_024;

/// Starts the thread that writes the queued jobs of an index. It ends when the queue is closed.
///
/// # Errors
/// `internal` when the system starts no thread.
pub(crate) fn start(index: &Arc<Index>) -> Result<()> {
    let weak = Arc::downgrade(index);
    index.queue.start(move |tasks| {
        Priority::Bulk.take();
        run(&weak, &tasks);
    })
}

fn run(index: &Weak<Index>, tasks: &Receiver<Task>) {
    let mut writer = Writer::default();
    while let Ok(first) = tasks.recv() {
        let mut group = Group::default();
        let mut next = Some(first);
        let mut is_resume = false;
        let (mut copy, mut look) = (None, None);
        while let Some(task) = next {
            match task {
                Task::Write(job, permit) => group.push(job, permit),
                Task::Resume => {
                    is_resume = true;
                    break;
                }
                Task::Compact(made) => {
                    copy = Some(made);
                    break;
                }
                Task::Look(asked) => {
                    look = Some(asked);
                    break;
                }
            }
            next = match group.operations < GROUP_OPERATIONS {
                true => tasks.try_recv().ok(),
                false => None,
            };
        }
        let Some(index) = index.upgrade() else {
            return group.fail(&WriteError::Closed.into());
        };
        // Taken before the write: writes make up for what they add themselves.
        let unlinked = index.vectors.unlinked();
        index.background.compaction.note(group.operations);
        writer.apply(&index, group);
        if is_resume {
            writer.resume(&index);
        }
        if let Some(copy) = copy {
            compact(&index, *copy);
        }
        if let Some(look) = look
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| look(&index)))
        {
            index
                .errors
                .distrust(EngineError::of_panic(&*panic).to_string());
        }
        index.readings.end_those_that_hold_too_much();
        maintenance::wake(&index);
        keep_up(&index, unlinked);
    }
}

/// Puts a copy in the place of the store. After a panic nothing that was being changed is trusted.
fn compact(index: &Index, copy: CompactCopy) {
    match catch_unwind(AssertUnwindSafe(|| compaction::put_in_place(index, copy))) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => index.errors.suspend(error, false),
        Err(panic) => index.distrust_writes(&EngineError::of_panic(&*panic)),
    }
}

/// Writes that are committed together.
#[derive(Default)]
struct Group {
    jobs: Vec<Job>,
    /// Held until all of them are answered.
    permits: Vec<WritePermit>,
    operations: usize,
}

impl Group {
    fn push(&mut self, job: Job, permit: WritePermit) {
        self.operations += job.operations();
        self.jobs.push(job);
        self.permits.push(permit);
    }

    fn fail(self, error: &EngineError) {
        for job in self.jobs {
            job.fail(error.clone());
        }
    }

    /// Answers the jobs that the disk has no room for, deletes last of all.
    fn refuse_what_has_no_room(&mut self, index: &Index) {
        let adding = self.jobs.iter().filter(|job| job.is_adding());
        let (changes, bytes) = adding.fold((0, 0), |(changes, bytes), job| {
            (changes + job.operations(), bytes + job.bytes())
        });
        if changes > 0
            && let Err(error) = index.files.disk.for_adding(changes, bytes)
        {
            let error = EngineError::from(error);
            for job in self.jobs.extract_if(.., |job| job.is_adding()) {
                job.fail(error.clone());
            }
        }
        if !self.jobs.is_empty()
            && let Err(error) = index.files.disk.for_deleting()
        {
            let error = EngineError::from(error);
            for job in self.jobs.drain(..) {
                job.fail(error.clone());
            }
        }
    }

    /// Merges updates into their documents, each into the result of the changes before it, and
    /// refuses the documents that would take the index over its bounds.
    fn admit(&mut self, index: &Index) -> Result<()> {
        let mut limits = FieldLimits::new(index);
        let mut latest = Latest::of(index);
        let mut queries = QueryLimits::new(&index.suggestions, index.limits());
        for at in 0..self.jobs.len() {
            let (earlier, rest) = self.jobs.split_at_mut(at);
            match &mut rest[0] {
                Job::Delete {
                    ids,
                    of,
                    within,
                    kept,
                    ..
                } => {
                    for (place, id) in ids.iter().enumerate() {
                        let is_meant = latest.is_expired(id) == of.is_of_expired();
                        match is_meant && latest.is_reached(id, within.as_ref(), earlier)? {
                            true => latest.deleted(id),
                            false => kept.push(place),
                        }
                    }
                }
                Job::Define { .. } | Job::StoreRowReferences { .. } => {}
                Job::Suggest { changes, .. } => queries.admit(changes),
                Job::Put { items, within, .. } => {
                    for (place, item) in items.iter_mut().enumerate() {
                        latest.keep_unreached(item, within.as_ref(), earlier)?;
                        latest.merge(item, earlier, &limits)?;
                        admit_within(index, item, within.as_ref())?;
                        let admitted = match item {
                            Ok(put) => limits.admit(put).map(|()| latest.note(put, (at, place))),
                            Err(_) => continue,
                        };
                        if let Err(error) = admitted {
                            *item = Err(error);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The answer to the callers of a group.
enum Answer {
    Put {
        outcomes: Vec<Outcome>,
        respond: PutResponse,
        done: WriteDone,
    },
    Delete {
        count: usize,
        respond: DeleteResponse,
        done: WriteDone,
    },
    /// The answer of a job that is one change and has nothing to tell.
    One { done: WriteDone },
    Suggest {
        /// The number of its changes in the batch.
        count: usize,
        errors: Vec<QueryError>,
        done: WriteDone,
    },
}

impl Answer {
    fn fail(self, error: EngineError) {
        let (Self::Put { done, .. }
        | Self::Delete { done, .. }
        | Self::One { done }
        | Self::Suggest { done, .. }) = self;
        done(Err(error));
    }
}

/// The state of the writing thread.
#[derive(Default)]
struct Writer {
    unsettled: Option<Unsettled>,
}

impl Writer {
    fn apply(&mut self, index: &Index, mut group: Group) {
        if group.jobs.is_empty() {
            return;
        }
        if let Some(error) = index.suspended() {
            return group.fail(&error);
        }
        group.refuse_what_has_no_room(index);
        // The callbacks stay outside of code that may panic: every caller gets an answer.
        let staged = catch_panic(|| {
            group.admit(index)?;
            stage(index, &mut group.jobs)
        });
        let staged = match staged {
            Ok(staged) => staged,
            Err(error) => {
                // Nothing was changed.
                index.read_failed(&error);
                return group.fail(&error);
            }
        };
        let answers: Vec<Answer> = group.jobs.into_iter().map(Answer::of).collect();
        match self.commit_catching_panics(index, staged) {
            Ok(replaced) => respond(answers, &replaced),
            Err(error) => {
                for answer in answers {
                    answer.fail(error.clone());
                }
                self.resume(index);
            }
        }
    }

    /// As [`commit`](Self::commit). After a panic nothing that was being changed is trusted.
    fn commit_catching_panics(
        &mut self,
        index: &Index,
        staged: Staged,
    ) -> Result<Vec<Option<u32>>> {
        let commit = AssertUnwindSafe(|| self.commit(index, staged));
        catch_unwind(commit).unwrap_or_else(|panic| {
            let error = EngineError::of_panic(&*panic);
            index.distrust_writes(&error);
            Err(error)
        })
    }

    /// Commits staged changes and makes them visible; gives the versions that each change replaced.
    fn commit(&mut self, index: &Index, staged: Staged) -> Result<Vec<Option<u32>>> {
        let Staged {
            batch,
            changes,
            replaced,
            words,
            ..
        } = staged;
        if batch.ops.is_empty() {
            return Ok(replaced);
        }
        let store = index.files.store();
        let failed = |error: EngineError| {
            index.errors.suspend(error.clone(), false);
            error
        };
        let pending = store.begin(&batch).map_err(|e| failed(e.into()))?;
        // Kept before the commit: of one that fails nobody knows whether it is in the store.
        let unsettled = self.unsettled.insert(Unsettled {
            replaced: replaced.clone(),
            sequence: index.views.load().snapshot.sequence()? + 1,
            changes,
            words,
        });
        let grown = pending.grown();
        pending.commit().map_err(|e| failed(e.into()))?;
        index.readings.note(grown);
        if let Err(error) = show(index, &store, unsettled) {
            index.errors.suspend(error.clone(), false);
            return Err(error);
        }
        self.unsettled = None;
        Ok(replaced)
    }

    /// Tries to end a suspension. After a panic nothing that was being changed is trusted.
    fn resume(&mut self, index: &Index) {
        let attempt = AssertUnwindSafe(|| self.attempt_to_resume(index));
        if let Err(panic) = catch_unwind(attempt) {
            index.distrust_writes(&EngineError::of_panic(&*panic));
        }
    }

    /// Opens the store again, finds out its content, and makes that visible. Where the disk takes
    /// no writes the store is opened for reading.
    fn attempt_to_resume(&mut self, index: &Index) {
        let now = Instant::now();
        let Some(attempt) = index.errors.attempt(now) else {
            return;
        };
        let mut store_closed = attempt.store_closed;
        if attempt.to_write {
            let opened = match store_closed || !index.files.store().is_writable() {
                true => index.files.store().reopen().map(Arc::new),
                false => Ok(index.files.store()),
            };
            let settled = opened.map_err(EngineError::from);
            match settled.and_then(|store| self.settle(index, store)) {
                Ok(()) => return index.errors.resumed(),
                Err(error) => index.errors.write_failed(error, now),
            }
        }
        if store_closed {
            let opened = index
                .files
                .store()
                .reopen_for_reading()
                .map_err(EngineError::from);
            let settled = opened.and_then(|store| self.settle(index, Arc::new(store)));
            store_closed = settled.is_err();
        }
        index.errors.attempted(store_closed, now);
    }

    /// Makes the content of a store visible that was opened again.
    fn settle(&mut self, index: &Index, store: Arc<Store>) -> Result<()> {
        // First: the one before cannot be opened again any more, should something fail.
        index.files.exchange_store(Arc::clone(&store));
        let sequence = store.read()?.sequence()?;
        if sequence < index.views.load().snapshot.sequence()? {
            let error = WriteError::LostCommits.into();
            index.distrust_writes(&error);
            return Err(error);
        }
        match &self.unsettled {
            Some(unsettled) if sequence >= unsettled.sequence => show(index, &store, unsettled)?,
            // It was not committed: the view shows all there is.
            _ => refresh(index, &store)?,
        }
        self.unsettled = None;
        Ok(())
    }
}

impl Answer {
    /// Keeps the rest of a job whose changes were taken.
    fn of(job: Job) -> Self {
        match job {
            Job::Put {
                items,
                respond,
                done,
                words: _,
                within: _,
            } => Self::Put {
                outcomes: items
                    .into_iter()
                    .map(|item| item.map(Put::into_stored))
                    .collect(),
                respond,
                done,
            },
            Job::Delete {
                ids, respond, done, ..
            } => Self::Delete {
                count: ids.len(),
                respond,
                done,
            },
            Job::Define { done, .. } | Job::StoreRowReferences { done, .. } => Self::One { done },
            Job::Suggest { changes, done } => Self::Suggest {
                count: changes.operations(),
                errors: match changes {
                    QueryChanges::Put(queries) => queries
                        .into_iter()
                        .filter_map(std::result::Result::err)
                        .collect(),
                    QueryChanges::Remove(_) | QueryChanges::RemoveAll => Vec::new(),
                },
                done,
            },
        }
    }
}

/// Answers the callers of a group in whose order `replaced` is.
fn respond(answers: Vec<Answer>, replaced: &[Option<u32>]) {
    let mut existed = replaced.iter().map(Option::is_some);
    for answer in answers {
        match answer {
            Answer::Put {
                mut outcomes,
                respond,
                done,
            } => {
                let stored = outcomes.iter_mut().flatten();
                for stored in stored.filter(|stored| stored.is_change) {
                    stored.existed = existed.next().unwrap_or(false);
                }
                done(respond(&outcomes));
            }
            Answer::Delete {
                count,
                respond,
                done,
            } => {
                let existed: Vec<bool> = existed.by_ref().take(count).collect();
                done(respond(&existed));
            }
            Answer::One { done } => {
                existed.next();
                done(Ok(ItemsResponse::default()));
            }
            Answer::Suggest {
                count,
                errors,
                done,
            } => {
                existed.by_ref().take(count).for_each(drop);
                done(Ok(put_response(count, &errors)));
            }
        }
    }
    debug_assert!(
        existed.len() <= 1,
        "only the record of fields is nobody's change"
    );
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use crate::background::maintenance::tests::index_of_vectors;
    use crate::write::commit::Words;

    #[test]
    fn a_store_that_an_attempt_opened_stays_even_if_it_fails_afterwards() {
        let directory = tempfile::tempdir().unwrap();
        let (index, _) = index_of_vectors(directory.path(), 0);
        let words = || Words {
            inverted: index.lexical.invert([[("title", "dog")]]),
            ordinals: vec![Some(5)],
        };
        // The words of a document cannot be shown twice.
        index
            .lexical
            .add_batch(&words().inverted, &[Some(5)])
            .unwrap();
        let mut writer = Writer {
            unsettled: Some(Unsettled {
                changes: Vec::new(),
                words: vec![words()],
                replaced: Vec::new(),
                sequence: 0,
            }),
        };
        let reopen = || index.files.store().reopen().map(Arc::new);
        assert!(writer.settle(&index, reopen().unwrap()).is_err());
        assert!(index.files.store().is_writable());

        // No other store has the file.
        writer.unsettled = None;
        writer.settle(&index, reopen().unwrap()).unwrap();
        assert!(index.files.store().is_writable());
        index.close();
    }
}
