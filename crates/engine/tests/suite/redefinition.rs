//! The definition of an index is replaced by one of the same meaning to the engine.

use std::sync::mpsc;

use crate::support::{Fixture, definition};
use pelorus_engine::EngineError;
use serde_json::{Value, json};

/// The usual definition with members that the engine does not act on.
fn noted(note: &Value) -> Value {
    let mut noted: Value = serde_json::from_slice(&definition(json!({}))).unwrap();
    noted["settings"]["modelProperties"] = json!({"note": note});
    noted
}

fn redefine(fixture: &Fixture, name: &str, definition: &Value) -> Result<(), EngineError> {
    let (done, answer) = mpsc::channel();
    let done = Box::new(move |answer| done.send(answer).unwrap());
    let bytes = serde_json::to_vec(definition).unwrap();
    fixture.engine.redefine_index(name, bytes, done);
    answer.recv().unwrap().map(drop)
}

fn served(fixture: &Fixture, name: &str) -> Value {
    serde_json::from_slice(&fixture.engine.definition(name).unwrap()).unwrap()
}

#[test]
fn the_new_definition_is_served_at_once_and_after_every_kind_of_end() {
    let mut fixture = Fixture::unstructured("a");
    fixture.add("a", json!({"documents": [{"_id": "1", "title": "red"}]}));
    for (round, is_crash) in [false, true, false].into_iter().enumerate() {
        let wanted = noted(&json!(round));
        redefine(&fixture, "a", &wanted).unwrap();
        assert_eq!(served(&fixture, "a"), wanted);
        fixture = match is_crash {
            true => fixture.crash(),
            false => fixture.reopen(),
        };
        assert_eq!(served(&fixture, "a"), wanted);
    }
    assert_eq!(
        fixture.get("a", &["1"], false)["results"][0]["title"],
        "red"
    );
}

#[test]
fn documents_and_definitions_are_written_side_by_side() {
    let fixture = Fixture::unstructured("a");
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for id in 0..40 {
                let added = fixture.add("a", json!({"documents": [{"_id": id.to_string()}]}));
                assert_eq!(added["errors"], false, "{added}");
            }
        });
        for note in 0..40 {
            redefine(&fixture, "a", &noted(&json!(note))).unwrap();
            assert_eq!(served(&fixture, "a"), noted(&json!(note)));
        }
        writing.join().unwrap();
    });
    let fixture = fixture.crash();
    assert_eq!(served(&fixture, "a"), noted(&json!(39)));
    let stats: Value = serde_json::from_slice(&fixture.engine.stats("a").unwrap()).unwrap();
    assert_eq!(stats["numberOfDocuments"], 40);
}

#[test]
fn a_change_of_how_documents_are_stored_or_searched_is_refused() {
    let fixture = Fixture::unstructured("a");
    let before = served(&fixture, "a");
    for (part, member, value) in [
        ("settings", "type", json!("structured")),
        ("settings", "model", json!("other")),
        ("settings", "normalizeEmbeddings", json!(false)),
        ("settings", "filterStringMaxLength", json!(3)),
        ("resolved", "dimensions", json!(5)),
        ("resolved", "textChunkPrefix", json!("passage: ")),
        ("resolved", "embeds", json!(true)),
    ] {
        let mut other = before.clone();
        other[part][member] = value;
        assert_ne!(other, before, "{member}");
        let error = redefine(&fixture, "a", &other).unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{member}: {error}");
    }
    for definition in [json!({}), json!(5)] {
        let error = redefine(&fixture, "a", &definition).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
    }
    let error = redefine(&fixture, "nope", &before).unwrap_err();
    assert_eq!(error.code(), "index_not_found");
    assert_eq!(served(&fixture.crash(), "a"), before);
}
