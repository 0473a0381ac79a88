//! Promises that are settled from threads of ours.
//!
//! All answers for one thread of JavaScript go through one function. A function for each, as napi's own
//! promises have, is made, hooked into the event loop and taken out again: that took more of the
//! event loop than anything else about a short call.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::ToNapiValue;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, check_status, sys};
use parking_lot::Mutex;

use crate::bytes::RawValue;
use crate::cancellation::end_call;
use crate::error::{CodedError, catch};
use crate::pool::{self, Lane};

/// Returns a promise for what `work` gives on a lane of the pool.
pub(crate) fn run<T: ToNapiValue + Send + 'static>(
    env: &Env,
    lane: Lane,
    work: impl FnOnce() -> Result<T, CodedError> + Send + 'static,
) -> napi::Result<RawValue> {
    start(env, lane, |pending: Pending<T>| pending.settle(catch(work)))
}

/// As [`run`], for a call that its thread has given a number and may cancel by it.
pub(crate) fn run_numbered<T: ToNapiValue + Send + 'static>(
    env: &Env,
    lane: Lane,
    number: u32,
    work: impl FnOnce() -> Result<T, CodedError> + Send + 'static,
) -> napi::Result<RawValue> {
    let (mut pending, promise) = Pending::new(env)?;
    pending.number = Some(number);
    pool::spawn(lane, move || pending.settle(catch(work)));
    Ok(promise)
}

/// Returns a promise and runs `work` on a lane of the pool, which settles it or passes the duty on, so that
/// no thread of the pool waits while the result is made elsewhere.
pub(crate) fn start<T: ToNapiValue + Send + 'static>(
    env: &Env,
    lane: Lane,
    work: impl FnOnce(Pending<T>) + Send + 'static,
) -> napi::Result<RawValue> {
    let (pending, promise) = Pending::new(env)?;
    pool::spawn(lane, move || work(pending));
    Ok(promise)
}

/// Settles a promise on the thread of JavaScript.
type Answer = Box<dyn FnOnce(Env) + Send>;

/// Makes one thread of JavaScript look for answers. It keeps the process alive while any is waited for.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// Answers on their way to one thread of JavaScript, `None` once that is gone. They wait here and not in Node, which
/// forgets those that a thread has not taken when it ends: an answer may hold an engine, and that its data directory.
#[derive(Clone)]
struct Answers(Arc<Mutex<Option<VecDeque<Answer>>>>);

impl Answers {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(VecDeque::new()))))
    }

    /// Tells whether the thread is to be woken for it: it is awake for those before, or is gone, where it is not.
    fn push(&self, answer: Answer) -> bool {
        let mut answers = self.0.lock();
        let Some(answers) = answers.as_mut() else {
            return false;
        };
        answers.push_back(answer);
        answers.len() == 1
    }

    /// All that wait: one wake is for all of them.
    fn take(&self) -> VecDeque<Answer> {
        self.0
            .lock()
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn close(&self) {
        let left = self.0.lock().take();
        drop(left);
    }
}

/// Brings answers to a thread.
struct Carrier {
    wake: Wake,
    answers: Answers,
}

/// The carrier of a thread, and how many promises wait for it.
struct Waiting {
    carrier: Arc<Carrier>,
    promises: usize,
}

