//! Words in one or in two, against a look at the tokens of every document.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    FieldAnalysis, FragmentBounds, Language, LexicalIndex, LexicalQuery, MergePolicy, Operand,
    Stemming, Typing,
};
use pelorus_random::SplitMix64;

use crate::support::{add, all, open_empty};

const FIELDS: [&str; 2] = ["title", "body"];
const TOKENS: [&str; 16] = [
    "wi", "fi", "wifi", "t", "shirt", "tshirt", "3", "5", "35", "5mm", "mm", "u", "s", "us", "usa",
    "a",
];

fn query(text: &str, operand: Operand) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 1_000,
        operand,
        language: None,
        typing: Typing {
            split_join: true,
            ..Typing::default()
        },
        ..LexicalQuery::default()
    }
}

fn found(index: &LexicalIndex, text: &str) -> Vec<u32> {
    let hits = index.search(&query(text, Operand::Or), &all(1_000));
    hits.unwrap().hits.into_iter().map(|(doc, _)| doc).collect()
}

/// Tokens with something between them.
fn text_of(random: &mut SplitMix64, tokens: &[&str]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !text.is_empty() {
            text.push_str([" ", "-", "."][random.below(3)]);
        }
        text.push_str(token);
    }
    text
}

fn tokens_of(text: &str) -> Vec<String> {
    let tokens = text
        .split([' ', '-', '.', ','])
        .filter(|token| !token.is_empty());
    tokens.map(str::to_lowercase).collect()
}

fn may_touch(a: &str, b: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    !(is_digit(a.chars().last()) && is_digit(b.chars().next()))
}

/// Tokens of which those before a place and behind it are one.
fn joined(tokens: &[String], at: usize) -> Option<Vec<String>> {
    let (a, b) = (&tokens[at - 1], &tokens[at]);
    let one = may_touch(a, b).then(|| format!("{a}{b}"))?;
    Some([&tokens[..at - 1], &[one], &tokens[at + 1..]].concat())
}

/// The spellings of a word of a query, itself first.
fn spellings(tokens: &[String]) -> Vec<Vec<String>> {
    let mut spellings = vec![tokens.to_vec()];
    spellings.extend((1..tokens.len()).filter_map(|at| joined(tokens, at)));
    if tokens.windows(2).all(|pair| may_touch(&pair[0], &pair[1])) {
        spellings.push(vec![tokens.concat()]);
    }
    for (at, token) in tokens.iter().enumerate() {
        for (a, b) in (1..token.len()).map(|place| token.split_at(place)) {
            if may_touch(a, b) {
                let halves = [a.to_owned(), b.to_owned()];
                spellings.push([&tokens[..at], &halves, &tokens[at + 1..]].concat());
            }
        }
    }
    spellings
}

/// For each word of a query its spellings.
fn words(text: &str) -> Vec<Vec<Vec<String>>> {
    let chunks: Vec<&str> = text.split_whitespace().collect();
    let tokens: Vec<Vec<String>> = chunks.iter().map(|chunk| tokens_of(chunk)).collect();
    let mut words: Vec<_> = tokens.iter().map(|tokens| spellings(tokens)).collect();
    for at in 1..chunks.len() {
        if chunks[at - 1].ends_with(char::is_alphanumeric) {
            let both = [&*tokens[at - 1], &tokens[at]].concat();
            if let Some(one) = joined(&both, tokens[at - 1].len()) {
                words[at - 1].push(one.clone());
                words[at].push(one);
            }
        }
    }
    words
}

#[test]
fn words_are_found_in_one_and_in_two_whatever_part_documents_are_in() {
    for seed in 0..12 {
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
        let mut documents: BTreeMap<u32, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
        for doc in 0..60 {
            let mut document = BTreeMap::new();
            let texts = FIELDS.map(|field| {
                let count = random.below(4);
                let tokens: Vec<&str> = (0..count).map(|_| *random.pick(&TOKENS)).collect();
                let text = text_of(&mut random, &tokens);
                document.insert(field, tokens_of(&text));
                (field, text)
            });
            let texts = texts.each_ref().map(|(field, text)| (*field, &**text));
            index.add(doc, &texts).unwrap();
            documents.insert(doc, document);
            if random.below(5) == 0 {
                index.publish();
            }
            if random.below(15) == 0 {
                index.flush().unwrap();
            }
        }
        index.publish();
        if seed % 3 == 0 {
            index.flush().unwrap();
            index.maintain(MergePolicy::Leveled).unwrap();
        }
        for _ in 0..60 {
            let chunks: Vec<String> = (0..1 + random.below(3))
                .map(|_| {
                    let tokens = [*random.pick(&TOKENS), *random.pick(&TOKENS), "a"];
                    let count = 1 + random.below(3);
                    let end = *random.pick(&["", "", ","]);
                    text_of(&mut random, &tokens[..count]).replace(' ', "-") + end
                })
                .collect();
            let text = chunks.join(" ");
            let operand = *random.pick(&[Operand::Or, Operand::And]);
            check(&index, &documents, &query(&text, operand), seed);
        }
    }
}

