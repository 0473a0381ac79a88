//! Random histories against the naive model: after every step the index answers as the plain
//! documents do, wherever they are kept.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::support::{Document, Model, ModelQuery, assert_same};
use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    LexicalHits, LexicalIndex, LexicalOptions, LexicalQuery, MatchProbe, Rescore, TermScore,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// Words that analysis leaves as they are.
const WORDS: [&str; 8] = ["red", "dog", "cat", "blu", "sun", "box", "t", "9"];
/// Characters that pair up: only in documents and exact phrases, since an unquoted run of them
/// is several terms.
const CHARACTERS: [&str; 3] = ["手", "机", "ア"];
const FIELDS: [&str; 4] = ["title", "body", "tag", "odd name é"];

#[derive(Debug, Clone)]
enum Step {
    /// Add documents and publish them together.
    Add(Vec<Document>),
    /// Remove the n-th of the live documents and add another version of it.
    Replace(usize, Document),
    Remove(usize),
    /// Leave ordinals out, as failed documents do.
    Skip(u32),
    Flush,
    /// Drop the index as a killed process would and open it again.
    Reopen,
    CloseAndReopen,
    Search(ModelQuery, usize),
    Contains(String, Vec<String>),
}

fn words(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    vec(select(&WORDS[..]).prop_map(str::to_owned), length)
}

fn phrase(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let any = WORDS.iter().chain(&CHARACTERS).copied().collect::<Vec<_>>();
    vec(select(any).prop_map(str::to_owned), length)
}

fn field() -> impl Strategy<Value = String> {
    select(&FIELDS[..]).prop_map(str::to_owned)
}

fn document() -> impl Strategy<Value = Document> {
    btree_map(field(), phrase(0..9), 0..4)
}

fn model_query() -> impl Strategy<Value = ModelQuery> {
    let distinct = |mut terms: Vec<Vec<String>>| {
        terms.sort();
        terms.dedup();
        terms
    };
    (
        vec(phrase(1..4), 0..2),
        vec(words(1..4), 0..4),
        proptest::option::of(vec(field(), 1..3)),
        btree_map(field(), select(&[0.001, 0.3, 1.0, 2.0, 1_000.0][..]), 0..3),
        select(&[0, 0, 1, 2, 5][..]),
    )
        .prop_map(
            move |(required, optional, fields, weights, slop)| ModelQuery {
                required: distinct(required),
                optional: distinct(optional),
                fields,
                weights,
                slop,
            },
        )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => vec(document(), 1..6).prop_map(Step::Add),
        2 => (any::<usize>(), document()).prop_map(|(at, d)| Step::Replace(at, d)),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => (1..200_u32).prop_map(Step::Skip),
        2 => Just(Step::Flush),
        1 => Just(Step::Reopen),
        1 => Just(Step::CloseAndReopen),
        8 => (model_query(), 0..12_usize).prop_map(|(q, k)| Step::Search(q, k)),
        2 => (field(), phrase(1..4)).prop_map(|(f, w)| Step::Contains(f, w)),
    ]
}

struct History<'d> {
    dir: &'d Path,
    index: LexicalIndex,
    model: Model,
    next: u32,
}

