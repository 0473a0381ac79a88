//! Linking fresh vectors where threads of low priority do not keep up. Searches scan nodes that are not linked, so that
//! they would become slower the longer documents come.
//!
//! | who links | when |
//! |---|---|
//! | threads of low priority | always |
//! | the linker, a thread of the priority of writes | many wait, or nobody asks for anything |
//! | whoever writes | so many wait that searches become slow: writes go on at the pace of linking |
//!
//! As long as many wait, all of them link in haste, which takes a third of the time, so that writes go on the faster.
//! Nodes that were linked so are linked again when nothing is new.
//!
//! Where many documents were replaced or deleted, whoever writes also takes links from the dead, so that writes go on at
//! a pace at which the living stay found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use pelorus_priority::Priority;

use crate::error::EngineError;
use crate::index::Index;

/// Nodes linked in one slice: a few milliseconds, so that many indexes share the threads
/// and a search never waits long for a core.
const GRAPH_SLICE: usize = 16;

/// Nodes that wait to be linked, for each thread that helps with one index.
pub(super) const TAIL_PER_HELPER: usize = 64 * GRAPH_SLICE;

/// Vectors that writes may leave to be scanned: a sixth of a millisecond at the 20 ns that each takes beside writes.
const UNLINKED_MAX: usize = 8_192;

/// Nodes that one commit repairs where many were removed: as many as it may replace itself.
const SWEPT_PER_WRITE: usize = 256;

/// Vectors from which on the linker is called.
const LINKER_MIN: usize = UNLINKED_MAX / 4;

/// When nothing was asked of any index for so long, nobody waits for a core.
const QUIET: Duration = Duration::from_millis(100);

/// Makes the thread link vectors of an index, if it is time to.
pub(super) fn call(index: &Arc<Index>) {
    if is_due(index, Instant::now()) && !index.background.linking.swap(true, Ordering::AcqRel) {
        // The thread lives as long as the process, so the queue cannot be closed.
        let _ = queue().send(Arc::downgrade(index));
    }
}

fn is_due(index: &Index, now: Instant) -> bool {
    let is_quiet = || index.context.activity.none_for(now) >= QUIET;
    let is_much = || index.vectors.unlinked() + index.vectors.to_relink() > TAIL_PER_HELPER;
    many_wait(index) || is_quiet() && is_much()
}

fn many_wait(index: &Index) -> bool {
    index.vectors.unlinked() > LINKER_MIN
}

/// Makes a thread of low priority link a slice; gives the nodes left. Nodes that come in ones and twos are linked with
/// time at once; in haste from fewer nodes on than call the linker, or else this thread would take the core from it and
/// help less.
pub(super) fn advance(index: &Index) -> usize {
    match index.vectors.unlinked() > TAIL_PER_HELPER {
        true => index.vectors.advance_in_haste(GRAPH_SLICE),
        false => index.vectors.advance(GRAPH_SLICE),
    }
}

fn queue() -> &'static Sender<Weak<Index>> {
    static QUEUE: LazyLock<Sender<Weak<Index>>> = LazyLock::new(|| {
        let (sender, receiver) = crossbeam_channel::unbounded::<Weak<Index>>();
        // Without the thread those of low priority do all the work.
        let _ = std::thread::Builder::new()
            .name("pelorus-linker".into())
            .spawn(move || {
                Priority::Bulk.take();
                receiver.iter().for_each(|index| run(&index));
            });
        sender
    });
    &QUEUE
}

/// Links vectors on the thread that writes, if there are more of them than `before` it wrote and more than searches are
/// to scan: twice as many as came. So each write makes up for its own vectors and a part of those that wait, but does
/// not wait for all of them, nor for a training, which takes seconds where there are a million.
pub(crate) fn keep_up(index: &Index, before: usize) {
    let added = index.vectors.unlinked().saturating_sub(before);
    let enough = before.saturating_sub(added).max(UNLINKED_MAX);
    let link = || {
        index.vectors.sweep_overdue(SWEPT_PER_WRITE);
        while index.vectors.unlinked() > enough && !index.is_retired() {
            if index.vectors.link(GRAPH_SLICE) == 0 {
                break;
            }
        }
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(link)) {
        index.distrust_writes(&EngineError::of_panic(&*panic));
    }
}

