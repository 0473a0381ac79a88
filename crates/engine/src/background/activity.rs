//! The activity of callers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Counts the calls to the indexes of a data directory.
#[derive(Debug)]
pub(crate) struct Activity {
    count: AtomicU64,
    /// The count when it was last looked at and had changed, and the time of that.
    seen: Mutex<(u64, Instant)>,
}

impl Activity {
    pub fn new() -> Self {
        Self {
            count: AtomicU64::new(0),
            seen: Mutex::new((0, Instant::now())),
        }
    }

    /// Counts one, and gives the count: a clock that goes on with every use.
    pub fn next(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// For how long nothing was asked, as far as those know who look: at least so long.
    pub fn none_for(&self, now: Instant) -> Duration {
        let count = self.count.load(Ordering::Relaxed);
        let mut seen = self.seen.lock();
        if seen.0 != count {
            *seen = (count, now);
        }
        now.saturating_duration_since(seen.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_begins_anew_with_every_use() {
        let uses = Activity::new();
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        assert!(uses.none_for(after(50)) >= Duration::from_millis(50));
        assert_eq!(uses.next(), 1);
        assert_eq!(uses.none_for(after(60)), Duration::ZERO);
        assert_eq!(uses.none_for(after(90)), Duration::from_millis(30));
    }
}
