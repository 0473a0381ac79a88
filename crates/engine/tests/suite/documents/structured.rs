//! The documents that an index of declared fields takes.

use serde_json::json;

use super::refusal_with;
use crate::support::{Fixture, definition};

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
