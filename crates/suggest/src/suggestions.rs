//! All queries at one moment, and how they change.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pelorus_kernels::BitSet;
use pelorus_lexical::WordAnalyzer;

use crate::search::{SuggestRequest, Suggested, search};
use crate::segment::{Row, Segment};

/// A segment is at least so many times as large as the next.
const GROWTH: usize = 2;

/// A query to suggest.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// As it is shown.
    pub text: String,
    /// The frequency with which it is asked, in any unit; a negative one counts as 0.
    pub popularity: f64,
    /// Opaque, and told with the suggestion.
    pub metadata: String,
}

impl Query {
    /// The room of an index that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.metadata.len()
    }
}

/// A change of queries.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It is there, in place of the one with the same [key](key_of), if any.
    Put(Query),
    /// The one with this key is not there.
    Remove(String),
    /// None is there.
    Clear,
}

/// Returns the key that makes two texts the same query: the text without case, accents and the
/// blanks around its words.
pub fn key_of(text: &str) -> String {
    let folded = WordAnalyzer::new().fold(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ")
}

/// The queries that are suggested. Readers never wait; writers take turns.
#[derive(Debug, Default)]
pub struct Suggestions {
    state: ArcSwap<State>,
    writing: Mutex<()>,
}

/// One state, as a search sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub parts: Vec<Part>,
}

/// A segment and its rows that are not there any more.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub segment: Arc<Segment>,
    pub dead: Arc<BitSet>,
    live: usize,
    live_words: usize,
    live_bytes: usize,
}

impl Part {
    fn new(segment: Segment) -> Self {
        let rows = 0..segment.len();
        Self {
            live: segment.len(),
            live_words: rows.clone().map(|row| segment.length(row) as usize).sum(),
            live_bytes: rows.map(|row| segment.bytes(row)).sum(),
            segment: Arc::new(segment),
            dead: Arc::default(),
        }
    }

    pub fn has_dead(&self) -> bool {
        self.live < self.segment.len()
    }

    pub fn is_alive(&self, row: usize) -> bool {
        !self.has_dead() || !self.dead.contains(row as u32)
    }

    /// The living row of a key.
    fn row_of(&self, key: &str) -> Option<usize> {
        self.segment.row_of(key).filter(|row| self.is_alive(*row))
    }

    fn remove(&mut self, key: &str) {
        if let Some(row) = self.row_of(key) {
            Arc::make_mut(&mut self.dead).insert(row as u32);
            self.live -= 1;
            self.live_words -= self.segment.length(row) as usize;
            self.live_bytes -= self.segment.bytes(row);
        }
    }

    fn merged(&self, other: &Self) -> Self {
        let parts = [self, other].map(|part| (&*part.segment, &*part.dead));
        Self::new(Segment::merge(parts[0], parts[1]))
    }
}

impl State {
    /// The number of queries.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.live).sum()
    }

    /// The number of their words, repeated ones as often as they are there.
    pub fn live_words(&self) -> usize {
        self.parts.iter().map(|part| part.live_words).sum()
    }

    /// Restores the order of sizes after a part was added or thinned out.
    fn settle(&mut self) {
        for part in &mut self.parts {
            if part.live * 2 < part.segment.len() {
                *part = part.merged(&Part::new(Segment::default()));
            }
        }
        self.parts.retain(|part| part.live > 0);
        while let [.., larger, smaller] = self.parts.as_slice()
            && larger.live < GROWTH * smaller.live
        {
            let merged = larger.merged(smaller);
            self.parts.truncate(self.parts.len() - 2);
            self.parts.push(merged);
        }
    }
}

impl Suggestions {
    /// Makes suggestions of many queries at once, in any order; the last of several with one key
    /// counts.
    pub fn of(queries: impl IntoIterator<Item = Query>) -> Self {
        let suggestions = Self::default();
        suggestions.apply(queries.into_iter().map(Change::Put));
        suggestions
    }

    /// Changes queries one after the other; searches see all of the changes or none.
    pub fn apply(&self, changes: impl IntoIterator<Item = Change>) {
        let _turn = self.writing.lock();
        let mut state = State::clone(&self.state.load());
        let mut changed: BTreeMap<String, Option<Query>> = BTreeMap::new();
        for change in changes {
            match change {
                Change::Put(query) => _ = changed.insert(key_of(&query.text), Some(query)),
                Change::Remove(key) => _ = changed.insert(key, None),
                Change::Clear => {
                    state.parts.clear();
                    changed.clear();
                }
            }
        }
        for key in changed.keys() {
            state.parts.iter_mut().for_each(|part| part.remove(key));
        }
        let mut analyzer = WordAnalyzer::new();
        let put = changed.into_iter();
        let put = put.filter_map(|(key, query)| Some(row(&mut analyzer, key, query?)));
        let rows: Vec<Row> = put.collect();
        if !rows.is_empty() {
            state.parts.push(Part::new(Segment::build(rows)));
        }
        state.settle();
        self.state.store(Arc::new(state));
    }

    /// The best suggestions, best first.
    pub fn search(&self, request: &SuggestRequest) -> Vec<Suggested> {
        search(&self.state.load_full(), request)
    }

    /// The text and the metadata of the query with this [key](key_of), if there is one.
    pub fn texts_of(&self, key: &str) -> Option<(String, String)> {
        let state = self.state.load();
        let mut found = state.parts.iter().filter_map(|part| {
            let row = part.row_of(key)?;
            let (text, metadata) = (part.segment.text(row), part.segment.metadata(row));
            Some((text.to_owned(), metadata.to_owned()))
        });
        found.next()
    }

    /// The texts of the first `count` queries whose [keys](key_of) come after `key`, in the order of their keys; of the
    /// first ones of all where there is no `key`.
    pub fn texts_after(&self, key: Option<&str>, count: usize) -> Vec<String> {
        let state = self.state.load();
        let mut found: Vec<(&str, &str)> = Vec::new();
        for part in &state.parts {
            let rows = part
                .segment
                .rows_after(key)
                .filter(|row| part.is_alive(*row));
            let rows = rows.take(count);
            found.extend(rows.map(|row| (part.segment.key(row), part.segment.text(row))));
        }
        found.sort_unstable();
        found.truncate(count);
        found.into_iter().map(|(_, text)| text.to_owned()).collect()
    }

    /// The [bytes](Query::bytes) of the query with this [key](key_of), if there is one.
    pub fn bytes_of(&self, key: &str) -> Option<usize> {
        let state = self.state.load();
        let mut found = state.parts.iter().filter_map(|part| {
            let row = part.row_of(key)?;
            Some(part.segment.bytes(row))
        });
        found.next()
    }

    /// The [bytes](Query::bytes) of all queries.
    pub fn bytes(&self) -> usize {
        let state = self.state.load();
        state.parts.iter().map(|part| part.live_bytes).sum()
    }

    /// The number of queries.
    pub fn len(&self) -> usize {
        self.state.load().len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> usize {
        let state = self.state.load();
        let bytes = |part: &Part| part.segment.memory_bytes() + size_of_val(part.dead.words());
        state.parts.iter().map(bytes).sum()
    }
}

fn row(analyzer: &mut WordAnalyzer, key: String, query: Query) -> Row {
    Row {
        key,
        words: analyzer.words(&query.text),
        popularity: query.popularity.max(0.0).ln_1p(),
        text: query.text,
        metadata: query.metadata,
    }
}
