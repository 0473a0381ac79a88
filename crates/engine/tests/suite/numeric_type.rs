//! `vectorNumericType`: what vectors become when they are stored in fewer bytes.

use crate::support::{Fixture, definition, embed, tensor_leg};
use serde_json::{Value, json};

fn index_of(numbers: &str) -> Fixture {
    let fixture = Fixture::new();
    let graph = json!({"spaceType": "euclidean", "parameters": {"efConstruction": 64, "m": 8}});
    let changes = json!({"vectorNumericType": numbers, "embeds": true,
                         "normalizeEmbeddings": false, "annParameters": graph});
    let engine = &fixture.engine;
    engine.create_index("n", &definition(changes)).unwrap();
    fixture
}

fn body(documents: Value) -> Value {
    json!({"documents": documents, "tensorFields": ["v", "t"],
           "mappings": {"v": {"type": "custom_vector"}}})
}

fn stored(fixture: &Fixture, id: &str) -> Vec<f32> {
    let answer = fixture.get("n", &[id], true);
    let facet = &answer["results"][0]["_tensor_facets"][0]["_embedding"];
    serde_json::from_value(facet.clone()).unwrap()
}

/// The nearest number of 8 significant bits, by trying both neighbours; of equals the even one.
fn nearest_bfloat16(number: f32) -> f32 {
    let below = f32::from_bits(number.to_bits() & 0xffff_0000);
    let above = f32::from_bits((number.to_bits() & 0xffff_0000) + 0x1_0000);
    let (down, up) = ((number - below).abs(), (above - number).abs());
    let even = (below.to_bits() >> 16).is_multiple_of(2);
    if down < up || (down == up && even) {
        below
    } else {
        above
    }
}

/// The nearest multiples of a 127th of the largest number, which is rounded up to 17 significant bits.
fn nearest_int8(numbers: &[f32]) -> Vec<f32> {
    let largest = numbers
        .iter()
        .fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let step = f32::from_bits(((largest / 127.0).to_bits() + 0x7f) & !0x7f);
    let nearest = |x: &f32| (x / step).round_ties_even() * step;
    numbers.iter().map(nearest).collect()
}

fn nearest(numbers: &str, vector: &[f32]) -> Vec<f32> {
    match numbers {
        "int8" => nearest_int8(vector),
        _ => vector.iter().copied().map(nearest_bfloat16).collect(),
    }
}

#[test]
fn narrow_vectors_are_rounded_once_and_read_back_as_they_are_searched() {
    for numbers in ["bfloat16", "int8"] {
        rounded_once_and_read_back(numbers);
    }
}

fn rounded_once_and_read_back(numbers: &str) {
    let mut fixture = index_of(numbers);
    let given = [1.003_906_2, 1.011_718_8, -0.1, 3.0e-39];
    let texts: Vec<String> = (0..20).map(|n| format!("text {n}")).collect();
    let mut documents = vec![json!({"_id": "own", "v": {"vector": given}})];
    documents.extend(texts.iter().map(|text| json!({"_id": text, "t": text})));
    let answer = fixture.add("n", body(json!(documents)));
    assert_eq!(answer["errors"], false, "{answer}");
    for _ in 0..2 {
        assert_eq!(stored(&fixture, "own"), nearest(numbers, &given));
        for text in &texts {
            let expected = nearest(numbers, &embed(text));
            assert_eq!(stored(&fixture, text), expected);
            // The vector that is read is the one that was searched: the distance is that of the
            // rounding.
            let plan = json!({"limit": 1, "tensor": tensor_leg()});
            let hit = &fixture.search("n", plan, &embed(text))["hits"][0];
            assert_eq!(hit["_id"], json!(text));
            let squares = embed(text).into_iter().zip(&expected);
            let distance = squares.map(|(q, x)| (q - x).powi(2)).sum::<f32>().sqrt();
            let score = hit["_score"].as_f64().unwrap();
            assert!(distance > 1e-4 && (score - 1.0 / (1.0 + f64::from(distance))).abs() < 1e-6);
        }
        fixture = fixture.reopen();
    }
    // Reused tensors are stored again as they were.
    let mut again = body(json!([{"_id": "text 3", "t": "text 3", "new": 1}]));
    again["useExistingTensors"] = json!(true);
    let before = stored(&fixture, "text 3");
    assert_eq!(fixture.add("n", again)["errors"], false);
    assert_eq!(stored(&fixture, "text 3"), before);
}

#[test]
fn float_vectors_are_stored_as_they_are_given() {
    let fixture = index_of("float");
    let given = [1.003_906_2, 3.4e38, -0.1, 3.0e-39];
    fixture.add("n", body(json!([{"_id": "own", "v": {"vector": given}}])));
    assert_eq!(stored(&fixture.reopen(), "own"), given);
}

#[test]
fn a_number_beyond_its_type_is_refused_and_its_neighbours_are_stored() {
    for numbers in ["bfloat16", "int8"] {
        refused_beyond(numbers);
    }
}

fn refused_beyond(numbers: &str) {
    let fixture = index_of(numbers);
    let vectors = json!([
        {"_id": "in", "v": {"vector": [3.38e38, 0.0, 0.0, 1.0]}},
        {"_id": "out", "v": {"vector": [0.0, -3.402_823_4e38, 0.0, 1.0]}}
    ]);
    let answer = fixture.add("n", body(vectors));
    let statuses: Vec<&Value> = [0, 1].map(|at| &answer["items"][at]["status"]).to_vec();
    assert_eq!(statuses, [&json!(200), &json!(400)]);
    let message = answer["items"][1]["message"].as_str().unwrap();
    assert!(
        message.contains("Field v") && message.contains(numbers),
        "{message}"
    );
}
