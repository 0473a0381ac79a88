//! Sentences and words against NLTK 3.9.2, see `fixtures/nltk/generate.py`.

use pelorus_text::{sentences, words};
use serde_json::Value;

struct Case {
    text: String,
    sentences: Vec<String>,
    words: Vec<String>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("fixtures/nltk/expected.jsonl").lines();
    let strings = |value: &Value| serde_json::from_value(value.clone()).expect("a list of strings");
    lines
        .map(|line| serde_json::from_str::<Value>(line).expect("a JSON object"))
        .map(|case| Case {
            text: case["text"].as_str().expect("a string").to_owned(),
            sentences: strings(&case["sentences"]),
            words: strings(&case["words"]),
        })
        .collect()
}

#[test]
fn there_are_hundreds_of_cases() {
    assert!(cases().len() > 800, "{} cases", cases().len());
}

#[test]
fn sentences_are_those_of_the_oracle() {
    for case in cases() {
        assert_eq!(
            sentences(&case.text),
            case.sentences,
            "text {:?}",
            case.text
        );
    }
}

#[test]
fn words_are_those_of_the_oracle() {
    for case in cases() {
        assert_eq!(words(&case.text), case.words, "text {:?}", case.text);
    }
}