impl History<'_> {
    fn run(&mut self, step: &Step) {
        match step {
            Step::Add(documents) => {
                documents.iter().for_each(|document| self.add(document));
                self.index.publish();
            }
            Step::Replace(at, document) => {
                self.remove(*at);
                self.add(document);
                self.index.publish();
            }
            Step::Remove(at) => {
                self.remove(*at);
                self.index.publish();
            }
            Step::Skip(count) => self.next += count,
            Step::Flush => self.index.flush().unwrap(),
            Step::Reopen => self.reopen(),
            Step::CloseAndReopen => {
                self.index.close().unwrap();
                self.reopen();
                let last = self.model.documents.keys().next_back();
                assert!(last.is_none_or(|&doc| doc < self.index.watermark()));
            }
            Step::Search(query, k) => {
                let within: BitSet = (0..self.next).filter(|doc| doc % 3 != 1).collect();
                let mut probe = MatchProbe {
                    within: &within,
                    matching: BitSet::default(),
                };
                let (query_k, alive) = (query.to_query(*k), self.model.alive());
                let found = self
                    .index
                    .reader()
                    .search_probing(&query_k, &alive, Some(&mut probe), &Cancellation::never())
                    .unwrap();
                let expected = self.model.search(query);
                assert_same(&found, &expected, *k, &format!("{query:?}"));
                assert_eq!(found, self.index.search(&query_k, &alive).unwrap());
                assert_eq!(
                    found.hits,
                    self.index
                        .reader()
                        .search_top(&query_k, &alive, &Cancellation::never())
                        .unwrap()
                );
                let matching = expected.iter().map(|(doc, _)| *doc);
                let probed: BitSet = matching.filter(|&doc| within.contains(doc)).collect();
                assert_eq!(probe.matching, probed, "probe of {query:?}");
                self.check_rescored(query, *k);
                self.check_explained(&query_k, &found);
            }
            Step::Contains(field, tokens) => {
                let mut found = self.index.contains(field, &tokens.join(" ")).unwrap();
                found.intersect_with(&self.model.alive());
                let found: Vec<u32> = found.iter().collect();
                assert_eq!(found, self.model.contains(field, tokens));
            }
        }
        assert_eq!(
            self.index.document_count(),
            self.model.documents.len() as u64
        );
    }

    /// The best by another score are the first of all matches sorted by it.
    /// The scores of terms add up to those of documents, to the last bit, and to nothing for all others.
    fn check_explained(&self, query: &LexicalQuery, found: &LexicalHits) {
        let all: Vec<u32> = self.model.alive().iter().collect();
        let reader = self.index.reader();
        let explained = reader.explain(query, &all, &Cancellation::never()).unwrap();
        let sum = |scores: &[TermScore]| scores.iter().fold(0.0, |sum, term| sum + term.score);
        let sums: HashMap<u32, f32> = all
            .iter()
            .copied()
            .zip(explained.iter().map(|s| sum(s)))
            .collect();
        for (doc, score) in &found.hits {
            assert_eq!(sums[doc], *score, "{query:?} of {doc}");
        }
        if query.text != "*" {
            let matching = explained.iter().filter(|scores| !scores.is_empty());
            assert_eq!(matching.count() as u64, found.total, "{query:?}");
        }
        for term in explained.iter().flatten() {
            let (frequency, length) = (term.frequency, f64::from(term.length));
            let (documents, matching) = (term.documents as f64, term.matching as f64);
            let idf = (1.0 + (documents - matching + 0.5) / (matching + 0.5)).ln();
            assert_eq!(term.idf, idf);
            let norm = 1.2 * (0.25 + 0.75 * length / term.average_length);
            let named = query.field_weights.iter();
            let mut named = named.filter(|(field, _)| *field == term.field);
            assert_eq!(term.weight, named.next().map_or(1.0, |(_, weight)| *weight));
            let count = term.weight * f64::from(term.count);
            let expected = count * idf * 2.2 * frequency / (frequency + norm);
            assert!(
                (f64::from(term.score) / expected - 1.0).abs() < 1e-6,
                "{term:?}"
            );
        }
    }

    fn check_rescored(&self, query: &ModelQuery, k: usize) {
        let alive = self.model.alive();
        let all = self.index.search(&query.to_query(usize::MAX), &alive);
        let all = all.unwrap();
        let mut expected: Vec<(u32, f64)> = all.hits.iter().map(|&hit| rescored(hit)).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        expected.truncate(k);
        let found = self.index.reader().search_rescored(
            &query.to_query(k),
            &alive,
            None,
            &Cancellation::never(),
            &mut Odd,
        );
        let found = found.unwrap();
        assert_eq!((found.hits, found.total), (expected, all.total));
    }

    fn add(&mut self, document: &Document) {
        add_to(&self.index, self.next, document);
        self.model.documents.insert(self.next, document.clone());
        self.next += 1;
    }

    fn remove(&mut self, at: usize) {
        if let Some(count) = std::num::NonZero::new(self.model.documents.len()) {
            let doc = *self.model.documents.keys().nth(at % count).unwrap();
            self.model.documents.remove(&doc);
            self.index.remove(doc);
        }
    }

    fn reopen(&mut self) {
        let alive = self.model.alive();
        self.index = LexicalIndex::open(self.dir, LexicalOptions::default(), &alive);
        for (&doc, document) in self.model.documents.range(self.index.watermark()..) {
            add_to(&self.index, doc, document);
        }
        self.index.publish();
    }
}

/// [`rescored`], and less of what is of no use.
struct Odd;

impl Rescore for Odd {
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>) {
        assert!(docs.len() <= 64 && docs.is_sorted_by(|a, b| a < b));
        for (&doc, score) in docs.iter().zip(scores) {
            *score = rescored((doc, *score as f32)).1;
            if let Some(least) = least.filter(|least| *score <= *least) {
                *score = least - f64::from(doc % 2);
            }
        }
    }
}

/// Falls with BM25 for every other document, with many ties and negative scores.
fn rescored((doc, score): (u32, f32)) -> (u32, f64) {
    let factor = [1.0, -1.0, 0.0, 7.5][doc as usize % 4];
    (doc, f64::from(score) * factor + f64::from(doc % 3))
}

fn add_to(index: &LexicalIndex, doc: u32, document: &Document) {
    let texts: BTreeMap<&str, String> = document
        .iter()
        .map(|(name, tokens)| (name.as_str(), tokens.join(" ,")))
        .collect();
    let fields: Vec<(&str, &str)> = texts.iter().map(|(&name, text)| (name, &**text)).collect();
    index.add(doc, &fields).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_the_plain_documents_do(steps in vec(step(), 1..50)) {
        let dir = tempfile::tempdir().unwrap();
        let options = LexicalOptions::default();
        let index = LexicalIndex::open(dir.path(), options, &BitSet::default());
        let mut history = History { dir: dir.path(), index, model: Model::default(), next: 0 };
        for step in &steps {
            history.run(step);
        }
    }
}
