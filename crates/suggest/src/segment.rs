//! Some queries and an index of their words, immutable. Rows are sorted by key, which is how a key is
//! found and how two segments become one.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use pelorus_kernels::BitSet;

use crate::prefix_distance::SortedWords;
use crate::texts::Texts;

/// A query as a segment takes it.
pub(crate) struct Row {
    pub key: String,
    pub text: String,
    pub words: Vec<String>,
    /// `ln(1 + popularity)`.
    pub popularity: f64,
    pub metadata: String,
}

#[derive(Debug, Default)]
pub(crate) struct Segment {
    keys: Texts,
    texts: Texts,
    metadata: Texts,
    popularity: Vec<f64>,
    lengths: Vec<u32>,
    words: Texts,
    shared: Vec<u16>,
    /// The beginnings of each word's rows in `rows`, and the end of the last ones.
    starts: Vec<u32>,
    /// The rows that hold a word, ascending, as often as they hold it.
    rows: Vec<u32>,
}

/// The number of characters that two texts begin with in common.
pub(crate) fn shared_chars(a: &str, b: &str) -> u16 {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    u16::try_from(shared.count()).unwrap_or(u16::MAX)
}

impl Segment {
    /// Builds a segment of rows in the order of their keys, no two with the same.
    pub fn build(sorted: Vec<Row>) -> Self {
        let mut segment = Self::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        // The words of all rows, by the number at which each was first met.
        let mut met: Vec<u32> = Vec::new();
        for row in sorted {
            segment.lengths.push(row.words.len() as u32);
            for word in row.words {
                let next = numbers.len() as u32;
                met.push(*numbers.entry(word).or_insert(next));
            }
            segment.push_row(&row.key, &row.text, row.popularity, &row.metadata);
        }
        let mut distinct: Vec<(String, u32)> = numbers.into_iter().collect();
        distinct.sort_unstable();
        let mut places = vec![0; distinct.len()];
        for (place, (word, number)) in distinct.iter().enumerate() {
            places[*number as usize] = place;
            segment.push_word(word);
        }
        segment.list_rows(met.into_iter().map(|number| places[number as usize]));
        segment.shrink();
        segment
    }

    fn push_row(&mut self, key: &str, text: &str, popularity: f64, metadata: &str) {
        self.keys.push(key);
        self.texts.push(text);
        self.metadata.push(metadata);
        self.popularity.push(popularity);
    }

    fn push_word(&mut self, word: &str) {
        let shared = match self.words.len().checked_sub(1) {
            Some(last) => shared_chars(self.words.get(last), word),
            None => 0,
        };
        self.shared.push(shared);
        self.words.push(word);
    }

    /// Lists the rows of each word from the places of the words of all rows, row by row.
    fn list_rows(&mut self, places: impl Iterator<Item = usize> + Clone) {
        self.starts = vec![0; self.words.len() + 1];
        for place in places.clone() {
            self.starts[place + 1] += 1;
        }
        for place in 0..self.words.len() {
            self.starts[place + 1] += self.starts[place];
        }
        let mut next = self.starts.clone();
        self.rows = vec![0; next[self.words.len()] as usize];
        let lengths = self.lengths.iter().enumerate();
        let rows =
            lengths.flat_map(|(row, length)| std::iter::repeat_n(row as u32, *length as usize));
        for (place, row) in places.zip(rows) {
            self.rows[next[place] as usize] = row;
            next[place] += 1;
        }
    }

    /// Merges the living rows of two segments, no key in both. Takes time linear in them.
    pub fn merge(a: (&Segment, &BitSet), b: (&Segment, &BitSet)) -> Self {
        let mut merged = Self::default();
        let mut moved = [Moved::new(a.0), Moved::new(b.0)];
        let parts = [a, b];
        merged.merge_rows(&parts, &mut moved);
        merged.merge_words(&parts, &moved);
        merged.shrink();
        merged
    }

    fn merge_rows(&mut self, parts: &[(&Segment, &BitSet); 2], moved: &mut [Moved; 2]) {
        let mut at = [0, 0];
        loop {
            let heads = [0, 1].map(|part| {
                let (segment, dead) = parts[part];
                while at[part] < segment.len() && dead.contains(at[part] as u32) {
                    at[part] += 1;
                }
                (at[part] < segment.len()).then(|| segment.keys.get(at[part]))
            });
            let part = match heads {
                [None, None] => return,
                [Some(_), None] => 0,
                [None, Some(_)] => 1,
                [Some(a), Some(b)] => usize::from(a > b),
            };
            let (segment, row) = (parts[part].0, at[part]);
            moved[part].0[row] = Some(self.len() as u32);
            self.lengths.push(segment.lengths[row]);
            self.push_row(
                segment.keys.get(row),
                segment.texts.get(row),
                segment.popularity[row],
                segment.metadata.get(row),
            );
            at[part] += 1;
        }
    }

