//! Queries that may have been meant, against the edit distance to every word there is.

use std::collections::BTreeMap;

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    FieldAnalysis, Language, LexicalIndex, LexicalQuery, Operand, PrefixWords, Stemming, Typing,
};
use pelorus_random::SplitMix64;

use crate::support::{add, open_empty};
use crate::typos::edits;

fn query(text: &str, typing: Typing) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 10,
        operand: Operand::Or,
        language: None,
        typing,
        ..LexicalQuery::default()
    }
}

fn meant(index: &LexicalIndex, text: &str) -> Option<String> {
    let asked = query(text, Typing::default());
    let corrected = index.reader().corrected(&asked, &Cancellation::never());
    corrected.unwrap()
}

/// The near word of a typed one by the rule; none where it stays.
fn correction(words: &BTreeMap<String, usize>, typed: &str) -> Option<String> {
    let own = words.get(typed).copied().unwrap_or(0);
    let allowed = match (own, typed.len()) {
        (_, 0..4) => return None,
        (0, 8..) => 2,
        _ => 1,
    };
    let chars = |word: &str| word.chars().collect::<Vec<char>>();
    let near = words.iter().filter_map(|(word, documents)| {
        let edits = edits(&chars(typed), &chars(word));
        let is_near = (1..=allowed).contains(&edits) && *documents >= 100 * own;
        is_near.then_some((edits, usize::MAX - documents, word))
    });
    near.min().map(|(_, _, word)| word.clone())
}

#[test]
fn the_nearest_word_of_most_documents_takes_the_place_of_one_that_none_has() {
    for seed in 0..4 {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        let as_they_are = FieldAnalysis {
            language: Some(Language::En),
            stemming: Stemming::None,
        };
        index.set_field_analysis("f", as_they_are);
        let word = |random: &mut SplitMix64| -> String {
            let length = 3 + random.below(7);
            (0..length)
                .map(|_| *random.pick(&['a', 'b', 'k']))
                .collect()
        };
        let mut words = BTreeMap::new();
        let mut doc = 0;
        for _ in 0..60 {
            let word = word(&mut random);
            let count = *random.pick(&[1, 1, 2, 3, 99, 100, 200]);
            for _ in 0..count {
                index.add(doc, &[("f", &word)]).unwrap();
                doc += 1;
            }
            *words.entry(word).or_insert(0) += count;
            if random.below(20) == 0 {
                index.publish();
                index.flush().unwrap();
            }
        }
        index.publish();
        let known: Vec<String> = words.keys().cloned().collect();
        let mut corrected = 0;
        for _ in 0..200 {
            let typed: Vec<String> = (0..1 + random.below(3))
                .map(|_| match random.below(2) {
                    0 => random.pick(&known).clone(),
                    _ => word(&mut random),
                })
                .collect();
            let right = typed.iter().map(|typed| {
                let right = correction(&words, typed);
                corrected += usize::from(right.is_some());
                right.unwrap_or_else(|| typed.clone())
            });
            let right: Vec<String> = right.collect();
            let expected = (right != typed).then(|| right.join(" "));
            let text = typed.join(" ");
            assert_eq!(
                meant(&index, &text),
                expected,
                "{text} of seed {seed} in {words:?}"
            );
        }
        assert!(corrected > 50, "{corrected} of seed {seed}");
    }
}

#[test]
fn everything_but_the_words_stays_as_it_was_typed() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("f", "A stormy kettle, for Übungen")]),
            (1, &[("f", "running x2000")]),
            (2, &[("f", "Wi-Fi wife")]),
        ],
    );
    for (typed, expected) in [
        ("Stromy  (kettel)!", Some("stormy  (kettle)!")),
        ("ubungne, runing", Some("ubungen, running")),
        ("\"kettel\" stromy", Some("\"kettel\" stormy")),
        ("stromy-kettel", Some("stormy-kettle")),
        ("kettles run", None),
        ("ketl x2001 zzzzzz", None),
        ("*", None),
        ("", None),
    ] {
        assert_eq!(meant(&index, typed).as_deref(), expected, "{typed}");
    }
}

#[test]
fn words_that_are_still_typed_or_spelled_otherwise_stay() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "kettlebell nettle Wi-Fi wife")])]);
    let meant = |text: &str, typing: &Typing| {
        let asked = query(text, typing.clone());
        index
            .reader()
            .corrected(&asked, &Cancellation::never())
            .unwrap()
    };
    let begun = Typing {
        prefix: PrefixWords::Last,
        ..Typing::default()
    };
    assert_eq!(
        meant("kettle", &Typing::default()).as_deref(),
        Some("nettle")
    );
    assert_eq!(meant("kettle", &begun), None);
    assert_eq!(meant("kettle wife", &begun).as_deref(), Some("nettle wife"));
    assert_eq!(meant("cettle", &begun).as_deref(), Some("nettle"));
    let spelled = Typing {
        split_join: true,
        ..Typing::default()
    };
    assert_eq!(meant("wifi", &Typing::default()).as_deref(), Some("wife"));
    assert_eq!(meant("wifi", &spelled), None);
}

#[test]
fn a_word_of_other_fields_or_of_dead_documents_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[
            (0, &[("title", "kettle")]),
            (1, &[("body", "kettel kettla")]),
            (2, &[("title", "kettlo")]),
        ],
    );
    let meant = |fields: &[&str]| {
        let asked = LexicalQuery {
            fields: Some(fields.iter().map(|field| (*field).to_owned()).collect()),
            ..query("kettlx", Typing::default())
        };
        index
            .reader()
            .corrected(&asked, &Cancellation::never())
            .unwrap()
    };
    // The first by letters, as each is in one document.
    assert_eq!(meant(&["body"]).as_deref(), Some("kettla"));
    assert_eq!(meant(&["title"]).as_deref(), Some("kettle"));
    index.remove(0);
    index.publish();
    assert_eq!(meant(&["title"]).as_deref(), Some("kettlo"));
    assert_eq!(meant(&["none"]), None);
}

#[test]
fn a_search_for_near_words_ends_when_it_is_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "kettle")])]);
    let cancellation = Cancellation::new(None);
    cancellation.cancel();
    let corrected = index
        .reader()
        .corrected(&query("kettel", Typing::default()), &cancellation);
    assert!(corrected.is_err());
}
