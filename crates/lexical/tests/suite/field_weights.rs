//! Weights of fields where words stand for others: the share of a document weighs what the heaviest field with its nearest
//! word does.

use std::collections::BTreeMap;

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    FieldAnalysis, Language, LexicalIndex, LexicalQuery, MergePolicy, PrefixWords, Stemming,
    TermScore, Typing, Typos,
};
use pelorus_random::SplitMix64;

use crate::support::{all, open_empty};

const FIELDS: [&str; 3] = ["title", "body", "tag"];
const WORDS: [&str; 7] = [
    "kettle",
    "kettles",
    "kettel",
    "kittle",
    "kettlebell",
    "water",
    "bell",
];

fn query(text: &str, weights: &BTreeMap<&str, f64>) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k: 1_000,
        typing: Typing {
            prefix: PrefixWords::Last,
            typos: Some(Typos::default()),
            ..Typing::default()
        },
        field_weights: weights
            .iter()
            .map(|(field, weight)| ((*field).to_owned(), *weight))
            .collect(),
        ..LexicalQuery::default()
    }
}

/// The relation of a word to `kettle`: none where it does not match.
fn relation(word: &str) -> Option<(u8, bool)> {
    match word {
        "kettle" => Some((0, false)),
        "kettles" | "kettlebell" => Some((0, true)),
        "kettel" | "kittle" => Some((1, false)),
        _ => None,
    }
}

/// The relation as an explanation tells it.
fn told(term: &TermScore) -> Option<(u8, bool)> {
    let word = term.share.as_ref()?.word.as_ref();
    Some(word.map_or((0, false), |word| (word.edits, word.is_completed)))
}

type Texts = BTreeMap<&'static str, Vec<&'static str>>;

fn check(index: &LexicalIndex, documents: &[Texts], weights: &BTreeMap<&str, f64>) {
    let asked = query("kettle", weights);
    let found = index.search(&asked, &all(1_000)).unwrap();
    let scores: BTreeMap<u32, f32> = found.hits.iter().copied().collect();
    let docs: Vec<u32> = (0..documents.len() as u32).collect();
    let explained = index
        .reader()
        .explain(&asked, &docs, &Cancellation::never());
    let weight_of = |field: &str| weights.get(field).copied().unwrap_or(1.0);
    for ((doc, texts), terms) in docs.iter().zip(documents).zip(explained.unwrap()) {
        let held = texts.iter().flat_map(|(field, words)| {
            let related = words.iter().filter_map(|word| relation(word));
            related.map(|relation| (relation, weight_of(field)))
        });
        let nearest = held.clone().map(|(relation, _)| relation).min();
        let Some(nearest) = nearest else {
            assert!(terms.is_empty() && !scores.contains_key(doc), "{texts:?}");
            continue;
        };
        let heaviest = held.filter(|(relation, _)| *relation == nearest);
        let heaviest = heaviest.map(|(_, weight)| weight).fold(0.0, f64::max);
        let sum = terms.iter().fold(0.0, |sum, term| sum + term.score);
        assert_eq!(scores[doc], sum, "{texts:?}");
        let shares: Vec<&TermScore> = terms.iter().filter(|term| term.share.is_some()).collect();
        let [share] = &*shares else {
            panic!("a share for each document: {terms:?}");
        };
        assert_eq!(told(share), Some(nearest), "{texts:?}");
        assert_eq!(share.weight, heaviest, "{texts:?} by {weights:?}");
        assert_eq!(weight_of(&share.field), heaviest, "{texts:?}");
        let part = share.share.as_ref().map(|share| share.share).unwrap();
        let expected = heaviest * share.idf * part;
        assert!(
            (f64::from(share.score) / expected - 1.0).abs() < 1e-6,
            "{share:?}"
        );
        for own in terms.iter().filter(|term| term.share.is_none()) {
            assert_eq!(own.weight, weight_of(&own.field), "{own:?}");
        }
    }
}

#[test]
fn a_share_weighs_what_the_field_of_the_nearest_word_does() {
    for seed in 0..4 {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        for field in FIELDS {
            let as_they_are = FieldAnalysis {
                language: Some(Language::En),
                stemming: Stemming::None,
            };
            index.set_field_analysis(field, as_they_are);
        }
        let mut documents: Vec<Texts> = Vec::new();
        for doc in 0..80 {
            let mut texts = Texts::new();
            for field in FIELDS {
                let words = (0..random.below(3)).map(|_| *random.pick(&WORDS));
                texts.insert(field, words.collect());
            }
            let joined: Vec<(&str, String)> = texts
                .iter()
                .map(|(field, words)| (*field, words.join(" ")))
                .collect();
            let given: Vec<(&str, &str)> = joined
                .iter()
                .map(|(field, text)| (*field, &**text))
                .collect();
            index.add(doc, &given).unwrap();
            documents.push(texts);
            if random.below(20) == 0 {
                index.publish();
                index.flush().unwrap();
            }
        }
        index.publish();
        for round in 0..12 {
            let some = (0..random.below(4)).map(|_| {
                let weight = *random.pick(&[0.001, 0.5, 1.0, 2.0, 1_000.0]);
                (*random.pick(&FIELDS), weight)
            });
            check(&index, &documents, &some.collect());
            if round == 6 {
                index.flush().unwrap();
                index.maintain(MergePolicy::Leveled).unwrap();
            }
        }
    }
}