    fn merge_words(&mut self, parts: &[(&Segment, &BitSet); 2], moved: &[Moved; 2]) {
        let [a, b] = [parts[0].0, parts[1].0];
        let (mut i, mut j) = (0, 0);
        self.starts.push(0);
        while i < a.words.len() || j < b.words.len() {
            let order = match (i < a.words.len(), j < b.words.len()) {
                (true, true) => a.words.get(i).cmp(b.words.get(j)),
                (true, false) => Ordering::Less,
                (false, _) => Ordering::Greater,
            };
            let word = match order {
                Ordering::Greater => b.words.get(j),
                _ => a.words.get(i),
            };
            let of_a = (order != Ordering::Greater).then(|| moved[0].rows_of(a, i));
            let of_b = (order != Ordering::Less).then(|| moved[1].rows_of(b, j));
            let start = self.rows.len();
            self.rows.extend(of_a.into_iter().flatten());
            let middle = self.rows.len();
            self.rows.extend(of_b.into_iter().flatten());
            if start < middle && middle < self.rows.len() {
                // Two ascending runs: the sort of the standard library merges such.
                self.rows[start..].sort();
            }
            if start < self.rows.len() {
                self.push_word(word);
                self.starts.push(self.rows.len() as u32);
            }
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
        }
    }

    fn shrink(&mut self) {
        for texts in [
            &mut self.keys,
            &mut self.texts,
            &mut self.metadata,
            &mut self.words,
        ] {
            texts.shrink();
        }
        self.popularity.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.shared.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The row of a key.
    pub fn row_of(&self, key: &str) -> Option<usize> {
        let row = self.keys.partition_point(|other| other < key);
        (row < self.len() && self.keys.get(row) == key).then_some(row)
    }

    /// The rows whose keys come after a key, or all of them, in the order of their keys.
    pub fn rows_after(&self, key: Option<&str>) -> Range<usize> {
        let start = key.map_or(0, |key| self.keys.partition_point(|other| other <= key));
        start..self.len()
    }

    pub fn key(&self, row: usize) -> &str {
        self.keys.get(row)
    }

    pub fn text(&self, row: usize) -> &str {
        self.texts.get(row)
    }

    pub fn metadata(&self, row: usize) -> &str {
        self.metadata.get(row)
    }

    /// `ln(1 + popularity)`.
    pub fn popularity(&self, row: usize) -> f64 {
        self.popularity[row]
    }

    /// As [`Query::bytes`](crate::Query::bytes).
    pub fn bytes(&self, row: usize) -> usize {
        self.text(row).len() + self.metadata(row).len()
    }

    /// The number of words of a row.
    pub fn length(&self, row: usize) -> u32 {
        self.lengths[row]
    }

    pub fn words(&self) -> SortedWords<'_> {
        SortedWords {
            words: &self.words,
            shared: &self.shared,
        }
    }

    /// The words that begin so. Where there is the whole word, it is the first of them.
    pub fn words_with(&self, beginning: &str) -> Range<usize> {
        let start = self.words.partition_point(|word| word < beginning);
        let is_before_end = |word: &str| word < beginning || word.starts_with(beginning);
        start..self.words.partition_point(is_before_end)
    }

    pub fn word(&self, word: usize) -> &str {
        self.words.get(word)
    }

    /// The rows of some words that follow each other; a row comes as often as it holds one.
    pub fn rows_of(&self, words: Range<usize>) -> &[u32] {
        &self.rows[self.starts[words.start] as usize..self.starts[words.end] as usize]
    }

    pub fn memory_bytes(&self) -> usize {
        let texts = [&self.keys, &self.texts, &self.metadata, &self.words];
        texts.map(Texts::memory_bytes).iter().sum::<usize>()
            + self.popularity.capacity() * size_of::<f64>()
            + (self.lengths.capacity() + self.starts.capacity() + self.rows.capacity())
                * size_of::<u32>()
            + self.shared.capacity() * size_of::<u16>()
    }
}

/// The places to which a merge moved the rows of a segment; none for dead ones.
struct Moved(Vec<Option<u32>>);

impl Moved {
    fn new(segment: &Segment) -> Self {
        Self(vec![None; segment.len()])
    }

    fn rows_of<'a>(&'a self, segment: &'a Segment, word: usize) -> impl Iterator<Item = u32> + 'a {
        let rows = segment.rows_of(word..word + 1).iter();
        rows.filter_map(|row| self.0[*row as usize])
    }
}
