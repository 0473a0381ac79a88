//! The end of calls that nobody waits for any more: `class Cancellation`, and the numbers of calls that are so many that
//! an object for each would show.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use napi_derive::napi;

use crate::error::CodedError;

/// Tells whether a call is to go on. It may be handed to several calls, which then end together.
#[napi]
pub struct Cancellation {
    inner: pelorus_cancellation::Cancellation,
}

impl Cancellation {
    pub(crate) fn inner(&self) -> pelorus_cancellation::Cancellation {
        self.inner.clone()
    }
}

#[napi]
impl Cancellation {
    /// Makes the cancellation of calls that end `timeoutMs` milliseconds from now: at once where that is negative or
    /// NaN, never where it is beyond the range of the clock, as `Infinity` is.
    #[napi(factory, catch_unwind)]
    pub fn after(timeout_ms: f64) -> Self {
        Self {
            inner: after(timeout_ms),
        }
    }

    /// Ends the calls within 20 ms, wherever they are. They reject with `client_closed_request`, unless
    /// they are done.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.inner.cancel();
    }
}

fn after(timeout_ms: f64) -> pelorus_cancellation::Cancellation {
    let timeout = Duration::try_from_secs_f64(timeout_ms.max(0.0) / 1000.0);
    let deadline = timeout
        .ok()
        .and_then(|timeout| Instant::now().checked_add(timeout));
    pelorus_cancellation::Cancellation::new(deadline)
}

/// The calls of a thread that can be cancelled by their numbers.
#[derive(Default)]
struct Calls {
    last: u32,
    calls: HashMap<u32, pelorus_cancellation::Cancellation>,
}

thread_local! {
    static CALLS: RefCell<Calls> = RefCell::default();
}

/// Begins a call of this thread, which ends as with `Cancellation.after`, and gives the number by which it is made, and
/// cancelled: an object costs the garbage collector more than a short call does. Whoever begins one makes it.
#[napi(catch_unwind)]
pub fn begin_call(timeout_ms: f64) -> u32 {
    CALLS.with_borrow_mut(|calls| {
        // Long before the numbers are used up, the first call is done.
        calls.last = calls.last.wrapping_add(1);
        calls.calls.insert(calls.last, after(timeout_ms));
        calls.last
    })
}

/// Ends a call of this thread as `Cancellation.cancel` does. Does nothing where it is done.
#[napi(catch_unwind)]
pub fn cancel_call(number: u32) {
    CALLS.with_borrow(|calls| {
        if let Some(cancellation) = calls.calls.get(&number) {
            cancellation.cancel();
        }
    });
}

/// The cancellation of a call that was begun and is not done.
pub(crate) fn of_call(number: u32) -> Result<pelorus_cancellation::Cancellation, CodedError> {
    let found = CALLS.with_borrow(|calls| calls.calls.get(&number).cloned());
    found
        .ok_or_else(|| CodedError::invalid_argument("expected the number of a call that was begun"))
}

/// Forgets a call that is done.
pub(crate) fn end_call(number: u32) {
    CALLS.with_borrow_mut(|calls| calls.calls.remove(&number));
}
