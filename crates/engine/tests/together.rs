//! Searches that are run together are answered as if each ran alone.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pelorus_engine::{EngineError, SearchRequest};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{DIMENSIONS, Fixture, embed, full, ids, tensor_leg};

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

type Answer = Result<Vec<u8>, EngineError>;

/// A plan and its query vector.
type Asked = (Vec<u8>, Vec<f32>);

fn together(fixture: &Fixture, asked: &[Asked]) -> Vec<Answer> {
    let requests: Vec<SearchRequest<'_>> = asked
        .iter()
        .map(|(plan, vectors)| SearchRequest { plan, vectors })
        .collect();
    fixture.engine.search_many("u", &requests)
}

fn alone(fixture: &Fixture, (plan, vectors): &Asked) -> Answer {
    fixture.engine.search("u", plan, vectors)
}

fn plans() -> impl Strategy<Value = Value> {
    let filters = prop_oneof![
        3 => Just(Value::Null),
        1 => (0..DOCUMENTS).prop_map(|n| json!(format!("price:[{n} TO *]"))),
        1 => Just(json!("title CONTAINS river")),
        1 => Just(json!("missing:1")),
    ];
    let fields = prop_oneof![Just(Value::Null), Just(json!(["v"])), Just(json!(["w"]))];
    let methods = prop_oneof![
        3 => Just(("TENSOR", "", "")),
        1 => Just(("LEXICAL", "", "")),
        2 => Just(("HYBRID", "disjunction", "rrf")),
        1 => Just(("HYBRID", "tensor", "lexical")),
        1 => Just(("HYBRID", "lexical", "tensor")),
        1 => Just(("HYBRID", "tensor", "tensor")),
        1 => Just(("HYBRID", "lexical", "lexical")),
    ];
    let parts = (methods, filters, fields, any::<bool>());
    (parts, 0..40_usize, 0..40_usize, 0..5_u8).prop_map(|(parts, limit, offset, alpha)| {
        let ((method, retrieval, ranking), filter, fields, approximate) = parts;
        let mut tensor = tensor_leg();
        (tensor["fields"], tensor["approximate"]) = (fields, json!(approximate));
        let mut plan = full(
            json!({"searchMethod": method, "filter": filter, "limit": limit,
            "offset": offset, "tensor": tensor,
            "lexical": {"text": "river coat", "fields": null}}),
        );
        if method == "HYBRID" {
            plan["hybrid"] = json!({"retrievalMethod": retrieval, "rankingMethod": ranking,
                "alpha": f64::from(alpha) / 4.0, "rrfK": 60});
        }
        plan
    })
}

/// Plans, a few of them such as must be refused.
fn asked() -> impl Strategy<Value = Asked> {
    (plans(), 0..20_u8, any::<u16>()).prop_map(|(mut plan, defect, query)| {
        let mut vector = embed(&format!("query {query}"));
        match defect {
            0 => plan["filter"] = json!("price:["),
            1 => plan["filter"] = json!("kind IN (1)"),
            2 => plan["tensor"]["fields"] = json!(["nope"]),
            3 => vector.truncate(DIMENSIONS - 1),
            4 => plan["hybrid"] = json!(7),
            5 => vector[0] = f32::NAN,
            _ => {}
        }
        (plan.to_string().into_bytes(), vector)
    })
}

#[test]
fn each_of_several_searches_is_answered_as_if_it_were_alone() {
    let fixture = catalogue();
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig::with_cases(150),
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    );
    let groups = proptest::collection::vec(asked(), 0..8);
    let outcome = runner.run(&groups, |asked| {
        let expected: Vec<Answer> = asked.iter().map(|one| alone(&fixture, one)).collect();
        prop_assert_eq!(together(&fixture, &asked), expected);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_refused_search_takes_no_other_with_it() {
    let fixture = catalogue();
    let good = full(json!({"tensor": tensor_leg(), "limit": 5}));
    let bad = full(json!({"tensor": tensor_leg(), "filter": "price:["}));
    let one = |plan: &Value| (plan.to_string().into_bytes(), embed("a query"));
    let answers = together(&fixture, &[one(&good), one(&bad), one(&good)]);
    let codes: Vec<_> = answers
        .iter()
        .map(|a| a.as_ref().map_err(|e| e.code))
        .collect();
    assert_eq!(codes[1], Err("invalid_argument"));
    assert_eq!(codes[0], codes[2]);
    let found: Value = serde_json::from_slice(codes[0].unwrap()).unwrap();
    assert_eq!(ids(&found).len(), 5);
    fixture.engine.close();
    let answers = together(&fixture, &[one(&good), one(&bad)]);
    assert!(
        answers
            .iter()
            .all(|a| a.as_ref().unwrap_err().code == "index_not_found")
    );
}

#[test]
fn answers_stay_the_same_while_documents_that_do_not_pass_come_and_go() {
    let fixture = catalogue();
    let asked: Vec<Asked> = (0..6)
        .map(|n| {
            let mut tensor = tensor_leg();
            tensor["fields"] = [json!(["v"]), json!(["w"]), Value::Null][n % 3].clone();
            let plan = full(json!({"tensor": tensor, "filter": "kind:base", "limit": 20}));
            (plan.to_string().into_bytes(), embed(&format!("query {n}")))
        })
        .collect();
    let expected: Vec<Answer> = asked.iter().map(|one| alone(&fixture, one)).collect();
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
        let same: Vec<bool> = (0..150)
            .map(|_| together(&fixture, &asked) == expected)
            .collect();
        over.store(true, Ordering::Relaxed);
        assert!(same.iter().all(|same| *same));
    });
}
