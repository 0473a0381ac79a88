//! Words by their distance from a typed one: the number of edits, each of which puts in, leaves out or replaces a
//! character, or swaps two neighbours, no two of them in one place (optimal string alignment).
//!
//! An edit takes at most one letter away and brings at most one in, so most words are told to be far by their lengths and
//! by the letters they have. For the others all rows of a column of the table of distances are computed at once, each in a bit of a word of the
//! machine (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003).

use pelorus_cancellation::{Cancellation, Cancelled};

use super::ShareKind;
use crate::letters::{each_near, letters_of};
use crate::word_list::{WordList, word_of_key};

/// Words between two looks at whether the search is cancelled: about ten microseconds.
const WORDS_PER_CHECK: usize = 8_192;

/// The characters of a word from which on it is looked for as it is: the rows of a column have 64 bits.
pub(crate) const CORRECTED_CHARS_MAX: usize = 40;

/// Tells how near words are to a typed one.
pub(super) struct NearWords {
    edits_max: u8,
    /// Tells whether it is enough that a beginning of a word is near.
    is_beginning: bool,
    letters: u64,
    chars: usize,
    /// The places of each character of ASCII in the word, a bit for each.
    ascii: Box<[u64; 128]>,
    others: Vec<(char, u64)>,
}

/// The least edits of a whole word and of a beginning of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edits {
    whole: usize,
    beginning: usize,
}

/// A column of the table: each row against the one before and the column before.
struct Column {
    /// Rows that are one more than the row before.
    more: u64,
    /// Rows that are one less.
    less: u64,
    /// Rows that are as many as the row before was in the column before.
    same: u64,
    /// The places of the character before.
    before: u64,
}

impl NearWords {
    /// A word has at most [`CORRECTED_CHARS_MAX`] characters.
    pub(super) fn new(word: &str, edits_max: u8, is_beginning: bool) -> NearWords {
        let mut near = NearWords {
            edits_max,
            is_beginning,
            letters: letters_of(word),
            chars: word.chars().count(),
            ascii: Box::new([0; 128]),
            others: Vec::new(),
        };
        for (row, char) in word.chars().enumerate() {
            let places = match near.ascii.get_mut(char as usize) {
                Some(places) => places,
                None => {
                    let known = near.others.iter().position(|(other, _)| *other == char);
                    let at = known.unwrap_or_else(|| {
                        near.others.push((char, 0));
                        near.others.len() - 1
                    });
                    &mut near.others[at].1
                }
            };
            *places |= 1 << row;
        }
        near
    }

    /// Gives the keys of a list whose words are near to `visit`, the shorter first, each with its relation and its
    /// documents.
    pub(super) fn search<'a>(
        &self,
        list: &'a WordList,
        cancellation: &Cancellation,
        visit: &mut impl FnMut(&'a [u8], ShareKind, u32),
    ) -> Result<(), Cancelled> {
        let (edits, is_beginning) = (self.edits_max, self.is_beginning);
        let least = self.chars.saturating_sub(edits.into());
        let most = match is_beginning {
            true => usize::MAX,
            false => self.chars + usize::from(edits),
        };
        let (letters, places) = list.letters().of_lengths(least, most);
        let parts = letters.chunks(WORDS_PER_CHECK);
        for (letters, places) in parts.zip(places.chunks(WORDS_PER_CHECK)) {
            cancellation.check()?;
            each_near(self.letters, letters, edits, is_beginning, |at| {
                let place = places[at] as usize;
                let key = list.key(place);
                if let Some(kind) = self.kind(word_of_key(key)) {
                    visit(key, kind, list.documents(place));
                }
            });
        }
        Ok(())
    }

    /// The relation of another word to this one; none where it is far, or this one goes on in it.
    pub(super) fn kind(&self, word: &[u8]) -> Option<ShareKind> {
        let edits = match word.is_ascii() {
            true => self.edits(word.iter().map(|byte| char::from(*byte))),
            false => self.edits(str::from_utf8(word).ok()?.chars()),
        };
        let near = |edits: usize| (edits <= usize::from(self.edits_max)).then_some(edits);
        let beginning = near(edits.beginning).filter(|_| self.is_beginning);
        match (near(edits.whole), beginning) {
            (Some(0), _) | (_, Some(0)) => None,
            (Some(1), _) => Some(ShareKind::OneEdit),
            (_, Some(1)) => Some(ShareKind::OneEditBeginning),
            (Some(_), _) => Some(ShareKind::TwoEdits),
            (_, Some(_)) => Some(ShareKind::TwoEditsBeginning),
            (None, None) => None,
        }
    }

