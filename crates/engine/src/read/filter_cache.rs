//! The documents that passed the filters asked for lately: most searches of an index use one of a
//! few filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lru::LruCache;
use parking_lot::Mutex;
use pelorus_columns::FilterMatches;

/// Most filters kept for one index.
const FILTERS_MAX: usize = 256;
/// Most memory of one index for them. A filter takes a bit for each document version.
const BYTES_MAX: usize = 32 * 1024 * 1024;

/// The documents that passed a filter, as of one view.
#[derive(Debug, Clone)]
pub(crate) struct CachedMatches {
    pub matches: Arc<FilterMatches>,
    /// Sequence of the view.
    pub sequence: u64,
}

/// The filters used most recently, by their canonical text. Shared by all searches of an index,
/// which hold the lock only to look up and to put in.
#[derive(Debug)]
pub(crate) struct FilterCache {
    slots: Mutex<Slots>,
    bytes_max: usize,
    /// Filters whose documents were known, and those whose were looked up.
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug)]
struct Slots {
    by_filter: LruCache<String, Slot>,
    /// Bytes of all slots together.
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    known: CachedMatches,
    bytes: usize,
}

impl FilterCache {
    pub fn new() -> Self {
        Self::of_bytes(BYTES_MAX)
    }

    fn of_bytes(bytes_max: usize) -> Self {
        Self {
            slots: Mutex::new(Slots {
                by_filter: LruCache::unbounded(),
                bytes: 0,
            }),
            bytes_max,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Notes that the documents of a filter were known, or looked up.
    pub fn note(&self, is_hit: bool) {
        let count = if is_hit { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Hits and misses so far.
    pub fn uses(&self) -> (u64, u64) {
        let uses = [&self.hits, &self.misses].map(|count| count.load(Ordering::Relaxed));
        (uses[0], uses[1])
    }

    /// Returns the remembered matches of a filter; they tell their view themselves.
    pub fn get(&self, filter: &str) -> Option<CachedMatches> {
        let mut slots = self.slots.lock();
        slots.by_filter.get(filter).map(|slot| slot.known.clone())
    }

    /// Keeps what passed a filter, unless a later view's is here already. Filters that were used
    /// longest ago give way.
    pub fn keep(&self, filter: String, known: CachedMatches) {
        let bytes = filter.capacity() + known.matches.memory_bytes() + size_of::<(String, Slot)>();
        let mut slots = self.slots.lock();
        let later = |slot: &Slot| slot.known.sequence > known.sequence;
        if bytes > self.bytes_max || slots.by_filter.peek(&filter).is_some_and(later) {
            return;
        }
        slots.bytes += bytes;
        if let Some(old) = slots.by_filter.put(filter, Slot { known, bytes }) {
            slots.bytes -= old.bytes;
        }
        while slots.bytes > self.bytes_max || slots.by_filter.len() > FILTERS_MAX {
            let Some((_, oldest)) = slots.by_filter.pop_lru() else {
                debug_assert_eq!(slots.bytes, 0, "the bytes are those of its filters");
                return;
            };
            slots.bytes -= oldest.bytes;
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.slots.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use pelorus_columns::{Callbacks, ColumnError, Columns, Schema};

    use super::*;

    /// The matches of a filter that `count` documents of an empty schema pass.
    fn known(count: u32, sequence: u64) -> CachedMatches {
        let schema = Schema::Unstructured {
            filter_string_max_length: 50,
            collapse_field: None,
        };
        let alive = (0..count).collect();
        let filter = pelorus_filter::parse("NOT a:1").unwrap();
        let matches = Columns::new(schema)
            .matches::<ColumnError>(
                &filter,
                &alive,
                count,
                &Callbacks {
                    contains: &|_, _| unreachable!("not asked"),
                    go_on: &|| Ok(()),
                },
            )
            .unwrap();
        CachedMatches {
            matches: Arc::new(matches),
            sequence,
        }
    }

    fn count(cache: &FilterCache, filter: &str) -> Option<usize> {
        cache.get(filter).map(|known| known.matches.count())
    }

    #[test]
    fn the_filter_used_longest_ago_gives_way() {
        let cache = FilterCache::new();
        for at in 0..FILTERS_MAX {
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
