use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Distinct keys with dense ids and a value each. The ids of removed keys are given out again.
#[derive(Debug)]
pub(crate) struct Dictionary<K: ?Sized, V> {
    ids: HashMap<Arc<K>, u32>,
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Entry<K: ?Sized, V> {
    key: Arc<K>,
    value: V,
}

impl<K: ?Sized, V> Default for Dictionary<K, V> {
    fn default() -> Self {
        Dictionary {
            ids: HashMap::new(),
            entries: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K, V> Dictionary<K, V>
where
    K: Hash + Eq + ?Sized,
    for<'a> Arc<K>: From<&'a K>,
{
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn find(&self, key: &K) -> Option<&V> {
        self.ids.get(key).map(|&id| &self.entry(id).value)
    }

    pub(crate) fn key(&self, id: u32) -> &Arc<K> {
        &self.entry(id).key
    }

    pub(crate) fn value_mut(&mut self, id: u32) -> &mut V {
        let entry = self.entries[id as usize].as_mut();
        &mut entry
            .expect("ids are held only while their key is there")
            .value
    }

    /// The id of `key`, which is added with the value of `make` when it is new.
    pub(crate) fn intern(&mut self, key: &K, make: impl FnOnce() -> V) -> u32 {
        if let Some(&id) = self.ids.get(key) {
            return id;
        }
        let key: Arc<K> = Arc::from(key);
        let entry = Some(Entry {
            key: Arc::clone(&key),
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
        self.ids.insert(key, id);
        id
    }

    pub(crate) fn remove(&mut self, id: u32) {
        let entry = self.entries[id as usize]
            .take()
            .expect("a key is removed once");
        self.ids.remove(&entry.key);
        if self.ids.is_empty() {
            *self = Self::default();
            return;
        }
        self.free.push(id);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<K>, &V)> {
        self.entries
            .iter()
            .flatten()
            .map(|entry| (&entry.key, &entry.value))
    }

    /// Bytes held, but for what the values point to.
    pub(crate) fn memory_bytes(&self) -> usize {
        // A key's allocation carries two reference counts; a slot of the table one control byte.
        let keys: usize = self.iter().map(|(key, _)| size_of_val(&**key) + 16).sum();
        keys + self.ids.capacity() * (size_of::<(Arc<K>, u32)>() + 1)
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
        assert_eq!(&**dictionary.key(b), "b");
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
