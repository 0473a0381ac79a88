//! The moments from which documents of an index are gone, by version.
//!
//! A version whose moment has come is left out of every read at once; the [reaper](crate::background::reaper) deletes it a
//! little later. Where no document has a moment, a read looks at one number.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// No version has a moment.
const NEVER: i64 = i64::MAX;

/// The wall clock that all indexes of an engine read. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock {
    /// Milliseconds by which it is ahead: tests set it.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
        let elapsed = elapsed.map_or(0, |elapsed| elapsed.as_millis());
        i64::try_from(elapsed).unwrap_or(NEVER) + self.ahead.load(Ordering::Relaxed)
    }

    pub fn set_ahead(&self, milliseconds: i64) {
        self.ahead.store(milliseconds, Ordering::Relaxed);
    }
}

/// The moments of the versions that have one.
pub(crate) struct Expiries {
    clock: Clock,
    /// The first moment of all, one that has passed among them; [`NEVER`] without any.
    first: AtomicI64,
    moments: Mutex<Moments>,
}

#[derive(Default)]
struct Moments {
    by_version: HashMap<u32, i64>,
    /// Those that have not come yet.
    coming: BTreeSet<(i64, u32)>,
    /// The versions whose moment has come: one does not come back, even if the clock goes back.
    gone: Arc<HashSet<u32>>,
}

impl Expiries {
    /// Those of the versions that an index has when it is opened.
    pub fn new(clock: Clock, versions: impl IntoIterator<Item = (u32, i64)>) -> Self {
        let expiries = Self {
            clock,
            first: AtomicI64::new(NEVER),
            moments: Mutex::default(),
        };
        for (doc, moment) in versions {
            expiries.set(doc, Some(moment));
        }
        expiries
    }

    /// Gives a version a moment, or none. Tells whether it is the first of all that come.
    pub fn set(&self, doc: u32, moment: Option<i64>) -> bool {
        if moment.is_none() && self.is_empty() {
            return false;
        }
        let mut moments = self.moments.lock();
        moments.forget(doc);
        if let Some(moment) = moment {
            moments.by_version.insert(doc, moment);
            moments.coming.insert((moment, doc));
        }
        self.note_first(&moments);
        moment.is_some() && moments.coming.first().map(|(first, _)| *first) == moment
    }

    /// Forgets versions that nobody sees any more.
    pub fn remove(&self, docs: &[u32]) {
        if self.is_empty() {
            return;
        }
        let mut moments = self.moments.lock();
        docs.iter().for_each(|doc| moments.forget(*doc));
        self.note_first(&moments);
    }

    /// Tells that no version has a moment.
    fn is_empty(&self) -> bool {
        self.first.load(Ordering::Acquire) == NEVER
    }

    fn note_first(&self, moments: &Moments) {
        let coming = moments.coming.first().map_or(NEVER, |(moment, _)| *moment);
        let first = match moments.gone.is_empty() {
            true => coming,
            false => i64::MIN,
        };
        self.first.store(first, Ordering::Release);
    }

    /// The versions whose moment has come by now; none where there are none.
    pub fn gone(&self) -> Option<Arc<HashSet<u32>>> {
        let first = self.first.load(Ordering::Acquire);
        if first == NEVER {
            return None;
        }
        let now = self.clock.now_ms();
        if now < first {
            return None;
        }
        let mut moments = self.moments.lock();
        moments.advance(now);
        self.note_first(&moments);
        (!moments.gone.is_empty()).then(|| Arc::clone(&moments.gone))
    }

    /// Tells whether the moment of a version has come.
    pub fn is_gone(&self, doc: u32) -> bool {
        self.gone().is_some_and(|gone| gone.contains(&doc))
    }

    /// Milliseconds until the next moment comes; none where none does.
    pub fn next_in_ms(&self) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let (next, _) = *self.moments.lock().coming.first()?;
        Some(u64::try_from(next.saturating_sub(self.clock.now_ms())).unwrap_or(0))
    }

    /// Bytes held, about.
    pub fn memory_bytes(&self) -> usize {
        match self.is_empty() {
            true => 0,
            // An entry of a map and one of an ordered set, with the room that both keep free.
            false => self.moments.lock().by_version.len() * 64,
        }
    }
}

impl Moments {
    fn forget(&mut self, doc: u32) {
        let Some(moment) = self.by_version.remove(&doc) else {
            return;
        };
        if !self.coming.remove(&(moment, doc)) {
            Arc::make_mut(&mut self.gone).remove(&doc);
        }
    }

    fn advance(&mut self, now: i64) {
        if self.coming.first().is_none_or(|(moment, _)| *moment > now) {
            return;
        }
        let later = self.coming.split_off(&(now.saturating_add(1), 0));
        let come = std::mem::replace(&mut self.coming, later);
        let gone = Arc::make_mut(&mut self.gone);
        gone.extend(come.into_iter().map(|(_, doc)| doc));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn gone(expiries: &Expiries) -> Vec<u32> {
        let gone = expiries.gone().unwrap_or_default();
        let mut gone: Vec<u32> = gone.iter().copied().collect();
        gone.sort_unstable();
        gone
    }

    #[test]
    fn versions_are_gone_from_their_moment_on() {
        let clock = Clock::default();
        let start = clock.now_ms();
        let at = |minutes: i64| start + minutes * 60_000;
        let expiries = Expiries::new(clock.clone(), [(1, at(-1)), (2, at(5)), (3, at(9))]);
        assert_eq!(gone(&expiries), [1]);
        assert!(expiries.is_gone(1) && !expiries.is_gone(2) && !expiries.is_gone(7));
        let minutes = expiries.next_in_ms().unwrap() / 60_000;
        assert!((4..=5).contains(&minutes));

        clock.set_ahead(6 * 60_000);
        assert_eq!(gone(&expiries), [1, 2]);
        // A clock that goes back brings nothing back.
        clock.set_ahead(0);
        assert_eq!(gone(&expiries), [1, 2]);

        expiries.remove(&[1, 2]);
        assert_eq!(gone(&expiries), Vec::<u32>::new());
        assert!(!expiries.set(3, Some(at(20))) || expiries.next_in_ms().is_some());
        clock.set_ahead(10 * 60_000);
        assert_eq!(gone(&expiries), Vec::<u32>::new(), "it was put off");
        expiries.set(3, None);
        assert_eq!((expiries.next_in_ms(), expiries.memory_bytes()), (None, 0));
    }

    #[test]
    fn the_first_moment_is_told() {
        let clock = Clock::default();
        let at = |minutes: i64| clock.now_ms() + minutes * 60_000;
        let expiries = Expiries::new(clock.clone(), []);
        assert!(!expiries.set(1, None));
        assert!(expiries.set(1, Some(at(5))));
        assert!(!expiries.set(2, Some(at(6))));
        assert!(expiries.set(3, Some(at(4))));
    }
}
