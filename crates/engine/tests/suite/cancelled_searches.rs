//! Searches that are cancelled, at each place where they look whether they are: they answer rightly or
//! not at all, and leave nothing behind.

use std::time::Instant;

use pelorus_engine::{Cancellation, EngineError};
use serde_json::{Value, json};

use crate::support::{Fixture, definition, embed, full, tensor_leg};

const DOCUMENTS: usize = 3_000;
const INDEX: &str = "shop";

/// Enough documents that every loop of a search looks at least once whether it is cancelled.
fn shop() -> Fixture {
    let fixture = Fixture::new();
    let definition = definition(json!({
        "model": "random/small",
        "collapseFields": [{"name": "sku", "minGroups": 500}],
    }));
    fixture.engine.create_index(INDEX, &definition).unwrap();
    let document = |at: usize| {
        let age = ["old", "new"][at % 2];
        json!({
            "_id": format!("d{at:04}"),
            "title": format!("red boat {} number {at}", ["in the harbour", "at sea"][at % 2]),
            "sku": format!("sku {}", at / 3),
            "tags": ["small", age],
            "price": (at * 7 % 50) as f64 + 0.5,
            "time": 1_700_000_000 + at,
        })
    };
    for from in (0..DOCUMENTS).step_by(500) {
        let documents: Vec<Value> = (from..from + 500).map(document).collect();
        let body = json!({"documents": documents, "tensorFields": ["title"]});
        let answer = fixture.add(INDEX, body);
        assert_eq!(answer["errors"], false, "{answer}");
    }
    fixture
}

/// A search of every stage, none of which is needed by another.
fn plans() -> Vec<(&'static str, Value)> {
    let exact = || {
        let mut leg = tensor_leg();
        leg["approximate"] = json!(false);
        leg
    };
    let words = json!({"text": "red \"at sea\" boat"});
    let methods = |retrieval: &str, ranking: &str| json!({"retrievalMethod": retrieval, "rankingMethod": ranking});
    let with = |mut plan: Value, members: Value| {
        let members = members.as_object().unwrap().clone();
        plan.as_object_mut().unwrap().extend(members);
        plan
    };
    let hybrid = || {
        let plan = with(
            methods("disjunction", "rrf"),
            json!({"rrf": {"alpha": 0.5, "k": 60}}),
        );
        with(
            plan,
            json!({"tensor": tensor_leg(), "lexical": words, "trackTotalHits": true}),
        )
    };
    let modifiers = json!({"multiply": [{"field": "price", "weight": 2.0}],
                           "add": [{"field": "price", "weight": 0.25}]});
    let slope =
        json!({"falloff": "linear", "scaleSeconds": 5_000.0, "offsetSeconds": 0.0, "floor": 0.1});
    let facet = |field: &str, kind: &str, terms: Value| {
        json!({"field": field, "kind": kind, "maxResults": 5, "order": "desc", "ranges": null,
               "excludeTerms": terms})
    };
    let mut modified = words.clone();
    modified["scoreModifiers"] = modifiers.clone();
    let every = json!({"text": "*", "scoreModifiers": modifiers});
    vec![
        (
            "tensor",
            with(
                methods("tensor", "tensor"),
                json!({"tensor": tensor_leg(), "limit": 200}),
            ),
        ),
        (
            "exact tensor",
            with(methods("tensor", "tensor"), json!({"tensor": exact()})),
        ),
        (
            "lexical",
            with(methods("lexical", "lexical"), json!({"lexical": words})),
        ),
        (
            "modified words",
            with(methods("lexical", "lexical"), json!({"lexical": modified})),
        ),
        (
            "every document modified",
            with(methods("lexical", "lexical"), json!({"lexical": every})),
        ),
        (
            "words by distance",
            with(
                methods("lexical", "tensor"),
                json!({"lexical": words, "tensor": tensor_leg()}),
            ),
        ),
        (
            "nearest by words",
            with(
                methods("tensor", "lexical"),
                json!({"lexical": words, "tensor": tensor_leg()}),
            ),
        ),
        ("hybrid", hybrid()),
        (
            "filtered",
            with(
                hybrid(),
                json!({
            "filter": "price:[2 TO 30] AND (tags:new OR NOT sku:(sku 7)) AND title CONTAINS (red boat) AND _id IN (d0003, d0005, d0007, d1001)"}),
            ),
        ),
        (
            "rescored",
            with(
                hybrid(),
                json!({"rescoring": {"scoreModifiers": modifiers, "depth": null}}),
            ),
        ),
        (
            "recency",
            with(
                hybrid(),
                json!({"recency": {
            "field": "time", "centerSeconds": 1_700_003_000.0, "decay": slope, "growth": null,
            "addToScoreWeight": null, "tensor": true, "lexical": true, "fused": true}}),
            ),
        ),
        (
            "sorted",
            with(
                hybrid(),
                json!({"sort": {
            "fields": [{"field": "price", "descending": true, "missingFirst": false}],
            "depth": null, "candidates": 500}}),
            ),
        ),
        (
            "cut off",
            with(
                hybrid(),
                json!({"relevanceCutoff": {
            "method": "relativeMaxScore", "factor": 0.5, "probe": full(json!({"lexical": words}))["lexical"],
            "probeDepth": 1_000, "legs": "both", "sortsRelevant": false, "facetsRelevant": false, "totalsRelevant": false}}),
            ),
        ),
        (
            "collapsed",
            with(
                hybrid(),
                json!({"collapse": {"field": "sku",
            "sort": {"field": "price", "order": "asc", "alwaysFetchVariants": true}}}),
            ),
        ),
        (
            "facets",
            with(
                hybrid(),
                json!({"filter": "tags:new OR price:[1 TO 9]", "facets": {
            "maxDepth": null,
            "fields": [facet("tags", "array", json!(["tags:new"])), facet("price", "number", json!([])),
                       facet("sku", "string", json!([]))]}}),
            ),
        ),
    ]
}

