//! A dense set of `u32` ids.

/// A set of small integers, one bit each, in 64-bit words. Grows as ids are inserted; membership
/// past the end is false. Equality compares members, not capacity.
#[derive(Clone, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set with room for the ids `0..capacity`.
    pub fn new(capacity: usize) -> Self {
        Self {
            words: vec![0; capacity.div_ceil(64)],
        }
    }

    /// The set of all ids below `end`.
    pub fn full(end: u32) -> Self {
        let mut words = vec![u64::MAX; end as usize / 64];
        if !end.is_multiple_of(64) {
            words.push((1 << (end % 64)) - 1);
        }
        Self { words }
    }

    /// The set whose raw words are `words`, as [`BitSet::words`] gives them.
    pub fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    /// Adds `id` and tells whether it is new.
    pub fn insert(&mut self, id: u32) -> bool {
        let (word, bit) = place(id);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }

    /// Takes `id` out and tells whether it was there.
    pub fn remove(&mut self, id: u32) -> bool {
        let (word, bit) = place(id);
        let Some(word) = self.words.get_mut(word) else {
            return false;
        };
        let present = *word & bit != 0;
        *word &= !bit;
        present
    }

    /// Tells whether `id` is a member; false past the end.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        let (word, bit) = place(id);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The number of members, counted anew at each call.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The number of members from `first` to `last`, counted anew at each call. Fast where nearly all are.
    pub fn len_within(&self, first: u32, last: u32) -> usize {
        let ((from, low), (to, high)) = (place(first), place(last));
        let words = &self.words[from.min(self.words.len())..(to + 1).min(self.words.len())];
        let counted: usize = words.chunks(FULL_WORDS).map(count).sum();
        // Only a part of the first and of the last word belongs to it.
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        let below = word(from) & (low - 1);
        let above = word(to) & !(high | (high - 1));
        counted - (below.count_ones() + above.count_ones()) as usize
    }

    /// Tells whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Adds every member of `other`.
    pub fn union_with(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, theirs)| *word |= theirs);
    }

    /// Keeps only members that are in `other` too.
    pub fn intersect_with(&mut self, other: &BitSet) {
        self.words.truncate(other.words.len());
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, theirs)| *word &= theirs);
    }

    /// Takes every member of `other` out.
    pub fn subtract(&mut self, other: &BitSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, theirs)| *word &= !theirs);
    }

    /// The members, ascending.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            words: &self.words,
            next_word: 0,
            rest: 0,
        }
    }

    /// The members from `start` on, ascending.
    pub fn iter_from(&self, start: u32) -> Iter<'_> {
        let (word, bit) = place(start);
        let first = self.words.get(word).copied().unwrap_or(0);
        Iter {
            words: &self.words,
            next_word: word + 1,
            rest: first & bit.wrapping_neg(),
        }
    }

    /// The raw words: bit `i % 64` of word `i / 64` stands for id `i`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Words looked at together for whether any bit is missing: counting bits takes several times as long.
const FULL_WORDS: usize = 32;

fn count(words: &[u64]) -> usize {
    match words.iter().fold(u64::MAX, |all, word| all & word) {
        u64::MAX => 64 * words.len(),
        _ => words.iter().map(|word| word.count_ones() as usize).sum(),
    }
}

#[inline]
fn place(id: u32) -> (usize, u64) {
    (id as usize / 64, 1 << (id % 64))
}

impl PartialEq for BitSet {
    fn eq(&self, other: &Self) -> bool {
        let common = self.words.len().min(other.words.len());
        let (ours, our_rest) = self.words.split_at(common);
        let (theirs, their_rest) = other.words.split_at(common);
        ours == theirs && our_rest.iter().chain(their_rest).all(|&word| word == 0)
    }
}

impl Eq for BitSet {}

impl std::fmt::Debug for BitSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> Self {
        let mut set = Self::default();
        set.extend(ids);
        set
    }
}

impl Extend<u32> for BitSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, ids: I) {
        ids.into_iter().for_each(|id| {
            self.insert(id);
        });
    }
}

impl<'a> IntoIterator for &'a BitSet {
    type Item = u32;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The members of a [`BitSet`], ascending.
#[derive(Clone)]
pub struct Iter<'a> {
    words: &'a [u64],
    /// Index of the word after the one in `rest`.
    next_word: usize,
    rest: u64,
}

impl Iterator for Iter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        while self.rest == 0 {
            self.rest = *self.words.get(self.next_word)?;
            self.next_word += 1;
        }
        let bit = self.rest.trailing_zeros();
        self.rest &= self.rest - 1;
        Some((self.next_word as u32 - 1) * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::btree_set;
    use proptest::prelude::*;

    use super::*;

    fn bits(ids: &BTreeSet<u32>) -> BitSet {
        ids.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn it_agrees_with_an_ordered_set(
            a in btree_set(0u32..500, 0..60),
            b in btree_set(0u32..900, 0..60),
        ) {
            let members: Vec<u32> = a.iter().copied().collect();
            prop_assert_eq!(bits(&a).iter().collect::<Vec<_>>(), members);
            for start in [0, 1, 63, 64, 65, 250, 499, 500, 5_000] {
                let rest: Vec<u32> = a.range(start..).copied().collect();
                prop_assert_eq!(bits(&a).iter_from(start).collect::<Vec<_>>(), rest);
            }
            for first in [0, 1, 63, 64, 65, 250, 499, 5_000] {
                for last in [0, 1, 63, 64, 127, 128, 450, 499, 10_000].into_iter().filter(|&last| last >= first) {
                    prop_assert_eq!(bits(&a).len_within(first, last), a.range(first..=last).count());
                    let full = BitSet::full(480);
                    prop_assert_eq!(full.len_within(first, last), (first..=last).filter(|&id| id < 480).count());
                }
            }
            prop_assert_eq!(bits(&a).len(), a.len());
            prop_assert_eq!(bits(&a).is_empty(), a.is_empty());
            let (mut union, mut common, mut rest) = (bits(&a), bits(&a), bits(&a));
            union.union_with(&bits(&b));
            common.intersect_with(&bits(&b));
            rest.subtract(&bits(&b));
            prop_assert_eq!(union, bits(&(&a | &b)));
            prop_assert_eq!(common, bits(&(&a & &b)));
            prop_assert_eq!(rest, bits(&(&a - &b)));
        }
    }

    #[test]
    fn inserting_and_removing_tell_what_changed() {
        let mut set = BitSet::new(10);
        assert!(set.insert(700) && !set.insert(700));
        assert!(set.contains(700) && !set.contains(699) && !set.contains(u32::MAX));
        assert!(set.remove(700) && !set.remove(700) && !set.remove(u32::MAX));
    }

    #[test]
    fn capacity_does_not_count_in_equality() {
        assert_eq!(BitSet::new(1000), BitSet::default());
        assert_ne!(BitSet::new(1000), BitSet::from_iter([999]));
    }

    #[test]
    fn a_full_set_ends_where_it_should() {
        for end in [0, 1, 63, 64, 65, 200] {
            assert_eq!(BitSet::full(end), (0..end).collect());
        }
    }
}
