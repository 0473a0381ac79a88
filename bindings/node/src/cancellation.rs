//! `class Cancellation`: ends a call that nobody waits for any more.

use std::time::{Duration, Instant};

use napi_derive::napi;

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
        let timeout = Duration::try_from_secs_f64(timeout_ms.max(0.0) / 1000.0);
        let deadline = timeout
            .ok()
            .and_then(|timeout| Instant::now().checked_add(timeout));
        Self {
            inner: pelorus_cancellation::Cancellation::new(deadline),
        }
    }

    /// Ends the calls within 20 ms, wherever they are. They reject with `client_closed_request`, unless
    /// they are done.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.inner.cancel();
    }
}
