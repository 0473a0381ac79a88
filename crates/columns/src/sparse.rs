use pelorus_kernels::BitSet;

use crate::marks::{BLOCK, Marks};

/// 64-bit words that tell which of them are present.
const WORDS: usize = BLOCK as usize / 64;

/// A map from ordinal to value, packed in blocks of 1,024 ordinals.
///
/// A block stores only the values present, so that a column costs by its entries whether every
/// document has one or only a few: an index of a million field names with one document each must
/// not cost a million dense columns. Blocks are word-aligned with the bit sets they are scanned into.
#[derive(Debug)]
pub(crate) struct Sparse<T> {
    /// Ascending by number, none of them empty.
    blocks: Vec<Block<T>>,
}

#[derive(Debug)]
struct Block<T> {
    /// Its ordinals begin at `number * BLOCK`.
    number: u32,
    present: [u64; WORDS],
    /// One value a present bit, in the order of the bits.
    values: Vec<T>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Sparse { blocks: Vec::new() }
    }
}

impl<T> Sparse<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn get(&self, doc: u32) -> Option<&T> {
        let block = &self.blocks[self.find(doc / BLOCK).ok()?];
        block.contains(doc).then(|| &block.values[block.rank(doc)])
    }

    /// Sets the value of `doc` and returns the one it replaces.
    pub(crate) fn insert(&mut self, doc: u32, value: T) -> Option<T> {
        let at = self.find(doc / BLOCK).unwrap_or_else(|at| {
            let number = doc / BLOCK;
            self.blocks.insert(
                at,
                Block {
                    number,
                    present: [0; WORDS],
                    values: Vec::new(),
                },
            );
            at
        });
        let block = &mut self.blocks[at];
        let rank = block.rank(doc);
        if block.contains(doc) {
            return Some(std::mem::replace(&mut block.values[rank], value));
        }
        let (word, bit) = place(doc);
        block.present[word] |= bit;
        block.values.insert(rank, value);
        None
    }

    pub(crate) fn remove(&mut self, doc: u32) -> Option<T> {
        let at = self.find(doc / BLOCK).ok()?;
        let block = &mut self.blocks[at];
        if !block.contains(doc) {
            return None;
        }
        let rank = block.rank(doc);
        let (word, bit) = place(doc);
        block.present[word] &= !bit;
        let value = block.values.remove(rank);
        if block.values.is_empty() {
            self.blocks.remove(at);
        }
        if self.blocks.is_empty() {
            self.blocks = Vec::new();
        }
        Some(value)
    }

    /// Marks each ordinal whose value `matches`, as far as the marks reach.
    pub(crate) fn scan(&self, marks: &mut Marks, matches: impl Fn(&T) -> bool) {
        let first = marks.first() / BLOCK;
        let from = self.find(first).unwrap_or_else(|at| at);
        for block in &self.blocks[from..] {
            let place = (block.number - first) as usize * WORDS;
            let Some(words) = marks.words().get_mut(place..) else {
                return;
            };
            let mut values = &block.values[..];
            for (word, &present) in words.iter_mut().zip(&block.present) {
                let (here, rest) = values.split_at(present.count_ones() as usize);
                *word |= matching(here, present, &matches);
                values = rest;
            }
        }
    }

    /// As [`Sparse::scan`], of the blocks whose number is wanted; a value that `may_match` is looked at closely. An error
    /// of `wants` ends the scan.
    pub(crate) fn scan_some<E>(
        &self,
        marks: &mut Marks,
        mut wants: impl FnMut(u32) -> Result<bool, E>,
        may_match: impl Fn(&T) -> bool,
        matches: impl Fn(&T) -> bool,
    ) -> Result<(), E> {
        let first = marks.first() / BLOCK;
        let from = self.find(first).unwrap_or_else(|at| at);
        for block in &self.blocks[from..] {
            let place = (block.number - first) as usize * WORDS;
            let Some(words) = marks.words().get_mut(place..) else {
                return Ok(());
            };
            if !wants(block.number)? {
                continue;
            }
            let mut values = &block.values[..];
            for (word, &present) in words.iter_mut().zip(&block.present) {
                let (here, rest) = values.split_at(present.count_ones() as usize);
                let mut found = matching(here, present, &may_match);
                while found != 0 {
                    let bit = found & found.wrapping_neg();
                    let rank = (present & (bit - 1)).count_ones() as usize;
                    if matches(&here[rank]) {
                        *word |= bit;
                    }
                    found ^= bit;
                }
                values = rest;
            }
        }
        Ok(())
    }

    /// Tells whether some document of the block of `doc` has a value.
    pub(crate) fn has_block(&self, doc: u32) -> bool {
        self.find(doc / BLOCK).is_ok()
    }

    /// Gives each of `docs` that has a value to `f`, ascending.
    pub(crate) fn for_each_in(&self, docs: &BitSet, mut f: impl FnMut(u32, &T)) {
        for block in &self.blocks {
            let from = block.number as usize * WORDS;
            let Some(wanted) = docs.words().get(from..) else {
                return;
            };
            let mut values = &block.values[..];
            for (at, (&present, wanted)) in block.present.iter().zip(wanted).enumerate() {
                let (here, rest) = values.split_at(present.count_ones() as usize);
                values = rest;
                let first = block.number * BLOCK + at as u32 * 64;
                let mut found = present & wanted;
                while found != 0 {
                    let bit = found.trailing_zeros();
                    let rank = (present & ((1 << bit) - 1)).count_ones();
                    f(first + bit, &here[rank as usize]);
                    found &= found - 1;
                }
            }
        }
    }

    /// Gives the value of each of `docs`, which ascend, to `f` with its place among them.
    pub(crate) fn for_each_of(&self, docs: &[u32], mut f: impl FnMut(usize, &T)) {
        let mut at = 0;
        while let Some(&doc) = docs.get(at) {
            let number = doc / BLOCK;
            let here = docs[at..].partition_point(|doc| doc / BLOCK == number);
            if let Ok(found) = self.find(number) {
                self.blocks[found]
                    .for_each_of(&docs[at..at + here], |place, value| f(at + place, value));
            }
            at += here;
        }
    }

    /// Visits every value with its ordinal, ascending.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32, &T)) {
        for block in &self.blocks {
            let mut values = block.values.iter();
            for (word, &present) in block.present.iter().enumerate() {
                let mut rest = present;
                while rest != 0 {
                    let doc = block.number * BLOCK + word as u32 * 64 + rest.trailing_zeros();
                    values
                        .next()
                        .into_iter()
                        .for_each(|value| visit(doc, value));
                    rest &= rest - 1;
                }
            }
        }
    }

    /// Bytes held, without those that the values themselves point to.
    pub(crate) fn memory_bytes(&self) -> usize {
        // Each apart: a list of values without bytes has room for as many as can be counted.
        let values: usize = self
            .blocks
            .iter()
            .map(|block| block.values.capacity() * size_of::<T>())
            .sum();
        self.blocks.capacity() * size_of::<Block<T>>() + values
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flat_map(|block| &block.values)
    }

    /// Index of the block with this number, or where it would be inserted.
    fn find(&self, number: u32) -> Result<usize, usize> {
        // A column that most documents have has no gaps: the place is then known without a search.
        if let Some(first) = self.blocks.first() {
            let guess = number.wrapping_sub(first.number) as usize;
            if self
                .blocks
                .get(guess)
                .is_some_and(|block| block.number == number)
            {
                return Ok(guess);
            }
        }
        self.blocks
            .binary_search_by_key(&number, |block| block.number)
    }
}

