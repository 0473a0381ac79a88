//! The errors that an open index has, until the mender has seen to them.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::background::backoff::Backoff;
use crate::error::EngineError;
use crate::generated::Severity;
use crate::registry::waker::Waker;

/// The time after which a store that answers nothing any more is opened again at the earliest.
const REOPEN_PAUSE: Duration = Duration::from_millis(250);

/// The errors that an open index has. None, nearly always.
pub(crate) struct IndexErrors {
    /// The reason that nothing is written for now.
    suspension: Mutex<Option<Suspension>>,
    /// The reason that derived data are to be made anew.
    distrust: Mutex<Option<Distrust>>,
    /// The name of the index, for the log.
    name: String,
    waker: Waker,
}

/// The reason that derived data are to be made anew.
struct Distrust {
    reason: String,
    /// Tells whether they are wrong for certain.
    is_certain: bool,
}

/// The reason that an index takes no writes, and the next attempt.
struct Suspension {
    error: EngineError,
    /// The store answers nothing any more, reads included.
    store_closed: bool,
    /// The time of the next attempt to write.
    retry: Backoff,
    /// The time at which a store that is closed may be opened again.
    reopen_at: Instant,
    /// An attempt is under way.
    is_tried: bool,
}

/// The steps of an attempt to end a suspension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Tells whether it is time to try to write, too.
    pub to_write: bool,
    pub store_closed: bool,
}

impl IndexErrors {
    pub fn none(name: &str, waker: Waker) -> Self {
        Self {
            name: name.to_owned(),
            suspension: Mutex::default(),
            distrust: Mutex::default(),
            waker,
        }
    }

    /// Lets no more be written until an attempt of the mender succeeds. `store_closed` says that
    /// the store cannot even be read.
    pub fn suspend(&self, error: EngineError, store_closed: bool) {
        let mut suspension = self.suspension.lock();
        match &mut *suspension {
            Some(known) => known.store_closed |= store_closed,
            None => {
                log::error!("index {} takes no writes for now: {error}", self.name);
                let retry = match error.may_pass() {
                    true => Backoff::QUICK,
                    false => Backoff::SLOW,
                };
                *suspension = Some(Suspension {
                    error,
                    store_closed,
                    retry,
                    reopen_at: Instant::now(),
                    is_tried: false,
                });
            }
        }
        drop(suspension);
        self.waker.wake();
    }

    /// The reason that nothing is written.
    pub fn suspended(&self) -> Option<EngineError> {
        let suspension = self.suspension.lock();
        suspension.as_ref().map(|known| known.error.clone())
    }

    /// Orders derived data to be made anew, unless that is to happen anyway.
    pub fn distrust(&self, reason: String) {
        self.distrust.lock().get_or_insert(Distrust {
            reason,
            is_certain: false,
        });
        self.waker.wake();
    }

    /// As [`distrust`](Self::distrust), where derived data were found to differ from the documents.
    pub fn distrust_found(&self, reason: String) {
        *self.distrust.lock() = Some(Distrust {
            reason,
            is_certain: true,
        });
        self.waker.wake();
    }

    /// The reason that derived data are to be made anew.
    pub fn distrusted(&self) -> Option<String> {
        let distrust = self.distrust.lock();
        distrust.as_ref().map(|distrust| distrust.reason.clone())
    }

    /// Tells whether derived data were found to differ from the documents.
    pub fn is_certain(&self) -> bool {
        let distrust = self.distrust.lock();
        distrust
            .as_ref()
            .is_some_and(|distrust| distrust.is_certain)
    }

    pub fn trust_again(&self) {
        *self.distrust.lock() = None;
    }

    /// The worst of them, with how bad it is.
    pub fn status(&self) -> Option<(Severity, EngineError)> {
        if let Some(error) = self.suspended() {
            return Some((Severity::Red, error));
        }
        let reason = self.distrusted()?;
        Some((Severity::Yellow, EngineError::Distrusted { reason }))
    }

    /// Tells whether an attempt to end the suspension is due, and when the next one is.
    pub fn due(&self, now: Instant) -> (bool, Option<Instant>) {
        if self.distrusted().is_some() {
            return (false, None);
        }
        let mut suspension = self.suspension.lock();
        let Some(known) = &mut *suspension else {
            return (false, None);
        };
        if known.is_tried {
            // Its end wakes the mender.
            return (false, None);
        }
        let reopen = known.store_closed && now >= known.reopen_at;
        if known.retry.may_try(now) || reopen {
            known.is_tried = true;
            return (true, None);
        }
        let write_at = known.retry.until().unwrap_or(now);
        let at = match known.store_closed {
            true => write_at.min(known.reopen_at),
            false => write_at,
        };
        (false, Some(at))
    }

    /// Returns the steps of an attempt that begins now; none when all is well, or when derived data
    /// are to be made anew, which ends the suspension as well.
    pub fn attempt(&self, now: Instant) -> Option<Attempt> {
        if self.distrusted().is_some() {
            return None;
        }
        let suspension = self.suspension.lock();
        suspension.as_ref().map(|known| Attempt {
            to_write: known.retry.may_try(now),
            store_closed: known.store_closed,
        })
    }

    /// Ends the suspension.
    pub fn resumed(&self) {
        if self.suspension.lock().take().is_some() {
            log::info!("index {} takes writes again", self.name);
        }
    }

    /// Notes that writing still fails, and how.
    pub fn write_failed(&self, error: EngineError, now: Instant) {
        if let Some(known) = &mut *self.suspension.lock() {
            known.error = error;
            known.retry.failed(now);
        }
    }

    /// Notes whether the store can be read, and that the attempt has ended.
    pub fn attempted(&self, store_closed: bool, now: Instant) {
        if let Some(known) = &mut *self.suspension.lock() {
            known.store_closed = store_closed;
            known.reopen_at = now + REOPEN_PAUSE;
            known.is_tried = false;
        }
        self.waker.wake();
    }
}
