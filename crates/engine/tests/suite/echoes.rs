//! Echoes of requests in answers: however long a request is, the answer is short.

use std::sync::mpsc;

use crate::support::{EMBEDDED, Fixture, definition};
use pelorus_engine::split_documents;
use serde_json::{Value, json};

/// Longest message, in characters: two echoes and the words around them, or a list of names.
const MESSAGE_CHARS: usize = 5_000;

fn long() -> String {
    "n".repeat(40_000)
}

/// An object with one member.
fn object(name: &str, value: Value) -> Value {
    json!({ name: value })
}

#[track_caller]
fn assert_short(fixture: &Fixture, index: &str, body: Value) {
    assert_short_answer(&fixture.add(index, body));
}

/// As `assert_short`, for a body with numbers that no `Value` holds.
#[track_caller]
fn assert_short_raw(fixture: &Fixture, index: &str, body: &str) {
    let batch = split_documents(body.as_bytes().to_vec()).unwrap();
    let (prepared, _) = fixture.engine.prepare(index, &batch, b"{}").unwrap();
    let (done, response) = mpsc::channel();
    let done = Box::new(move |answer| done.send(answer).unwrap());
    fixture.engine.apply(prepared, Vec::new(), EMBEDDED, done);
    let response = response.recv().unwrap().unwrap();
    assert_short_answer(&serde_json::from_slice(&response.body).unwrap());
}

#[track_caller]
fn assert_short_answer(answer: &Value) {
    let message = answer["items"][0]["message"].as_str();
    let message = message.unwrap_or_else(|| panic!("{answer:.300}"));
    let count = message.chars().count();
    assert!(count < MESSAGE_CHARS, "{count} characters: {message:.300}");
}

#[test]
fn a_refused_document_of_an_unstructured_index() {
    let fixture = Fixture::unstructured("u");
    let name = long();
    let documents = [
        object(&format!("{name} "), json!(1)),
        object(&format!("marqo__{name}"), json!(1)),
        object(&name, json!([1])),
        object(&name, json!({ &name: name })),
        json!({"_id": [name]}),
        json!({"_id": name, "a": [1]}),
        json!({"_id": name, "a": "x".repeat(100_000)}),
        object("a", json!([name, 1])),
        object("a", json!([{ &name: 1 }])),
        object("a", json!({ &name: 1 })),
    ];
    for document in documents {
        assert_short(&fixture, "u", json!({"documents": [document]}));
    }
    let digits = "9".repeat(40_000);
    for value in [
        digits.clone(),
        format!("{{\"k\":{digits}}}"),
        format!("1e{digits}"),
    ] {
        assert_short_raw(
            &fixture,
            "u",
            &format!("{{\"documents\":[{{\"{name}\":{value}}}]}}"),
        );
    }
}

#[test]
fn a_refused_tensor_field_of_an_unstructured_index() {
    let fixture = Fixture::unstructured("u");
    let name = long();
    for value in [
        json!(name),
        json!({ "vector": [0, 0, 0, 0] }),
        json!({ &name: 1 }),
        json!({ "content": name }),
    ] {
        let mappings = object(&name, json!({ "type": "custom_vector" }));
        let body = json!({"documents": [object(&name, value)], "tensorFields": [name], "mappings": mappings});
        assert_short(&fixture, "u", body);
    }
    let weights = json!({"type": "multimodal_combination", "weights": { &name: 1.0 }});
    let combined = object("m", weights.clone());
    let body = json!({"documents": [object(&name, json!(1))], "tensorFields": ["m"], "mappings": combined});
    assert_short(&fixture, "u", body);
    let combined = object(&name, weights);
    let body = json!({"documents": [object(&name, json!("a"))], "tensorFields": [name], "mappings": combined});
    assert_short(&fixture, "u", body);
    let body = json!({"documents": [object(&name, json!(1))], "tensorFields": [name]});
    assert_short(&fixture, "u", body);
}

#[test]
fn a_refused_document_of_a_structured_index() {
    let fixture = Fixture::new();
    let (name, declared) = (long(), "n".repeat(255));
    let fields = json!([
        {"name": declared, "type": "int"},
        {"name": "f", "type": "float"},
        {"name": "at", "type": "array<text>"},
        {"name": "img", "type": "image_pointer"}
    ]);
    let changes = json!({"type": "structured", "model": "random/small", "allFields": fields, "tensorFields": ["img"]});
    fixture
        .engine
        .create_index("s", &definition(changes))
        .unwrap();
    let digits = "9".repeat(40_000);
    for field in [&declared, "f", "at"] {
        assert_short_raw(
            &fixture,
            "s",
            &format!("{{\"documents\":[{{\"{field}\":{digits}}}]}}"),
        );
    }
    for document in [
        object(&format!("{name}x"), json!(1)),
        object(&format!("{name}.x"), json!(1)),
        object(&declared, json!(name)),
        object("at", json!(name)),
        object("img", json!(name)),
    ] {
        assert_short(&fixture, "s", json!({"documents": [document]}));
    }
}

#[test]
fn a_refused_search() {
    let fixture = Fixture::unstructured("u");
    let name = long();
    let stored: Vec<String> = (0..100).map(|n| format!("f{n:0254}")).collect();
    let document: serde_json::Map<_, _> = stored
        .iter()
        .map(|name| (name.clone(), json!("text")))
        .collect();
    let answer = fixture.add("u", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false);
    for (member, value) in [
        ("filter", json!(format!("{name}:1 {name}:2"))),
        ("filter", json!(format!("{name}x CONTAINS x"))),
        (
            "lexical",
            json!({"text": "a", "fields": [format!("{name}x")]}),
        ),
    ] {
        let mut plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "a", "fields": null}});
        plan[member] = value;
        let error = fixture.try_search("u", plan, &[]).unwrap_err();
        let count = error.to_string().chars().count();
        assert!(
            count < MESSAGE_CHARS,
            "{count} characters: {:.300}",
            error.to_string()
        );
    }
}
