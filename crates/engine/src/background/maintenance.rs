//! Background work on at most cores - 1 threads of low priority: linking fresh vectors into the graphs, flushing the
//! lexical delta, taking dead versions out of the derived structures, saving the graphs, and giving back free pages of
//! the store. Where they do not keep up with linking, the [linker](linker) does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use parking_lot::Mutex;
use pelorus_lexical::MergePolicy;
use pelorus_priority::Priority;

use crate::background::backoff::Backoff;
use crate::background::compaction::compact_if_due;
use crate::background::linker::{self, TAIL_PER_HELPER};
use crate::background::row_references;
use crate::error::{EngineError, Result, catch_panic};
use crate::index::Index;

/// Pause before looking again whether readers have let go of an old view.
const READERS_PAUSE: Duration = Duration::from_millis(2);

/// One slice of work that waits for a thread.
enum Slice {
    /// All that an index needs. An index has at most one of these in the queue.
    Everything(Weak<Index>),
    /// Linking alone, next to the slice above, while many vectors wait for it.
    Links(Weak<Index>),
}

/// Puts an index into the queue of the maintenance threads unless it waits there already, and into
/// that of the linker if it is time to.
pub(crate) fn wake(index: &Arc<Index>) {
    linker::call(index);
    if !index.background.scheduled.swap(true, Ordering::AcqRel) {
        enqueue(Slice::Everything(Arc::downgrade(index)));
    }
}

/// Puts an index into the queue whose compaction was put off until now; gives until when it is put off.
pub(crate) fn retry_compaction(index: &Arc<Index>, now: Instant) -> Option<Instant> {
    if index.background.compaction.is_overdue(now) {
        wake(index);
    }
    index.background.compaction.until(now)
}

fn enqueue(slice: Slice) {
    // The threads live as long as the process, so the queue cannot be closed.
    let _ = queue().send(slice);
}

/// The number of threads: one core is left for requests.
fn threads() -> usize {
    static THREADS: LazyLock<usize> = LazyLock::new(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        cores.saturating_sub(1).max(1)
    });
    *THREADS
}

fn queue() -> &'static Sender<Slice> {
    static QUEUE: LazyLock<Sender<Slice>> = LazyLock::new(|| {
        let (sender, receiver) = crossbeam_channel::unbounded::<Slice>();
        for _ in 0..threads() {
            let receiver = receiver.clone();
            // Without the thread writes still work; only the background work would wait.
            let _ = std::thread::Builder::new()
                .name("pelorus-maintenance".into())
                .spawn(move || {
                    Priority::Background.take();
                    while let Ok(slice) = receiver.recv() {
                        run(&slice);
                        std::thread::yield_now();
                    }
                });
        }
        sender
    });
    &QUEUE
}

fn run(slice: &Slice) {
    let (Slice::Everything(weak) | Slice::Links(weak)) = slice;
    let Some(index) = weak.upgrade() else { return };
    match slice {
        Slice::Everything(_) => everything(&index),
        Slice::Links(_) => links(&index),
    }
}

fn everything(index: &Arc<Index>) {
    // Cleared first: a write that arrives during this slice schedules another one.
    index.background.scheduled.store(false, Ordering::Release);
    if index.is_retired() {
        return;
    }
    match catch_unwind(AssertUnwindSafe(|| work(index))) {
        Ok(Left { nodes, views }) => {
            call_helpers(index, helpers(nodes, threads()));
            if nodes > 0 || views {
                wake(index);
            }
        }
        Err(panic) => index.distrust_writes(&EngineError::of_panic(&*panic)),
    }
}

/// The work that a slice could not do.
struct Left {
    nodes: usize,
    /// Tells whether readers still hold old views.
    views: bool,
}