    fn edits(&self, word: impl Iterator<Item = char>) -> Edits {
        let last = 1 << (self.chars - 1);
        let mut column = Column {
            more: u64::MAX,
            less: 0,
            same: 0,
            before: 0,
        };
        let mut edits = Edits {
            whole: self.chars,
            beginning: self.chars,
        };
        for (at, char) in word.enumerate() {
            if at >= self.chars + usize::from(self.edits_max) {
                // Longer beginnings are farther.
                edits.whole = usize::MAX;
                break;
            }
            let (more, less) = column.step(self.places(char));
            edits.whole += usize::from(more & last != 0);
            edits.whole -= usize::from(less & last != 0);
            edits.beginning = edits.beginning.min(edits.whole);
        }
        edits
    }

    fn places(&self, char: char) -> u64 {
        match self.ascii.get(char as usize) {
            Some(places) => *places,
            None => {
                let found = self.others.iter().find(|(other, _)| *other == char);
                found.map_or(0, |(_, places)| *places)
            }
        }
    }
}

impl Column {
    /// Goes on to the next column; answers the rows that are one more than in the column before, and those one less.
    fn step(&mut self, places: u64) -> (u64, u64) {
        let swapped = ((!self.same & places) << 1) & self.before;
        let same = ((places & self.more).wrapping_add(self.more) ^ self.more)
            | places
            | self.less
            | swapped;
        let more = self.less | !(same | self.more);
        let less = same & self.more;
        let (more_above, less_above) = (more << 1 | 1, less << 1);
        *self = Column {
            more: less_above | !(same | more_above),
            less: more_above & same,
            same,
            before: places,
        };
        (more, less)
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    /// Edits of optimal string alignment to each beginning of a word, the last that of the whole, by their definition.
    fn by_definition(a: &[char], b: &[char]) -> Vec<usize> {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = match (i, j) {
                    (0, _) | (_, 0) => i + j,
                    _ => {
                        let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        let one = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                        let swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                        if swaps {
                            one.min(table[i - 2][j - 2] + 1)
                        } else {
                            one
                        }
                    }
                };
            }
        }
        table.pop().unwrap_or_default()
    }

    fn random_word(random: &mut SplitMix64, letters: &[char], most: usize) -> Vec<char> {
        let len = 1 + random.below(most);
        (0..len).map(|_| *random.pick(letters)).collect()
    }

    #[test]
    fn edits_are_those_of_the_definition_as_far_as_they_count() {
        let mut random = SplitMix64(7);
        for letters in [
            &['a', 'b'][..],
            &['k', 'e', 't', 'l', 'é'],
            &['н', 'о', '日', 'a'],
        ] {
            for _ in 0..3_000 {
                let typed = random_word(&mut random, letters, 12);
                let word = random_word(&mut random, letters, 14);
                let near = NearWords::new(&typed.iter().collect::<String>(), 2, true);
                let found = near.edits(word.iter().copied());
                let edits = by_definition(&typed, &word);
                let whole = *edits.last().unwrap_or(&0);
                assert_eq!(
                    found.beginning.min(3),
                    edits.iter().copied().min().unwrap_or(0).min(3)
                );
                assert_eq!(found.whole.min(3), whole.min(3), "{typed:?} {word:?}");
            }
        }
    }

    #[test]
    fn the_longest_words_are_compared_too() {
        let typed = "ab".repeat(CORRECTED_CHARS_MAX / 2);
        let near = NearWords::new(&typed, 2, false);
        assert_eq!(near.kind(typed.as_bytes()), None);
        assert_eq!(near.kind(&typed.as_bytes()[1..]), Some(ShareKind::OneEdit));
        let longer = format!("{typed}xx");
        assert_eq!(near.kind(longer.as_bytes()), Some(ShareKind::TwoEdits));
        assert_eq!(near.kind(format!("{longer}x").as_bytes()), None);
    }

    #[test]
    fn letters_leave_no_near_word_out() {
        let letters: Vec<char> = "abcdefghtuäж".chars().collect();
        let mut random = SplitMix64(8);
        let keys = (0..2_000).map(|_| {
            let word: String = random_word(&mut random, &letters, 7).into_iter().collect();
            (format!("{word}\0\u{1}"), 1)
        });
        let keys: std::collections::BTreeMap<_, _> = keys.collect();
        let list = WordList::of_ascending(keys);
        for (edits_max, is_beginning) in [(1, false), (2, false), (1, true), (2, true)] {
            for _ in 0..20 {
                let typed: String = random_word(&mut random, &letters, 6).into_iter().collect();
                let near = NearWords::new(&typed, edits_max, is_beginning);
                let mut found = Vec::new();
                let never = Cancellation::never();
                near.search(&list, &never, &mut |key, kind, _| found.push((key, kind)))
                    .unwrap();
                let all = (0..list.len()).map(|at| list.key(at));
                let expected: Vec<_> = all
                    .filter_map(|key| Some((key, near.kind(word_of_key(key))?)))
                    .collect();
                assert!(!expected.is_empty() || typed.chars().count() > 3, "{typed}");
                found.sort();
                assert_eq!(found, expected, "{typed} {edits_max} {is_beginning}");
            }
        }
    }
}
