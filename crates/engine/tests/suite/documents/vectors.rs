//! Vectors that documents bring, get and leave behind.

use serde_json::{Value, json};

use super::refusal_with;
use crate::support::{self, Fixture, definition};

#[test]
fn custom_vectors_are_checked_normalised_and_exposed() {
    let fixture = Fixture::unstructured("u");
    let add = |value: Value| {
        json!({"documents": [{"_id": "v", "c": value}], "tensorFields": ["c"],
               "mappings": {"c": {"type": "custom_vector"}}})
    };
    let cases = [
        (json!("text"), "must be an object with the member 'vector'"),
        (
            json!({"vector": [1, 2]}),
            "dimension of 4, but given vector is of length 2",
        ),
        (
            json!({"vector": []}),
            "dimension of 4, but given vector is of length 0",
        ),
        (
            json!({"vector": "x"}),
            "must be a list, but given vector is of type <class 'str'>",
        ),
        (
            json!({"vector": [1, 2, 3, "x"]}),
            "contains an element of type <class 'str'>",
        ),
        (
            json!({"vector": [null, 0, 0, 1]}),
            "must be a list of numbers, but given vector contains an element of type <class 'NoneType'>: None at position 0 in field c",
        ),
        (
            json!({"vector": [1, 2, 3, 1e39]}),
            "list of 32-bit floats, but given vector contains 1e+39 at position 3 in field c",
        ),
        (json!({"content": "x"}), "missing 'vector'"),
        (
            json!({"vector": [1, 2, 3, 4], "content": 5}),
            "given content is of type <class 'int'>",
        ),
        (
            json!({"vector": [1, 2, 3, 4], "x": 5}),
            "unexpected extra fields: {'x'}",
        ),
        (
            json!({"vector": [0, 0, 0, 0]}),
            "Field c has zero magnitude vector",
        ),
    ];
    for (value, message) in cases {
        let (_, got) = refusal_with(&fixture, "u", add(value.clone()));
        assert!(got.contains(message), "{value}: {got}");
    }
    let answer = fixture.add(
        "u",
        add(json!({"vector": [3, 0, 4.0, 0], "content": "said"})),
    );
    assert_eq!(answer["errors"], false, "{answer}");
    let read = &fixture.get("u", &["v"], true)["results"][0];
    assert_eq!(read["c"], "said");
    assert_eq!(read["_tensor_facets"][0]["c"], "said");
    let vector: Vec<f32> =
        serde_json::from_value(read["_tensor_facets"][0]["_embedding"].clone()).unwrap();
    assert_eq!(vector, [0.6, 0.0, 0.8, 0.0]);
}

#[test]
fn existing_tensors_are_reused_while_the_content_is_the_same() {
    let fixture = Fixture::new();
    fixture
        .engine
        .create_index("u", &definition(json!({"model": "random/small"})))
        .unwrap();
    let options = json!({"tensorFields": ["t"], "useExistingTensors": true,
        "mappings": {"mm": {"type": "multimodal_combination", "weights": {"t": 1.0, "s": 2.0}}}});
    let add = |document: Value| {
        let body = json!({"documents": [document]});
        fixture.add_texts("u", &body, &options).unwrap().0
    };
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts
    };
    let first = add(json!({"_id": "a", "t": "Hello there.", "s": "sub", "n": 1}));
    assert_eq!(sorted(first), ["Hello there.", "sub"]);
    assert!(add(json!({"_id": "a", "t": "Hello there.", "s": "sub", "n": 2})).is_empty());
    let facets = fixture.get("u", &["a"], true)["results"][0]["_tensor_facets"].clone();
    assert_eq!(facets.as_array().unwrap().len(), 2);
    assert_eq!(
        sorted(add(json!({"_id": "a", "t": "Hello there.", "s": "new"}))),
        ["Hello there.", "new"]
    );
    assert!(
        fixture.get("u", &["a"], false)["results"][0]
            .get("n")
            .is_none()
    );
}

#[test]
fn weights_that_cancel_or_overflow_never_store_a_useless_vector() {
    let fixture = Fixture::new();
    let changes = json!({"model": "random/small"});
    fixture
        .engine
        .create_index("u", &definition(changes))
        .unwrap();
    let add = |weights: Value| {
        json!({"documents": [{"_id": "z", "a": "x", "b": "x"}],
               "mappings": {"m": {"type": "multimodal_combination", "weights": weights}}})
    };
    for weights in [json!({"a": 1, "b": -1}), json!({"a": 0, "b": 0})] {
        let (_, message) = refusal_with(&fixture, "u", add(weights));
        assert!(
            message.contains("Field m has zero magnitude vector"),
            "{message}"
        );
    }
    let answer = fixture.add("u", add(json!({"a": 1e308, "b": 1e308})));
    assert_eq!(answer["errors"], false, "{answer}");
    let facets = fixture.get("u", &["z"], true)["results"][0]["_tensor_facets"].clone();
    let vector: Vec<f32> = serde_json::from_value(facets[0]["_embedding"].clone()).unwrap();
    let expected = support::embed("x");
    assert!(
        vector
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
}

#[test]
fn the_vectors_of_what_was_replaced_are_not_counted_though_a_reader_sees_them() {
    let mut fixture = Fixture::new();
    fixture
        .engine
        .create_index("u", &definition(json!({"model": "random"})))
        .unwrap();
    let vectors = |fixture: &Fixture| {
        let stats: Value = serde_json::from_slice(&fixture.engine.stats("u").unwrap()).unwrap();
        stats["numberOfVectors"].as_u64().unwrap()
    };
    let add = |fixture: &Fixture, documents: Value| {
        let fields = json!(["t", "v"]);
        fixture.add("u", json!({"documents": documents, "tensorFields": fields}));
    };
    add(
        &fixture,
        json!([{"_id": "a", "t": "one", "v": "two"}, {"_id": "b", "t": "three"}]),
    );
    let request = json!({"exposeFacets": false, "exposeTensors": false}).to_string();
    let reader = fixture.engine.scan_documents("u", request.as_bytes());
    assert_eq!(vectors(&fixture), 3);
    add(
        &fixture,
        json!([{"_id": "a", "t": "four", "v": "five"}, {"_id": "b", "t": "six", "v": "seven"}]),
    );
    assert_eq!(vectors(&fixture), 4);
    // The same document twice in one batch: the last one counts.
    add(
        &fixture,
        json!([{"_id": "a", "t": "x", "v": "y"}, {"_id": "a", "t": "z"}]),
    );
    assert_eq!(vectors(&fixture), 3);
    fixture.delete("u", &["b", "c"]);
    assert_eq!(vectors(&fixture), 1);
    drop(reader);
    fixture = fixture.crash();
    assert_eq!(vectors(&fixture), 1);
}
