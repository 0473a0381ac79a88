//! Explanations of scores, made once more from their innermost values.

use serde_json::Value;

/// Checks that a hit's explanation ends in its score, and that each value follows from those below it.
#[track_caller]
pub fn check(hit: &Value) {
    let explanation = &hit["_explanation"];
    assert_eq!(explanation["value"], hit["_score"], "{hit}");
    made(explanation);
}

/// The value, made of its details; compared with the one that is told, to the last digit that is written.
#[track_caller]
fn made(explanation: &Value) -> f64 {
    let details = explanation["details"].as_array().unwrap();
    let is_bm25 = |detail: &Value| detail["operation"] == "bm25";
    let values: Vec<f64> = details.iter().map(made).collect();
    let told = explanation["value"].as_f64();
    let operation = explanation["operation"].as_str().unwrap();
    assert!(!explanation["description"].as_str().unwrap().is_empty());
    let is_negative_zero = |told: f64| told == 0.0 && told.is_sign_negative();
    assert!(!told.is_some_and(is_negative_zero), "{explanation}");
    let value = match operation {
        "value" => return told.unwrap(),
        "distance" => f64::from(told.unwrap() as f32),
        "sum" if details.iter().all(is_bm25) => {
            f64::from(values.iter().fold(0.0, |sum, value| sum + *value as f32))
        }
        "sum" => values.iter().fold(0.0, |sum, value| sum + value),
        "product" => values.iter().fold(1.0, |product, value| product * value),
        "reciprocalRank" => {
            let [weight, k, rank] = values[..] else {
                panic!("{explanation}")
            };
            weight / (k + rank)
        }
        "closeness" => {
            let [distance] = values[..] else {
                panic!("{explanation}")
            };
            f64::from(1.0 / (1.0 + distance as f32))
        }
        "inverseDocumentFrequency" => {
            let [documents, matching] = values[..] else {
                panic!("{explanation}")
            };
            (1.0 + (documents - matching + 0.5) / (matching + 0.5)).ln()
        }
        "bm25" => {
            let [count, idf, frequency, length, average] = values[..] else {
                panic!("{explanation}")
            };
            assert!(explanation["term"].is_string() && explanation["field"].is_string());
            let norm = 1.2 * (0.25 + 0.75 * length / average);
            let expected = count * idf * 2.2 * frequency / (frequency + norm);
            let value = f64::from(told.unwrap() as f32);
            assert!((value / expected - 1.0).abs() < 1e-6, "{explanation}");
            value
        }
        "recency" => {
            let value = told.unwrap();
            assert!(value > 0.0 && value <= 1.0, "{explanation}");
            value
        }
        "bound" => {
            let [value] = values[..] else {
                panic!("{explanation}")
            };
            match explanation["description"].as_str().unwrap() {
                "a score is finite" if value.is_nan() => 0.0,
                "a score is finite" => value.clamp(f64::MIN, f64::MAX),
                _ => value.max(0.0),
            }
        }
        other => panic!("{other} in {explanation}"),
    };
    assert_eq!(told, finite(value), "{value} in {explanation}");
    value
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}
