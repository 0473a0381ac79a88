//! Answers are those of brute force over all queries, whatever was put and removed before.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod brute_force;

use brute_force::Model;
use pelorus_random::SplitMix64;
use pelorus_suggest::{Change, Query, SuggestRequest, Suggested, Suggestions};
use proptest::prelude::*;

/// Few letters, so that much is alike; of every kind, so that nothing is taken for a byte.
const LETTERS: [&str; 12] = [
    "a", "b", "A", "é", "e\u{301}", "ß", "ш", "手", "ト", "😀", "-", "7",
];

fn word(random: &mut SplitMix64) -> String {
    let letters = 1 + random.below(6);
    (0..letters).map(|_| *random.pick(&LETTERS)).collect()
}

fn text(random: &mut SplitMix64, words_max: usize) -> String {
    let words: Vec<String> = (0..=random.below(words_max))
        .map(|_| word(random))
        .collect();
    words.join(*random.pick(&[" ", "  ", "\t"]))
}

fn query(random: &mut SplitMix64) -> Query {
    Query {
        text: text(random, 4),
        popularity: *random.pick(&[0.0, 0.0, -4.0, 1.0, 7.5, 1e6]),
        metadata: format!("{{\"n\":{}}}", random.below(100)),
    }
}

fn request(random: &mut SplitMix64) -> SuggestRequest {
    SuggestRequest {
        text: match random.below(20) {
            0 => (*random.pick(&["*", "", " "])).to_owned(),
            _ => text(random, 3),
        },
        limit: *random.pick(&[1, 2, 5, 10, 1_000]),
        edits_max: random.below(4),
        fuzzy_chars_min: random.below(6),
        popularity_weight: *random.pick(&[0.0, 1.0, -2.0, 100.0]),
        bm25_weight: *random.pick(&[0.0, 1.0, -0.5, 100.0]),
        matches_all: random.below(2) == 0,
    }
}

fn agrees(suggestions: &Suggestions, model: &Model, request: &SuggestRequest) {
    let (found, expected) = (suggestions.search(request), model.search(request));
    let texts = |of: &[Suggested]| of.iter().map(|s| s.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&found), texts(&expected), "{request:?}");
    for (one, other) in found.iter().zip(&expected) {
        assert!((one.score - other.score).abs() < 1e-9, "{one:?} {other:?}");
        assert_eq!(one.metadata, other.metadata);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_brute_force(seed: u64) {
        let mut random = SplitMix64(seed);
        let suggestions = Suggestions::of((0..random.below(200)).map(|_| query(&mut random)));
        let mut model = Model::default();
        // The same queries again, now one by one.
        let mut again = SplitMix64(seed);
        for _ in 0..again.below(200) {
            model.apply(Change::Put(query(&mut again)));
        }
        for _ in 0..12 {
            let changes = (0..random.below(40)).map(|_| match random.below(60) {
                0 => Change::Clear,
                1..20 => {
                    let keys: Vec<&String> = model.0.keys().collect();
                    match keys.is_empty() {
                        true => Change::Remove("nothing".into()),
                        false => Change::Remove((*random.pick(&keys)).clone()),
                    }
                }
                _ => Change::Put(query(&mut random)),
            });
            let changes: Vec<Change> = changes.collect();
            suggestions.apply(changes.iter().cloned());
            changes.into_iter().for_each(|change| model.apply(change));
            prop_assert_eq!(suggestions.len(), model.0.len());
            for (key, query) in &model.0 {
                prop_assert_eq!(suggestions.bytes_of(key), Some(query.bytes()));
            }
            let bytes: usize = model.0.values().map(Query::bytes).sum();
            prop_assert_eq!(suggestions.bytes(), bytes);
            for _ in 0..8 {
                agrees(&suggestions, &model, &request(&mut random));
            }
        }
    }

    #[test]
    fn no_text_is_too_strange(texts in prop::collection::vec(any::<String>(), 0..12), typed: String) {
        let queries = texts.iter().map(|text| Query {
            text: text.clone(),
            popularity: 0.0,
            metadata: String::new(),
        });
        let mut model = Model::default();
        queries.clone().for_each(|query| model.apply(Change::Put(query)));
        let suggestions = Suggestions::of(queries);
        agrees(&suggestions, &model, &SuggestRequest::new(typed));
    }
}

fn suggested(queries: &[(&str, f64)], request: &SuggestRequest) -> Vec<String> {
    let queries = queries.iter().map(|(text, popularity)| Query {
        text: (*text).to_owned(),
        popularity: *popularity,
        metadata: String::new(),
    });
    let found = Suggestions::of(queries).search(request);
    found.into_iter().map(|one| one.text).collect()
}

#[test]
fn typed_texts_find_the_queries_that_people_mean() {
    let queries = [
        ("red shoes", 10.0),
        ("red shirt", 500.0),
        ("redwood table", 2_000.0),
        ("Blue Shoes", 50.0),
        ("jeans", 900.0),
    ];
    let found = |text: &str| suggested(&queries, &SuggestRequest::new(text));
    assert_eq!(found("red"), ["redwood table", "red shirt", "red shoes"]);
    assert_eq!(found("red sh")[..2], ["red shirt", "red shoes"]);
    assert_eq!(found("blu sheos")[0], "Blue Shoes");
    assert_eq!(found("JÉA"), ["jeans"]);
    assert_eq!(found("jaens"), ["jeans"]);
    assert!(found("xyzzy").is_empty());
    assert!(found("!?").is_empty());
    for everything in ["*", "", "  "] {
        let most_popular = [
            "redwood table",
            "jeans",
            "red shirt",
            "Blue Shoes",
            "red shoes",
        ];
        assert_eq!(found(everything), most_popular);
    }
}

#[test]
fn weights_beyond_one_outweigh_how_well_a_query_matches() {
    let queries = [("red", 1.0), ("redwood", 5_000.0), ("rod", 90_000.0)];
    let found = |popularity_weight, bm25_weight| {
        let request = SuggestRequest {
            popularity_weight,
            bm25_weight,
            fuzzy_chars_min: 1,
            ..SuggestRequest::new("red x")
        };
        suggested(&queries, &request)
    };
    assert_eq!(found(1.0, 1.0), ["red", "redwood", "rod"]);
    assert_eq!(found(1.0, 0.0), ["red", "redwood", "rod"]);
    assert_eq!(found(1_000.0, 0.0), ["rod", "redwood", "red"]);
}

#[test]
fn queries_that_differ_in_case_accents_and_blanks_are_one() {
    let queries = [
        ("Crème  brûlée", 1.0),
        (" creme brulee ", 2.0),
        ("c++", 0.0),
        ("c#", 0.0),
    ];
    assert_eq!(
        suggested(&queries, &SuggestRequest::new("c")),
        [" creme brulee ", "c#", "c++"]
    );
}
