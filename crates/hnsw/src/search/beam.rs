//! The beam of a graph search: the nearest nodes visited so far, each expanded or not yet. Papers on
//! HNSW call its width `ef`.

use pelorus_kernels::{COMPARED_MAX, kernels, not_above};

/// Integers in the order of the keys that they stand for.
#[inline(always)]
pub(crate) fn total_order(key: f32) -> u32 {
    let bits = key.to_bits();
    // Negative floats sort backwards as integers: flip them whole, and the others' sign.
    bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000)
}

/// A node with its key, packed so that integers sort as (key, node): the key's bits made
/// monotonic, then the node, then whether it was expanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u64);

impl Entry {
    #[inline(always)]
    fn new(key: f32, node: u32) -> Self {
        Self(u64::from(total_order(key)) << 32 | u64::from(node) << 1)
    }

    #[inline(always)]
    fn node(self) -> u32 {
        (self.0 as u32) >> 1
    }

    #[inline(always)]
    fn is_expanded(self) -> bool {
        self.0 & 1 != 0
    }

    fn key(self) -> f32 {
        let ordered = (self.0 >> 32) as u32;
        let mask = if ordered & 0x8000_0000 != 0 {
            0x8000_0000
        } else {
            u32::MAX
        };
        f32::from_bits(ordered ^ mask)
    }
}

/// At most `capacity` entries in order. If it may grow, what does not fit is kept aside, so that it is
/// later as if it had been larger from the start: a search begins with a narrow beam and pays for a wide
/// one only when it has to.
#[derive(Default)]
pub(crate) struct Beam {
    capacity: usize,
    /// [`Entry::0`] of each; more room than entries.
    entries: Vec<u64>,
    len: usize,
    /// Entries before this are expanded.
    cursor: usize,
    may_grow: bool,
    rest: Vec<Entry>,
}

impl Beam {
    /// Empties the list.
    pub fn reset(&mut self, capacity: usize, may_grow: bool) {
        self.capacity = capacity;
        self.may_grow = may_grow;
        self.len = 0;
        self.rest.clear();
        self.cursor = 0;
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn memory_bytes(&self) -> usize {
        (self.entries.capacity() + self.rest.capacity()) * size_of::<u64>()
    }

    /// Adds nodes that were not added before. `hint` is called with those that are among the nearest.
    #[inline(always)]
    pub fn insert_all(&mut self, keys: &[f32], nodes: &[u32], hint: impl Fn(u32)) {
        for (keys, nodes) in keys.chunks(COMPARED_MAX).zip(nodes.chunks(COMPARED_MAX)) {
            let all = u64::MAX >> (COMPARED_MAX - keys.len());
            let mut near = match self.len == self.capacity {
                true => not_above(keys, self.entry(self.len - 1).key()),
                false => all,
            };
            if self.may_grow {
                let mut far = all & !near;
                while far != 0 {
                    let i = far.trailing_zeros() as usize;
                    self.rest.push(Entry::new(keys[i], nodes[i]));
                    far &= far - 1;
                }
            }
            while near != 0 {
                let i = near.trailing_zeros() as usize;
                if self.insert(keys[i], nodes[i]) {
                    hint(nodes[i]);
                }
                near &= near - 1;
            }
        }
    }

    /// Adds a node that was not added before and tells whether it is among the nearest.
    #[inline(always)]
    pub fn insert(&mut self, key: f32, node: u32) -> bool {
        let entry = Entry::new(key, node);
        if self.len == self.capacity {
            let last = self.entry(self.len - 1);
            if entry > last {
                if self.may_grow {
                    self.rest.push(entry);
                }
                return false;
            }
            if self.may_grow {
                self.rest.push(last);
            }
            self.len -= 1;
        }
        if self.len == self.entries.len() {
            self.make_room();
        }
        let at = (kernels().insert_sorted)(&mut self.entries, self.len, entry.0);
        self.len += 1;
        self.cursor = self.cursor.min(at);
        true
    }

    #[cold]
    fn make_room(&mut self) {
        self.entries.resize(2 * self.len + 64, 0);
    }

    #[inline(always)]
    fn entry(&self, at: usize) -> Entry {
        Entry(self.entries[at])
    }

    /// The nearest node that is not expanded, which is so from now on, with its key.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(f32, u32)> {
        let entries = &mut self.entries[..self.len];
        let entry = entries.get_mut(self.cursor)?;
        let taken = Entry(*entry);
        *entry |= 1;
        self.cursor += 1;
        while entries
            .get(self.cursor)
            .is_some_and(|&entry| Entry(entry).is_expanded())
        {
            self.cursor += 1;
        }
        Some((taken.key(), taken.node()))
    }

