//! A search answers from the view it began with, whatever is written meanwhile.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use support::{Fixture, embed, tensor_leg};

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
