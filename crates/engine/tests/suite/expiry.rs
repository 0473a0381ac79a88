//! Documents that say from which moment on they are gone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::{Fixture, definition, embed, ids};

const HOUR: i64 = 3_600_000;

fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_millis()).unwrap()
}

/// A document that is gone after so many hours, if ever.
fn document(id: &str, hours: Option<i64>) -> Value {
    let mut document = json!({"_id": id, "title": format!("a dog of {id}"), "brand": "one"});
    if let Some(hours) = hours {
        document["_expiresAt"] = json!(now() + hours * HOUR);
    }
    document
}

fn add(fixture: &Fixture, documents: &[Value]) -> Value {
    let body = json!({"documents": documents, "tensorFields": ["title"]});
    fixture.add("a", body)
}

fn made() -> Fixture {
    let fixture = Fixture::new();
    let embedding = definition(json!({"model": "m"}));
    fixture.engine.create_index("a", &embedding).unwrap();
    let documents = [
        document("soon", Some(1)),
        document("late", Some(5)),
        document("never", None),
    ];
    assert_eq!(add(&fixture, &documents)["errors"], json!(false));
    fixture
}

/// The ids that every kind of read shows, which must all be the same.
fn shown(fixture: &Fixture) -> Vec<String> {
    let all = ["late", "never", "past", "soon"];
    let found = fixture.get("a", &all, false);
    let found = found["results"].as_array().unwrap().iter();
    let found: Vec<&Value> = found.filter(|one| one["_found"] == true).collect();
    let by_id: Vec<String> = found.iter().map(|one| text(&one["_id"])).collect();

    let query = embed("a dog");
    let facets = json!({"maxDepth": null, "fields": [{
        "field": "brand", "kind": "string", "maxResults": 10, "order": "desc", "ranges": null, "excludeTerms": [],
    }]});
    for plan in [
        json!({"tensor": {}}),
        json!({"tensor": {"approximate": false}, "filter": "brand:one"}),
        json!({"lexical": {"text": "dog"}, "retrievalMethod": "lexical", "rankingMethod": "lexical"}),
    ] {
        let plan = crate::support::with(plan, &json!({"trackTotalHits": true, "facets": facets}));
        let vectors = if plan.get("tensor").is_some() {
            &query[..]
        } else {
            &[]
        };
        let answer = fixture.search("a", plan, vectors);
        let mut hits = ids(&answer);
        hits.sort_unstable();
        assert_eq!(hits, by_id, "{answer}");
        assert_eq!(
            answer["_totalHits"]
                .as_u64()
                .or(answer["totalHits"].as_u64()),
            Some(hits.len() as u64),
            "{answer}"
        );
        assert_eq!(
            answer["facets"]["brand"]["one"]["count"],
            json!(hits.len()),
            "{answer}"
        );
    }

    let request = json!({"exposeFacets": false, "exposeTensors": false}).to_string();
    let scan = fixture
        .engine
        .scan_documents("a", request.as_bytes())
        .unwrap();
    let page: Value = serde_json::from_slice(&scan.page(0, 100).unwrap().body).unwrap();
    let mut scanned: Vec<String> = page["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(&one["_id"]))
        .collect();
    scanned.sort_unstable();
    assert_eq!(scanned, by_id);

    let stats: Value = serde_json::from_slice(&fixture.engine.stats("a").unwrap()).unwrap();
    let counts = (&stats["numberOfDocuments"], &stats["numberOfVectors"]);
    assert_eq!(counts, (&json!(by_id.len()), &json!(by_id.len())));
    by_id
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_document_is_gone_from_every_read_from_its_moment_on() {
    let fixture = made();
    assert_eq!(shown(&fixture), ["late", "never", "soon"]);
    let stored = fixture.get("a", &["soon", "never"], false);
    let moment = stored["results"][0]["_expiresAt"].as_i64().unwrap();
    assert!((moment - now() - HOUR).abs() < HOUR / 2);
    assert!(stored["results"][1].get("_expiresAt").is_none());

    let request = json!({"exposeFacets": false, "exposeTensors": false}).to_string();
    let before = fixture
        .engine
        .scan_documents("a", request.as_bytes())
        .unwrap();
    fixture.engine.set_clock_ahead(2 * HOUR);
    assert_eq!(shown(&fixture), ["late", "never"]);
    assert_eq!(
        before.page(0, 100).unwrap().count,
        3,
        "a scan is of one moment"
    );
    fixture.engine.set_clock_ahead(9 * HOUR);
    assert_eq!(shown(&fixture), ["never"]);
}

#[test]
fn one_whose_moment_has_passed_is_taken_and_gone() {
    let fixture = made();
    let answer = add(&fixture, &[document("past", Some(-1))]);
    assert_eq!(answer["items"][0]["status"], 200, "{answer}");
    assert_eq!(shown(&fixture), ["late", "never", "soon"]);
}

#[test]
fn writes_find_no_document_whose_moment_has_come() {
    let fixture = made();
    fixture.engine.set_clock_ahead(2 * HOUR);
    let updated = fixture.update("a", json!([{"_id": "soon", "brand": "two"}]));
    assert_eq!(updated["errors"], json!(true), "{updated}");
    let deleted = fixture.delete("a", &["soon", "late"]);
    let results: Vec<&Value> = deleted["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["result"])
        .collect();
    assert_eq!(results, ["not_found", "deleted"], "{deleted}");
    // Another takes its place.
    add(&fixture, &[document("soon", None)]);
    assert_eq!(shown(&fixture), ["never", "soon"]);
    let fixture = fixture.reopen();
    assert_eq!(shown(&fixture), ["never", "soon"]);
}

#[test]
fn an_update_sets_puts_off_and_removes_the_moment() {
    let fixture = made();
    let update = |id: &str, moment: Value| {
        let answer = fixture.update("a", json!([{"_id": id, "_expiresAt": moment}]));
        assert_eq!(answer["errors"], json!(false), "{answer}");
    };
    update("soon", json!(now() + 5 * HOUR));
    update("late", Value::Null);
    update("never", json!(now() + HOUR));
    fixture.engine.set_clock_ahead(2 * HOUR);
    assert_eq!(shown(&fixture), ["late", "soon"]);
    let refused = fixture.update("a", json!([{"_id": "soon", "_expiresAt": "tomorrow"}]));
    assert_eq!(refused["items"][0]["status"], 400, "{refused}");
    update("soon", json!(now() - HOUR));
    assert_eq!(shown(&fixture), ["late"]);
    let fixture = fixture.crash();
    fixture.engine.set_clock_ahead(2 * HOUR);
    assert_eq!(shown(&fixture), ["late"]);
}

#[test]
fn moments_survive_a_restart_and_what_is_gone_is_deleted_for_good() {
    let mut fixture = made().crash();
    fixture.engine.set_clock_ahead(2 * HOUR);
    assert_eq!(shown(&fixture), ["late", "never"]);
    // Deleted in the background: then a clock that is set back shows it no more, not even after a restart.
    for round in 0.. {
        fixture = fixture.reopen();
        if shown(&fixture) == ["late", "never"] {
            break;
        }
        assert!(round < 300, "it is never deleted");
        fixture.engine.set_clock_ahead(2 * HOUR);
        std::thread::sleep(Duration::from_millis(100));
    }
    fixture.engine.set_clock_ahead(9 * HOUR);
    assert_eq!(shown(&fixture), ["never"]);
}