fn search(
    fixture: &Fixture,
    plan: &Value,
    cancellation: &Cancellation,
) -> Result<Value, EngineError> {
    let query = match plan.get("tensor") {
        Some(_) => embed("red boat"),
        None => Vec::new(),
    };
    let plan = full(plan.clone()).to_string();
    let body = fixture
        .engine
        .search_until(INDEX, plan.as_bytes(), &query, cancellation)?;
    Ok(serde_json::from_slice(&body).unwrap())
}

/// Ends a search at each check, and compares the answer of the next one. Tells how many checks there are.
fn check_everywhere(fixture: &Fixture, title: &str, plan: &Value) -> usize {
    let expected = search(fixture, plan, &Cancellation::never()).unwrap();
    assert!(
        !expected["hits"].as_array().unwrap().is_empty(),
        "{title} finds nothing"
    );
    let mut checks = 0;
    loop {
        match search(fixture, plan, &Cancellation::after_checks(checks)) {
            Ok(answer) => {
                assert_eq!(answer, expected, "{title} after {checks} checks");
                return checks;
            }
            Err(error) => assert_eq!(error.code(), "client_closed_request", "{title}: {error}"),
        }
        let next = search(fixture, plan, &Cancellation::never()).unwrap();
        assert_eq!(
            next, expected,
            "{title} after one that ended after {checks} checks"
        );
        checks += 1;
    }
}

#[test]
fn a_search_that_is_cancelled_anywhere_answers_rightly_or_not_at_all() {
    let fixture = shop();
    for (title, plan) in plans() {
        let checks = check_everywhere(&fixture, title, &plan);
        // At the start, for each hit of the page, and in the stage itself.
        let hits = full(plan)["limit"].as_u64().unwrap() as usize;
        let least = if title == "filtered" { 6 } else { hits + 1 };
        assert!(checks > least, "{title} looked {checks} times");
    }
    let health: Value = serde_json::from_slice(&fixture.engine.health()).unwrap();
    assert_eq!(health["indexes"], json!([]), "{health}");
}

/// Documents of two words and a number.
fn boats(count: usize) -> Fixture {
    let fixture = Fixture::unstructured(INDEX);
    let document = |at: usize| json!({"_id": format!("d{at}"), "title": "red boat", "price": at});
    for from in (0..count).step_by(5_000) {
        let documents: Vec<Value> = (from..count.min(from + 5_000)).map(document).collect();
        let answer = fixture.add(INDEX, json!({"documents": documents}));
        assert_eq!(answer["errors"], false, "{answer}");
    }
    fixture
}

#[test]
fn a_search_of_many_texts_is_cancelled_between_runs_of_documents() {
    let (few, many) = (boats(100), boats(20_000));
    let modifiers = json!({"multiply": [], "add": [{"field": "price", "weight": 1.0}]});
    for (text, modifiers) in [
        ("red", Value::Null),
        ("red", modifiers.clone()),
        ("*", modifiers),
    ] {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 1,
                          "lexical": {"text": text, "scoreModifiers": modifiers}});
        let of_few = check_everywhere(&few, text, &plan);
        let of_many = check_everywhere(&many, text, &plan);
        assert!(of_many > of_few, "{text}: {of_many} and {of_few} checks");
    }
}

#[test]
fn past_its_deadline_a_search_ends_before_it_reads_anything() {
    let fixture = Fixture::new();
    let past = Cancellation::new(Some(Instant::now()));
    let error = fixture
        .engine
        .search_until("no index", b"", &[], &past)
        .unwrap_err();
    assert_eq!(error.code(), "vector_store_timeout");
}
