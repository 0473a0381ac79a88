//! What the score modifiers asked for lately make of documents: a search with many modifiers over
//! many matches then reads one row a match in place of a column for each modifier.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use pelorus_rank::Modification;

/// Most memory of one index for them. A document version takes 16 bytes for each set of modifiers.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// The modification of every document, by ordinal, as of one view.
#[derive(Debug, Clone)]
pub(crate) struct Modifications {
    pub rows: Vec<Modification>,
    /// Sequence of the view.
    pub sequence: u64,
}

impl Modifications {
    fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }
}

/// The modifiers used most recently, by their text.
#[derive(Debug)]
pub(crate) struct ModificationCache {
    slots: Mutex<LruCache<String, Arc<Modifications>>>,
    bytes_max: usize,
}

impl ModificationCache {
    pub fn new() -> Self {
        Self::of_bytes(BYTES_MAX)
    }

    fn of_bytes(bytes_max: usize) -> Self {
        Self {
            slots: Mutex::new(LruCache::unbounded()),
            bytes_max,
        }
    }

    /// Whether what modifiers make of so many document versions can be kept.
    pub fn has_room_for(&self, versions: u32) -> bool {
        versions as usize * size_of::<Modification>() <= self.bytes_max
    }

    /// What is known of modifiers; of which view it says itself.
    pub fn get(&self, modifiers: &str) -> Option<Arc<Modifications>> {
        self.slots.lock().get(modifiers).cloned()
    }

    /// Keeps what modifiers make of documents, unless a later view's is here already. Those that were
    /// used longest ago give way.
    pub fn keep(&self, modifiers: &str, known: &Arc<Modifications>) {
        let mut slots = self.slots.lock();
        let is_later = |other: &Arc<Modifications>| other.sequence > known.sequence;
        if known.bytes() > self.bytes_max || slots.peek(modifiers).is_some_and(is_later) {
            return;
        }
        slots.put(modifiers.to_owned(), known.clone());
        let mut bytes: usize = slots.iter().map(|(_, known)| known.bytes()).sum();
        while bytes > self.bytes_max
            && let Some((_, oldest)) = slots.pop_lru()
        {
            bytes -= oldest.bytes();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let slots = self.slots.lock();
        slots.iter().map(|(_, known)| known.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(count: usize, sequence: u64) -> Arc<Modifications> {
        let rows = vec![Modification::NONE; count];
        Arc::new(Modifications { rows, sequence })
    }

    #[test]
    fn memory_is_bounded_and_what_was_used_longest_ago_gives_way() {
        let cache = ModificationCache::of_bytes(50 * 16);
        cache.keep("a", &known(20, 1));
        cache.keep("b", &known(20, 1));
        assert!(cache.get("a").is_some());
        cache.keep("c", &known(20, 1));
        assert!(cache.get("b").is_none() && cache.get("a").is_some());
        assert_eq!(cache.memory_bytes(), 40 * 16);
        cache.keep("d", &known(51, 1));
        assert!(cache.get("d").is_none());
        assert!(cache.has_room_for(50) && !cache.has_room_for(51));
    }

    #[test]
    fn an_earlier_view_does_not_displace_a_later_one() {
        let cache = ModificationCache::new();
        cache.keep("a", &known(5, 7));
        cache.keep("a", &known(4, 6));
        assert_eq!(cache.get("a").map(|known| known.sequence), Some(7));
    }
}
