//! The settings of a request for the texts of a field hold from its first text on, across every kind of end.

use crate::support::{Fixture, definition, full, ids};
use serde_json::{Value, json};

fn found(fixture: &Fixture, text: &str, language: Option<&str>) -> Vec<String> {
    let plan = full(json!({
        "retrievalMethod": "lexical", "rankingMethod": "lexical",
        "lexical": {"text": text, "language": language},
    }));
    let mut found = ids(&fixture.search("a", plan, &[]));
    found.sort();
    found
}

fn add(fixture: &Fixture, id: &str, field: &str, text: &str, mapping: Value) -> Value {
    let mappings = match mapping {
        Value::Null => Value::Null,
        mapping => json!({field: mapping}),
    };
    let body = json!({"documents": [{"_id": id, field: text}], "mappings": mappings});
    fixture.add("a", body)["items"][0].clone()
}

fn text_field(members: Value) -> Value {
    let mut mapping = json!({"type": "text_field"});
    for (name, value) in members.as_object().unwrap() {
        mapping[name] = value.clone();
    }
    mapping
}

#[test]
fn words_are_marked_in_the_language_of_their_field() {
    let mut fixture = Fixture::unstructured("a");
    let german = text_field(json!({"language": "de"}));
    add(&fixture, "1", "title", "Viele Kinder, ein Haus", german);
    add(&fixture, "2", "body", "Kinder", Value::Null);
    let shown = |fixture: &Fixture, asked: Value| {
        let plan = full(json!({
            "retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 1,
            "lexicalHighlights": asked, "lexical": {"text": "Kindern Häuser", "fields": ["title"]},
        }));
        fixture.search("a", plan, &[])["hits"][0].clone()
    };
    let asked = |fields: Value| json!({"fields": fields, "fragmentSize": 150, "numberOfFragments": 1, "preTag": "<", "postTag": ">"});
    for _ in 0..2 {
        let expected = json!({"title": ["Viele <Kinder>, ein <Haus>"]});
        assert_eq!(
            shown(&fixture, asked(Value::Null))["_lexicalHighlights"],
            expected
        );
        assert_eq!(
            shown(&fixture, asked(json!(["body"])))["_lexicalHighlights"],
            json!({})
        );
        assert!(
            shown(&fixture, Value::Null)
                .get("_lexicalHighlights")
                .is_none()
        );
        fixture = fixture.reopen();
    }
}

#[test]
fn a_field_keeps_its_language_and_stemming() {
    let mut fixture = Fixture::unstructured("a");
    let german = || text_field(json!({"language": "de"}));
    let whole = || text_field(json!({"stemming": "none"}));
    assert_eq!(
        add(&fixture, "1", "title", "Kinder", german())["status"],
        200
    );
    assert_eq!(add(&fixture, "2", "code", "cats", whole())["status"], 200);
    assert_eq!(
        add(&fixture, "3", "body", "dogs", Value::Null)["status"],
        200
    );
    for round in 0..4 {
        assert_eq!(found(&fixture, "Kindern", None), ["1"], "round {round}");
        assert_eq!(found(&fixture, "Kindern", Some("de")), ["1"]);
        assert!(found(&fixture, "Kindern", Some("en")).is_empty());
        assert_eq!(found(&fixture, "cats", None), ["2"]);
        assert!(found(&fixture, "cat", None).is_empty());
        assert_eq!(found(&fixture, "dog", None), ["3"]);
        for (field, mapping, message) in [
            (
                "title",
                json!({"language": "fr"}),
                "Field 'title' already exists with a different language configuration. Cannot change language from 'de' to 'fr' for existing field.",
            ),
            (
                "title",
                json!({"stemming": "none"}),
                "Field 'title' already exists with a different stemming configuration. Cannot change stemming from 'best' to 'none' for existing field.",
            ),
            (
                "body",
                json!({"language": "fr"}),
                "Field 'body' already exists with a different language configuration. Cannot change language from 'None' to 'fr' for existing field.",
            ),
        ] {
            let item = add(&fixture, "4", field, "text", text_field(mapping));
            assert_eq!(
                (&item["status"], &item["code"]),
                (&json!(400), &json!("invalid_argument"))
            );
            assert_eq!(item["message"], message);
        }
        // The same again, and a document that lacks the field, are no conflict.
        assert_eq!(
            add(&fixture, "1", "title", "Kinder", german())["status"],
            200
        );
        let other = json!({"documents": [{"_id": "5", "other": "x"}],
            "mappings": {"title": {"type": "text_field", "language": "fr"}}});
        assert_eq!(fixture.add("a", other)["errors"], false);
        fixture = match round {
            0 => fixture.reopen(),
            1 => fixture.crash(),
            _ => {
                // The postings are made anew from the store.
                let folder = std::fs::read_dir(fixture.directory.path().join("indexes")).unwrap();
                let folder = folder.map(|entry| entry.unwrap().path()).next().unwrap();
                fixture.engine.close();
                std::fs::remove_dir_all(folder.join("lexical")).unwrap();
                fixture.reopen()
            }
        };
    }
}

#[test]
fn another_definition_leaves_the_fields_as_they_are() {
    let fixture = Fixture::unstructured("a");
    add(
        &fixture,
        "1",
        "title",
        "Kinder",
        text_field(json!({"language": "de"})),
    );
    let (done, answer) = std::sync::mpsc::channel();
    let same = definition(json!({}));
    fixture.engine.redefine_index(
        "a",
        same,
        Box::new(move |r| done.send(r.map(drop)).unwrap()),
    );
    answer.recv().unwrap().unwrap();
    let fixture = fixture.reopen();
    assert_eq!(
        fixture.engine.definition("a").unwrap(),
        definition(json!({}))
    );
    let item = add(
        &fixture,
        "2",
        "title",
        "x",
        text_field(json!({"language": "fr"})),
    );
    assert_eq!(item["status"], 400);
    assert_eq!(found(&fixture, "Kindern", None), ["1"]);
}
