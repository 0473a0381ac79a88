/// From the hash of an item to its number: open addressing with linear probing. The items lie
/// elsewhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashIndex {
    /// The item's number plus one; zero where there is none. A power of two, or empty.
    slots: Vec<u32>,
}

impl HashIndex {
    /// An index with room for `count` items, a quarter of it left empty at least.
    pub(crate) fn with_room(count: usize) -> HashIndex {
        HashIndex {
            slots: vec![0; (count + count / 3 + 1).next_power_of_two()],
        }
    }

    /// Tells whether one item more than `count` would leave too little empty.
    pub(crate) fn is_full(&self, count: usize) -> bool {
        (count + 1) * 4 > self.slots.len() * 3
    }

    /// The item with this hash that `is_same` knows.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is_same: impl FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let item = (self.slots[at] as usize).checked_sub(1)?;
            if is_same(item) {
                return Some(item);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an item that is not here, for which there is room.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, item: usize) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = item as u32 + 1;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}
