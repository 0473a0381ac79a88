//! The nodes a graph search has met and may expand, nearest first.

/// A node with its key, packed so that integers sort as (key, node): the key's bits made
/// monotonic, then the node, then whether it was expanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u64);

impl Entry {
    #[inline(always)]
    fn new(key: f32, node: u32) -> Self {
        let bits = key.to_bits();
        // Negative floats sort backwards as integers: flip them whole, and the others' sign.
        let ordered = bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000);
        Self(u64::from(ordered) << 32 | u64::from(node) << 1)
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

/// A sorted list of at most `capacity` entries. If it may grow, what does not fit is kept aside, so
/// that it is later as if it had been larger from the start: a search begins small and pays for a
/// large one only when it has to.
#[derive(Default)]
pub(crate) struct Frontier {
    capacity: usize,
    entries: Vec<Entry>,
    /// Entries before this are expanded.
    cursor: usize,
    may_grow: bool,
    rest: Vec<Entry>,
}

impl Frontier {
    /// Empties the list.
    pub fn reset(&mut self, capacity: usize, may_grow: bool) {
        self.capacity = capacity;
        self.may_grow = may_grow;
        self.entries.clear();
        self.rest.clear();
        self.cursor = 0;
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Adds a node that was not added before and tells whether it is among the nearest.
    #[inline(always)]
    pub fn insert(&mut self, key: f32, node: u32) -> bool {
        let entry = Entry::new(key, node);
        if self.entries.len() == self.capacity {
            let last = self.entries[self.capacity - 1];
            if entry > last {
                if self.may_grow {
                    self.rest.push(entry);
                }
                return false;
            }
            self.entries.pop();
            if self.may_grow {
                self.rest.push(last);
            }
        }
        let at = self.entries.partition_point(|&other| other < entry);
        self.entries.insert(at, entry);
        self.cursor = self.cursor.min(at);
        true
    }

    /// The nearest node that is not expanded, which is so from now on, with its key.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(f32, u32)> {
        let entry = self.entries.get_mut(self.cursor)?;
        let taken = *entry;
        entry.0 |= 1;
        self.cursor += 1;
        while self
            .entries
            .get(self.cursor)
            .is_some_and(|entry| entry.is_expanded())
        {
            self.cursor += 1;
        }
        Some((taken.key(), taken.node()))
    }

    /// The node [`next`](Self::next) would answer.
    #[inline(always)]
    pub fn peek(&self) -> Option<u32> {
        self.entries.get(self.cursor).map(|entry| entry.node())
    }

    /// Grows to `capacity`, taking back the nearest of what was kept aside.
    pub fn grow(&mut self, capacity: usize) {
        let room = capacity - self.entries.len();
        if room < self.rest.len() {
            self.rest.select_nth_unstable(room);
        }
        let taken = room.min(self.rest.len());
        self.entries.extend(self.rest.drain(..taken));
        self.entries.sort_unstable();
        self.capacity = capacity;
        let unexpanded = self.entries.iter().position(|entry| !entry.is_expanded());
        self.cursor = unexpanded.unwrap_or(self.entries.len());
    }

    /// The list as (key, node), nearest first.
    pub fn iter(&self) -> impl Iterator<Item = (f32, u32)> {
        self.entries.iter().map(|entry| (entry.key(), entry.node()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn filled(keys: &[f32], capacity: usize) -> Frontier {
        let mut frontier = Frontier::default();
        frontier.reset(capacity, true);
        for (&key, node) in keys.iter().zip(0..) {
            frontier.insert(key, node);
        }
        frontier
    }

    proptest! {
        #[test]
        fn it_keeps_the_nearest_in_order(keys in vec(-50.0f32..50.0, 1..80), capacity in 1usize..40) {
            let frontier = filled(&keys, capacity);
            let mut expected: Vec<(f32, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            expected.truncate(capacity);
            prop_assert_eq!(frontier.iter().collect::<Vec<_>>(), expected);
        }

        #[test]
        fn growing_gives_what_a_large_one_would_have_held(
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
        let mut frontier = filled(&[3.0, -1.0, 2.0], 8);
        let mut next = || frontier.next().map(|(_, node)| node);
        assert_eq!((next(), next()), (Some(1), Some(2)));
        frontier.insert(-5.0, 7);
        assert_eq!(frontier.peek(), Some(7));
        assert_eq!(frontier.next(), Some((-5.0, 7)));
        assert_eq!(frontier.next(), Some((3.0, 0)));
        assert_eq!(frontier.next(), None);
    }
}