impl<T> Block<T> {
    fn contains(&self, doc: u32) -> bool {
        let (word, bit) = place(doc);
        self.present[word] & bit != 0
    }

    /// As [`Sparse::for_each_of`], of documents of the block.
    fn for_each_of(&self, docs: &[u32], mut f: impl FnMut(usize, &T)) {
        let (mut word, mut before) = (0, 0);
        for (at, &doc) in docs.iter().enumerate() {
            let (wanted, bit) = place(doc);
            for passed in &self.present[word..wanted] {
                before += passed.count_ones() as usize;
            }
            word = wanted;
            let present = self.present[word];
            if present & bit != 0 {
                let rank = before + (present & (bit - 1)).count_ones() as usize;
                f(at, &self.values[rank]);
            }
        }
    }

    /// The number of present ordinals of the block before `doc`.
    fn rank(&self, doc: u32) -> usize {
        let (word, bit) = place(doc);
        let before: u32 = self.present[..word]
            .iter()
            .map(|word| word.count_ones())
            .sum();
        (before + (self.present[word] & (bit - 1)).count_ones()) as usize
    }
}

/// Word in the block, and its bit.
fn place(doc: u32) -> (usize, u64) {
    ((doc % BLOCK) as usize / 64, 1 << (doc % 64))
}

