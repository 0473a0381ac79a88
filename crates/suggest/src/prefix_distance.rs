//! The distance from a token to the nearest beginning of each of many sorted words.
//!
//! The distance of two texts is the number of edits of optimal string alignment, computed by rows:
//! `row[i][j]` is the distance of the first `i` characters of a word and the first `j` of the token.
//! Sorted neighbours begin alike, so the rows of a word are those of the one before as far as the two
//! agree. Where every distance of a row is beyond the bound, so are all further down, also those that
//! end with a swap, which starts two rows up and one edit below: the word and its neighbours with the
//! same beginning need no further look. And a distance within the bound is that of two beginnings about
//! as long as each other, so that a row has few of them however long the token is.

use crate::texts::Texts;

/// The words of a segment: sorted, each other than the one before.
pub(crate) struct SortedWords<'a> {
    pub words: &'a Texts,
    /// The number of characters that each word shares with the one before.
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

/// More than any bound.
const FAR: usize = usize::MAX / 2;

/// The rows of the beginnings of one word, each as far as its distances can be within the bound: so many
/// characters of the token more or less than of the word.
struct Rows<'t> {
    token: &'t [char],
    edits_max: usize,
    /// The characters that led to each row but the first.
    path: Vec<char>,
    /// `path.len() + 1` rows of `2 * edits_max + 1` distances each: the one at `k` of row `i` is that of
    /// `i + k - edits_max` characters of the token.
    distances: Vec<usize>,
    /// For each row the least distance of the whole token up to there.
    nearest: Vec<usize>,
    /// Tells whether the last row decides the distance of all words that begin so.
    finals: Vec<bool>,
}

impl<'t> Rows<'t> {
    fn new(token: &'t [char], edits_max: usize) -> Self {
        let first = (0..=2 * edits_max).map(|k| match k.checked_sub(edits_max) {
            Some(chars) if chars <= token.len() => chars,
            _ => FAR,
        });
        Self {
            token,
            edits_max,
            path: Vec::new(),
            distances: first.collect(),
            nearest: vec![token.len()],
            finals: vec![false],
        }
    }

    fn width(&self) -> usize {
        2 * self.edits_max + 1
    }

    /// Back to the row of the first `chars` characters.
    fn truncate(&mut self, chars: usize) {
        self.path.truncate(chars);
        self.distances.truncate((chars + 1) * self.width());
        self.nearest.truncate(chars + 1);
        self.finals.truncate(chars + 1);
    }

    fn push(&mut self, c: char) {
        let width = self.width();
        let row = self.path.len() + 1;
        let above = self.distances.len() - width;
        let before = self.path.last().copied();
        let mut least = FAR;
        let mut whole = FAR;
        for k in 0..width {
            let chars = (row + k).checked_sub(self.edits_max);
            let distance = match chars.filter(|chars| *chars <= self.token.len()) {
                None => FAR,
                Some(0) => row,
                Some(chars) => {
                    let wanted = self.token[chars - 1];
                    let mut distance = self.distances[above + k] + usize::from(wanted != c);
                    if k + 1 < width {
                        distance = distance.min(self.distances[above + k + 1] + 1);
                    }
                    if k > 0 {
                        distance = distance.min(self.distances[above + width + k - 1] + 1);
                    }
                    if chars > 1 && before == Some(wanted) && self.token[chars - 2] == c {
                        distance = distance.min(self.distances[above - width + k] + 1);
                    }
                    if chars == self.token.len() {
                        whole = distance;
                    }
                    distance
                }
            };
            self.distances.push(distance);
            least = least.min(distance);
        }
        self.path.push(c);
        let nearest = self.nearest().min(whole);
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