fn check(
    index: &LexicalIndex,
    documents: &BTreeMap<u32, BTreeMap<&str, Vec<String>>>,
    asked: &LexicalQuery,
    seed: u64,
) {
    let words = words(&asked.text);
    let holds = |document: &BTreeMap<&str, Vec<String>>, tokens: &Vec<String>| {
        let mut texts = document.values();
        texts.any(|text| text.windows(tokens.len()).any(|window| window == tokens))
    };
    let expected = documents.iter().filter(|(_, document)| {
        let mut found = words.iter();
        let is_found = |word: &Vec<Vec<String>>| word.iter().any(|tokens| holds(document, tokens));
        match asked.operand {
            Operand::Or => found.any(is_found),
            Operand::And => found.all(is_found),
        }
    });
    let expected: BTreeSet<u32> = expected.map(|(doc, _)| *doc).collect();
    let hits = index.search(asked, &all(1_000)).unwrap().hits;
    let docs: BTreeSet<u32> = hits.iter().map(|(doc, _)| *doc).collect();
    assert_eq!(docs, expected, "{} of seed {seed}", asked.text);
    if let [word] = &*words {
        let others = hits
            .iter()
            .map(|(doc, _)| !holds(&documents[doc], &word[0]));
        assert!(
            others.is_sorted(),
            "{} of seed {seed}: {hits:?}",
            asked.text
        );
    }
    let scores: BTreeMap<u32, f32> = hits.into_iter().collect();
    let docs: Vec<u32> = docs.into_iter().collect();
    let explained = index.reader().explain(asked, &docs, &Cancellation::never());
    for (doc, terms) in docs.iter().zip(explained.unwrap()) {
        let sum = terms.iter().fold(0.0, |sum, term| sum + term.score);
        assert_eq!(sum, scores[doc], "{} of seed {seed}", asked.text);
    }
}

#[test]
fn spellings_of_one_word_find_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("f", "Wi-Fi routers")]),
            (1, &[("f", "a wifi router")]),
            (2, &[("f", "jack of 3.5 mm")]),
            (3, &[("f", "3.5mm jack")]),
            (4, &[("f", "35mm film")]),
            (5, &[("f", "T-shirts")]),
            (6, &[("f", "tshirt")]),
            (7, &[("f", "Node.js")]),
            (8, &[("f", "head phones")]),
            (9, &[("f", "fi wi")]),
        ],
    );
    for (text, docs) in [
        ("wifi", &[1, 0][..]),
        ("Wi-Fi", &[0, 1]),
        ("3.5mm", &[3, 2]),
        ("35mm", &[4]),
        ("tshirts", &[6, 5]),
        ("T-shirt", &[5, 6]),
        ("nodejs", &[7]),
        ("Headphone", &[8]),
        ("\"wifi\"", &[1]),
        ("wi \"router\" fi", &[0, 1]),
    ] {
        assert_eq!(found(&index, text), docs, "{text}");
    }
    let all_of = |text: &str| {
        let hits = index.search(&query(text, Operand::And), &all(20)).unwrap();
        hits.hits
            .into_iter()
            .map(|(doc, _)| doc)
            .collect::<Vec<_>>()
    };
    assert_eq!(all_of("wi fi router"), [0, 1]);
    assert_eq!(all_of("3.5 mm jack"), [2, 3]);
    assert_eq!(all_of("wi, fi router"), [0]);
    assert_eq!(all_of("node js"), [7]);
}

#[test]
fn split_and_joined_words_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let texts = ["the Wi-Fi of a router", "wifi"];
    add(&index, &[(0, &[("f", texts[0])]), (1, &[("f", texts[1])])]);
    let never = Cancellation::never();
    for (asked, text, expected) in [
        ("wifi", texts[0], &[(4, 6), (7, 9)][..]),
        ("wi fi", texts[1], &[(0, 4)]),
    ] {
        let reader = index.reader();
        let highlighter = reader
            .highlighter(&query(asked, Operand::Or), &never)
            .unwrap();
        let whole = FragmentBounds { size: 1, count: 0 };
        let fragments = highlighter.fragments("f", &[text], whole, &never).unwrap();
        let marks = fragments.iter().flat_map(|one| &one.marks);
        let marks: Vec<_> = marks.map(|mark| (mark.start, mark.end)).collect();
        let start = fragments
            .first()
            .map_or(0, |one| text.find(one.text).unwrap());
        let marks: Vec<_> = marks.iter().map(|(a, b)| (a + start, b + start)).collect();
        assert_eq!(marks, expected, "{asked}");
    }
}

#[test]
fn the_spellings_of_the_most_common_words_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let word = "abcdefghij";
    let halves = (1..word.len()).map(|at| word.split_at(at));
    let mut doc = 0;
    for (at, (a, b)) in halves.enumerate() {
        for _ in 0..=at {
            index.add(doc, &[("f", &format!("{a} {b}"))]).unwrap();
            doc += 1;
        }
    }
    index.publish();
    // Nine ways to split it, in 1 to 9 documents each.
    assert_eq!(found(&index, word).len(), (4..=9).sum::<usize>());
}
