//! What passed the filters asked for lately: shops ask the same few over and over.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pelorus_columns::Passing;

/// Most filters kept for one index.
const FILTERS: usize = 256;
/// Most memory of one index for them. A filter takes a bit for each document version.
const BYTES: usize = 32 * 1024 * 1024;

/// The documents that passed a filter, as of one view.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub passing: Arc<Passing>,
    /// Sequence of the view.
    pub sequence: u64,
}

/// The filters used most recently, by their canonical text. Shared by all searches of an index,
/// which hold the lock only to look up and to put in.
#[derive(Debug)]
pub(crate) struct FilterCache {
    slots: Mutex<Slots>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Slots {
    by_filter: HashMap<String, Slot>,
    bytes: usize,
    /// Counts uses; what has the smallest one was used longest ago.
    clock: u64,
}

#[derive(Debug)]
struct Slot {
    known: Known,
    bytes: usize,
    used: u64,
}

impl FilterCache {
    pub fn new() -> Self {
        Self::of_bytes(BYTES)
    }

    fn of_bytes(max_bytes: usize) -> Self {
        Self {
            slots: Mutex::default(),
            max_bytes,
        }
    }

    /// What is known of a filter; of which view it says itself.
    pub fn get(&self, filter: &str) -> Option<Known> {
        let mut slots = self.slots.lock();
        slots.clock += 1;
        let now = slots.clock;
        let slot = slots.by_filter.get_mut(filter)?;
        slot.used = now;
        Some(slot.known.clone())
    }

    /// Keeps what passed a filter, unless a later view's is here already.
    pub fn keep(&self, filter: String, known: Known) {
        let bytes = filter.capacity() + known.passing.memory_bytes() + size_of::<(String, Slot)>();
        let mut slots = self.slots.lock();
        let later = |slot: &Slot| slot.known.sequence > known.sequence;
        if bytes > self.max_bytes || slots.by_filter.get(&filter).is_some_and(later) {
            return;
        }
        slots.clock += 1;
        slots.bytes += bytes;
        let used = slots.clock;
        let slot = Slot { known, bytes, used };
        if let Some(old) = slots.by_filter.insert(filter, slot) {
            slots.bytes -= old.bytes;
        }
        while slots.bytes > self.max_bytes || slots.by_filter.len() > FILTERS {
            slots.drop_oldest();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.slots.lock().bytes
    }
}

impl Slots {
    fn drop_oldest(&mut self) {
        let oldest = self.by_filter.iter().min_by_key(|(_, slot)| slot.used);
        if let Some(filter) = oldest.map(|(filter, _)| filter.clone())
            && let Some(slot) = self.by_filter.remove(&filter)
        {
            self.bytes -= slot.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use pelorus_columns::{Columns, Schema};

    use super::*;

    /// What passes a filter that `count` documents of an empty schema pass.
    fn known(count: u32, sequence: u64) -> Known {
        let schema = Schema::Unstructured {
            filter_string_max_length: 50,
            collapse_field: None,
        };
        let alive = (0..count).collect();
        let filter = pelorus_filter::parse("NOT a:1").unwrap();
        let passing = Columns::new(schema)
            .passing(&filter, &alive, count, &|_, _| unreachable!("not asked"))
            .unwrap();
        Known {
            passing: Arc::new(passing),
            sequence,
        }
    }

    fn count(cache: &FilterCache, filter: &str) -> Option<usize> {
        cache.get(filter).map(|known| known.passing.count())
    }

    #[test]
    fn what_was_used_longest_ago_gives_way() {
        let cache = FilterCache::new();
        for at in 0..FILTERS {
            cache.keep(format!("f:{at}"), known(1, 1));
        }
        assert!(cache.get("f:0").is_some());
        cache.keep("new".into(), known(2, 1));
        assert_eq!(
            (count(&cache, "f:0"), count(&cache, "new")),
            (Some(1), Some(2))
        );
        assert_eq!(
            (count(&cache, "f:1"), count(&cache, "f:2")),
            (None, Some(1))
        );
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let cache = FilterCache::of_bytes(100_000);
        for at in 0..50 {
            cache.keep(format!("f:{at}"), known(80_000, 1));
            assert!(cache.memory_bytes() <= 100_000);
        }
        assert!((8..=9).contains(&cache.slots.lock().by_filter.len()));
        cache.keep("large".into(), known(1_000_000, 1));
        assert!(cache.get("large").is_none() && cache.get("f:49").is_some());
        for _ in 0..50 {
            cache.keep("f:49".into(), known(800, 2));
        }
        assert_eq!(count(&cache, "f:49"), Some(800));
        assert!(cache.memory_bytes() <= 90_000);
    }

    #[test]
    fn an_earlier_view_does_not_displace_a_later_one() {
        let cache = FilterCache::new();
        cache.keep("f:1".into(), known(5, 7));
        cache.keep("f:1".into(), known(4, 6));
        assert_eq!(count(&cache, "f:1"), Some(5));
        cache.keep("f:1".into(), known(6, 8));
        assert_eq!(count(&cache, "f:1"), Some(6));
    }
}
