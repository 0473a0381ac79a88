//! A naive model of the index: plain documents, scored one by one in f64.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalHits, LexicalIndex, LexicalOptions, LexicalQuery, Operand};

/// A document of the model: field name to tokens. Words of the tests are their own tokens.
pub type Document = BTreeMap<String, Vec<String>>;

#[derive(Default, Clone)]
pub struct Model {
    pub documents: BTreeMap<u32, Document>,
}

/// A query of the model: terms are lists of consecutive tokens.
#[derive(Debug, Clone, Default)]
pub struct ModelQuery {
    pub required: Vec<Vec<String>>,
    pub optional: Vec<Vec<String>>,
    pub fields: Option<Vec<String>>,
    /// Weights of fields, 1 where none is here.
    pub weights: BTreeMap<String, f64>,
    /// The slop of required phrases.
    pub slop: u32,
}

impl ModelQuery {
    pub fn to_text(&self) -> String {
        let required = self
            .required
            .iter()
            .map(|phrase| format!("\"{}\"", phrase.join(" ")));
        let optional = self.optional.iter().map(|term| term.join("-"));
        required.chain(optional).collect::<Vec<_>>().join(" ")
    }

    pub fn to_query(&self, k: usize) -> LexicalQuery {
        LexicalQuery {
            text: self.to_text(),
            fields: self.fields.clone(),
            k,
            operand: Operand::Or,
            field_weights: self.weights.clone().into_iter().collect(),
            phrase_slop: self.slop,
            ..LexicalQuery::default()
        }
    }
}

impl Model {
    pub fn alive(&self) -> BitSet {
        self.documents.keys().copied().collect()
    }

    /// All matches, best first, ties by ordinal.
    pub fn search(&self, query: &ModelQuery) -> Vec<(u32, f64)> {
        let mut hits: Vec<(u32, f64)> = self
            .documents
            .iter()
            .filter(|(_, document)| self.matches(document, query))
            .map(|(&doc, document)| (doc, self.score(document, query)))
            .collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits
    }

    fn matches(&self, document: &Document, query: &ModelQuery) -> bool {
        let holds = |term: &Vec<String>, slop: u32| {
            self.fields(query)
                .iter()
                .any(|field| frequency(document, field, term, slop) > 0.0)
        };
        match query.required.is_empty() {
            true => query.optional.iter().any(|term| holds(term, 0)),
            false => query.required.iter().all(|term| holds(term, query.slop)),
        }
    }

    fn score(&self, document: &Document, query: &ModelQuery) -> f64 {
        let mut score = 0.0;
        let required = query.required.iter().map(|term| (term, query.slop));
        for (term, slop) in required.chain(query.optional.iter().map(|term| (term, 0))) {
            for field in self.fields(query) {
                let weight = query.weights.get(&field).copied().unwrap_or(1.0);
                score += weight * self.field_score(document, &field, (term, slop), query);
            }
        }
        score
    }

    fn field_score(
        &self,
        document: &Document,
        field: &str,
        (term, slop): (&[String], u32),
        query: &ModelQuery,
    ) -> f64 {
        let tf = frequency(document, field, term, slop);
        if tf == 0.0 {
            return 0.0;
        }
        let counted = match &query.fields {
            None => self.fields(query),
            Some(_) => BTreeSet::from([field.to_owned()]),
        };
        let holds = |d: &&Document| counted.iter().any(|f| frequency(d, f, term, slop) > 0.0);
        let n = self.documents.values().filter(holds).count() as f64;
        let total = self.documents.len() as f64;
        let lengths: Vec<usize> = self
            .documents
            .values()
            .filter_map(|d| d.get(field))
            .map(Vec::len)
            .collect();
        let lengths: Vec<usize> = lengths.into_iter().filter(|&length| length > 0).collect();
        let average = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        let idf = (1.0 + (total - n + 0.5) / (n + 0.5)).ln();
        let length = document[field].len() as f64;
        idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))
    }

    fn fields(&self, query: &ModelQuery) -> BTreeSet<String> {
        match &query.fields {
            Some(fields) => fields.iter().cloned().collect(),
            None => self
                .documents
                .values()
                .flat_map(|d| d.keys().cloned())
                .collect(),
        }
    }

    /// Documents whose field holds the tokens one behind the other.
    pub fn contains(&self, field: &str, tokens: &[String]) -> Vec<u32> {
        let holds = |(_, d): &(&u32, &Document)| frequency(d, field, tokens, 0) > 0.0;
        self.documents
            .iter()
            .filter(holds)
            .map(|(&doc, _)| doc)
            .collect()
    }
}

