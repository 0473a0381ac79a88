//! Threads that compute the texts of calls: queries before documents, many short texts in one pass, equal ones once.

mod call;
mod call_encoder;
mod queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, JoinHandle};

pub use call::{Call, CallError, Done, FailedRow, Vectors};
pub use call_encoder::CallEncoder;

use queue::{Pass, Queue};

use crate::{Encoded, Scratch, Texts};

/// The way of a call through the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallLane {
    /// Somebody waits for its answer: it goes first.
    Query,
    /// It has its turn when no query waits, and after some of them.
    Document,
}

/// The rule by which texts that wait become passes.
#[derive(Clone, Copy, Debug)]
pub struct PassPolicy {
    /// Tokens of a pass, unless one text alone has more.
    pub tokens_max: usize,
    /// Texts of a pass.
    pub texts_max: usize,
    /// Texts are not divided among idle threads below this many tokens.
    pub split_tokens_min: usize,
    /// Passes of queries in a row after which waiting documents get one.
    pub query_run_max: usize,
}

/// A fixed number of threads for encoders of any number. They start with the first call. Each takes its next pass when
/// it is done with the last, so that a query waits for one pass at most.
///
/// Calls that wait are not bounded here: their callers bound them.
pub struct EncoderThreads {
    shared: Arc<Shared>,
    count: usize,
    started: Once,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    policy: PassPolicy,
    state: Mutex<State>,
    /// Something waits, or it is over.
    changed: Condvar,
}

struct State {
    queue: Queue,
    /// Threads that have nothing to do, those among them that have yet to start.
    idle: usize,
    is_closed: bool,
    counts: PassCounts,
}

/// Work that was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassCounts {
    /// Passes.
    pub passes: u64,
    /// Texts in them.
    pub texts: u64,
    /// Tokens of these.
    pub tokens: u64,
}

impl EncoderThreads {
    /// Makes so many threads, at least one.
    pub fn new(count: usize, policy: PassPolicy) -> Self {
        let count = count.max(1);
        let state = State {
            queue: Queue::default(),
            idle: count,
            is_closed: false,
            counts: PassCounts::default(),
        };
        Self {
            shared: Arc::new(Shared {
                policy,
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
            count,
            started: Once::new(),
            threads: Mutex::default(),
        }
    }

    /// Takes a call. Its `done` is told the outcome, by one of the threads or at once, and must not take long.
    pub fn submit(&self, call: Call) {
        self.started.call_once(|| self.start());
        let (texts, answering) = call.begin();
        if texts.is_empty() {
            return answering.answer_if_done();
        }
        let mut state = self.shared.lock();
        if state.is_closed {
            drop(state);
            return answering.fail(CallError::Closed);
        }
        state.queue.add(texts, &answering);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// The work that was done so far.
    pub fn counts(&self) -> PassCounts {
        self.shared.lock().counts
    }

    /// Texts that wait for a thread.
    pub fn waiting(&self) -> usize {
        self.shared.lock().queue.len()
    }

    /// Fails what waits and what comes, and lets passes under way end. Does not wait for them.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let waiting = state.queue.clear();
        drop(state);
        self.shared.changed.notify_all();
        for answering in waiting {
            answering.fail(CallError::Closed);
        }
    }

    /// Waits for the end of the threads, once closed.
    pub fn join(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // A thread catches what panics in it.
            let _ = thread.join();
        }
    }

    fn start(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for number in 0..self.count {
            let shared = Arc::clone(&self.shared);
            let thread = thread::Builder::new()
                .name(format!("encoder-{number}"))
                .spawn(move || shared.run());
            threads.push(thread.expect("the system can start a thread"));
        }
    }
}

impl Drop for EncoderThreads {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut scratch = Scratch::default();
        while let Some(pass) = self.next() {
            let computed = catch_unwind(AssertUnwindSafe(|| compute(&pass, &mut scratch)));
            if computed.is_err() {
                scratch = Scratch::default();
                pass.fail(CallError::Panicked);
            }
            self.lock().idle += 1;
        }
    }

    /// Waits for the next pass; none once it is over.
    fn next(&self) -> Option<Pass> {
        let mut state = self.lock();
        loop {
            let idle = state.idle;
            let (pass, cancelled) = state.queue.take(&self.policy, idle);
            if !cancelled.is_empty() {
                drop(state);
                for answering in cancelled {
                    answering.fail(CallError::Cancelled);
                }
                state = self.lock();
            }
            if let Some(pass) = pass {
                state.idle -= 1;
                state.counts.passes += 1;
                state.counts.texts += pass.texts.len() as u64;
                let tokens: usize = pass.texts.iter().map(|text| text.ids.len()).sum();
                state.counts.tokens += tokens as u64;
                return Some(pass);
            }
            if state.is_closed {
                return None;
            }
            if state.queue.is_empty() {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Computes a pass and gives every text's vector to those who wait for it.
fn compute(pass: &Pass, scratch: &mut Scratch) {
    let lengths: Vec<u32> = pass
        .texts
        .iter()
        .map(|text| text.ids.len() as u32)
        .collect();
    let ids: Vec<i32> = pass
        .texts
        .iter()
        .flat_map(|text| text.ids.iter().copied())
        .collect();
    let texts = Texts {
        ids: &ids,
        lengths: &lengths,
    };
    match pass.encoder.encode(texts, pass.pooling, scratch) {
        Ok(Encoded { vectors, fault }) => {
            let rows = vectors.chunks_exact(pass.encoder.on_processor().dimensions());
            for (text, vector) in pass.texts.iter().zip(rows) {
                text.give(vector, fault.as_ref());
            }
        }
        // Each text was checked when it came.
        Err(error) => pass
            .texts
            .iter()
            .for_each(|text| text.refuse(&error.to_string())),
    }
}
