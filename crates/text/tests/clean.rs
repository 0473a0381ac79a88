//! Cleaning against ftfy and the cleaners of OpenCLIP, see `fixtures/clean/generate.py`.

use pelorus_growth::assert_linear;
use pelorus_text::{Cleaning, Tokenizer};
use serde_json::Value;

#[test]
fn texts_are_cleaned_as_the_original_does() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/clean/expected.json")).unwrap();
    assert_eq!(cases.len(), 316);
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        for (cleaning, name) in [
            (Cleaning::Whitespace, "whitespace"),
            (Cleaning::Lower, "lower"),
            (Cleaning::Canonicalize, "canonicalize"),
        ] {
            assert_eq!(
                cleaning.clean(text),
                case[name].as_str().unwrap(),
                "{name}: {text:?}"
            );
        }
        assert_eq!(Cleaning::None.clean(text), text);
    }
}

#[test]
fn any_text_is_cleaned_in_linear_time() {
    for piece in [
        "&amp;", "amp;", "&", "x", "\n", "<", "_", "ﬁ", "e\u{301}", "\u{301}",
    ] {
        let head = format!("&{piece}");
        let text = |bytes: usize| head.clone() + &piece.repeat(bytes / piece.len());
        assert_linear(piece, 64 * 1024, text, |text: &String| {
            assert!(Cleaning::Canonicalize.clean(text).len() <= text.len());
        });
    }
}

#[test]
fn a_tokenizer_sees_the_cleaned_text() {
    let file = include_bytes!("fixtures/tokenizer/wordpiece.json");
    let plain = Tokenizer::from_bytes(file, 64).unwrap();
    let cleaned = Tokenizer::from_bytes(file, 64)
        .unwrap()
        .with_cleaning(Cleaning::Canonicalize);
    let expected = plain.encode("the quick brown fox").unwrap();
    assert_eq!(
        cleaned
            .encode(" The &quot;quick&quot; brown_fox! ")
            .unwrap(),
        expected
    );
}

#[test]
fn a_separator_that_is_omitted_becomes_id_zero() {
    let file = include_bytes!("fixtures/tokenizer/wordpiece.json");
    let plain = Tokenizer::from_bytes(file, 5).unwrap();
    let omitting = Tokenizer::from_bytes(file, 5)
        .unwrap()
        .with_separator_omitted();
    for text in ["the", "the dog was seen by the fox"] {
        let mut expected = plain.encode(text).unwrap().ids;
        assert_eq!(expected.pop(), Some(3));
        expected.push(0);
        assert_eq!(omitting.encode(text).unwrap().ids, expected);
    }
}

#[test]
fn padding_is_what_the_file_says() {
    let wordpiece = include_bytes!("fixtures/tokenizer/wordpiece.json");
    let unigram = include_bytes!("fixtures/tokenizer/unigram.json");
    assert_eq!(Tokenizer::from_bytes(wordpiece, 8).unwrap().pad_id(), 0);
    assert_eq!(Tokenizer::from_bytes(unigram, 8).unwrap().pad_id(), 1);
    // Without a declaration the token for padding says it.
    let mut undeclared: Value = serde_json::from_slice(unigram).unwrap();
    undeclared["padding"] = Value::Null;
    let undeclared = serde_json::to_vec(&undeclared).unwrap();
    assert_eq!(Tokenizer::from_bytes(&undeclared, 8).unwrap().pad_id(), 1);
}
