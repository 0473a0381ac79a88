//! Compounds that end with a word, against a look at the tokens of every document.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    FieldAnalysis, Language, LexicalError, LexicalIndex, LexicalQuery, MergePolicy, Operand,
    PlaceAnalyzer, Typing,
};
use pelorus_random::SplitMix64;

use crate::support::{add, all, open_empty};

const ENDS: [&str; 6] = ["schuh", "schuhe", "haus", "häuser", "tür", "hausschuhe"];
const BEFORE: [&str; 7] = ["", "herren", "haus", "in", "kinder", "x2", "garten"];

fn query(text: &str, language: Option<Language>) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 1_000,
        operand: Operand::Or,
        language,
        typing: Typing {
            compounds: true,
            ..Typing::default()
        },
        ..LexicalQuery::default()
    }
}

fn of(language: Language) -> FieldAnalysis {
    FieldAnalysis {
        language: Some(language),
        ..FieldAnalysis::default()
    }
}

fn docs(index: &LexicalIndex, query: &LexicalQuery) -> Vec<u32> {
    let hits = index.search(query, &all(1_000)).unwrap().hits;
    hits.into_iter().map(|(doc, _)| doc).collect()
}

/// For each word of a text the tokens of a German field.
fn tokens_of(text: &str) -> Vec<Vec<String>> {
    let mut words: Vec<Vec<String>> = Vec::new();
    PlaceAnalyzer::default().for_each_token(text, of(Language::De), |token, is_first| match words
        .last_mut()
        .filter(|_| !is_first)
    {
        Some(word) => word.push(token.to_owned()),
        None => words.push(vec![token.to_owned()]),
    });
    words
}

fn is_compound_of(token: &str, end: &str) -> bool {
    let rest = token.strip_suffix(end).map(|rest| rest.chars().count());
    let are_letters = token.chars().all(char::is_alphabetic);
    rest.is_some_and(|rest| rest >= 3) && end.chars().count() >= 4 && are_letters
}

#[test]
fn a_word_finds_what_it_ends_whatever_part_documents_are_in() {
    for seed in 0..6 {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        index.set_field_analysis("f", of(Language::De));
        let mut documents: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for doc in 0..60 {
            let word =
                |random: &mut SplitMix64| format!("{}{}", random.pick(&BEFORE), random.pick(&ENDS));
            let words: Vec<String> = (0..random.below(3)).map(|_| word(&mut random)).collect();
            let text = words.join(" ");
            index.add(doc, &[("f", &text)]).unwrap();
            documents.insert(doc, tokens_of(&text).concat().into_iter().collect());
            if random.below(5) == 0 {
                index.publish();
            }
            if random.below(15) == 0 {
                index.flush().unwrap();
            }
        }
        index.publish();
        for round in 0..20 {
            let typed = format!("{}{}", random.pick(&["", "", "haus"]), random.pick(&ENDS));
            let own = &tokens_of(&typed)[0][0];
            let matching = |all: &BTreeSet<String>| {
                all.contains(own) || all.iter().any(|token| is_compound_of(token, own))
            };
            let expected = documents.iter().filter(|(_, tokens)| matching(tokens));
            let expected: BTreeSet<u32> = expected.map(|(doc, _)| *doc).collect();
            let asked = query(&typed, None);
            let found = docs(&index, &asked);
            let found_set: BTreeSet<u32> = found.iter().copied().collect();
            assert_eq!(found_set, expected, "{typed} of seed {seed}");
            let others = found.iter().map(|doc| !documents[doc].contains(own));
            assert!(others.is_sorted(), "{typed} of seed {seed}: {found:?}");
            let ascending: Vec<u32> = found_set.into_iter().collect();
            let explained = index
                .reader()
                .explain(&asked, &ascending, &Cancellation::never());
            for (doc, terms) in ascending.iter().zip(explained.unwrap()) {
                let mut words = terms
                    .iter()
                    .filter_map(|term| term.share.as_ref()?.word.as_ref());
                let is_compound = words.any(|word| word.is_compound);
                assert_eq!(
                    is_compound,
                    !documents[doc].contains(own),
                    "{typed}: {terms:?}"
                );
            }
            if round == 10 {
                index.flush().unwrap();
                index.maintain(MergePolicy::Leveled).unwrap();
            }
        }
    }
}

#[test]
fn languages_that_do_not_compound_have_none_unless_the_query_is_in_one_that_does() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.set_field_analysis("de", of(Language::De));
    index.set_field_analysis("en", of(Language::En));
    add(
        &index,
        &[
            (0, &[("de", "Herrenschuhe")]),
            (1, &[("en", "Herrenschuhe")]),
            (2, &[("de", "Schuh")]),
        ],
    );
    assert_eq!(docs(&index, &query("Schuhe", None)), [2, 0]);
    assert_eq!(
        docs(&index, &query("Schuhe", Some(Language::De))),
        [2, 0, 1]
    );
    assert_eq!(docs(&index, &query("\"Schuhe\"", None)), [2]);
    let whole = LexicalQuery {
        typing: Typing::default(),
        ..query("Schuhe", None)
    };
    assert_eq!(docs(&index, &whole), [2]);
}

#[test]
fn the_fifty_compounds_of_most_documents_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.set_field_analysis("f", of(Language::De));
    let letters = || 'a'..='z';
    let words = letters().flat_map(|a| ['a', 'b', 'c'].map(|b| format!("{a}{b}{a}haus")));
    let words: Vec<String> = words.collect();
    for (doc, word) in (0..).zip(words.iter().chain(&words[words.len() - 5..])) {
        index.add(doc, &[("f", word)]).unwrap();
    }
    index.publish();
    let found = docs(&index, &query("haus", None));
    assert_eq!(found.len(), 50 + 5);
    let twice = words.len() as u32..words.len() as u32 + 5;
    assert!(twice.into_iter().all(|doc| found.contains(&doc)));
}

#[test]
fn a_look_for_compounds_ends_when_it_is_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.set_field_analysis("f", of(Language::De));
    let letters = || 'a'..='z';
    let words = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
    let words = words.flat_map(|word| letters().map(move |c| format!("{word}{c}haus")));
    let words: Vec<String> = words.collect();
    for (doc, words) in (0..).zip(words.chunks(100)) {
        index.add(doc, &[("f", &words.join(" "))]).unwrap();
    }
    index.publish();
    for _ in 0..2 {
        // Three looks at the tokens alone, of which there are 17,576.
        let cancellation = Cancellation::after_checks(3);
        let found = index
            .reader()
            .highlighter(&query("haus", None), &cancellation);
        assert!(matches!(found, Err(LexicalError::Cancelled(_))));
        index.flush().unwrap();
    }
}
