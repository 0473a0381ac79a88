//! Facets, groups and hits of one search show one state of documents that are changed in place
//! meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Fixture, definition};
use serde_json::{Value, json};

const DOCUMENTS: usize = 60;
const UPDATES: usize = 150;

fn plan() -> Value {
    let facet = |field: &str, kind: &str, terms: Value| {
        json!({"field": field, "kind": kind, "maxResults": 10, "order": "desc", "ranges": null,
               "excludeTerms": terms})
    };
    json!({
        "limit": DOCUMENTS, "retrievalMethod": "lexical", "rankingMethod": "lexical",
        "lexical": {"text": "word"}, "filter": "state:even OR state:odd",
        "facets": {"maxDepth": null, "fields": [
            facet("state", "string", json!([])),
            facet("states", "array", json!([])),
            facet("number", "number", json!(["state:odd"])),
        ]},
        "trackTotalHits": true,
    })
}

/// The documents after so many updates.
fn changes(update: usize) -> Value {
    let state = if update.is_multiple_of(2) {
        "even"
    } else {
        "odd"
    };
    let change = |n: usize| json!({"_id": format!("d{n}"), "state": state, "states": [state], "number": update});
    (0..DOCUMENTS).map(change).collect()
}

/// Everything in the answer is of the same update, where an update is published whole.
fn check(answer: &Value) {
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), DOCUMENTS, "{answer}");
    let state = hits[0]["state"].as_str().unwrap();
    let number = hits[0]["number"].as_u64().unwrap();
    for hit in hits {
        assert_eq!(
            (&hit["state"], &hit["number"]),
            (&json!(state), &json!(number))
        );
    }
    let facets = &answer["facets"];
    assert_eq!(facets["state"], json!({state: {"count": DOCUMENTS}}));
    assert_eq!(facets["states"], json!({state: {"count": DOCUMENTS}}));
    let numbers = match state {
        "even" => {
            json!({"sum": number * DOCUMENTS as u64, "avg": number as f64, "min": number, "max": number,
                         "count": DOCUMENTS})
        }
        _ => json!({"count": 0}),
    };
    assert_eq!(facets["number"], numbers);
    assert_eq!(answer["totalHits"], json!(DOCUMENTS));
}

#[test]
fn a_search_counts_the_documents_as_its_hits_show_them() {
    let fixture = Fixture::new();
    fixture
        .engine
        .create_index("u", &definition(json!({})))
        .unwrap();
    let mut documents = changes(0);
    for document in documents.as_array_mut().unwrap() {
        document["title"] = json!("word");
    }
    let added = fixture.add("u", json!({"documents": documents}));
    assert_eq!(added["errors"], false, "{added}");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    check(&fixture.search("u", plan(), &[]));
                }
            });
        }
        for update in 1..=UPDATES {
            let answer = fixture.update("u", changes(update));
            if answer["errors"] != false {
                done.store(true, Ordering::Release);
                panic!("{answer}");
            }
        }
        done.store(true, Ordering::Release);
    });
    check(&fixture.search("u", plan(), &[]));
}
