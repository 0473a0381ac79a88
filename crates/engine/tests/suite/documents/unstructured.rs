//! The documents that an index without declared fields takes.

use serde_json::json;

use super::refusal;
use crate::support::{EMBEDDED, Fixture, definition};

#[test]
fn an_unstructured_index_refuses_what_it_cannot_store() {
    let fixture = Fixture::unstructured("u");
    let cases = [
        (json!(5), "invalid_argument", "Docs must be dicts"),
        (json!({}), "invalid_argument", "Can't index an empty dict."),
        (
            json!({"_id": 5}),
            "invalid_document_id",
            "Received _id 5 of type `int`",
        ),
        (
            json!({"_id": null, "a": 1}),
            "invalid_document_id",
            "of type `NoneType`",
        ),
        (
            json!({"_id": ""}),
            "invalid_document_id",
            "Document ID can't be empty",
        ),
        (
            json!({"_id": "é".repeat(2_049)}),
            "invalid_document_id",
            "must not be longer than 2048 characters; received one of 2049 characters: ééé",
        ),
        (
            json!({"a b": 1}),
            "invalid_field_name",
            "\"a b\": Field name must match",
        ),
        (
            json!({"n".repeat(256): 1}),
            "invalid_field_name",
            "nnn: Field name must not be longer than 255 characters, but this one has 256",
        ),
        (
            json!({"m": {"é".repeat(256): 1}}),
            "invalid_field_name",
            "Field 'm': a key of a map must not be longer than 255 characters, but this one has 256: ééé",
        ),
        (
            json!({"m": {"k": null}}),
            "invalid_argument",
            "Value 'None' for key 'k' in map field 'm' is not of type int or float, but of type <class 'NoneType'>",
        ),
        (
            json!({"_score": 1}),
            "invalid_field_name",
            "must not be one of _id",
        ),
        (
            json!({"marqo__x": 1}),
            "invalid_field_name",
            "must not start with \"marqo__\"",
        ),
        (
            json!({"a": null}),
            "invalid_argument",
            "of type `NoneType` is not of valid content type",
        ),
        (
            json!({"a": ["x", 1]}),
            "invalid_argument",
            "Field content '['x', 1]' of type list",
        ),
        (
            json!({"a": [true]}),
            "invalid_argument",
            "of type list is not of valid content type",
        ),
        (
            json!({"a": [1, 2]}),
            "invalid_argument",
            "Unsupported type <class 'list'>",
        ),
        (
            json!({"a": {"b": "s"}}),
            "invalid_argument",
            "Value 's' for key 'b' in map field",
        ),
        (
            json!({"a": {"b": {}}}),
            "invalid_argument",
            "Nested dictionaries are not allowed",
        ),
        (
            json!({"t": 5}),
            "invalid_argument",
            "Invalid type <class 'int'> for tensor field t",
        ),
        (
            json!({"t": "x"}),
            "invalid_argument",
            "Model no_model cannot vectorise",
        ),
        (
            json!({"_id": "big", "a": "x".repeat(100_001)}),
            "doc_too_large",
            "Document _id:`big`",
        ),
    ];
    for (document, code, message) in cases {
        let (got_code, got) = refusal(&fixture, "u", document.clone());
        assert_eq!(got_code, code, "{document}: {got}");
        assert!(got.contains(message), "{document}: {got}");
    }
    let raw = |text: &str| {
        let body = format!(r#"{{"documents":[{{"_id":"n","a":{text}}}]}}"#);
        let batch = pelorus_engine::split_documents(body.into_bytes()).unwrap();
        let (prepared, _) = fixture.engine.prepare("u", &batch, b"{}").unwrap();
        let (done, response) = std::sync::mpsc::channel();
        fixture.engine.apply(
            prepared,
            vec![],
            EMBEDDED,
            Box::new(move |r| done.send(r).unwrap()),
        );
        String::from_utf8(response.recv().unwrap().unwrap().body).unwrap()
    };
    assert!(raw("1e400").contains("outside the range of a 64-bit float"));
    assert!(raw("9223372036854775808").contains("for field a: an integer must be in"));
    assert!(raw("NaN").contains("a number must be finite"));
    assert!(raw(r#"{"k":-Infinity}"#).contains("a number must be finite"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(raw(&deep).contains("of type list"));
    assert!(raw(&format!("{}{}", "[".repeat(500), "]".repeat(500))).contains("of type list"));
    assert!(raw(r#""\ud800""#).contains("cannot be read"));
    assert_eq!(
        fixture.get("u", &["n"], false)["results"][0]["_found"],
        false
    );
}

#[test]
fn the_longest_names_keys_and_ids_are_stored() {
    let fixture = Fixture::unstructured("u");
    let (name, key, id) = ("n".repeat(255), "é".repeat(255), "/".repeat(2_048));
    let document = json!({"_id": id, &name: {&key: 1}});
    let answer = fixture.add("u", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false, "{answer}");
    let read = &fixture.get("u", &[&id], false)["results"][0];
    assert_eq!(read[format!("{name}.{key}")], 1);
    // A letter is one however it is encoded.
    let decomposed = "e\u{301}";
    let document = json!({"_id": decomposed.repeat(2_048), "m": {decomposed.repeat(255): 1}});
    let answer = fixture.add("u", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false, "{answer}");
    let document = json!({"m": {decomposed.repeat(256): 1}});
    let (_, message) = refusal(&fixture, "u", document);
    assert!(message.contains("but this one has 256"), "{message}");
    for changes in [
        json!({"collapseFields": [{"name": "n".repeat(256), "minGroups": 1}]}),
        json!({"type": "structured", "tensorFields": [],
               "allFields": [{"name": "n".repeat(256), "type": "text"}]}),
    ] {
        let refused = fixture.engine.create_index("x", &definition(changes));
        let error = refused.unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(
            error
                .to_string()
                .contains("255 characters, but this one has 256")
        );
    }
}