fn work(index: &Index) -> Left {
    index.reclaim();
    let policy = merge_policy(index);
    if index.lexical.needs_flush(policy) {
        let flush = || {
            index.files.disk.for_derived(index.lexical.memory_bytes())?;
            Ok(index.lexical.maintain(policy)?)
        };
        // Documents that are not flushed stay in the delta.
        attempt(index, &index.background.flushing, Instant::now(), flush);
    }
    let nodes = linker::advance(index);
    // Those to be linked better take as long again. Saving need not wait for them.
    let unfinished = nodes.saturating_sub(index.vectors.to_relink());
    if unfinished == 0 && index.vectors.is_worth_saving(nodes == 0) {
        save(index, Instant::now());
    }
    let is_referring = attempt_to_refer(index, unfinished);
    let views = index.views.has_retired();
    if nodes == 0 && !views && !is_referring {
        compact_if_due(index, Instant::now());
    }
    if nodes == 0 && views {
        std::thread::sleep(READERS_PAUSE);
    }
    Left { nodes, views }
}

/// The rule by which postings are merged: while many vectors wait to be linked, merges, which take the same thread for
/// seconds where there are a million documents, wait for the end of the writes as far as they can.
fn merge_policy(index: &Index) -> MergePolicy {
    match index.vectors.unlinked() > TAIL_PER_HELPER {
        true => MergePolicy::Tiered,
        false => MergePolicy::Leveled,
    }
}

/// Saves the vectors. Vectors that are not saved are read from the store at the next start.
fn save(index: &Index, now: Instant) {
    attempt(index, &index.background.saving, now, || {
        index.save_vectors()
    });
}

/// Makes the store refer to rows of vectors, once that is worth it; tells whether it is about to.
fn attempt_to_refer(index: &Index, nodes: usize) -> bool {
    let worth = match nodes {
        0 => row_references::WORTH_AT_REST,
        _ => row_references::WORTH_BESIDE_WRITES,
    };
    let is_worth_it = || row_references::is_worth_it(index, worth);
    // A row that cannot be read now is asked for again, and a failed attempt is repeated after a
    // while.
    catch_panic(is_worth_it).unwrap_or(false)
        && row_references::refer(index, Box::new(|_| {})).unwrap_or(false)
}

/// Writes something derived, unless that failed a short while ago: every attempt writes all of it,
/// and a disk that is full or gone is rarely there again at the next write.
fn attempt(
    index: &Index,
    retry: &Mutex<Backoff>,
    now: Instant,
    write: impl FnOnce() -> Result<()>,
) {
    let mut retry = retry.lock();
    if !retry.may_try(now) {
        return;
    }
    match write() {
        Ok(()) => retry.succeeded(),
        Err(error) => {
            let pause = retry.failed(now).as_secs();
            let name = index.name();
            log::warn!("index {name}: {error}; tried again after {pause} s at the earliest");
        }
    }
}

/// The number of threads that should help with so many nodes, of `threads` altogether: those with
/// little left would only wait for each other.
fn helpers(nodes: usize, threads: usize) -> usize {
    (nodes / TAIL_PER_HELPER).min(threads - 1)
}

fn call_helpers(index: &Arc<Index>, wanted: usize) {
    let one_more = |helpers| (helpers < wanted).then_some(helpers + 1);
    let counter = &index.background.helpers;
    while counter
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more)
        .is_ok()
    {
        enqueue(Slice::Links(Arc::downgrade(index)));
    }
}

