//! The time at which failed work is tried again.

use std::time::{Duration, Instant};

/// Keeps work that is tried at every opportunity from being tried again right after it failed: each
/// failure in a row doubles the pause.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    min: Duration,
    max: Duration,
    /// The pause that the last failure began, and its end; none after a success.
    pause: Option<(Duration, Instant)>,
}

impl Backoff {
    /// For what costs a lot to try: from a second to five minutes.
    pub const SLOW: Self = Self::between(Duration::from_secs(1), Duration::from_secs(5 * 60));
    /// For what ought to work again as soon as its cause is gone: up to two seconds.
    pub const QUICK: Self = Self::between(Duration::from_millis(250), Duration::from_secs(2));

    /// Pauses from `min` to `max`.
    pub const fn between(min: Duration, max: Duration) -> Self {
        Self {
            min,
            max,
            pause: None,
        }
    }

    /// Tells whether no failure forbids to try now.
    pub fn may_try(&self, now: Instant) -> bool {
        self.pause.is_none_or(|(_, end)| now >= end)
    }

    /// Until when a failure forbids to try.
    pub fn until(&self) -> Option<Instant> {
        self.pause.map(|(_, end)| end)
    }

    pub fn succeeded(&mut self) {
        self.pause = None;
    }

    /// Gives the time until it may be tried again.
    pub fn failed(&mut self, now: Instant) -> Duration {
        let last = self.pause.map(|(length, _)| length);
        let length = last.map_or(self.min, |last| (last * 2).min(self.max));
        self.pause = Some((length, now + length));
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_minutes_and_a_success_ends_them() {
        let mut backoff = Backoff::SLOW;
        let mut now = Instant::now();
        assert!(backoff.may_try(now));
        let mut pauses = Vec::new();
        for _ in 0..11 {
            let pause = backoff.failed(now);
            assert!(!backoff.may_try(now + pause - Duration::from_nanos(1)));
            now += pause;
            assert!(backoff.may_try(now));
            pauses.push(pause.as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        backoff.succeeded();
        assert!(backoff.may_try(now));
        assert_eq!(backoff.failed(now), Duration::from_secs(1));
    }
}
