//! Updates of documents, as the cluster is asked for them and answers.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_documents::{StoredDocument, split_documents};
use pelorus_opensearch::{ClusterUpdates, MappedIndex};
use serde_json::{Value, json};

/// An index that has had texts in the field `note`.
fn index() -> Arc<MappedIndex> {
    index_with_id("1")
}

fn index_with_id(id: &str) -> Arc<MappedIndex> {
    let settings = json!({
        "type": "unstructured", "model": "m",
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {"spaceType": "dotproduct", "parameters": {"efConstruction": 8, "m": 4}},
    });
    let definition = json!({"settings": settings, "resolved": {"dimensions": 2, "embeds": true}});
    let text = json!({"type": "constant_keyword", "value": "{}"});
    let mapping = json!({
        "_meta": {"pelorus": {"name": "a", "id": id, "definition": definition.to_string()}},
        "properties": {"facts": {"properties": {
            "text-note": text, "held-note-texts": {}, "held-price-numbers": {}, "held-sold-truths": {},
        }}},
    });
    let read = MappedIndex::read(mapping.to_string().as_bytes(), b"{}");
    Arc::new(read.expect("the mapping is one of ours"))
}

fn begun(documents: &Value) -> ClusterUpdates {
    let body = json!({ "documents": documents }).to_string();
    let batch = split_documents(body.into_bytes()).expect("the body is JSON");
    ClusterUpdates::begin(index(), &batch, b"{}").expect("the options are read")
}

/// The stored form of a document with one integer field, in base64.
fn stored(id: &str, price: &str) -> String {
    let mut bytes = vec![1];
    for text in [id, "price", price] {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    STANDARD.encode(bytes)
}

fn got(id: &str, price: &str, seq_no: u64) -> Value {
    let source = json!({"stored": stored(id, price), "sources": []});
    json!({"_id": format!("i{id}"), "_seq_no": seq_no, "_primary_term": 1, "_source": source})
}

fn take(updates: &mut ClusterUpdates, docs: &Value) {
    let answer = json!({ "docs": docs }).to_string();
    updates.take(answer.as_bytes()).expect("the answer is one");
}

/// The lines of the bulk body of what was taken.
fn written(updates: &mut ClusterUpdates) -> Vec<Value> {
    let mut merged = updates.merge(&index(), b"{}").expect("documents are ours");
    assert!(merged.lacking.is_none() && !merged.is_unsure);
    let body = merged.body.take().unwrap_or_default();
    updates.accept(merged);
    let text = String::from_utf8(body).expect("JSON is text");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("each line is JSON")
}

fn settle(updates: &mut ClusterUpdates, items: &Value) -> Option<u16> {
    let answer = json!({ "items": items }).to_string();
    let refusal = updates
        .settle(answer.as_bytes())
        .expect("the answer is one");
    refusal.map(|refusal| refusal.status)
}

fn wanted(updates: &ClusterUpdates) -> Vec<String> {
    let body = updates
        .wanted()
        .unwrap_or_else(|| b"{\"docs\":[]}".to_vec());
    let body: Value = serde_json::from_slice(&body).expect("the body is JSON");
    let docs = body["docs"].as_array().expect("documents are a list");
    docs.iter()
        .map(|doc| doc["_id"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn an_update_that_lost_is_merged_into_what_the_winner_left() {
    let mut updates = begun(&json!([{"_id": "1", "sold": true}, {"_id": "2", "price": 5}]));
    assert_eq!(wanted(&updates), ["i1", "i2"]);
    take(&mut updates, &json!([got("1", "1", 7), got("2", "2", 8)]));
    let lines = written(&mut updates);
    let target = json!({"_id": "i1", "if_seq_no": 7, "if_primary_term": 1});
    assert_eq!(lines[0], json!({ "update": target }));
    assert!(
        lines[1]["script"]["params"]["words"].is_null(),
        "no text has changed"
    );
    let conflict = json!({"type": "version_conflict_engine_exception", "reason": "late"});
    let items =
        json!([{"update": {"status": 409, "error": conflict}}, {"update": {"status": 200}}]);
    assert_eq!(settle(&mut updates, &items), None);

    assert_eq!(wanted(&updates), ["i1"]);
    take(&mut updates, &json!([got("1", "9", 12)]));
    let lines = written(&mut updates);
    assert_eq!(lines[0]["update"]["if_seq_no"], 12);
    let form = lines[1]["script"]["params"]["stored"]
        .as_str()
        .expect("it is a text");
    let form = STANDARD.decode(form).expect("it is base64");
    let document = StoredDocument::decode(&form).expect("it is a stored form");
    assert_eq!(document.fields, [("price", "9"), ("sold", "true")]);
    assert_eq!(
        settle(&mut updates, &json!([{"update": {"status": 200}}])),
        None
    );
    assert!(updates.wanted().is_none());
    let response = updates.response().expect("all are over");
    assert_eq!((response.success, response.failure), (2, 0));
}

#[test]
fn an_update_of_a_document_that_is_not_there_is_refused_and_one_without_an_effect_is_not_written() {
    let mut updates = begun(&json!([{"_id": "1", "price": 1}, {"_id": "2", "price": 5}]));
    take(
        &mut updates,
        &json!([got("1", "1", 7), {"_id": "i2", "found": false}]),
    );
    assert_eq!(written(&mut updates), Vec::<Value>::new());
    assert!(updates.wanted().is_none());
    let response = updates.response().expect("all are over");
    assert_eq!((response.success, response.failure), (1, 1));
}

#[test]
fn a_refusal_of_the_whole_index_ends_the_request() {
    let mut updates = begun(&json!([{"_id": "1", "price": 5}]));
    take(&mut updates, &json!([got("1", "1", 7)]));
    assert_eq!(written(&mut updates).len(), 2);
    let gone = json!({"type": "index_not_found_exception", "reason": "no such index"});
    let items = json!([{"update": {"status": 404, "error": gone}}]);
    assert_eq!(settle(&mut updates, &items), Some(404));
    let missing = json!({"docs": [{"error": {"type": "index_not_found_exception"}}]});
    let error = updates
        .take(missing.to_string().as_bytes())
        .expect_err("it is gone");
    assert_eq!(error.code(), "index_not_found");
}

#[test]
fn a_field_that_the_mapping_does_not_know_is_looked_up_before_an_update_is_refused() {
    let mut updates = begun(&json!([{"_id": "1", "note": "red"}, {"_id": "2", "other": "red"}]));
    take(&mut updates, &json!([got("1", "1", 7), got("2", "2", 8)]));
    let merged = updates.merge(&index(), b"{}").expect("documents are ours");
    assert!(merged.is_unsure);
    let lacking = merged
        .lacking
        .expect("the text has an analysis that is new");
    let lacking: Value = serde_json::from_slice(&lacking).expect("it is JSON");
    assert_eq!(lacking["words"], json!([]), "the field itself is known");
}

#[test]
fn an_index_that_took_the_place_of_theirs_takes_none() {
    let mut updates = begun(&json!([{"_id": "1", "price": 2}]));
    take(&mut updates, &json!([got("1", "1", 1)]));
    let error = updates
        .merge(&index_with_id("2"), b"{}")
        .err()
        .expect("the index is another one");
    assert_eq!(error.code(), "index_not_found");
}
