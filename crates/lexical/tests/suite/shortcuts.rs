//! A search that leaves matches out answers as one that scores every match: same documents, same
//! order, same bits of every score, same total.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    Ceiling, LexicalIndex, LexicalOptions, LexicalQuery, MatchProbe, Operand, Rescore,
};
use pelorus_random::SplitMix64;

/// Changes no score, and has all of them looked at.
struct Same;

impl Rescore for Same {
    fn rescore(&mut self, _: &[u32], _: &mut [f64], _: Option<f64>) {}
}

/// Makes `score · factor + sum` of a score, by factors and sums of its own kind for each document.
#[derive(Debug, Clone, Copy)]
struct Changed(usize);

const CHANGES: usize = 6;

impl Changed {
    fn row(self, doc: u32) -> (f64, f64) {
        let mut random = SplitMix64(u64::from(doc) * 8 + self.0 as u64);
        let unit = f64::from(random.unit());
        match self.0 {
            0 => (0.5 + unit, 0.0),
            1 => (1.0, (unit * 4.0).floor()),
            // Neighbours are alike.
            2 => (1.0 + f64::from(doc / 500 % 7), 0.0),
            3 => (*random.pick(&[-1.0, 0.0, 1.0]), unit - 0.5),
            // All below zero.
            4 => (unit, -1e3),
            _ => (0.0, f64::from(doc % 5)),
        }
    }

    fn of(self, doc: u32, score: f32) -> f64 {
        let (factor, sum) = self.row(doc);
        f64::from(score) * factor + sum
    }
}

impl Rescore for Changed {
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>) {
        assert!(docs.len() <= 64 && docs.is_sorted_by(|a, b| a < b));
        for (&doc, score) in docs.iter().zip(scores) {
            *score = self.of(doc, *score as f32);
            if let Some(least) = least.filter(|least| *score <= *least) {
                *score = least - f64::from(doc % 2);
            }
        }
    }

    fn has_ceilings(&self) -> bool {
        true
    }

    fn ceiling(&self, docs: RangeInclusive<u32>) -> Option<Ceiling> {
        if docs.start() / 1_000 == 9 {
            return None;
        }
        let rows = docs.map(|doc| self.row(doc));
        let none = (0.0_f64, f64::NEG_INFINITY);
        let (factor, sum) = rows.fold(none, |all, row| (all.0.max(row.0), all.1.max(row.1)));
        Some(Ceiling {
            factor,
            sum,
            ..Ceiling::SAME
        })
    }

    fn promising(&self, first: u32, score: f32, least: f64) -> u64 {
        let may_reach = |at: u32| {
            let (factor, sum) = self.row(first + at);
            f64::from(score) * factor.max(0.0) + sum >= least
        };
        (0..64).fold(0, |bits, at| bits | u64::from(may_reach(at)) << at)
    }
}

/// Enough that bounds are added up, windows follow each other, and a segment has blocks to skip.
const DOCUMENTS: u32 = 24_000;
const WORDS: usize = 300;

struct Corpus {
    index: LexicalIndex,
    alive: BitSet,
    /// The ordinal of the next document.
    next: u32,
    fields: usize,
    random: SplitMix64,
    _dir: tempfile::TempDir,
}

impl Corpus {
    /// Documents in three segments and in memory, some of them removed since.
    fn new(fields: usize, seed: u64) -> Corpus {
        let dir = tempfile::tempdir().unwrap();
        let options = LexicalOptions::default();
        let index = LexicalIndex::open(dir.path(), options, &BitSet::default());
        let mut random = SplitMix64(seed);
        let names: Vec<String> = (0..fields).map(field).collect();
        let mut alive = BitSet::default();
        let mut doc = 0;
        for _ in 0..DOCUMENTS {
            doc += u32::from(random.below(50) == 0) + 1;
            let texts: Vec<String> = (0..fields).map(|_| text(&mut random, fields)).collect();
            let fields = names.iter().zip(&texts);
            let fields: Vec<(&str, &str)> = fields.map(|(name, text)| (&**name, &**text)).collect();
            index.add(doc, &fields).unwrap();
            alive.insert(doc);
            if alive.len() % 256 == 0 {
                index.publish();
            }
            if [13_000, 19_000, 22_500].contains(&alive.len()) {
                index.publish();
                index.flush().unwrap();
            }
        }
        for removed in (0..doc).filter(|doc| doc % 41 == 3) {
            index.remove(removed);
            alive.remove(removed);
        }
        index.publish();
        Corpus {
            index,
            alive,
            next: doc + 1,
            fields,
            random,
            _dir: dir,
        }
    }

