//! Promises that are settled from threads of ours.
//!
//! All answers for one thread of JavaScript go through one function. A function for each, as napi's own
//! promises have, is made, hooked into the event loop and taken out again: that took more of the
//! event loop than anything else about a short call.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::ToNapiValue;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, check_status, sys};

use crate::bytes::RawValue;
use crate::error::{CodedError, catch};
use crate::pool;

/// Returns a promise for what `work` gives on the pool.
pub(crate) fn run<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T, CodedError> + Send + 'static,
) -> napi::Result<RawValue> {
    start(env, |pending: Pending<T>| pending.settle(catch(work)))
}

/// Returns a promise and runs `work` on the pool, which settles it or passes the duty on, so that
/// no thread of the pool waits while the result is made elsewhere.
pub(crate) fn start<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce(Pending<T>) + Send + 'static,
) -> napi::Result<RawValue> {
    let carrier = begin_waiting(env)?;
    let (mut deferred, mut promise) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: `env` is the environment of the call that is running, on its own thread, and the two places are
    // written before they are read.
    check_status!(unsafe { sys::napi_create_promise(env.raw(), &mut deferred, &mut promise) })?;
    let pending = Pending {
        carrier: Some(carrier),
        deferred: Deferred(deferred),
        value: PhantomData,
    };
    pool::spawn(move || work(pending));
    Ok(RawValue(promise))
}

/// What is done on the thread of JavaScript to settle a promise.
type Answer = Box<dyn FnOnce(Env) + Send>;

/// Brings answers to one thread of JavaScript. It keeps the process alive while any is waited for.
type Carrier = ThreadsafeFunction<Answer, (), (), Status, false, true>;

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
        waiting.promises += 1;
        if waiting.promises == 1 {
            // SAFETY: this is the thread of `env`, and the carrier is released only behind this cell.
            check_status!(unsafe {
                sys::napi_ref_threadsafe_function(env.raw(), waiting.carrier.raw())
            })?;
        }
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
            unsafe { sys::napi_unref_threadsafe_function(env.raw(), waiting.carrier.raw()) };
        }
    });
}

impl Waiting {
    fn new(env: &Env) -> napi::Result<Self> {
        let nothing = env.create_function_from_closure::<(), (), _>("settle", |_| Ok(()))?;
        let carrier = nothing
            .build_threadsafe_function::<Answer>()
            .weak::<true>()
            .build_callback(|answer| {
                (answer.value)(answer.env);
                Ok(())
            })?;
        // Another environment of this thread has a carrier of its own.
        env.add_env_cleanup_hook((), |()| drop(WAITING.take()))?;
        Ok(Self {
            carrier: Arc::new(carrier),
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
        // SAFETY: `env` is the environment that made it, on its own thread, with a handle scope open, and `self`
        // is given up, so that it is settled once.
        unsafe {
            match outcome {
                Ok(value) => _ = sys::napi_resolve_deferred(env.raw(), self.0, value),
                Err(error) => {
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
    value: PhantomData<fn(T)>,
}

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    /// Settles the promise. Does nothing when its thread of JavaScript is gone.
    pub(crate) fn settle(mut self, outcome: Result<T, CodedError>) {
        self.settle_once(outcome);
    }

    fn settle_once(&mut self, outcome: Result<T, CodedError>) {
        let Some(carrier) = self.carrier.take() else {
            return;
        };
        let deferred = Deferred(self.deferred.0);
        let answer: Answer = Box::new(move |env| {
            end_waiting(&env);
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
        carrier.call(answer, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Pending<T> {
    fn drop(&mut self) {
        self.settle_once(Err(CodedError::internal(
            "the call ended without an answer",
        )));
    }
}
