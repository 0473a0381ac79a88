use std::hash::{BuildHasher, Hash, RandomState};

use hashbrown::HashTable;

/// The rule by which two keys are the same one.
pub(crate) trait Sameness<K: ?Sized>: Copy {
    /// Equal for keys that are the same.
    fn hash(self, key: &K, state: &RandomState) -> u64;

    fn same(self, a: &K, b: &K) -> bool;
}

/// Keys are the same when they are equal.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Equality;

impl<K: Hash + Eq + ?Sized> Sameness<K> for Equality {
    fn hash(self, key: &K, state: &RandomState) -> u64 {
        state.hash_one(key)
    }

    fn same(self, a: &K, b: &K) -> bool {
        a == b
    }
}

/// Distinct keys with dense ids and a value each. The ids of removed keys are given out again.
///
/// A key stays as it came first, whatever is the same came later.
#[derive(Debug)]
pub(crate) struct Dictionary<K: ?Sized, V, S = Equality> {
    sameness: S,
    state: RandomState,
    /// Ids by the hash of their keys, which are held once, by their entries.
    ids: HashTable<Slot>,
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<u32>,
}

/// An id with the hash of its key: a table that grows would have to read and hash every key again, which takes a second
/// for a million of them.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    id: u32,
}

impl Slot {
    /// The bits that the table goes by: the low ones and the highest seven.
    fn spread(self) -> u64 {
        u64::from(self.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[derive(Debug)]
struct Entry<K: ?Sized, V> {
    key: Box<K>,
    value: V,
}

impl<K: ?Sized, V, S: Default> Default for Dictionary<K, V, S> {
    fn default() -> Self {
        Dictionary::new(S::default())
    }
}

impl<K: ?Sized, V, S> Dictionary<K, V, S> {
    pub(crate) fn new(sameness: S) -> Self {
        Dictionary {
            sameness,
            state: RandomState::new(),
            ids: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K, V, S: Sameness<K>> Dictionary<K, V, S>
where
    K: ?Sized,
    for<'a> Box<K>: From<&'a K>,
{
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn id(&self, key: &K) -> Option<u32> {
        self.find_hashed(self.hash(key), key)
    }

    fn hash(&self, key: &K) -> u32 {
        self.sameness.hash(key, &self.state) as u32
    }

    fn find_hashed(&self, hash: u32, key: &K) -> Option<u32> {
        let is_key =
            |slot: &Slot| slot.hash == hash && self.sameness.same(&self.entry(slot.id).key, key);
        let place = Slot { hash, id: 0 }.spread();
        self.ids.find(place, is_key).map(|slot| slot.id)
    }

    pub(crate) fn find(&self, key: &K) -> Option<&V> {
        self.id(key).map(|id| self.value(id))
    }

    pub(crate) fn key(&self, id: u32) -> &K {
        &self.entry(id).key
    }

    pub(crate) fn value(&self, id: u32) -> &V {
        &self.entry(id).value
    }

    pub(crate) fn value_mut(&mut self, id: u32) -> &mut V {
        let entry = self.entries[id as usize].as_mut();
        &mut entry
            .expect("ids are held only while their key is there")
            .value
    }

    /// The id of `key`, which is added with the value of `make` when it is new.
    pub(crate) fn intern(&mut self, key: &K, make: impl FnOnce() -> V) -> u32 {
        let hash = self.hash(key);
        if let Some(id) = self.find_hashed(hash, key) {
            return id;
        }
        let entry = Some(Entry {
            key: Box::from(key),
            value: make(),
        });
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                u32::try_from(self.entries.len() - 1).expect("fewer keys than ordinals")
            }
        };
        let slot = Slot { hash, id };
        self.ids
            .insert_unique(slot.spread(), slot, |slot| slot.spread());
        id
    }

    pub(crate) fn remove(&mut self, id: u32) {
        let entry = self.entries[id as usize]
            .take()
            .expect("a key is removed once");
        let hash = self.hash(&entry.key);
        let place = Slot { hash, id }.spread();
        if let Ok(slot) = self.ids.find_entry(place, |slot| slot.id == id) {
            slot.remove();
        }
        if self.ids.is_empty() {
            *self = Self::new(self.sameness);
            return;
        }
        self.free.push(id);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries
            .iter()
            .flatten()
            .map(|entry| (&*entry.key, &entry.value))
    }

    pub(crate) fn sameness(&self) -> S {
        self.sameness
    }

    /// Ids are below this.
    pub(crate) fn ids_end(&self) -> usize {
        self.entries.len()
    }

    /// Bytes held, without those that the values point to.
    pub(crate) fn memory_bytes(&self) -> usize {
        // A slot of the table has one control byte.
        let keys: usize = self.iter().map(|(key, _)| size_of_val(key)).sum();
        keys + self.ids.capacity() * (size_of::<Slot>() + 1)
            + self.entries.capacity() * size_of::<Option<Entry<K, V>>>()
            + self.free.capacity() * size_of::<u32>()
    }

    fn entry(&self, id: u32) -> &Entry<K, V> {
        let entry = self.entries[id as usize].as_ref();
        entry.expect("ids are held only while their key is there")
    }
}

#[cfg(test)]
mod tests {
    use super::Dictionary;

    #[test]
    fn ids_of_removed_keys_are_given_out_again() {
        let mut dictionary: Dictionary<str, u8> = Dictionary::default();
        let (a, b) = (dictionary.intern("a", || 1), dictionary.intern("b", || 2));
        assert_eq!(dictionary.intern("a", || 9), a);
        dictionary.remove(a);
        assert_eq!(dictionary.find("a"), None);
        assert_eq!(dictionary.intern("c", || 3), a);
        assert_eq!(
            (dictionary.find("b"), dictionary.find("c")),
            (Some(&2), Some(&3))
        );
        assert_eq!(dictionary.key(b), "b");
    }

    #[test]
    fn an_emptied_dictionary_holds_no_memory() {
        let mut dictionary: Dictionary<[u32], ()> = Dictionary::default();
        let ids: Vec<u32> = (0..100)
            .map(|n| dictionary.intern(&[n, n], || ()))
            .collect();
        assert!(dictionary.memory_bytes() > 0);
        ids.into_iter().for_each(|id| dictionary.remove(id));
        assert_eq!(dictionary.memory_bytes(), 0);
    }
}