thread_local! {
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// Counts one more promise that waits, and gives the carrier of its answer.
fn begin_waiting(env: &Env) -> napi::Result<Arc<Carrier>> {
    WAITING.with_borrow_mut(|waiting| {
        let waiting = match waiting {
            Some(waiting) => waiting,
            None => waiting.insert(Waiting::new(env)?),
        };
        if waiting.promises == 0 {
            // SAFETY: this is the thread of `env`, and the carrier is released only behind this cell.
            check_status!(unsafe {
                sys::napi_ref_threadsafe_function(env.raw(), waiting.carrier.wake.raw())
            })?;
        }
        waiting.promises += 1;
        Ok(Arc::clone(&waiting.carrier))
    })
}

/// Counts one promise less.
fn end_waiting(env: &Env) {
    WAITING.with_borrow_mut(|waiting| {
        let Some(waiting) = waiting else {
            return;
        };
        waiting.promises -= 1;
        if waiting.promises == 0 {
            // SAFETY: as in `begin_waiting`. Refused, it keeps the process alive, which no later call can tell.
            unsafe { sys::napi_unref_threadsafe_function(env.raw(), waiting.carrier.wake.raw()) };
        }
    });
}

impl Waiting {
    fn new(env: &Env) -> napi::Result<Self> {
        let nothing = env.create_function_from_closure::<(), (), _>("settle", |_| Ok(()))?;
        let answers = Answers::new();
        let taken = answers.clone();
        let wake = nothing
            .build_threadsafe_function::<()>()
            .weak::<true>()
            .build_callback(move |call| {
                for answer in taken.take() {
                    answer(call.env);
                }
                Ok(())
            })?;
        // The next environment of this thread makes its own.
        let left = answers.clone();
        env.add_env_cleanup_hook((), move |()| {
            drop(WAITING.take());
            left.close();
        })?;
        Ok(Self {
            carrier: Arc::new(Carrier { wake, answers }),
            promises: 0,
        })
    }
}

/// A promise that is not settled yet.
struct Deferred(sys::napi_deferred);

// SAFETY: other threads only carry it; it is used on the thread that made it.
unsafe impl Send for Deferred {}

impl Deferred {
    fn settle(self, env: &Env, outcome: napi::Result<sys::napi_value>) {
        // SAFETY: `env` is the environment that made it, on its own thread, with a handle scope open; `self`
        // is given up, so that it is settled once; and `thrown` is written before anyone could read it.
        unsafe {
            match outcome {
                Ok(value) => _ = sys::napi_resolve_deferred(env.raw(), self.0, value),
                Err(error) => {
                    // A conversion that failed may have thrown, and other promises are settled in the same call.
                    let mut thrown = ptr::null_mut();
                    sys::napi_get_and_clear_last_exception(env.raw(), &mut thrown);
                    let error = ToNapiValue::to_napi_value(env.raw(), error);
                    let error = error.unwrap_or(ptr::null_mut());
                    sys::napi_reject_deferred(env.raw(), self.0, error);
                }
            }
        }
    }
}

/// The duty to settle one promise. Dropping it unsettled, as an unwinding thread does, rejects
/// with `internal`: no caller waits for ever.
pub(crate) struct Pending<T: ToNapiValue + Send + 'static> {
    carrier: Option<Arc<Carrier>>,
    deferred: Deferred,
    /// The number of its call, where that has one.
    number: Option<u32>,
    value: PhantomData<fn(T)>,
}

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    fn new(env: &Env) -> napi::Result<(Self, RawValue)> {
        let (mut deferred, mut promise) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `env` is the environment of the call that is running, on its own thread, and the two places are
        // written before they are read.
        check_status!(unsafe { sys::napi_create_promise(env.raw(), &mut deferred, &mut promise) })?;
        let pending = Pending {
            carrier: Some(begin_waiting(env)?),
            deferred: Deferred(deferred),
            number: None,
            value: PhantomData,
        };
        Ok((pending, RawValue(promise)))
    }

    /// Settles the promise. Does nothing when its thread of JavaScript is gone.
    pub(crate) fn settle(mut self, outcome: Result<T, CodedError>) {
        self.settle_once(outcome);
    }

    fn settle_once(&mut self, outcome: Result<T, CodedError>) {
        let Some(carrier) = self.carrier.take() else {
            return;
        };
        let deferred = Deferred(self.deferred.0);
        let number = self.number;
        let answer: Answer = Box::new(move |env| {
            end_waiting(&env);
            if let Some(number) = number {
                end_call(number);
            }
            // A panic in here would end the process: this closure is called by Node.
            let converted = catch(|| {
                let value = match outcome {
                    Ok(value) => value,
                    Err(error) => return Ok(Err(error.into_napi(&env))),
                };
                // SAFETY: napi calls this on the thread of `env`, with a handle scope open.
                Ok(unsafe { T::to_napi_value(env.raw(), value) })
            });
            let outcome = converted.unwrap_or_else(|error| Err(error.into_napi(&env)));
            deferred.settle(&env, outcome);
        });
        if carrier.answers.push(answer) {
            carrier
                .wake
                .call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Pending<T> {
    fn drop(&mut self) {
        self.settle_once(Err(CodedError::internal(
            "the call ended without an answer",
        )));
    }
}