fn run(index: &Weak<Index>) {
    let Some(index) = index.upgrade() else { return };
    index.background.linking.store(false, Ordering::Release);
    if index.is_retired() {
        return;
    }
    match catch_unwind(AssertUnwindSafe(|| link_slice(&index))) {
        Ok(false) => {}
        Ok(true) => call(&index),
        Err(panic) => index.distrust_writes(&EngineError::of_panic(&*panic)),
    }
}

/// Links a slice, in haste if many wait; gives whether there may be more to link.
fn link_slice(index: &Index) -> bool {
    many_wait(index) && index.vectors.link(GRAPH_SLICE) > 0
        || index.vectors.advance(GRAPH_SLICE) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::maintenance::tests::index_of_vectors;

    #[test]
    fn it_is_time_when_nobody_asks_and_something_is_left() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (index, _) = index_of_vectors(directory.path(), LINKER_MIN);
        let now = Instant::now();
        index.context.activity.next();
        assert!(!is_due(&index, now), "somebody is there");
        assert!(is_due(&index, now + QUIET));
        while index.vectors.unlinked() > TAIL_PER_HELPER {
            index.vectors.advance(GRAPH_SLICE);
        }
        assert!(!is_due(&index, now + QUIET), "too little is left");
        index.close();
    }

    #[test]
    fn vectors_linked_in_haste_are_linked_again_when_nobody_asks() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (index, _) = index_of_vectors(directory.path(), 2 * LINKER_MIN);
        index.vectors.advance(0);
        assert!(link_slice(&index));
        assert!(index.vectors.to_relink() > 0, "many wait");
        while index.vectors.link(GRAPH_SLICE) > 0 {}
        let now = Instant::now();
        index.context.activity.next();
        assert!(!is_due(&index, now), "somebody is there");
        assert!(is_due(&index, now + QUIET));
        while index.vectors.to_relink() > TAIL_PER_HELPER {
            call(&index);
        }
        index.close();
    }

    #[test]
    fn a_thread_of_low_priority_links_in_haste_as_long_as_many_wait() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (index, _) = index_of_vectors(directory.path(), 4 * TAIL_PER_HELPER);
        index.vectors.advance(0);
        while index.vectors.unlinked() > TAIL_PER_HELPER {
            advance(&index);
        }
        let in_haste = index.vectors.to_relink();
        assert!(in_haste >= 3 * TAIL_PER_HELPER, "{in_haste}");
        while index.vectors.unlinked() > 0 {
            advance(&index);
        }
        assert_eq!(index.vectors.to_relink(), in_haste, "few wait");
        while advance(&index) > 0 {}
        assert_eq!(index.vectors.to_relink(), 0);
        index.close();
    }

    #[test]
    fn vectors_too_few_for_a_graph_do_not_keep_the_thread_busy() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (index, _) = index_of_vectors(directory.path(), TAIL_PER_HELPER + 1);
        assert_eq!(
            index.vectors.advance(GRAPH_SLICE),
            0,
            "nothing is to be linked"
        );
        assert!(!is_due(&index, Instant::now() + QUIET));
        index.close();
    }

    #[test]
    fn vectors_that_slow_searches_are_linked_while_they_go_on() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (index, _) = index_of_vectors(directory.path(), LINKER_MIN + TAIL_PER_HELPER);
        while index.vectors.unlinked() > LINKER_MIN {
            index.context.activity.next();
            call(&index);
        }
        while index.vectors.unlinked() > TAIL_PER_HELPER {
            call(&index);
        }
        index.close();
    }

    #[test]
    fn a_write_makes_up_for_what_it_adds_and_as_much_of_what_it_finds() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let found = UNLINKED_MAX + 2 * TAIL_PER_HELPER;
        let (index, _) = index_of_vectors(directory.path(), found + TAIL_PER_HELPER);
        index.vectors.advance(0);
        for (before, expected) in [(found, found - TAIL_PER_HELPER), (0, UNLINKED_MAX)] {
            keep_up(&index, before);
            let left = index.vectors.unlinked();
            assert!(
                (expected - GRAPH_SLICE..=expected).contains(&left),
                "{left}"
            );
        }
        index.close();
    }
}
