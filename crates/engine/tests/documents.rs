//! What becomes of one document: stored exactly, or refused with a reason.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use serde_json::{Value, json};
use support::{EMBEDDED, Fixture, definition};

fn refusal(fixture: &Fixture, index: &str, document: Value) -> (String, String) {
    refusal_with(
        fixture,
        index,
        json!({"documents": [document], "tensorFields": ["t"]}),
    )
}

fn refusal_with(fixture: &Fixture, index: &str, body: Value) -> (String, String) {
    let answer = fixture.add(index, body);
    assert_eq!(answer["errors"], true, "{answer}");
    let item = &answer["items"][0];
    assert_eq!(
        (&item["status"], &item["message"]),
        (&json!(400), &item["error"])
    );
    (
        item["code"].as_str().unwrap().to_owned(),
        item["message"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn every_value_reads_back_exactly_and_maps_read_back_flat() {
    let fixture = Fixture::unstructured("u");
    let document = json!({
        "_id": "weird/id?#é \u{1}", "text": "naïve \"quote\" \\ \u{2028}", "empty": "",
        "big": 9_007_199_254_740_993i64, "low": i64::MIN, "float": 1.0, "tiny": 1e-300,
        "yes": true, "tags": ["a", "b"], "none": [], "map": {"x.y": 1, "z": 2.5}, "void": {},
        "__proto__": "name", "constructor": "other"
    });
    let answer = fixture.add("u", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false, "{answer}");
    let fixture = fixture.reopen();
    let mut expected = document.clone();
    expected.as_object_mut().unwrap().remove("map");
    expected["map.x.y"] = json!(1);
    expected["map.z"] = json!(2.5);
    expected["_found"] = json!(true);
    let read = fixture.get("u", &["weird/id?#é \u{1}", "absent", ""], false);
    assert_eq!(read["results"][0], expected);
    assert_eq!(read["results"][1]["_found"], false);
    assert_eq!(read["results"][2]["status"], 400);
    assert_eq!(read["errors"], true);
}

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
fn of_one_id_the_last_document_counts_even_when_it_is_refused() {
    let fixture = Fixture::unstructured("u");
    let answer = fixture.add(
        "u",
        json!({"documents": [{"_id": "a", "n": 1}, {"_id": "b", "n": 1}, {"_id": "a", "n": null},
                             {"_id": "b", "n": 2}, {"n": 3}]}),
    );
    let items = answer["items"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    assert_eq!(
        (&items[0]["_id"], &items[0]["status"]),
        (&json!("a"), &json!(400))
    );
    assert_eq!(
        (&items[1]["_id"], &items[1]["status"]),
        (&json!("b"), &json!(200))
    );
    assert_eq!(items[2]["_id"].as_str().unwrap().len(), 36);
    let read = fixture.get("u", &["a", "b"], false);
    assert_eq!(
        (&read["results"][0]["_found"], &read["results"][1]["n"]),
        (&json!(false), &json!(2))
    );
}

fn structured() -> Fixture {
    let fixture = Fixture::new();
    let fields = json!([
        {"name": "t", "type": "text", "features": ["lexical_search", "filter"]},
        {"name": "b", "type": "bool", "features": ["filter"]},
        {"name": "i", "type": "int", "features": ["filter", "score_modifier"]},
        {"name": "l", "type": "long", "features": ["filter"]},
        {"name": "f", "type": "float", "features": ["filter"]},
        {"name": "d", "type": "double", "features": ["filter"]},
        {"name": "at", "type": "array<text>", "features": ["filter", "lexical_search"]},
        {"name": "ai", "type": "array<int>", "features": ["filter"]},
        {"name": "m", "type": "map<text, int>", "features": ["score_modifier"]},
        {"name": "ml", "type": "map<text, long>", "features": ["score_modifier"]},
        {"name": "c", "type": "custom_vector", "features": ["filter"]},
        {"name": "img", "type": "image_pointer"},
        {"name": "mm", "type": "multimodal_combination", "dependentFields": {"t": 0.5}}
    ]);
    let changes = json!({"type": "structured", "model": "random/small", "allFields": fields,
                         "tensorFields": ["t", "c", "img", "mm"]});
    fixture
        .engine
        .create_index("s", &definition(changes))
        .unwrap();
    fixture
}

#[test]
fn a_structured_index_takes_the_declared_types_only() {
    let fixture = structured();
    let cases = [
        (
            json!({"t": 5}),
            "Invalid type <class 'int'> for tensor field t",
        ),
        (
            json!({"b": 1}),
            "Expected a value of type <class 'bool'>, but found <class 'int'>",
        ),
        (json!({"i": 1.0}), "with Marqo type int"),
        (
            json!({"i": 2_147_483_648i64}),
            "Invalid value 2147483648 for int field i.",
        ),
        (json!({"i": -2_147_483_648i64}), "for int field"),
        (json!({"l": "1"}), "with Marqo type long"),
        (
            json!({"l": 1.5}),
            "Invalid value 1.5 for field l with Marqo type long. Expected a value of type <class 'int'>, but found <class 'float'>",
        ),
        (
            json!({"d": "1"}),
            "Expected a value of type <class 'float'>, but found <class 'str'>",
        ),
        (
            json!({"m": {"k": "x"}}),
            "Value 'x' for key 'k' in map field 'm' is not of type int or float, but of type <class 'str'>",
        ),
        (
            json!({"m": {"k": 2_147_483_648i64}}),
            "Invalid value 2147483648 for int field m, key 'k'. Expected a value in the range [-2147483647, 2147483647], but found 2147483648.",
        ),
        (
            json!({"m": {"k": 1.5}}),
            "Invalid value 1.5 for key 'k' in field m with Marqo type map<text, int>. Expected a value of type <class 'int'>",
        ),
        (json!({"m": {"k": 1.0}}), "but found <class 'float'>"),
        (
            json!({"ml": {"k": 1e3}}),
            "in field ml with Marqo type map<text, long>",
        ),
        (
            json!({"f": 1e39}),
            "for float field f. Expected a value in the range [-3.4028235e38, 3.4028235e38], but found 1e39.",
        ),
        (json!({"d": "x"}), "with Marqo type double"),
        (
            json!({"at": "a"}),
            "Invalid value a for a list field at with Marqo type array<text>",
        ),
        (json!({"ai": [1.5]}), "for a list field ai"),
        (
            json!({"ai": [1, "x"]}),
            "of type list is not of valid content type",
        ),
        (
            json!({"m": 5}),
            "Invalid value 5 for a list field m with Marqo type map<text, int>",
        ),
        (
            json!({"m": {"k": "x"}}),
            "Value 'x' for key 'k' in map field",
        ),
        (
            json!({"mm": "x"}),
            "Field mm is a multimodal combination field",
        ),
        (
            json!({"nope": 1}),
            "Field nope is not a valid field for structured index s. Valid fields are: t, b",
        ),
        (json!({"t": null}), "of type `NoneType`"),
        (json!({"img": "http://x/a.png"}), "does not support image"),
    ];
    for (document, message) in cases {
        let (_, got) = refusal_with(&fixture, "s", json!({"documents": [document]}));
        assert!(got.contains(message), "{document}: {got}");
    }
    let document = json!({"_id": "ok", "t": "One. Two.", "b": true, "i": -5, "l": i64::MAX, "f": 3,
                          "d": 2.5, "at": ["x", "y"], "ai": [1, 2], "m": {"k": 1},
                          "c": {"vector": [1, 0, 0, 0]}});
    let answer = fixture.add("s", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false, "{answer}");
    let fixture = fixture.reopen();
    let read = &fixture.get("s", &["ok"], true)["results"][0];
    assert_eq!(
        (&read["m"], &read["c"], &read["l"]),
        (&json!({"k": 1}), &json!(""), &json!(i64::MAX))
    );
    // The test's JSON sorts members by name, so the fields come in that order.
    let facets = read["_tensor_facets"].as_array().unwrap();
    let label = |at: usize, field: &str| facets[at][field].clone();
    assert_eq!(label(0, "c"), json!(""));
    assert_eq!(
        (label(1, "t"), label(2, "t")),
        (json!("One."), json!("Two."))
    );
    assert_eq!(label(3, "mm"), json!(r#"{"t": "One. Two."}"#));
}

#[test]
fn the_address_of_a_picture_is_no_text_on_an_index_for_pictures() {
    let fixture = Fixture::new();
    let changes = json!({"model": "random/small", "treatUrlsAndPointersAsImages": true});
    fixture
        .engine
        .create_index("u", &definition(changes))
        .unwrap();
    for address in [
        "http://x.example/a.png",
        "https://x.example/a.JPEG?w=1&sig=2",
        "https://x.example/a.webp#b",
    ] {
        let (_, got) = refusal(&fixture, "u", json!({"t": address}));
        assert!(got.contains("does not support image"), "{address}: {got}");
    }
    for text in [
        "a.png",
        "http://x.example/png",
        "http://x.example/?a.png",
        "http://x.example/a.mp4",
    ] {
        let body = json!({"documents": [{"t": text}], "tensorFields": ["t"]});
        assert_eq!(fixture.add("u", body)["errors"], false, "{text}");
    }
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
fn values_are_stored_without_the_blanks_and_escapes_of_their_request() {
    let fixture = Fixture::unstructured("u");
    let body = r#"{"documents":[{"_id":"a","t":"caf\u00e9 \ud83d\ude00","l":[ "x" ,"\u00e9"]}]}"#;
    let batch = pelorus_engine::split_documents(body.as_bytes().to_vec()).unwrap();
    let (prepared, _) = fixture.engine.prepare("u", &batch, b"{}").unwrap();
    let (done, response) = std::sync::mpsc::channel();
    let send = Box::new(move |r| done.send(r).unwrap());
    fixture.engine.apply(prepared, vec![], EMBEDDED, send);
    response.recv().unwrap().unwrap();
    let request = br#"{"documentIds":["a"],"exposeFacets":false}"#;
    let answer = fixture.engine.get_documents("u", request).unwrap();
    let text = String::from_utf8(answer.body).unwrap();
    assert!(text.contains(r#""t":"café 😀","l":["x","é"]"#), "{text}");
}

#[test]
fn a_document_over_a_bound_is_refused_and_its_neighbours_are_stored() {
    let fixture = Fixture::unstructured("u");
    let wide = |prefix: &str, count: usize| -> Value {
        (0..count)
            .map(|n| (format!("{prefix}{n}"), json!(n)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let (_, message) = refusal(&fixture, "u", wide("a", 1_001));
    assert!(message.contains("at most 1000 fields"), "{message}");
    for batch in 0..10 {
        let answer = fixture.add(
            "u",
            json!({"documents": [wide(&format!("b{batch}_"), 999)]}),
        );
        assert_eq!(answer["errors"], false);
    }
    let documents = json!([{"_id": "before", "n": 1}, wide("c", 100), {"_id": "after", "n": 1}]);
    let answer = fixture.add("u", json!({"documents": documents}));
    let statuses: Vec<&Value> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["status"])
        .collect();
    assert_eq!(statuses, [&json!(200), &json!(400), &json!(200)]);
    assert!(
        answer["items"][1]["message"]
            .as_str()
            .unwrap()
            .contains("at most 10000 distinct")
    );
    assert_eq!(
        fixture.get("u", &["before", "after"], false)["errors"],
        false
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
