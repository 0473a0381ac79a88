//! The letters that words have, by which most words are told to be far from a typed one.
//!
//! A set of letters has a bit for each letter that a word has, and one for each that it has twice; letters whose numbers
//! differ by a multiple of 32 count as one. So an edit takes one bit away at most, and brings one in at most.

use pelorus_kernels::kernels;

const KINDS: u32 = 32;
/// Characters from which on words are kept together: more than one has that is near to a whole word.
const CHARS_MAX: usize = 64;

/// The sets of letters of some words, in the order of their lengths: an edit makes a word longer or shorter by one
/// character at most.
#[derive(Debug, Clone)]
pub(crate) struct LetterSets {
    sets: Box<[u64]>,
    /// The number of each word, ascending among those of one length.
    numbers: Box<[u32]>,
    /// By length in characters, the end of those that are no longer.
    ends: Box<[usize]>,
}

impl LetterSets {
    /// Numbers are those of the iterator's order.
    pub(crate) fn of_words<'a>(words: impl Iterator<Item = &'a str> + Clone) -> LetterSets {
        let length = |word: &str| word.chars().count().min(CHARS_MAX);
        let mut ends = vec![0; CHARS_MAX + 1];
        words.clone().for_each(|word| ends[length(word)] += 1);
        let mut count = 0;
        let mut starts = ends.clone();
        for (start, end) in starts.iter_mut().zip(&mut ends) {
            *start = count;
            count += *end;
            *end = count;
        }
        let (mut sets, mut numbers) = (vec![0; count], vec![0; count]);
        for (number, word) in (0..).zip(words) {
            let at = &mut starts[length(word)];
            sets[*at] = letters_of(word);
            numbers[*at] = number;
            *at += 1;
        }
        LetterSets {
            sets: sets.into(),
            numbers: numbers.into(),
            ends: ends.into(),
        }
    }

    /// The sets of words of at least so many characters and of no more than others, and the numbers of these words.
    pub(crate) fn of_lengths(&self, least: usize, most: usize) -> (&[u64], &[u32]) {
        let end_of = |length: usize| self.ends[length.min(CHARS_MAX)];
        let from = least.min(CHARS_MAX).checked_sub(1).map_or(0, end_of);
        let range = from..end_of(most).max(from);
        (&self.sets[range.clone()], &self.numbers[range])
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.sets) + size_of_val(&*self.numbers) + size_of_val(&*self.ends)
    }
}

/// The set of the letters of a word.
pub(crate) fn letters_of(word: &str) -> u64 {
    let (mut once, mut twice) = (0_u64, 0_u64);
    for char in word.chars() {
        let bit = 1 << (char as u32 % KINDS);
        twice |= once & bit;
        once |= bit;
    }
    once | twice << KINDS
}

/// Gives the places of the words that may be so few edits from one with these letters to `visit`, in order. In a word
/// that may go on behind a near beginning further letters say nothing.
pub(crate) fn each_near(
    letters: u64,
    words: &[u64],
    edits_max: u8,
    is_beginning: bool,
    mut visit: impl FnMut(usize),
) {
    const BLOCK_LEN: usize = u64::BITS as usize;
    let lacking = u32::from(edits_max);
    let added = if is_beginning { u64::BITS } else { lacking };
    let mut found = vec![0; words.len().div_ceil(BLOCK_LEN)];
    (kernels().near_sets)(words, letters, lacking, added, &mut found);
    for (block, mut found) in found.into_iter().enumerate() {
        while found != 0 {
            visit(block * BLOCK_LEN + found.trailing_zeros() as usize);
            found &= found - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_lengths() {
        let endless = ["x".repeat(CHARS_MAX), "y".repeat(CHARS_MAX + 9)];
        let words = [
            "lamp",
            "é",
            "",
            "map",
            "läm",
            &*endless[0],
            "lap",
            &*endless[1],
        ];
        let sets = LetterSets::of_words(words.into_iter());
        for least in (0..6).chain(CHARS_MAX - 1..CHARS_MAX + 11) {
            for most in (0..6)
                .chain(CHARS_MAX - 1..CHARS_MAX + 2)
                .chain([usize::MAX])
            {
                let (of_lengths, numbers) = sets.of_lengths(least, most);
                let lengths = least.min(CHARS_MAX)..=most;
                let mut expected: Vec<usize> = (0..words.len()).collect();
                expected
                    .retain(|&word| lengths.contains(&words[word].chars().count().min(CHARS_MAX)));
                expected.sort_by_key(|&word| words[word].chars().count().min(CHARS_MAX));
                let found: Vec<usize> = numbers.iter().map(|&word| word as usize).collect();
                assert_eq!(found, expected, "{least} {most}");
                let letters = found.into_iter().map(|word| letters_of(words[word]));
                assert!(letters.eq(of_lengths.iter().copied()), "{least} {most}");
            }
        }
    }
}
