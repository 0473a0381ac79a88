//! Bounds that an operator may move.

use crate::support;
use crate::support::{Fixture, definition};
use pelorus_engine::Engine;
use serde_json::{Value, json};

fn open(options: Value) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options.to_string().as_bytes()).unwrap();
    let fixture = Fixture { directory, engine };
    let create = |name, changes| fixture.engine.create_index(name, &definition(changes));
    create("u", json!({})).unwrap();
    let text = |name| json!({"name": name, "type": "text", "features": ["lexical_search"]});
    let fields = json!([text("a"), text("b"), text("c")]);
    let changes = json!({"type": "structured", "embeds": true, "allFields": fields, "tensorFields": ["a", "b"]});
    create("s", changes).unwrap();
    fixture
}

fn statuses(answer: &Value) -> Vec<u64> {
    let items = answer["items"].as_array().unwrap().iter();
    items.map(|item| item["status"].as_u64().unwrap()).collect()
}

#[test]
fn text_fields_of_an_unstructured_index_are_counted_and_those_it_has_stay() {
    let options = json!({"lexicalFieldsMax": 2, "lexicalFieldsSetting": "LEXICAL_FIELDS"});
    let fixture = open(options);
    let documents = json!([{"a": "x"}, {"b": "x", "n": 1}, {"d": "x", "c": "x"}, {"b": "y", "a": "z"}, {"n": 2}]);
    let answer = fixture.add("u", json!({ "documents": documents }));
    assert_eq!(statuses(&answer), [200, 200, 400, 200, 200]);
    assert_eq!(answer["items"][2]["code"], "bad_request");
    assert_eq!(
        answer["items"][2]["message"],
        "Index u has 2 lexical fields. Your request to add c as a lexical field is rejected since it exceeds the limit of 2. Please set a larger limit in LEXICAL_FIELDS environment variable."
    );

    fixture.engine.close();
    let directory = fixture.directory;
    let engine = Engine::open(directory.path(), br#"{"lexicalFieldsMax": 1}"#).unwrap();
    let fixture = Fixture { directory, engine };
    let documents = json!([{"a": "x", "b": "x"}, {"c": "x"}]);
    let answer = fixture.add("u", json!({ "documents": documents }));
    assert_eq!(statuses(&answer), [200, 400]);
    let message = answer["items"][1]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Index u has 2 lexical fields."),
        "{message}"
    );
}

/// Words are inverted before anybody knows which documents of a batch are refused.
#[test]
fn words_of_a_refused_document_are_not_found_and_those_beside_it_are() {
    let mut fixture = open(json!({"lexicalFieldsMax": 2}));
    let documents = json!([
        {"_id": "1", "a": "red dog"},
        {"_id": "2", "b": "red cat", "c": "red sun", "d": "x"},
        {"_id": "3", "b": "red cat"}
    ]);
    let answer = fixture.add("u", json!({ "documents": documents }));
    assert_eq!(statuses(&answer), [200, 400, 200]);
    fixture.update("u", json!([{"_id": "3", "b": "blue cat"}]));
    let found = |fixture: &Fixture, text: &str| {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical",
            "lexical": {"text": text, "fields": null}});
        support::ids(&fixture.search("u", plan, &[]))
    };
    for _ in 0..2 {
        assert_eq!(found(&fixture, "red"), ["1"]);
        assert_eq!(found(&fixture, "cat"), ["3"]);
        assert_eq!(found(&fixture, "\"blue cat\""), ["3"]);
        assert!(found(&fixture, "sun").is_empty());
        fixture = fixture.crash();
    }
}

#[test]
fn tensor_fields_of_an_unstructured_index_are_counted() {
    let fixture = open(json!({"tensorFieldsMax": 1}));
    let vector = |name: &str| json!({ name: {"vector": [1, 0, 0, 0]} });
    let mapping = json!({"type": "custom_vector"});
    let body = json!({
        "documents": [vector("a"), vector("b"), vector("a")], "tensorFields": ["a", "b"],
        "mappings": {"a": mapping, "b": mapping}
    });
    let answer = fixture.add("u", body);
    assert_eq!(statuses(&answer), [200, 400, 200]);
    let message = answer["items"][1]["message"].as_str().unwrap();
    assert!(
        message.contains("has 1 tensor fields. Your request to add b"),
        "{message}"
    );
    assert!(message.ends_with("the limit of 1."), "{message}");
}

#[test]
fn declared_fields_are_not_counted() {
    let fixture = open(json!({"lexicalFieldsMax": 1, "tensorFieldsMax": 1}));
    let answer = fixture.add("s", json!({"documents": [{"a": "x", "b": "y", "c": "z"}]}));
    assert_eq!(statuses(&answer), [200]);
}

#[test]
fn a_thousand_fields_of_each_kind_are_what_an_index_has_unless_told_otherwise() {
    let fixture = open(json!({}));
    let document = |count: usize| -> Value {
        let fields = (0..count).map(|n| (format!("f{n:04}"), json!("x")));
        fields.collect::<serde_json::Map<_, _>>().into()
    };
    let answer = fixture.add(
        "u",
        json!({"documents": [document(1_001), document(1_000)]}),
    );
    assert_eq!(statuses(&answer), [400, 200]);
}

#[test]
fn values_of_a_list_in_a_filter_are_counted() {
    let fixture = open(json!({"inFilterValuesMax": 2, "inFilterValuesSetting": "LIST"}));
    let search = |filter| {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "a", "fields": null}, "filter": filter});
        fixture.try_search("u", plan, &[])
    };
    assert!(search("_id IN (1,2)").is_ok());
    let error = search("_id IN (1,2,3)").unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("maximum of 2 (LIST)"), "{error}");
}

#[test]
fn a_bound_that_nobody_knows_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let error = Engine::open(directory.path(), br#"{"fieldsMax": 1}"#)
        .err()
        .unwrap();
    assert_eq!(error.code(), "invalid_argument");
}

#[test]
fn a_query_of_too_many_words_is_told_by_the_names_that_clients_know() {
    let fixture = open(json!({}));
    let search = |text: String| {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical",
            "lexical": {"text": text, "fields": null}});
        fixture.try_search("u", plan, &[])
    };
    assert!(search(format!("x{}", " ".repeat(65_535))).is_ok());
    let error = search("x".repeat(65_537)).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert_eq!(
        error.to_string(),
        "'q', or 'hybridParameters.queryLexical' in its place, may have at most 65536 bytes where words are searched, received 65537"
    );
}
