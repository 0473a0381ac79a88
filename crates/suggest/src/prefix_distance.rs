//! The distance from a token to the nearest beginning of each of many sorted words.
//!
//! The distance of two texts is the number of edits of optimal string alignment, computed by rows:
//! `row[i][j]` is the distance of the first `i` characters of a word and the first `j` of the token.
//! Sorted neighbours begin alike, so the rows of a word are those of the one before as far as the two
//! agree. Where every distance of a row is beyond the bound, so are all further down, also those that
//! end with a swap, which starts two rows up and one edit below: the word and its neighbours with the
//! same beginning need no further look.

use crate::texts::Texts;

/// The words of a segment: sorted, each other than the one before.
pub(crate) struct SortedWords<'a> {
    pub words: &'a Texts,
    /// How many characters each word has in common with the one before.
    pub shared: &'a [u16],
}

/// Calls `emit` with every word of which some beginning is at most `edits_max` edits away from
/// `token`, and with the least number of edits.
pub(crate) fn for_each_within(
    SortedWords { words, shared }: SortedWords<'_>,
    token: &[char],
    edits_max: usize,
    mut emit: impl FnMut(usize, usize),
) {
    let mut rows = Rows::new(token, edits_max);
    for (word, &shared) in shared.iter().enumerate() {
        let shared = usize::from(shared);
        let is_decided = rows.is_final() && shared >= rows.path.len();
        if !is_decided {
            rows.truncate(shared);
            for c in words.get(word).chars().skip(shared) {
                rows.push(c);
                if rows.is_final() {
                    break;
                }
            }
        }
        let distance = rows.nearest();
        if distance <= edits_max {
            emit(word, distance);
        }
    }
}

/// The rows of the beginnings of one word.
struct Rows<'t> {
    token: &'t [char],
    edits_max: usize,
    /// The characters that led to each row but the first.
    path: Vec<char>,
    /// `path.len() + 1` rows of `token.len() + 1` distances each.
    distances: Vec<usize>,
    /// For each row the least distance of the whole token up to there.
    nearest: Vec<usize>,
    /// Whether the last row decides the distance of all words that begin so.
    finals: Vec<bool>,
}

impl<'t> Rows<'t> {
    fn new(token: &'t [char], edits_max: usize) -> Self {
        Self {
            token,
            edits_max,
            path: Vec::new(),
            distances: (0..=token.len()).collect(),
            nearest: vec![token.len()],
            finals: vec![false],
        }
    }

    /// Back to the row of the first `chars` characters.
    fn truncate(&mut self, chars: usize) {
        self.path.truncate(chars);
        self.distances
            .truncate((chars + 1) * (self.token.len() + 1));
        self.nearest.truncate(chars + 1);
        self.finals.truncate(chars + 1);
    }

    fn push(&mut self, c: char) {
        let width = self.token.len() + 1;
        let above = self.distances.len() - width;
        let above_two = self.path.last().map(|before| (above - width, *before));
        self.distances.push(self.path.len() + 1);
        let mut least = self.path.len() + 1;
        for (j, &wanted) in self.token.iter().enumerate() {
            let replaced = self.distances[above + j] + usize::from(wanted != c);
            let dropped = self.distances[above + j + 1] + 1;
            let inserted = self.distances[above + width + j] + 1;
            let mut distance = replaced.min(dropped).min(inserted);
            if let Some((row, before)) = above_two
                && j > 0
                && wanted == before
                && self.token[j - 1] == c
            {
                distance = distance.min(self.distances[row + j - 1] + 1);
            }
            self.distances.push(distance);
            least = least.min(distance);
        }
        let last = self.distances[self.distances.len() - 1];
        self.path.push(c);
        let nearest = self.nearest().min(last);
        self.nearest.push(nearest);
        self.finals.push(least > self.edits_max);
    }

    fn nearest(&self) -> usize {
        self.nearest[self.nearest.len() - 1]
    }

    fn is_final(&self) -> bool {
        self.finals[self.finals.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;
    use crate::segment::shared_chars;

    /// The textbook: a whole table for each beginning.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    match is_swap {
                        true => least.min(table[i - 2][j - 2] + 1),
                        false => least,
                    }
                };
            }
        }
        table[a.len()][b.len()]
    }

    fn nearest_beginning(word: &str, token: &[char]) -> usize {
        let word: Vec<char> = word.chars().collect();
        let beginnings = (0..=word.len()).map(|end| distance(&word[..end], token));
        beginnings.min().unwrap_or(usize::MAX)
    }

    fn random_word(random: &mut SplitMix64, letters: &[char]) -> String {
        let length = 1 + random.below(7);
        (0..length).map(|_| *random.pick(letters)).collect()
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        let mut random = SplitMix64(11);
        for letters in [&['a', 'b'][..], &['a', 'b', 'é', '手', '😀']] {
            for _ in 0..60 {
                let mut sorted: Vec<String> =
                    (0..80).map(|_| random_word(&mut random, letters)).collect();
                sorted.sort();
                sorted.dedup();
                let mut words = Texts::default();
                sorted.iter().for_each(|word| words.push(word));
                let shared: Vec<u16> = (0..words.len())
                    .map(|at| match at {
                        0 => 0,
                        _ => shared_chars(words.get(at - 1), words.get(at)),
                    })
                    .collect();
                let token: Vec<char> = random_word(&mut random, letters).chars().collect();
                for edits_max in 0..=2 {
                    let mut found = Vec::new();
                    let sorted_words = SortedWords {
                        words: &words,
                        shared: &shared,
                    };
                    for_each_within(sorted_words, &token, edits_max, |word, distance| {
                        found.push((word, distance));
                    });
                    let expected = sorted.iter().enumerate();
                    let expected = expected.map(|(at, word)| (at, nearest_beginning(word, &token)));
                    let expected: Vec<_> = expected.filter(|(_, d)| *d <= edits_max).collect();
                    assert_eq!(
                        found, expected,
                        "{token:?} within {edits_max} of {sorted:?}"
                    );
                }
            }
        }
    }
}
