//! Work that ends when nobody waits for it any more.
//!
//! Whoever owns a call makes one [`Cancellation`] and hands references down. Loops ask [`Cancellation::check`] every
//! few thousand units of work and return its error with `?`; their unfinished results are dropped, and nothing that
//! others read may have changed.
//!
//! A check costs an atomic load and, where there is a deadline, a look at the clock: about 25 ns. So that
//! work ends within 20 ms, no more than a few milliseconds of it lie between two checks, and no less
//! than a few microseconds.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Tells work under way whether to go on. Clones are one cancellation.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Option<Arc<State>>);

#[derive(Debug)]
struct State {
    is_cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// Counted down by each check; never where nobody counts.
    checks_left: Option<AtomicUsize>,
}

/// The reason that work ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cancelled {
    /// It would have ended after its deadline.
    #[error("The request ran out of time")]
    DeadlineExceeded,
    /// Whoever asked for it went away.
    #[error("The caller went away before the answer")]
    ByCaller,
}

impl Cancellation {
    /// Work that goes on until it is done.
    pub const fn never() -> Self {
        Self(None)
    }

    /// Work that ends at `deadline`, if there is one, or when it is cancelled.
    pub fn new(deadline: Option<Instant>) -> Self {
        Self::of(deadline, None)
    }

    /// For tests: as if the caller went away at the check after the first `count`.
    pub fn after_checks(count: usize) -> Self {
        Self::of(None, Some(AtomicUsize::new(count)))
    }

    fn of(deadline: Option<Instant>, checks_left: Option<AtomicUsize>) -> Self {
        Self(Some(Arc::new(State {
            is_cancelled: AtomicBool::new(false),
            deadline,
            checks_left,
        })))
    }

    /// Ends the work at its next check. It has no effect on work that goes on until it is done.
    pub fn cancel(&self) {
        if let Some(state) = &self.0 {
            state.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// To be asked between pieces of work.
    ///
    /// # Errors
    /// When the work is to end here.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        match &self.0 {
            None => Ok(()),
            Some(state) => state.check(),
        }
    }
}

impl State {
    fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(Cancelled::ByCaller);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Cancelled::DeadlineExceeded);
        }
        if let Some(checks_left) = &self.checks_left {
            let less = |left: usize| left.checked_sub(1);
            let counted = checks_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            return counted.map(drop).map_err(|_| Cancelled::ByCaller);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_clones_are_cancelled_together_and_stay_so() {
        let cancellation = Cancellation::new(None);
        let clone = cancellation.clone();
        assert_eq!(clone.check(), Ok(()));
        cancellation.cancel();
        assert_eq!(clone.check(), Err(Cancelled::ByCaller));
        assert_eq!(clone.check(), Err(Cancelled::ByCaller));
    }

    #[test]
    fn a_deadline_ends_what_is_not_done_by_then() {
        let now = Instant::now();
        let past = Cancellation::new(Some(now));
        assert_eq!(past.check(), Err(Cancelled::DeadlineExceeded));
        let later = Cancellation::new(Some(now + Duration::from_secs(3600)));
        assert_eq!(later.check(), Ok(()));
    }

    #[test]
    fn so_many_checks_pass_and_none_after_them() {
        let cancellation = Cancellation::after_checks(2);
        let answers: Vec<bool> = (0..4).map(|_| cancellation.check().is_ok()).collect();
        assert_eq!(answers, [true, true, false, false]);
    }

    #[test]
    fn endless_work_cannot_be_cancelled() {
        let cancellation = Cancellation::never();
        cancellation.cancel();
        assert_eq!(cancellation.check(), Ok(()));
    }
}