/// How often a field holds a term; a phrase whose tokens stand apart counts as 1 / (1 + distance).
fn frequency(document: &Document, field: &str, term: &[String], slop: u32) -> f64 {
    let Some(tokens) = document.get(field) else {
        return 0.0;
    };
    if slop == 0 || term.len() == 1 {
        let windows = tokens.windows(term.len());
        return windows.filter(|window| *window == term).count() as f64;
    }
    // Characters stand side by side: it is the pairs of them that may stand apart.
    let is_pairing = |token: &String| token.chars().all(|c| !c.is_ascii());
    let pairs =
        |tokens: &[String]| -> Vec<String> { tokens.windows(2).map(<[String]>::concat).collect() };
    match term.iter().all(is_pairing) {
        true => sloppy_frequency(&pairs(tokens), &pairs(term), slop),
        false => sloppy_frequency(tokens, term, slop),
    }
}

/// By every choice of an occurrence for each token of the phrase.
fn sloppy_frequency(tokens: &[String], phrase: &[String], slop: u32) -> f64 {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for token in phrase {
        let grown = choices.iter().flat_map(|choice| {
            let here = tokens.iter().enumerate().filter(|(_, one)| *one == token);
            let free = here.filter(|(place, _)| !choice.contains(place));
            free.map(|(place, _)| [&**choice, &[place]].concat())
        });
        choices = grown.collect();
    }
    let window = |choice: Vec<usize>| {
        let displaced = choice
            .iter()
            .zip(0..)
            .map(|(&place, at): (_, i64)| place as i64 - at);
        Some((displaced.clone().min()?, displaced.max()?))
    };
    let windows: BTreeSet<(i64, i64)> = choices.into_iter().filter_map(window).collect();
    let holds = |(a, b): (i64, i64), (c, d): (i64, i64)| (a, b) != (c, d) && a <= c && d <= b;
    let counted = windows.iter().filter(|&&(first, end)| {
        end - first <= i64::from(slop) && !windows.iter().any(|&other| holds((first, end), other))
    });
    counted
        .map(|(first, end)| 1.0 / (end - first + 1) as f64)
        .sum()
}

/// Holds an answer against the model: same documents in the same order, same scores to f32
/// precision, same total. Documents whose scores differ by rounding only may change places.
pub fn assert_same(found: &LexicalHits, expected: &[(u32, f64)], k: usize, what: &str) {
    assert_eq!(found.total, expected.len() as u64, "total of {what}");
    assert_eq!(
        found.hits.len(),
        expected.len().min(k),
        "number of hits of {what}"
    );
    let by_doc: BTreeMap<u32, f64> = expected.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for (&(doc, score), &(_, rank_score)) in found.hits.iter().zip(expected) {
        assert!(seen.insert(doc), "document {doc} twice in {what}");
        let exact = by_doc
            .get(&doc)
            .unwrap_or_else(|| panic!("document {doc} in {what}"));
        assert_close(score, *exact, what);
        assert_close(score, rank_score, what);
    }
}

pub fn assert_close(score: f32, exact: f64, what: &str) {
    let tolerance = 1e-6 * exact.abs().max(1.0);
    assert!(
        (f64::from(score) - exact).abs() <= tolerance,
        "{score} is not {exact} in {what}"
    );
}

/// Adds documents with texts and publishes them.
pub fn add(index: &LexicalIndex, documents: &[(u32, &[(&str, &str)])]) {
    for (doc, fields) in documents {
        index.add(*doc, fields).unwrap();
    }
    index.publish();
}

/// Every file in a directory and those in it.
pub fn files_under(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_under(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

pub fn all(end: u32) -> BitSet {
    (0..end).collect()
}

pub fn open_empty(dir: &Path) -> LexicalIndex {
    LexicalIndex::open(dir, LexicalOptions::default(), &BitSet::default())
}

pub fn query(text: &str) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 100,
        operand: Operand::Or,
        ..LexicalQuery::default()
    }
}

/// The documents found, best first.
pub fn docs(index: &LexicalIndex, text: &str) -> Vec<u32> {
    let hits = index.search(&query(text), &all(1_000)).unwrap().hits;
    hits.into_iter().map(|(doc, _)| doc).collect()
}