fn links(index: &Arc<Index>) {
    let left = match index.is_retired() {
        true => Ok(0),
        false => catch_unwind(AssertUnwindSafe(|| linker::advance(index))),
    };
    match left {
        Ok(nodes)
            if index.background.helpers.load(Ordering::Acquire) <= helpers(nodes, threads()) =>
        {
            enqueue(Slice::Links(Arc::downgrade(index)));
            return;
        }
        Ok(_) => {}
        Err(panic) => index.distrust_writes(&EngineError::of_panic(&*panic)),
    }
    let helpers = index.background.helpers.fetch_sub(1, Ordering::AcqRel);
    debug_assert!(helpers > 0, "each helper was counted");
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
pub(crate) mod tests {
    use super::*;
    use crate::background::activity::Activity;
    use crate::generated::EngineOptions;
    use crate::index::IndexContext;
    use crate::index::expiries::Clock;
    use crate::registry::lock::DirectoryLock;
    use crate::registry::waker::Waker;
    use crate::write::budget::WriteBudget;
    use crate::write::writer;
    use pelorus_documents::{FieldTensors, TensorKind};

    /// An index of so many vectors, none of them linked, and where its first field is kept.
    pub(crate) fn index_of_vectors(
        directory: &std::path::Path,
        count: usize,
    ) -> (Arc<Index>, std::path::PathBuf) {
        let definition = br#"{"settings": {"type": "unstructured", "model": "no_model",
            "normalizeEmbeddings": true, "treatUrlsAndPointersAsImages": false,
            "treatUrlsAndPointersAsMedia": false, "filterStringMaxLength": 50,
            "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
            "annParameters": {"spaceType": "euclidean", "parameters": {"efConstruction": 20, "m": 4}}},
            "resolved": {"dimensions": 2, "embeds": false}}"#;
        let home = directory.join("index");
        std::fs::create_dir(&home).unwrap();
        Index::create(&home, "i", definition).unwrap();
        let context = IndexContext {
            clock: Clock::default(),
            limits: Arc::new(EngineOptions::default()),
            waker: Waker::new().0,
            activity: Arc::new(Activity::new()),
            writes: WriteBudget::new(1 << 20),
            _lock: Arc::new(DirectoryLock::acquire(directory).unwrap()),
        };
        let index = Index::open("i", &home, context).unwrap();
        writer::start(&index).unwrap();
        for doc in 0..count as u32 {
            let tensors = FieldTensors {
                field: "t".into(),
                kind: TensorKind::Vector,
                weights: String::new(),
                chunks: vec![String::new()],
                vectors: vec![doc as f32, 1.0],
            };
            index.vectors.insert(doc, &[tensors]).unwrap();
        }
        (index, home.join("vectors").join("0"))
    }

    #[test]
    fn a_graph_made_in_haste_is_saved_before_it_is_made_better_and_after() {
        let directory = tempfile::tempdir().unwrap();
        let (index, folder) = index_of_vectors(directory.path(), 4_096);
        index.vectors.advance(0);
        while index.vectors.link(usize::MAX) > 0 {}
        let snapshot = folder.join("graph.snapshot");
        let nodes = work(&index).nodes;
        assert!(nodes > 0 && snapshot.exists(), "{nodes} to be linked again");
        assert!(!index.vectors.is_worth_saving(false));
        std::fs::remove_file(&snapshot).unwrap();
        while work(&index).nodes > 0 {
            assert!(!snapshot.exists(), "not in between");
        }
        assert!(snapshot.exists() && !index.vectors.is_worth_saving(true));
        index.close();
    }

    #[test]
    fn vectors_that_cannot_be_saved_are_left_alone_for_a_while() {
        let directory = tempfile::tempdir().unwrap();
        let (index, folder) = index_of_vectors(directory.path(), 1_024);
        let unsaved = || index.vectors.is_worth_saving(true);
        assert!(unsaved());
        // No file can be made where a folder is.
        let obstacle = folder.join("graph.snapshot.draft");
        std::fs::create_dir(&obstacle).unwrap();
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        save(&index, start);
        assert!(!index.background.saving.lock().may_try(after(999)));

        // The pause lasts although nothing is in the way any more; the next one would be longer.
        std::fs::remove_dir(&obstacle).unwrap();
        save(&index, after(999));
        assert!(unsaved());
        std::fs::create_dir(&obstacle).unwrap();
        save(&index, after(1_000));
        assert!(!index.background.saving.lock().may_try(after(2_999)));

        std::fs::remove_dir(&obstacle).unwrap();
        save(&index, after(3_000));
        assert!(!unsaved());
        assert!(index.background.saving.lock().may_try(after(3_000)));
        index.close();
    }

    #[test]
    fn threads_help_where_much_is_left_and_one_is_always_spared() {
        assert_eq!(helpers(usize::MAX, 1), 0);
        assert_eq!(helpers(TAIL_PER_HELPER - 1, 8), 0);
        assert_eq!(helpers(3 * TAIL_PER_HELPER, 8), 3);
        assert_eq!(helpers(300 * TAIL_PER_HELPER, 8), 7);
    }
}