/// The bits of `present` whose value matches; `values` are those of its bits in order.
#[inline]
fn matching<T>(values: &[T], present: u64, matches: impl Fn(&T) -> bool) -> u64 {
    if present == u64::MAX {
        // Without a dependency from bit to bit, so that the comparison vectorises.
        return values.iter().enumerate().fold(0, |word, (bit, value)| {
            word | (u64::from(matches(value)) << bit)
        });
    }
    let mut rest = present;
    let mut word = 0;
    for value in values {
        let bit = rest & rest.wrapping_neg();
        if matches(value) {
            word |= bit;
        }
        rest ^= bit;
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pelorus_kernels::BitSet;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::{Marks, Sparse};

    /// Ordinals that crowd some blocks and leave others empty.
    fn ordinal() -> impl Strategy<Value = u32> {
        prop_oneof![0..200_u32, 1000..1100_u32, 70_000..70_010_u32]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(0x70e1_0515),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn it_agrees_with_an_ordered_map(
            steps in prop::collection::vec((ordinal(), prop::option::of(0..10_i64)), 0..600),
            first in prop::sample::select(vec![0, 1024, 69_632]),
            end in prop_oneof![Just(0), Just(3), Just(17), Just(2000)],
        ) {
            let mut sparse = Sparse::default();
            let mut model = BTreeMap::new();
            for (doc, value) in steps {
                match value {
                    Some(value) => {
                        prop_assert_eq!(sparse.insert(doc, value), model.insert(doc, value));
                    }
                    None => prop_assert_eq!(sparse.remove(doc), model.remove(&doc)),
                }
            }
            prop_assert!(model.iter().all(|(&doc, value)| sparse.get(doc) == Some(value)));
            let asked: Vec<u32> = (0..2_000).chain(69_990..70_020).filter(|doc| doc % 3 != 1).collect();
            let mut received = vec![None; asked.len()];
            sparse.for_each_of(&asked, |at, &value| received[at] = Some(value));
            let expected: Vec<Option<i64>> = asked.iter().map(|doc| model.get(doc).copied()).collect();
            prop_assert_eq!(received, expected);
            prop_assert!(sparse.values().eq(model.values()));
            prop_assert_eq!(sparse.is_empty(), model.is_empty());
            let wanted: BitSet = (0..2500).filter(|doc| doc % 3 != 1).collect();
            let mut given = Vec::new();
            sparse.for_each_in(&wanted, |doc, &value| given.push((doc, value)));
            let of_model = model.iter().map(|(&doc, &value)| (doc, value));
            let expected: Vec<(u32, i64)> =
                of_model.filter(|(doc, _)| wanted.contains(*doc)).collect();
            prop_assert_eq!(given, expected);
            let mut marks = Marks::new(first, end);
            sparse.scan(&mut marks, |&value| value < 5);
            let reached = first..first + end as u32 * 64;
            let expected: Vec<u32> = model
                .iter()
                .filter(|(doc, value)| reached.contains(*doc) && **value < 5)
                .map(|(doc, _)| doc - first)
                .collect();
            prop_assert_eq!(marks.into_set().iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn full_blocks_scan_as_partial_ones_do() {
        let mut sparse = Sparse::default();
        for doc in 0..2048_u32 {
            sparse.insert(doc, doc);
        }
        let mut marks = Marks::new(0, 32);
        sparse.scan(&mut marks, |doc| doc % 3 == 0);
        let expected = (0..2048).filter(|doc| doc % 3 == 0).collect();
        assert_eq!(marks.into_set(), expected);
    }

    #[test]
    fn documents_without_values_take_the_memory_of_their_blocks() {
        let mut sparse = Sparse::default();
        for doc in [1, 2, 5_000, 70_000] {
            sparse.insert(doc, ());
        }
        assert!(sparse.memory_bytes() > 0);
        assert!(sparse.memory_bytes() < 100_000);
    }
}
