//! Queries that an index suggests survive every kind of end, beside the documents.

use std::collections::BTreeMap;
use std::sync::mpsc;

use crate::support::{Fixture, definition};
use pelorus_engine::{Engine, ItemsResponse, WriteDone};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

fn written(write: impl FnOnce(WriteDone)) -> ItemsResponse {
    let (done, answer) = mpsc::channel();
    write(Box::new(move |answer| done.send(answer).unwrap()));
    answer.recv().unwrap().unwrap()
}

fn put(engine: &Engine, queries: &Value) -> Value {
    let request = json!({"queries": queries}).to_string();
    let answer = written(|done| engine.put_queries("a", request.as_bytes(), done));
    serde_json::from_slice(&answer.body).unwrap()
}

fn delete(engine: &Engine, queries: &[String]) {
    let request = json!({"queries": queries}).to_string();
    written(|done| engine.delete_queries("a", request.as_bytes(), done));
}

fn query(text: &str, popularity: f64) -> Value {
    json!({"query": text, "popularity": popularity, "metadata": "{}"})
}

fn suggested(engine: &Engine, text: &str) -> Vec<String> {
    let plan = json!({"text": text, "limit": 1_000, "editsMax": 2, "fuzzyCharsMin": 3,
        "popularityWeight": 1.0, "bm25Weight": 1.0, "matchesAll": false});
    let answer = engine.suggest("a", plan.to_string().as_bytes()).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let suggestions = answer["suggestions"].as_array().unwrap().iter();
    let texts = suggestions.map(|one| one["suggestion"].as_str().unwrap().to_owned());
    texts.collect()
}

fn count(engine: &Engine) -> usize {
    let stats: Value = serde_json::from_slice(&engine.stats("a").unwrap()).unwrap();
    stats["numberOfSuggestions"].as_u64().unwrap() as usize
}

#[test]
fn acknowledged_queries_are_suggested_after_every_kind_of_end() {
    let mut random = SplitMix64(7);
    let mut fixture = Fixture::unstructured("a");
    let mut known: BTreeMap<String, f64> = BTreeMap::new();
    for round in 0..12 {
        let queries: Vec<(String, f64)> = (0..20)
            .map(|_| {
                (
                    format!("query number {}", random.below(60)),
                    random.below(50) as f64,
                )
            })
            .collect();
        // The first of equal ones counts.
        let mut firsts = BTreeMap::new();
        for (text, popularity) in &queries {
            firsts.entry(text.clone()).or_insert(*popularity);
        }
        let all: Vec<Value> = queries.iter().map(|(text, p)| query(text, *p)).collect();
        let answer = put(&fixture.engine, &json!(all));
        assert_eq!(answer["indexed"], firsts.len());
        known.extend(firsts);
        let gone: Vec<String> = (0..5)
            .map(|_| format!("QUERY number {}", random.below(60)))
            .collect();
        delete(&fixture.engine, &gone);
        known.retain(|text, _| !gone.contains(&text.replace("query", "QUERY")));
        fixture.add(
            "a",
            json!({"documents": [{"_id": round.to_string(), "title": "red"}]}),
        );
        if round == 8 {
            written(|done| fixture.engine.delete_all_queries("a", done));
            known.clear();
        }
        fixture = match round % 3 {
            0 => fixture.crash(),
            1 => fixture.reopen(),
            _ => fixture,
        };
        let mut expected: Vec<&String> = known.keys().collect();
        // The key is the text here.
        expected.sort_by(|a, b| known[*b].total_cmp(&known[*a]).then(a.cmp(b)));
        assert_eq!(
            suggested(&fixture.engine, "*").iter().collect::<Vec<_>>(),
            expected
        );
        assert_eq!(count(&fixture.engine), known.len());
    }
}

#[test]
fn writers_of_documents_and_queries_and_readers_do_not_disturb_each_other() {
    let fixture = Fixture::unstructured("a");
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let engine = fixture.engine.clone();
            scope.spawn(move || {
                for at in 0..30 {
                    let text = format!("writer{writer} query{at}");
                    put(&engine, &json!([query(&text, 1.0)]));
                    assert_eq!(suggested(&engine, &text)[0], text);
                }
            });
        }
        for id in 0..30 {
            fixture.add(
                "a",
                json!({"documents": [{"_id": id.to_string(), "title": "red"}]}),
            );
        }
    });
    assert_eq!(count(&fixture.engine), 90);
    let fixture = fixture.crash();
    assert_eq!(count(&fixture.engine), 90);
    assert_eq!(suggested(&fixture.engine, "writer1").len(), 90);
}

#[test]
fn an_index_suggests_no_more_than_it_may() {
    let directory = tempfile::tempdir().unwrap();
    let options = br#"{"suggestionsMax": 3, "suggestionBytesMax": 60}"#;
    let engine = Engine::open(directory.path(), options).unwrap();
    engine.create_index("a", &definition(json!({}))).unwrap();
    let queries: Vec<Value> = (0..5)
        .map(|at| query(&format!("query {at}"), 0.0))
        .collect();
    let answer = put(&engine, &json!(queries));
    assert_eq!(answer["indexed"], 3);
    let errors = answer["errors"].as_array().unwrap();
    let texts: Vec<&str> = errors
        .iter()
        .map(|one| one["query"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["query 3", "query 4"]);
    // One in the place of another takes no more room, unless it is longer.
    assert_eq!(put(&engine, &json!([query("QUERY 1", 9.0)]))["indexed"], 1);
    delete(&engine, &["query 0".to_owned(), "query 2".to_owned()]);
    let long = "x".repeat(60);
    assert_eq!(put(&engine, &json!([query(&long, 0.0)]))["indexed"], 0);
    assert_eq!(
        put(&engine, &json!([query(&long[..40], 0.0)]))["indexed"],
        1
    );
    assert_eq!(count(&engine), 2);
    engine.close();
}
