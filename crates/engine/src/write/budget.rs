//! The bound of the bytes that wait to be written.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::WriteError;

/// Bytes that the queues of all indexes may hold together. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub(crate) struct WriteBudget {
    queued: Arc<AtomicUsize>,
    most: usize,
}

/// A place in the budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct WritePermit {
    queued: Arc<AtomicUsize>,
    bytes: usize,
}

impl WriteBudget {
    pub fn new(most: usize) -> Self {
        Self {
            queued: Arc::default(),
            most,
        }
    }

    /// A place for a write of `bytes`. One that is larger than the whole budget gets it alone.
    ///
    /// # Errors
    /// [`WriteError::QueueFull`].
    pub fn take(&self, bytes: usize) -> Result<WritePermit, WriteError> {
        let fits = |queued: usize| {
            let after = queued.saturating_add(bytes);
            (queued == 0 || after <= self.most).then_some(after)
        };
        let taken = self
            .queued
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits);
        match taken {
            Ok(_) => Ok(WritePermit {
                queued: self.queued.clone(),
                bytes,
            }),
            Err(queued) => Err(WriteError::QueueFull {
                queued,
                bytes_max: self.most,
            }),
        }
    }
}

impl Drop for WritePermit {
    fn drop(&mut self) {
        let queued = self.queued.fetch_sub(self.bytes, Ordering::AcqRel);
        debug_assert!(queued >= self.bytes, "a place is given back once");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_does_not_fit_is_refused_until_others_are_written() {
        let budget = WriteBudget::new(100);
        let first = budget.take(60).unwrap();
        let error = budget.take(41).unwrap_err();
        assert!(error.to_string().starts_with("60 bytes"), "{error}");
        let second = budget.clone().take(40).unwrap();
        drop((first, second));
        let large = budget.take(1_000).unwrap();
        assert!(budget.take(1).is_err());
        drop(large);
        assert!(budget.take(1).is_ok());
    }
}
