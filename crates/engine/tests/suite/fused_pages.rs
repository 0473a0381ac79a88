//! Pages of a fused ranking, of any size, are cut from one list.

use crate::support::{Fixture, definition, embed, full, tensor_leg};
use pelorus_engine::Cancellation;
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};
use serde_json::{Value, json};

const DOCUMENTS: usize = 700;
const WORDS: [&str; 6] = ["river", "stone", "lamp", "winter", "coat", "green"];

/// Many documents share their vector, their text or both, so that both legs have ties; every
/// fourth has no vector.
fn document(n: usize) -> Value {
    let title = format!("{} {}", WORDS[n % 6], WORDS[(n / 6) % 4]);
    let sku = format!("group {}", n % 7 * n % 130);
    let mut document = json!({"_id": format!("d{n}"), "title": title, "price": n, "sku": sku});
    if !n.is_multiple_of(4) {
        let vector = embed(&format!("vector {}", n % 300));
        document["v"] = json!({"vector": vector, "content": ""});
    }
    document
}

fn catalogue() -> Fixture {
    let fixture = Fixture::new();
    let settings = json!({"collapseFields": [{"name": "sku", "minGroups": 1}]});
    let created = fixture.engine.create_index("u", &definition(settings));
    created.unwrap();
    for start in (0..DOCUMENTS).step_by(100) {
        let documents: Vec<Value> = (start..start + 100).map(document).collect();
        let answer = fixture.add(
            "u",
            json!({"documents": documents, "tensorFields": ["v"],
                   "mappings": {"v": {"type": "custom_vector"}}}),
        );
        assert_eq!(answer["errors"], false);
    }
    fixture
}

/// A fused search without limit and offset, and its query vector.
fn searches() -> impl Strategy<Value = (Value, Vec<f32>)> {
    let filters = prop_oneof![
        3 => Just(Value::Null),
        1 => Just(json!("price:[100 TO 400]")),
        1 => Just(json!("price:[0 TO 40]")),
        1 => Just(json!("missing:1")),
    ];
    let alpha = prop_oneof![Just(0.5), Just(0.0), Just(1.0), 0.0..=1.0_f64];
    let k = prop_oneof![Just(60), Just(0), Just(10_000)];
    let text = prop_oneof![Just("river coat"), Just("green"), Just("nothing")];
    let collapse = prop_oneof![
        2 => Just(Value::Null),
        1 => Just(json!({"field": "sku", "sort": null})),
        1 => Just(json!({"field": "sku", "sort": {"field": "price", "order": "desc", "alwaysFetchVariants": false}})),
    ];
    (filters, alpha, k, text, any::<bool>(), any::<u16>(), collapse).prop_map(
        |(filter, alpha, k, text, approximate, query, collapse)| {
            let mut tensor = tensor_leg();
            tensor["approximate"] = json!(approximate);
            let plan = json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "filter": filter, "tensor": tensor,
                "lexical": {"text": text, "fields": null},
                "rrf": {"alpha": alpha, "k": k}, "collapse": collapse});
            (plan, embed(&format!("query {query}")))
        },
    )
}

fn hits(fixture: &Fixture, plan: &Value, query: &[f32], offset: usize, limit: usize) -> Vec<Value> {
    let mut plan = plan.clone();
    (plan["limit"], plan["offset"]) = (json!(limit), json!(offset));
    let answer = fixture.search("u", plan, query);
    answer["hits"].as_array().unwrap().clone()
}

#[test]
fn pages_of_any_size_join_to_one_long_page() {
    let fixture = catalogue();
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::with_cases(80),
        TestRng::deterministic_rng(Default::default()),
    );
    let cases = (searches(), prop_oneof![5..15_usize, 15..200_usize]);
    let outcome = runner.run(&cases, |((plan, query), size)| {
        let long = hits(&fixture, &plan, &query, 0, 1_000);
        let mut joined = Vec::new();
        for offset in (0..=long.len()).step_by(size) {
            joined.extend(hits(&fixture, &plan, &query, offset, size));
        }
        // Whole hits: their scores and highlights too.
        prop_assert_eq!(joined, long.clone());
        let score = |hit: &Value| hit["_score"].as_f64().unwrap();
        prop_assert!(long.is_sorted_by(|a, b| score(a) >= score(b)));
        Ok(())
    });
    outcome.unwrap();
}

/// The number of times that a search looks whether it was cancelled, as it does between pieces of work.
fn checks_of(fixture: &Fixture, plan: &Value, query: &[f32]) -> usize {
    let plan = full(plan.clone()).to_string();
    let ends_after = |checks: &usize| {
        let cancellation = Cancellation::after_checks(*checks);
        let answer = fixture
            .engine
            .search_until("u", plan.as_bytes(), query, &cancellation);
        answer.is_ok()
    };
    (0..).find(ends_after).unwrap()
}

#[test]
fn an_empty_page_asks_the_legs_for_nothing_but_its_counts() {
    let fixture = catalogue();
    let query = embed("query");
    let modifiers = json!({"multiply": [], "add": [{"field": "price", "weight": 0.5}]});
    let slope =
        json!({"falloff": "linear", "scaleSeconds": 500.0, "offsetSeconds": 0.0, "floor": 0.1});
    let age = json!({"field": "price", "centerSeconds": 0.0, "decay": slope, "growth": null, "addToScoreWeight": null,
                     "tensor": true, "lexical": true, "fused": true});
    for (changes, offset) in [
        (json!({}), 0),
        (json!({}), 500),
        (
            json!({"rescoring": {"scoreModifiers": modifiers, "depth": null}}),
            0,
        ),
        (
            json!({"rescoring": {"scoreModifiers": modifiers, "depth": 7}}),
            20,
        ),
        (json!({"recency": age}), 0),
        (json!({"collapse": {"field": "sku", "sort": null}}), 3),
    ] {
        let plan = |limit: usize, counted: bool| {
            let mut plan = json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "limit": limit,
                "offset": offset, "tensor": tensor_leg(), "lexical": {"text": "river coat", "fields": null},
                "rrf": {"alpha": 0.5, "k": 60}, "trackTotalHits": counted});
            plan["tensor"]["scoreModifiers"] = modifiers.clone();
            plan["lexical"]["scoreModifiers"] = modifiers.clone();
            let members = changes.as_object().unwrap().clone();
            plan.as_object_mut().unwrap().extend(members);
            plan
        };
        // Before it reads anything.
        assert_eq!(checks_of(&fixture, &plan(0, false), &query), 1, "{changes}");
        let [empty, page] = [0, 10].map(|limit| fixture.search("u", plan(limit, true), &query));
        assert_eq!(empty["hits"], json!([]), "{changes}");
        assert_eq!(empty["totalHits"], page["totalHits"], "{changes}");
    }
}
