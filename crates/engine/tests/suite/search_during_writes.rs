//! A search answers from the view it began with, whatever is written meanwhile.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::support::{Fixture, embed, tensor_leg};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

const DOCUMENTS: usize = 300;
const WORDS: [&str; 5] = ["river", "stone", "lamp", "winter", "coat"];

/// Documents with two tensor fields; every third has but one.
fn body(numbers: impl Iterator<Item = usize>, kind: &str) -> Value {
    let vector = |text: String| json!({"vector": embed(&text), "content": text});
    let document = |n: usize| {
        let title = format!("{} {}", WORDS[n % 5], WORDS[(n / 5) % 5]);
        let mut document = json!({"_id": format!("{kind}{n}"), "kind": kind, "title": title,
            "price": n, "v": vector(format!("v {n}"))});
        if !n.is_multiple_of(3) {
            document["w"] = vector(format!("w {n}"));
        }
        document
    };
    json!({"documents": numbers.map(document).collect::<Vec<_>>(), "tensorFields": ["v", "w"],
        "mappings": {"v": {"type": "custom_vector"}, "w": {"type": "custom_vector"}}})
}

fn catalogue() -> Fixture {
    let fixture = Fixture::unstructured("u");
    for start in (0..DOCUMENTS).step_by(100) {
        let answer = fixture.add("u", body(start..start + 100, "base"));
        assert_eq!(answer["errors"], false);
    }
    fixture
}

#[test]
fn answers_stay_the_same_while_documents_that_do_not_pass_come_and_go() {
    let fixture = catalogue();
    let searches: Vec<(Value, Vec<f32>)> = (0..6)
        .map(|n| {
            let mut tensor = tensor_leg();
            tensor["fields"] = [json!(["v"]), json!(["w"]), Value::Null][n % 3].clone();
            let plan = json!({"tensor": tensor, "filter": "kind:base", "limit": 20});
            (plan, embed(&format!("query {n}")))
        })
        .collect();
    let answers = || -> Vec<Value> {
        let search = |(plan, query): &(Value, Vec<f32>)| fixture.search("u", plan.clone(), query);
        searches.iter().map(search).collect()
    };
    let expected = answers();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (fixture, over) = (&fixture, &over);
            scope.spawn(move || {
                let kind = format!("noise{writer}-");
                while !over.load(Ordering::Relaxed) {
                    fixture.add("u", body(0..20, &kind));
                    fixture.delete("u", &[&format!("{kind}3"), &format!("{kind}11")]);
                }
            });
        }
        let same: Vec<bool> = (0..150).map(|_| answers() == expected).collect();
        over.store(true, Ordering::Relaxed);
        assert!(same.iter().all(|same| *same));
    });
}

#[test]
fn a_hit_is_shown_with_the_values_by_which_it_passed() {
    let fixture = catalogue();
    // A remembered filter is read again in blocks of 1,024 documents.
    let others = (0..1_024).map(|n| json!({"_id": format!("other{n}")}));
    let others = json!({"documents": others.collect::<Vec<_>>()});
    assert_eq!(fixture.add("u", others)["errors"], false);
    let lexical =
        json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "*"}});
    let with_filter = |plan: &Value, filter: String| {
        let mut plan = plan.clone();
        plan["filter"] = json!(filter);
        plan["limit"] = json!(DOCUMENTS);
        plan
    };
    let rounds = AtomicUsize::new(0);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (fixture, rounds) = (&fixture, &rounds);
            scope.spawn(move || {
                let mut random = SplitMix64(writer);
                while rounds.fetch_add(1, Ordering::Relaxed) < 200 {
                    let moved = (0..20).map(|_| {
                        let id = format!("base{}", random.below(DOCUMENTS));
                        json!({"_id": id, "price": random.below(5)})
                    });
                    let answer = fixture.update("u", json!(moved.collect::<Vec<_>>()));
                    assert_eq!(answer["errors"], false, "{answer}");
                }
            });
        }
        let tensor = json!({"tensor": tensor_leg()});
        let query = embed("query");
        let mut search = 0;
        while rounds.load(Ordering::Relaxed) < 200 {
            search += 1;
            let price = search % 5;
            // The matches of this filter are remembered; every other one is new.
            let filter = match search % 2 {
                0 => format!("price:{price}"),
                _ => format!("price:{price} AND NOT price:{}", DOCUMENTS + search),
            };
            let (plan, query): (_, &[f32]) = match search % 3 {
                0 => (&tensor, &query),
                _ => (&lexical, &[]),
            };
            let answer = fixture.search("u", with_filter(plan, filter), query);
            for hit in answer["hits"].as_array().unwrap() {
                assert_eq!(hit["price"], price, "search {search}: {hit}");
            }
        }
    });
    let found: usize = (0..DOCUMENTS)
        .map(|price| {
            let plan = with_filter(&lexical, format!("price:{price}"));
            let answer = fixture.search("u", plan, &[]);
            answer["hits"].as_array().unwrap().len()
        })
        .sum();
    assert_eq!(found, DOCUMENTS);
}
