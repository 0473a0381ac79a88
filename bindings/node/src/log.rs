//! The engine's reports, on their way to JavaScript.
//!
//! A record waits in a bounded queue until JavaScript takes it, from before anyone listens on:
//! reports of opening a data directory are there for a logger that is made later. A thread that
//! reports waits for nothing but the queue's lock. A record that finds the queue full is counted.

use std::collections::VecDeque;
use std::sync::Once;

use log::{Level, LevelFilter, Log, Metadata, Record};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::error::answer;

/// Records that wait at most: minutes of a disk that fails every call.
const WAITING_MAX: usize = 1024;

/// A report of the engine.
#[napi(object)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    #[napi(ts_type = "'error' | 'warn' | 'info'")]
    pub level: String,
    /// The module that reports.
    pub target: String,
    pub message: String,
}

/// The records that waited.
#[napi(object)]
pub struct LogRecords {
    /// Oldest first.
    pub records: Vec<LogRecord>,
    /// The number of later records for which there was no room.
    pub dropped: u32,
}

/// Calls `listener`, on the thread that this is called on, whenever records begin to wait; in place
/// of the listener before. It does not keep the process alive.
#[napi(catch_unwind)]
pub fn on_log_records(env: &Env, listener: Function<(), ()>) -> napi::Result<()> {
    let function = listener
        .build_threadsafe_function::<()>()
        .weak::<true>()
        .build()?;
    answer(env, || {
        install();
        SINK.queue.lock().listen(Listener(function));
        Ok(())
    })
}

/// Takes the records that wait.
#[napi(catch_unwind)]
pub fn take_log_records(env: &Env) -> napi::Result<LogRecords> {
    answer(env, || Ok(SINK.queue.lock().take()))
}

/// Receives the reports of the crates from now on.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        if log::set_logger(&SINK).is_ok() {
            log::set_max_level(LevelFilter::Info);
        }
    });
}

static SINK: Sink = Sink {
    queue: Mutex::new(Queue::new()),
};

struct Sink {
    queue: Mutex<Queue<Listener>>,
}

impl Log for Sink {
    /// Libraries tell of their every step; only their warnings and errors are for operators.
    fn enabled(&self, metadata: &Metadata) -> bool {
        let least = match metadata.target().starts_with("pelorus") {
            true => Level::Info,
            false => Level::Warn,
        };
        metadata.level() <= least
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let record = LogRecord {
            level: record.level().as_str().to_ascii_lowercase(),
            target: record.target().to_owned(),
            message: record.args().to_string(),
        };
        self.queue.lock().push(record);
    }

    fn flush(&self) {}
}

/// Told that records wait.
trait Wake {
    /// Never waits; false where nobody will come.
    fn wake(&self) -> bool;
}

/// A function of JavaScript, called on its own thread.
struct Listener(ThreadsafeFunction<(), (), (), Status, false, true>);

impl Wake for Listener {
    fn wake(&self) -> bool {
        self.0.call((), ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }
}

struct Queue<L> {
    records: VecDeque<LogRecord>,
    dropped: u32,
    listener: Option<L>,
    /// Tells whether the listener was told since records were last taken.
    woken: bool,
}

impl<L: Wake> Queue<L> {
    const fn new() -> Self {
        Self {
            records: VecDeque::new(),
            dropped: 0,
            listener: None,
            woken: false,
        }
    }

    fn push(&mut self, record: LogRecord) {
        match self.records.len() < WAITING_MAX {
            true => self.records.push_back(record),
            // The first reports of an error say more of its cause than the last.
            false => self.dropped = self.dropped.saturating_add(1),
        }
        self.wake();
    }

    fn listen(&mut self, listener: L) {
        self.listener = Some(listener);
        self.woken = false;
        if !self.records.is_empty() {
            self.wake();
        }
    }

    fn wake(&mut self) {
        if !self.woken {
            self.woken = self.listener.as_ref().is_some_and(Wake::wake);
        }
    }

    fn take(&mut self) -> LogRecords {
        self.woken = false;
        LogRecords {
            records: std::mem::take(&mut self.records).into(),
            dropped: std::mem::take(&mut self.dropped),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Default)]
    struct Counted {
        woken: Rc<Cell<u32>>,
        gone: Rc<Cell<bool>>,
    }

    impl Wake for Counted {
        fn wake(&self) -> bool {
            self.woken.set(self.woken.get() + 1);
            !self.gone.get()
        }
    }

    fn record(message: &str) -> LogRecord {
        LogRecord {
            level: "warn".to_owned(),
            target: "pelorus_engine".to_owned(),
            message: message.to_owned(),
        }
    }

    #[test]
    fn records_wait_for_a_listener_who_is_woken_once_until_they_are_taken() {
        let (mut queue, listener) = (Queue::new(), Counted::default());
        queue.push(record("a"));
        queue.listen(listener.clone());
        assert_eq!(listener.woken.get(), 1);
        queue.push(record("b"));
        assert_eq!(listener.woken.get(), 1);
        let taken = queue.take();
        assert_eq!(taken.records, [record("a"), record("b")]);
        assert_eq!(taken.dropped, 0);
        queue.push(record("c"));
        assert_eq!(listener.woken.get(), 2);
    }

    #[test]
    fn the_next_listener_is_told_of_what_one_who_is_gone_left() {
        let (mut queue, first, second) = (Queue::new(), Counted::default(), Counted::default());
        queue.listen(first.clone());
        first.gone.set(true);
        queue.push(record("a"));
        queue.push(record("b"));
        assert_eq!(first.woken.get(), 2);
        queue.listen(second.clone());
        assert_eq!(second.woken.get(), 1);
        assert_eq!(queue.take().records.len(), 2);
    }

    #[test]
    fn a_record_that_finds_no_room_is_counted() {
        let mut queue = Queue::<Counted>::new();
        for number in 0..WAITING_MAX + 3 {
            queue.push(record(&number.to_string()));
        }
        let taken = queue.take();
        assert_eq!((taken.records.len(), taken.dropped), (WAITING_MAX, 3));
        assert_eq!(taken.records[0], record("0"));
        assert_eq!(queue.take().dropped, 0);
    }

    #[test]
    fn libraries_are_heard_when_something_is_wrong() {
        let is_heard = |target: &str, level| {
            let metadata = Metadata::builder().target(target).level(level).build();
            SINK.enabled(&metadata)
        };
        assert!(is_heard("pelorus_engine::index", Level::Info));
        assert!(!is_heard("tantivy::indexer", Level::Info));
        assert!(is_heard("tantivy::indexer", Level::Warn));
        assert!(!is_heard("pelorus_engine::index", Level::Debug));
    }
}
