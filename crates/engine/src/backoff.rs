//! When to try again what has failed.

use std::time::{Duration, Instant};

/// How long nothing is tried after a first failure; each further one in a row doubles it, ...
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// ... up to this.
const PAUSE_MAX: Duration = Duration::from_secs(5 * 60);

/// Keeps what is tried at every opportunity from being tried again right after it failed.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    /// The pause that the last failure began, and its end; none after a success.
    pause: Option<(Duration, Instant)>,
}

impl Backoff {
    /// Whether no failure forbids to try now.
    pub fn may_try(&self, now: Instant) -> bool {
        self.pause.is_none_or(|(_, end)| now >= end)
    }

    pub fn succeeded(&mut self) {
        self.pause = None;
    }

    /// Gives the time until it may be tried again.
    pub fn failed(&mut self, now: Instant) -> Duration {
        let last = self.pause.map(|(length, _)| length);
        let length = last.map_or(PAUSE_MIN, |last| (last * 2).min(PAUSE_MAX));
        self.pause = Some((length, now + length));
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_minutes_and_a_success_ends_them() {
        let mut backoff = Backoff::default();
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
        assert_eq!(backoff.failed(now), PAUSE_MIN);
    }
}