    /// Adds documents that hold words, or removes some: remembered bounds of words are of before.
    fn change(&mut self, words: &[String]) {
        let (added, length) = [(0, 0), (3, 1), (40, 2), (300, 20)][self.random.below(4)];
        for _ in 0..added {
            let texts: Vec<(String, String)> = (0..self.fields)
                .map(|i| {
                    let words: Vec<&str> = (0..length)
                        .map(|_| words[self.random.below(words.len())].as_str())
                        .collect();
                    (field(i), words.join(" "))
                })
                .collect();
            let texts: Vec<(&str, &str)> = texts
                .iter()
                .map(|(name, text)| (&**name, &**text))
                .collect();
            self.index.add(self.next, &texts).unwrap();
            self.alive.insert(self.next);
            self.next += 1;
        }
        for _ in 0..10 {
            let removed = self.random.below(self.next as usize) as u32;
            self.index.remove(removed);
            self.alive.remove(removed);
        }
        self.index.publish();
    }

    fn query(&mut self) -> Query {
        let field_count = self.fields;
        let random = &mut self.random;
        let mut terms: Vec<String> = Vec::new();
        let most = if random.below(3) == 0 { 12 } else { 3 };
        let count = 1 + random.below(most);
        while terms.len() < count {
            let term = match random.below(12) {
                0 => [word(random), word(random)].join("-"),
                _ => word(random),
            };
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let required = match random.below(3) {
            0 => 1 + random.below(count.min(4)),
            _ => 0,
        };
        let fields = match random.below(3) {
            0 => Some(vec![field(random.below(field_count))]),
            1 => Some((0..field_count).filter(|i| i % 2 == 0).map(field).collect()),
            _ => None,
        };
        let weights = [0.01, 0.5, 1.0, 3.0, 3.000_001, 200.0];
        let weighted = random.below(3) * random.below(field_count + 1);
        let weights =
            (0..weighted).map(|_| (field(random.below(field_count)), *random.pick(&weights)));
        Query {
            terms,
            required,
            fields,
            weights: weights.collect(),
        }
    }

    /// Every living document with some of these terms and their scores, each scored.
    fn scored(&self, terms: &[String], asked: &Query) -> HashMap<u32, f32> {
        let query = query(terms.join(" "), asked, usize::MAX);
        let found = self.index.reader().search_rescored(
            &query,
            &self.alive,
            None,
            &Cancellation::never(),
            &mut Same,
        );
        let hits = found.unwrap().hits.into_iter();
        hits.map(|(doc, score)| (doc, score as f32)).collect()
    }

    /// All that a query finds, best first. Required terms are added up before the rest, which changes the last bits of
    /// a score: those are what the explanation of the document adds up to.
    fn expected(&self, query: &Query) -> Vec<(u32, f32)> {
        let mut all = self.scored(&query.terms, query);
        let required = &query.terms[..query.required];
        for term in required {
            let holders = self.scored(std::slice::from_ref(term), query);
            all.retain(|doc, _| holders.contains_key(doc));
        }
        if !required.is_empty() {
            let search = query_of(query, usize::MAX);
            let mut docs: Vec<u32> = all.keys().copied().collect();
            docs.sort_unstable();
            for (doc, sum) in docs.iter().zip(self.explained(&search, &docs)) {
                let score = all.get_mut(doc).unwrap();
                let is_close = (sum - *score).abs() <= 1e-5 * sum;
                assert!(is_close, "{query:?} of {doc}: {score} and {sum}");
                *score = sum;
            }
        }
        let mut all: Vec<(u32, f32)> = all.into_iter().collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all
    }

    fn check(&mut self) {
        let asked = self.query();
        // At first nothing is known of a term, then its bounds are taken, then they are there.
        self.compare(&asked, 3);
        self.change(&asked.terms);
        self.compare(&asked, 2);
    }

    fn compare(&mut self, asked: &Query, times: usize) {
        let expected = self.expected(asked);
        let pass = [1.0, 1.0, 0.5, 0.1, 0.01, 0.001][self.random.below(6)];
        let k = [1, 10, 10, 100, 1_000][self.random.below(5)];
        let accept: BitSet = match pass {
            1.0 => self.alive.clone(),
            pass => {
                let random = &mut self.random;
                let alive = self.alive.iter();
                alive.filter(|_| f64::from(random.unit()) < pass).collect()
            }
        };
        let passing = expected.iter().filter(|(doc, _)| accept.contains(*doc));
        let expected: Vec<(u32, f32)> = passing.copied().collect();
        let best = &expected[..k.min(expected.len())];
        let search = query_of(asked, k);
        let what = format!("{asked:?}, {k} of {pass}");
        for time in 0..times {
            let found = self.index.search(&search, &accept).unwrap();
            assert_eq!(found.hits, best, "{what}, time {time}");
            assert_eq!(found.total, expected.len() as u64, "{what}, time {time}");
            let top = self
                .index
                .reader()
                .search_top(&search, &accept, &Cancellation::never())
                .unwrap();
            assert_eq!(top, best, "the best alone of {what}, time {time}");
        }
        self.compare_explained(&search, best);
        self.compare_changed(&search, &accept, &expected, &what);
        let within: BitSet = (0..40_000).filter(|doc| doc % 7 < 2).collect();
        let mut probe = MatchProbe {
            within: &within,
            matching: BitSet::default(),
        };
        let found = self.index.reader().search_probing(
            &search,
            &accept,
            Some(&mut probe),
            &Cancellation::never(),
        );
        assert_eq!(found.unwrap().total, expected.len() as u64, "{what}");
        let probed = expected.iter().map(|(doc, _)| *doc);
        let probed: BitSet = probed.filter(|doc| within.contains(*doc)).collect();
        assert_eq!(probe.matching, probed, "{what}");
    }

    /// The best by changed scores are the first of all matches sorted by them.
    fn compare_changed(
        &mut self,
        search: &LexicalQuery,
        accept: &BitSet,
        matching: &[(u32, f32)],
        what: &str,
    ) {
        let mut changed = Changed(self.random.below(CHANGES));
        let scored = matching.iter();
        let scored = scored.map(|&(doc, score)| (doc, changed.of(doc, score)));
        let mut expected: Vec<(u32, f64)> = scored.collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        expected.truncate(search.k);
        let never = Cancellation::never();
        let what = format!("{changed:?} of {what}");
        let top = self
            .index
            .reader()
            .search_top_rescored(search, accept, &never, &mut changed)
            .unwrap();
        assert_eq!(top, expected, "the best alone, {what}");
        let found = self
            .index
            .reader()
            .search_rescored(search, accept, None, &never, &mut changed)
            .unwrap();
        assert_eq!(found.hits, expected, "{what}");
        assert_eq!(found.total, matching.len() as u64, "{what}");
    }
}

impl Corpus {
    /// The explanation of scores adds up to them, to the last bit.
    fn compare_explained(&self, search: &LexicalQuery, best: &[(u32, f32)]) {
        let mut best = best.to_vec();
        best.sort_by_key(|(doc, _)| *doc);
        let docs: Vec<u32> = best.iter().map(|(doc, _)| *doc).collect();
        for (sum, (doc, score)) in self.explained(search, &docs).iter().zip(&best) {
            assert_eq!(sum, score, "{search:?} of {doc}");
        }
    }

