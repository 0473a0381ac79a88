//! Vectors of recent queries, bounded in bytes and in number.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Bytes of an entry besides its names and its vector.
const ENTRY_OVERHEAD_BYTES: usize = 200;

/// The order in which vectors leave a full cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// The one used longest ago goes first.
    LeastRecent,
    /// The one used least often goes first, and among equals the one used longest ago.
    LeastFrequent,
}

/// The bounds of a cache.
#[derive(Clone, Copy, Debug)]
pub struct VectorCacheBounds {
    /// Bytes of all entries; 0 keeps nothing.
    pub bytes_max: usize,
    /// Number of entries; 0 keeps nothing.
    pub count_max: usize,
    /// The order in which they leave.
    pub eviction: Eviction,
}

/// Vectors by space and text. A space has those of one model, made in one way.
#[derive(Debug)]
pub struct VectorCache {
    bounds: VectorCacheBounds,
    spaces: HashMap<Arc<str>, HashMap<Arc<str>, Entry>>,
    /// Entries in the order in which they leave.
    order: BTreeMap<Rank, Name>,
    uses: u64,
    hits: u64,
    misses: u64,
    bytes: usize,
    edition: u64,
}

/// The use of a cache since it was made, and what it holds now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheUse {
    /// Texts whose vectors were known.
    pub hits: u64,
    /// Texts whose vectors were not.
    pub misses: u64,
    /// Vectors now.
    pub entries: usize,
    /// Bytes of them.
    pub bytes: usize,
}

#[derive(Debug)]
struct Entry {
    vector: Box<[f32]>,
    bytes: usize,
    rank: Rank,
}

#[derive(Clone, Debug)]
struct Name {
    space: Arc<str>,
    text: Arc<str>,
}

/// The place of an entry in the order: those used less often first, where that counts, then those used longest ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    frequency: u64,
    /// Different for all entries.
    used: u64,
}

impl VectorCache {
    /// Makes one that holds nothing yet.
    pub fn new(bounds: VectorCacheBounds) -> Self {
        Self {
            bounds,
            spaces: HashMap::new(),
            order: BTreeMap::new(),
            uses: 0,
            hits: 0,
            misses: 0,
            bytes: 0,
            edition: 0,
        }
    }