    /// The node [`next`](Self::next) would answer.
    #[inline(always)]
    pub fn peek(&self) -> Option<u32> {
        let entry = self.entries[..self.len].get(self.cursor)?;
        Some(Entry(*entry).node())
    }

    /// Grows to `capacity`, taking back the nearest of the nodes kept aside.
    pub fn grow(&mut self, capacity: usize) {
        let room = capacity - self.len;
        if room < self.rest.len() {
            self.rest.select_nth_unstable(room);
        }
        let taken = room.min(self.rest.len());
        self.entries.truncate(self.len);
        self.entries
            .extend(self.rest.drain(..taken).map(|entry| entry.0));
        self.entries.sort_unstable();
        self.len = self.entries.len();
        self.capacity = capacity;
        let unexpanded = self
            .entries
            .iter()
            .position(|&entry| !Entry(entry).is_expanded());
        self.cursor = unexpanded.unwrap_or(self.len);
    }

    /// The nodes that are not expanded as (key, node), nearest first.
    pub fn unexpanded(&self) -> impl Iterator<Item = (f32, u32)> {
        let entries = self.entries[self.cursor.min(self.len)..self.len].iter();
        entries
            .map(|&entry| Entry(entry))
            .filter(|entry| !entry.is_expanded())
            .map(|entry| (entry.key(), entry.node()))
    }

    /// The list as (key, node), nearest first.
    pub fn iter(&self) -> impl Iterator<Item = (f32, u32)> {
        let entries = self.entries[..self.len].iter();
        entries.map(|&entry| (Entry(entry).key(), Entry(entry).node()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn filled(keys: &[f32], capacity: usize) -> Beam {
        let mut beam = Beam::default();
        beam.reset(capacity, true);
        let nodes: Vec<u32> = (0..).take(keys.len()).collect();
        for (keys, nodes) in keys.chunks(7).zip(nodes.chunks(7)) {
            beam.insert_all(keys, nodes, |_| ());
        }
        beam
    }

    proptest! {
        #[test]
        fn a_beam_keeps_the_nearest_in_order(keys in vec(-50.0f32..50.0, 1..80), capacity in 1usize..40) {
            let beam = filled(&keys, capacity);
            let mut expected: Vec<(f32, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            expected.truncate(capacity);
            prop_assert_eq!(beam.iter().collect::<Vec<_>>(), expected);
        }

        #[test]
        fn a_beam_that_grew_holds_what_a_wide_one_would_have_held(
            keys in vec(-50.0f32..50.0, 1..80),
            expansions in 0usize..5,
        ) {
            let (mut grown, mut large) = (filled(&keys, 4), filled(&keys, 20));
            for _ in 0..expansions {
                grown.next();
                large.next();
            }
            if expansions < 4 {
                grown.grow(20);
                prop_assert_eq!(grown.iter().collect::<Vec<_>>(), large.iter().collect::<Vec<_>>());
                prop_assert_eq!(grown.peek(), large.peek());
            }
        }
    }

    #[test]
    fn nodes_come_out_nearest_first_and_once() {
        let mut beam = filled(&[3.0, -1.0, 2.0], 8);
        let mut next = || beam.next().map(|(_, node)| node);
        assert_eq!((next(), next()), (Some(1), Some(2)));
        beam.insert(-5.0, 7);
        assert_eq!(beam.peek(), Some(7));
        assert_eq!(beam.next(), Some((-5.0, 7)));
        assert_eq!(beam.next(), Some((3.0, 0)));
        assert_eq!(beam.next(), None);
    }
}