    /// The explained scores of documents, which ascend, added up.
    fn explained(&self, search: &LexicalQuery, docs: &[u32]) -> Vec<f32> {
        let reader = self.index.reader();
        let explained = reader.explain(search, docs, &Cancellation::never());
        let terms = explained.unwrap();
        let sums = terms.iter();
        sums.map(|terms| terms.iter().fold(0.0, |sum, term| sum + term.score))
            .collect()
    }
}

#[derive(Debug)]
struct Query {
    terms: Vec<String>,
    /// So many of them, the first.
    required: usize,
    fields: Option<Vec<String>>,
    weights: Vec<(String, f64)>,
}

impl Query {
    fn text(&self) -> String {
        let (required, optional) = self.terms.split_at(self.required);
        let required = required.iter().map(|term| format!("\"{term}\""));
        let all: Vec<String> = required.chain(optional.iter().cloned()).collect();
        all.join(" ")
    }
}

fn query_of(asked: &Query, k: usize) -> LexicalQuery {
    query(asked.text(), asked, k)
}

fn query(text: String, asked: &Query, k: usize) -> LexicalQuery {
    LexicalQuery {
        text,
        fields: asked.fields.clone(),
        k,
        operand: Operand::Or,
        field_weights: asked.weights.clone(),
        ..LexicalQuery::default()
    }
}

fn field(i: usize) -> String {
    format!("field{i}")
}

/// Words by Zipf's law that analysis leaves as they are. Few lengths make for many equal scores.
fn text(random: &mut SplitMix64, fields: usize) -> String {
    let count = random.below(4) * 8 / fields.min(4);
    let words: Vec<String> = (0..count).map(|_| word(random)).collect();
    words.join(" ")
}

fn word(random: &mut SplitMix64) -> String {
    let rank = (WORDS as f32).powf(random.unit()) as usize;
    let letter = |i: usize| char::from(b'b' + (i % 10) as u8);
    [
        'x',
        letter(rank / 100),
        letter(rank / 10),
        letter(rank),
        'x',
    ]
    .into_iter()
    .collect()
}

fn check(fields: usize, seed: u64) {
    let mut corpus = Corpus::new(fields, seed);
    for _ in 0..60 {
        corpus.check();
    }
}

#[test]
fn in_one_field() {
    check(1, 1);
}

#[test]
fn in_three_fields() {
    check(3, 2);
}

#[test]
fn in_eight_fields() {
    check(8, 3);
}