    /// The number of times that a space was forgotten. Vectors whose computing began before one of them are not kept.
    pub fn edition(&self) -> u64 {
        self.edition
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Its use so far.
    pub fn usage(&self) -> CacheUse {
        CacheUse {
            hits: self.hits,
            misses: self.misses,
            entries: self.count(),
            bytes: self.bytes,
        }
    }

    /// The vector of a text, which is used by that.
    pub fn get(&mut self, space: &str, text: &str) -> Option<&[f32]> {
        let texts = self.spaces.get_mut(space);
        let Some(entry) = texts.and_then(|texts| texts.get_mut(text)) else {
            self.misses += 1;
            return None;
        };
        let name = self.order.remove(&entry.rank)?;
        self.hits += 1;
        self.uses += 1;
        entry.rank.used = self.uses;
        if self.bounds.eviction == Eviction::LeastFrequent {
            entry.rank.frequency += 1;
        }
        self.order.insert(entry.rank, name);
        Some(&entry.vector)
    }

    /// Keeps the vector of a text, which has not been used yet, in the place of an earlier one; not where it is larger than
    /// all may be together, nor where a space was forgotten since `edition`.
    pub fn set(&mut self, space: &str, text: &str, vector: &[f32], edition: u64) {
        if edition != self.edition {
            return;
        }
        self.remove(space, text);
        let bytes = size_of_val(vector) + space.len() + text.len() + ENTRY_OVERHEAD_BYTES;
        if bytes > self.bounds.bytes_max || self.bounds.count_max == 0 {
            return;
        }
        while self.order.len() >= self.bounds.count_max
            || self.bytes + bytes > self.bounds.bytes_max
        {
            self.evict();
        }
        self.uses += 1;
        let rank = Rank {
            frequency: 0,
            used: self.uses,
        };
        let known = self.spaces.get_key_value(space);
        let name = Name {
            space: known.map_or_else(|| space.into(), |(space, _)| Arc::clone(space)),
            text: text.into(),
        };
        let texts = self.spaces.entry(Arc::clone(&name.space)).or_default();
        texts.insert(
            Arc::clone(&name.text),
            Entry {
                vector: vector.into(),
                bytes,
                rank,
            },
        );
        self.order.insert(rank, name);
        self.bytes += bytes;
    }

    /// Forgets all of a space.
    pub fn forget(&mut self, space: &str) {
        self.edition += 1;
        for entry in self.spaces.remove(space).unwrap_or_default().values() {
            self.order.remove(&entry.rank);
            self.bytes -= entry.bytes;
        }
    }

    fn evict(&mut self) {
        if let Some((_, name)) = self.order.pop_first() {
            self.remove(&name.space, &name.text);
        }
    }

    fn remove(&mut self, space: &str, text: &str) {
        let Some(texts) = self.spaces.get_mut(space) else {
            return;
        };
        if let Some(entry) = texts.remove(text) {
            self.order.remove(&entry.rank);
            self.bytes -= entry.bytes;
        }
        if texts.is_empty() {
            self.spaces.remove(space);
        }
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    fn cache(bytes_max: usize, count_max: usize, eviction: Eviction) -> VectorCache {
        VectorCache::new(VectorCacheBounds {
            bytes_max,
            count_max,
            eviction,
        })
    }

    #[test]
    fn equal_texts_of_another_space_are_another_vector() {
        let mut cache = cache(10_000, 10, Eviction::LeastRecent);
        cache.set("a", "text", &[1.0], 0);
        cache.set("b", "text", &[2.0], 0);
        assert_eq!(cache.get("a", "text"), Some(&[1.0][..]));
        assert_eq!(cache.get("b", "text"), Some(&[2.0][..]));
        assert_eq!(cache.get("c", "text"), None);
        assert_eq!(cache.get("a", "other"), None);
        let bytes = 2 * (4 + 1 + 4 + ENTRY_OVERHEAD_BYTES);
        let expected = CacheUse {
            hits: 2,
            misses: 2,
            entries: 2,
            bytes,
        };
        assert_eq!(cache.usage(), expected);
    }

    #[test]
    fn vectors_begun_before_a_space_was_forgotten_are_not_kept() {
        let mut cache = cache(10_000, 10, Eviction::LeastRecent);
        cache.set("a", "text", &[1.0], 0);
        cache.set("b", "text", &[2.0], 0);
        cache.forget("a");
        cache.set("a", "text", &[3.0], 0);
        assert_eq!(cache.get("a", "text"), None);
        assert_eq!(cache.get("b", "text"), Some(&[2.0][..]));
        cache.set("a", "text", &[4.0], cache.edition());
        assert_eq!(cache.get("a", "text"), Some(&[4.0][..]));
    }

    /// An entry of the oracle: they stand in the order of their last use.
    struct Listed {
        text: String,
        value: f32,
        uses: u64,
    }

    #[test]
    fn any_calls_leave_what_a_list_that_is_searched_anew_each_time_would_hold() {
        for seed in 1..=40 {
            let mut random = SplitMix64(seed);
            let eviction = if seed % 2 == 0 {
                Eviction::LeastRecent
            } else {
                Eviction::LeastFrequent
            };
            let (count_max, room) = (1 + random.below(6), random.below(7));
            // The names have three bytes, the vectors four for each of up to 200 components.
            let bytes_of = |components: usize| components * 4 + 3 + ENTRY_OVERHEAD_BYTES;
            let bytes_max = bytes_of(200) * room + bytes_of(120);
            let mut cache = cache(bytes_max, count_max, eviction);
            let mut sizes: HashMap<String, usize> = HashMap::new();
            let mut list: Vec<Listed> = Vec::new();
            for step in 0..400_usize {
                let text = format!("k{}", random.below(10));
                let known = list.iter().position(|one| one.text == text);
                match random.below(9) {
                    0 => {
                        cache.forget("s");
                        list.clear();
                    }
                    1..5 => {
                        let found = cache.get("s", &text).map(|vector| vector[0]);
                        assert_eq!(found, known.map(|at| list[at].value));
                        if let Some(at) = known {
                            let mut used = list.remove(at);
                            used.uses += u64::from(eviction == Eviction::LeastFrequent);
                            list.push(used);
                        }
                    }
                    _ => {
                        let components = 1 + random.below(200);
                        let value = step as f32;
                        cache.set("s", &text, &vec![value; components], cache.edition());
                        if let Some(at) = known {
                            list.remove(at);
                        }
                        if bytes_of(components) > bytes_max {
                            continue;
                        }
                        let all = |list: &[Listed], sizes: &HashMap<String, usize>| -> usize {
                            list.iter().map(|one| bytes_of(sizes[&one.text])).sum()
                        };
                        while list.len() >= count_max
                            || all(&list, &sizes) + bytes_of(components) > bytes_max
                        {
                            let least = list.iter().map(|one| one.uses).min().unwrap();
                            let first = list.iter().position(|one| one.uses == least).unwrap();
                            list.remove(first);
                        }
                        sizes.insert(text.clone(), components);
                        list.push(Listed {
                            text,
                            value,
                            uses: 0,
                        });
                    }
                }
                assert_eq!(cache.count(), list.len(), "seed {seed}, step {step}");
                for one in &list {
                    let entry = &cache.spaces["s"][one.text.as_str()];
                    assert_eq!(entry.vector[0], one.value, "seed {seed}, step {step}");
                }
            }
        }
    }
}
