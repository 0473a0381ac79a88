//! Documents that a search starts from, against the same vectors combined by hand.

use crate::support::{Fixture, definition, embed, ids};
use pelorus_rank::{Interpolation, interpolate};
use serde_json::{Value, json};

const COUNT: usize = 60;

/// Each with a vector of its own, and a text of as many sentences as its number modulo 4 says.
fn catalogue() -> Fixture {
    let fixture = Fixture::new();
    // Vectors are kept to the last bit where nothing scales them.
    let settings = json!({"model": "m", "embeds": true, "normalizeEmbeddings": false});
    fixture
        .engine
        .create_index("u", &definition(settings))
        .unwrap();
    let documents: Vec<Value> = (0..COUNT)
        .map(|n| {
            let text: Vec<String> = (0..n % 4).map(|i| format!("Sentence {n} {i}.")).collect();
            let mut document = json!({"_id": format!("d{n}"), "n": n, "words": "a b"});
            document["v"] = json!({"vector": embed(&format!("vector {n}")), "content": ""});
            if !text.is_empty() {
                document["text"] = json!(text.join(" "));
            }
            document
        })
        .collect();
    let body = json!({"documents": documents, "tensorFields": ["v", "text"],
                      "mappings": {"v": {"type": "custom_vector"}}});
    assert_eq!(fixture.add("u", body)["errors"], false);
    fixture
}

/// The vectors that a document was added with, in the order of its fields, which are sorted by name.
fn vectors_of(n: usize, fields: &[&str]) -> Vec<Vec<f32>> {
    let own = fields.contains(&"v").then(|| embed(&format!("vector {n}")));
    let sentences = if fields.contains(&"text") { n % 4 } else { 0 };
    let texts = (0..sentences).map(|i| embed(&format!("Sentence {n} {i}.")));
    texts.chain(own).collect()
}

fn context(weights: &[(usize, f64)], changes: Value) -> Value {
    let documents: Vec<Value> = weights
        .iter()
        .map(|(n, weight)| json!({"id": format!("d{n}"), "weight": weight}))
        .collect();
    let mut context = json!({"documents": documents, "tensorFields": null, "excludeInputDocuments": false,
                             "allowMissingDocuments": false, "allowMissingEmbeddings": false});
    for (name, value) in changes.as_object().unwrap() {
        context[name] = value.clone();
    }
    context
}

fn plan(context: &Value, method: &str, own_weights: &[f64]) -> Value {
    json!({"limit": COUNT, "showHighlights": false, "context": context,
           "tensor": {"fields": ["v"], "weights": own_weights, "interpolation": method}})
}

#[test]
fn documents_join_behind_the_query_with_all_their_vectors() {
    let fixture = catalogue();
    let own = embed("a query");
    let weights = [(7, 0.5), (12, 0.0), (3, -1.5), (21, 2.0)];
    let methods = [
        ("lerp", Interpolation::Lerp),
        ("nlerp", Interpolation::Nlerp),
        ("slerp", Interpolation::Slerp),
    ];
    for (method, interpolation) in methods {
        for fields in [&["v", "text"][..], &["text"], &["v"]] {
            for own_weights in [&[][..], &[0.7]] {
                let mut rows: Vec<Vec<f32>> = own_weights.iter().map(|_| own.clone()).collect();
                let mut all_weights = own_weights.to_vec();
                for (n, weight) in weights.iter().filter(|(_, weight)| *weight != 0.0) {
                    let vectors = vectors_of(*n, fields);
                    all_weights.resize(all_weights.len() + vectors.len(), *weight);
                    rows.extend(vectors);
                }
                let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                let combined = interpolate(interpolation, &rows, &all_weights).unwrap();
                let context = context(&weights, json!({"tensorFields": fields}));
                let query = own.repeat(own_weights.len());
                let answer = fixture.search("u", plan(&context, method, own_weights), &query);
                let expected = json!({"limit": COUNT, "showHighlights": false,
                    "tensor": {"fields": ["v"], "weights": [1.0], "interpolation": null}});
                assert_eq!(
                    answer,
                    fixture.search("u", expected, &combined),
                    "{method} of {fields:?} and {own_weights:?}"
                );
            }
        }
    }
}

#[test]
fn they_are_left_out_of_every_leg_those_without_weight_too() {
    let fixture = catalogue();
    let context = context(
        &[(7, 1.0), (12, 0.0)],
        json!({"excludeInputDocuments": true}),
    );
    let tensor = plan(&context, "lerp", &[]);
    let words = json!({"text": "a", "operand": "or", "fields": null});
    let mut hybrid = tensor.clone();
    hybrid["retrievalMethod"] = json!("disjunction");
    hybrid["rankingMethod"] = json!("rrf");
    hybrid["rrf"] = json!({"alpha": 0.5, "k": 60.0});
    hybrid["lexical"] = words;
    let mut filtered = tensor.clone();
    filtered["filter"] = json!("n:[5 TO 14]");
    for (plan, count) in [(tensor, COUNT - 2), (hybrid, COUNT - 2), (filtered, 8)] {
        let found = ids(&fixture.search("u", plan, &[]));
        assert_eq!(found.len(), count);
        assert!(!found.contains(&"d7".to_owned()) && !found.contains(&"d12".to_owned()));
    }
}

#[test]
fn missing_documents_are_refused_by_name_or_passed_over() {
    let fixture = catalogue();
    let refused = |context: Value| {
        let error = fixture.try_search("u", plan(&context, "lerp", &[]), &[]);
        error.unwrap_err().to_string()
    };
    let missing = context(&[(3, 1.0), (99, 1.0), (77, 1.0), (88, 0.0)], json!({}));
    assert!(refused(missing).ends_with("The following document IDs were not found: d99, d77"));
    let bare = context(&[(3, 1.0), (8, 1.0)], json!({"tensorFields": ["text"]}));
    assert!(refused(bare).ends_with("The following documents do not have embeddings: d8"));
    let allowed = json!({"tensorFields": ["text"], "allowMissingDocuments": true, "allowMissingEmbeddings": true});
    let nothing = context(&[(99, 1.0), (8, 1.0)], allowed.clone());
    assert!(refused(nothing).contains("could not collect any vectors"));
    let some = context(&[(99, 1.0), (8, 1.0), (3, 1.0)], allowed);
    let answer = fixture.search("u", plan(&some, "lerp", &[]), &[]);
    assert_eq!(ids(&answer).len(), COUNT);
    assert_eq!(
        answer["hits"][0]["_score"].as_f64().map(f64::is_nan),
        Some(false)
    );
}
