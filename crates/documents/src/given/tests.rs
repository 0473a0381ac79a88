use pelorus_embed::{EncoderInput, normalize};
use pelorus_hnsw::NumericType;
use pelorus_text::{ChunkMethod, ChunkSpec};
use proptest::prelude::*;

use super::*;
use crate::error::DocumentsError;
use crate::json::to_json;
use crate::prepare::{EmbeddedInputs, PreparedDocuments, ReadyDocument};
use crate::split::split_documents;
use crate::stored::StoredDocument;
use crate::tensors::encode_tensors;

const DIMENSIONS: usize = 3;

/// `(1, 0, 0)`, as `vectors` has it.
const ONE: &str = "AACAPwAAAAAAAAAA";

fn schema(kind: IndexKind) -> DocumentSchema {
    DocumentSchema {
        index: "i".to_owned(),
        kind,
        model: "m".to_owned(),
        embeds: true,
        dimensions: DIMENSIONS,
        normalize: true,
        refuses_zero_vectors: true,
        numbers: NumericType::Float,
        chunks: ChunkSpec::new(ChunkMethod::Word, 2, 1).unwrap(),
        media_images: false,
        media_all: false,
    }
}

fn unstructured() -> DocumentSchema {
    schema(IndexKind::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    })
}

fn structured() -> DocumentSchema {
    let fields = r#"[
        {"name": "title", "type": "text"},
        {"name": "other", "type": "text", "features": ["lexical_search", "filter"]},
        {"name": "own", "type": "custom_vector"},
        {"name": "both", "type": "multimodal_combination", "dependentFields": {"title": 0.3, "other": 1}},
        {"name": "long", "type": "long"}, {"name": "double", "type": "double", "features": ["filter"]},
        {"name": "bool", "type": "bool"}, {"name": "texts", "type": "array<text>"},
        {"name": "longs", "type": "array<long>"}, {"name": "floats", "type": "array<float>"},
        {"name": "map", "type": "map<text, double>", "features": ["score_modifier"]}
    ]"#;
    let tensor_fields = ["title", "own", "both"].map(str::to_owned);
    schema(IndexKind::Structured(StructuredFields::new(
        serde_json::from_str(fields).unwrap(),
        tensor_fields.into(),
    )))
}

type Outcome = Result<ReadyDocument, ItemError>;

/// Adds one document, whose inputs get vectors that their texts decide; returns the outcome, and how many inputs there
/// were.
fn add(schema: &DocumentSchema, document: &str, options: &str) -> (Outcome, usize) {
    let body = format!(r#"{{"documents": [{document}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let nothing = |_: &str| Ok::<_, DocumentsError>(None);
    let (documents, inputs) =
        PreparedDocuments::prepare(schema, &batch, options.as_bytes(), nothing).unwrap();
    let vector = |input: &EncoderInput| {
        let EncoderInput::Text(text) = input else {
            panic!("no text: {input:?}");
        };
        let sum = |step: usize| text.bytes().step_by(step).map(f32::from).sum::<f32>() + 1.0;
        [sum(1), -sum(2), sum(3)]
    };
    let mut vectors: Vec<f32> = inputs.iter().flat_map(vector).collect();
    normalize(&mut vectors, DIMENSIONS);
    let mut items = documents
        .with_vectors(
            schema,
            EmbeddedInputs {
                vectors: &vectors,
                ..EmbeddedInputs::default()
            },
        )
        .unwrap();
    (items.pop().unwrap(), inputs.len())
}

fn give(schema: &DocumentSchema, document: &str) -> Outcome {
    let (outcome, inputs) = add(
        schema,
        document,
        r#"{"useGivenTensors": true, "maxDocBytes": 1000}"#,
    );
    assert_eq!(inputs, 0, "nothing is embedded");
    outcome
}

/// A stored document as a scan shows it.
fn shown(document: &ReadyDocument, numbers: NumericType) -> String {
    let mut out = format!(r#"{{"_id":{},"#, to_json(&document.id)).into_bytes();
    for (name, json) in StoredDocument::decode(&document.document).unwrap().fields {
        out.extend_from_slice(format!("{}:{json},", to_json(name)).as_bytes());
    }
    let tensors = encode_tensors(&document.tensors, numbers);
    write_tensors(&mut out, &tensors, &[], DIMENSIONS).unwrap();
    out.push(b'}');
    String::from_utf8(out).unwrap()
}

fn refusal(schema: &DocumentSchema, document: &str) -> String {
    give(schema, document).unwrap_err().message
}

fn some_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-cé\"' \\n.]{0,40}",
        "\\PC{0,20}",
        prop::collection::vec("[a-z]{1,5}", 1..30).prop_map(|words| words.join(" ")),
    ]
    .prop_map(|text| to_json(&text))
}

fn some_long() -> impl Strategy<Value = String> {
    prop_oneof![any::<i64>(), Just(i64::MAX), Just(i64::MIN)].prop_map(|n| n.to_string())
}

fn some_double() -> impl Strategy<Value = String> {
    let finite = any::<f64>().prop_filter("JSON", |x| x.is_finite());
    prop_oneof![
        finite.prop_map(|x| format!("{x:?}")),
        any::<i32>().prop_map(|n| format!("{n}.0")),
        Just("-0.0".to_owned())
    ]
}

/// A list or an object of what `member` makes.
fn some_of<S: Strategy<Value = String>>(
    member: S,
    open: char,
    close: char,
) -> impl Strategy<Value = String> {
    prop::collection::vec(member, 0..4)
        .prop_map(move |all| format!("{open}{}{close}", all.join(",")))
}

fn some_map() -> impl Strategy<Value = String> {
    let entry = ("[a-z. ]{0,4}", some_double())
        .prop_map(|(key, value)| format!("{}:{value}", to_json(&key)));
    some_of(entry, '{', '}')
}

fn own_vector() -> impl Strategy<Value = String> {
    (some_text(), prop::array::uniform3(0.1f32..9.0))
        .prop_map(|(content, vector)| format!(r#"{{"content":{content},"vector":{vector:?}}}"#))
}

prop_compose! {
    /// Members that either kind of index takes, each there or not.
    fn some_members()(
        title in prop::option::of(some_text()), other in prop::option::of(some_text()),
        own in prop::option::of(own_vector()), long in prop::option::of(some_long()),
        double in prop::option::of(some_double()), truth in prop::option::of(any::<bool>()),
        texts in prop::option::of(some_of(some_text(), '[', ']')), map in prop::option::of(some_map()),
    ) -> Vec<(&'static str, String)> {
        let members = [
            ("title", title), ("other", other), ("own", own), ("long", long), ("double", double),
            ("bool", truth.map(|truth| truth.to_string())), ("texts", texts), ("map", map),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

fn document(members: &[(&str, String)]) -> String {
    let members: String = members
        .iter()
        .map(|(name, value)| format!(",\"{name}\":{value}"))
        .collect();
    format!(r#"{{"_id":"1"{members}}}"#)
}

fn check_round_trip(
    schema: &DocumentSchema,
    members: &[(&str, String)],
    options: &str,
) -> Result<(), TestCaseError> {
    let (first, _) = add(schema, &document(members), options);
    let Ok(first) = first else {
        return Err(TestCaseError::fail(format!(
            "{:?} of {}",
            first.err(),
            document(members)
        )));
    };
    let text = shown(&first, schema.numbers);
    match give(schema, &text) {
        Err(error) => Err(TestCaseError::fail(format!("{}: {text}", error.message))),
        Ok(again) => {
            prop_assert_eq!(&again.document, &first.document);
            prop_assert_eq!(&again.values, &first.values);
            prop_assert_eq!(&again.tensors, &first.tensors);
            prop_assert_eq!(shown(&again, schema.numbers), text);
            Ok(())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn a_document_without_declared_fields_is_taken_back_as_it_was_shown(
        members in some_members(), weight in -2.0f64..2.0, halves in any::<bool>(),
    ) {
        let schema = DocumentSchema {
            numbers: if halves { NumericType::Bfloat16 } else { NumericType::Float },
            ..unstructured()
        };
        let options = format!(r#"{{"tensorFields": ["title", "own", "both"], "mappings": {{
            "own": {{"type": "custom_vector"}},
            "both": {{"type": "multimodal_combination", "weights": {{"title": {weight}, "other": 1, "none": 2}}}}
        }}}}"#);
        check_round_trip(&schema, &members, &options)?;
    }

    #[test]
    fn a_document_of_declared_fields_is_taken_back_as_it_was_shown(
        mut members in some_members(), longs in some_of(some_long(), '[', ']'),
        floats in some_of((-9.0f32..9.0).prop_map(|x| format!("{x:?}")), '[', ']'),
        weight in prop::option::of(0.5f64..2.0),
    ) {
        members.extend([("longs", longs), ("floats", floats)]);
        let options = match weight {
            None => "{}".to_owned(),
            Some(weight) => format!(
                r#"{{"mappings": {{"both": {{"type": "multimodal_combination", "weights": {{"other": {weight}}}}}}}}}"#
            ),
        };
        check_round_trip(&structured(), &members, &options)?;
    }

    #[test]
    fn what_is_no_tensors_is_refused_and_no_more(raw in "[\\[\\]{}\":,a-z0-9 ]{0,60}") {
        let document = format!(r#"{{"_id":"1","title":"red","_tensors":{raw}}}"#);
        let body = format!(r#"{{"documents":[{document}]}}"#);
        if split_documents(body.into_bytes()).is_ok() {
            let _ = give(&unstructured(), &document);
        }
    }
}

#[test]
fn tensors_are_shown_as_the_contract_says() {
    let (ready, _) = add(
        &unstructured(),
        r#"{"_id": "1", "own": {"content": "red", "vector": [2, 0, 0]}}"#,
        r#"{"mappings": {"own": {"type": "custom_vector"}}}"#,
    );
    let expected = format!(
        r#"{{"_id":"1","own":"red","_tensors":[{{"field":"own","kind":"custom_vector","chunks":["red"],"vectors":"{ONE}"}}]}}"#
    );
    assert_eq!(shown(&ready.unwrap(), NumericType::Float), expected);
}

/// A document with a text in `title` and these tensors.
fn with(tensors: &str) -> String {
    format!(r#"{{"_id": "1", "title": "red green", "_tensors": {tensors}}}"#)
}

fn tensors(field: &str, kind: &str, chunks: &str, vectors: &str) -> String {
    with(&format!(
        r#"[{{"field": "{field}", "kind": "{kind}", "chunks": {chunks}, "vectors": "{vectors}"}}]"#
    ))
}

#[test]
fn vectors_must_be_those_of_the_index() {
    let of = |vectors: &str| {
        refusal(
            &unstructured(),
            &tensors("title", "text", r#"["red"]"#, vectors),
        )
    };
    assert_eq!(
        of("AACAPwAAAAA="),
        "Tensors of field title: expected one vector of dimension 3 for each of 1 chunks, 12 bytes in all, but given 8 bytes, which are vectors of dimension 2"
    );
    assert!(
        of("AACAPwA=").ends_with("but given 5 bytes"),
        "{}",
        of("AACAPwA=")
    );
    assert!(
        of("!").starts_with("Tensors of field title: vectors must be base64"),
        "{}",
        of("!")
    );
    assert_eq!(
        of("AACAPwAAgH8AAAAA"),
        "Tensors of field title: vectors must be finite, but given inf at position 1 of the vector of chunk 0"
    );
    assert_eq!(
        of("AAAAQAAAAAAAAAAA"),
        "Tensors of field title: the index normalizes its vectors, so expected vectors of length 1, but given one of length 2.0000 of chunk 0"
    );
    let zeros = refusal(
        &unstructured(),
        &tensors(
            "title",
            "custom_vector",
            r#"["red green"]"#,
            "AAAAAAAAAAAAAAAA",
        ),
    );
    assert_eq!(
        zeros,
        "Tensors of field title: the vector of chunk 0 has zero magnitude"
    );
}

#[test]
fn tensors_must_be_of_the_fields_of_their_document() {
    let of = |document: String| refusal(&unstructured(), &document);
    let two = format!("{}{}", &ONE[..16], ONE);
    assert_eq!(
        of(tensors("title", "text", r#"["green", "red"]"#, &two)),
        "Tensors of field title: the chunk red is not in the text of the field, or not behind the chunk before it"
    );
    assert_eq!(
        of(tensors("body", "text", r#"["red"]"#, ONE)),
        "Tensors of field body: the document must hold the text that they are of in the field 'body'"
    );
    assert_eq!(
        of(tensors("title", "custom_vector", r#"["red"]"#, ONE)),
        "Tensors of field title: expected the chunk red green, but given red"
    );
    assert_eq!(
        of(tensors("title", "image", r#"["red"]"#, ONE)),
        "Tensors of field title: kind must be one of text, custom_vector, multimodal_combination, but given 'image'"
    );
    let once =
        format!(r#"{{"field": "title", "kind": "text", "chunks": ["red"], "vectors": "{ONE}"}}"#);
    assert_eq!(
        of(with(&format!("[{once},{once}]"))),
        "Tensors of field title: given more than once"
    );
    let chunks = vec!["\"\""; 1001].join(",");
    assert_eq!(
        of(tensors("title", "text", &format!("[{chunks}]"), "")),
        "Tensors of field title: a field has at most 1000 chunks, but given 1001"
    );
    assert!(
        give(
            &unstructured(),
            &tensors("title", "text", r#"["red", "green"]"#, &two)
        )
        .is_ok()
    );
}

#[test]
fn combinations_must_be_of_their_parts() {
    let of = |field: &str, weights: &str, chunk: &str| {
        let chunk = to_json(chunk);
        refusal(
            &unstructured(),
            &with(&format!(
                r#"[{{"field": "{field}", "kind": "multimodal_combination", {weights} "chunks": [{chunk}], "vectors": "{ONE}"}}]"#
            )),
        )
    };
    assert_eq!(
        of("both", "", "{}"),
        "Tensors of field both: a combination has weights, an object of finite numbers"
    );
    assert_eq!(
        of("both", r#""weights": {"other": 1},"#, "{}"),
        "Tensors of field both: the document must hold a text that they combine"
    );
    assert_eq!(
        of("title", r#""weights": {"title": 1},"#, "{}"),
        "Tensors of field title: a combination is no field with a value of its own"
    );
    assert_eq!(
        of(
            "both",
            r#""weights": {"title": 1},"#,
            r#"{"title": "blue"}"#
        ),
        r#"Tensors of field both: expected the chunk {"title": "red green"}, but given {"title": "blue"}"#
    );
}

#[test]
fn a_document_of_declared_fields_must_bring_all_of_its_tensors_in_their_kinds() {
    let of = |document: String| refusal(&structured(), &document);
    assert_eq!(
        of(with("[]")),
        "Tensors of field title: missing, though it is a tensor field of index i and the document has content for it"
    );
    assert_eq!(
        of(tensors("title", "custom_vector", r#"["red green"]"#, ONE)),
        "Tensors of field title: expected kind text, but given custom_vector"
    );
    assert_eq!(
        of(tensors("other", "text", r#"["red"]"#, ONE)),
        "Tensors of field other: no tensor field of index i"
    );
    let weights = r#"{"_id": "1", "title": "a", "both": {"long": 1}, "_tensors": []}"#.to_owned();
    assert_eq!(
        of(weights),
        r#"Multimodal combination field both of a document that brings its tensors may only hold weights of its dependent fields, as an object of numbers, but given {"long": 1}"#
    );
    let own = r#"{"_id": "1", "own": {"vector": [1, 0, 0]}, "_tensors": []}"#.to_owned();
    assert!(of(own).contains("must be the content, a text, but given"));
}

#[test]
fn documents_are_bounded_and_named_as_ever() {
    let of = |document: &str| refusal(&unstructured(), document);
    assert_eq!(
        of(r#"{"_id": "1", "title": "red"}"#),
        "With `useGivenTensors` every document brings its tensors in the member `_tensors`, an empty list where it has none; this one has no such member"
    );
    assert_eq!(
        of(r#"{"_id": "1", "a": "x", "a.b": 1, "_tensors": []}"#),
        "Field 'a' has a value of its own and entries of a map besides"
    );
    assert!(of(r#"{"_id": "1", "a b.c": 1, "_tensors": []}"#).contains("must match"));
    assert!(
        of(r#"{"_id": "1", "a.b": "x", "_tensors": []}"#).contains("is not of type int or float")
    );
    assert!(
        of(r#"{"_id": "1", "a": "x", "_tensors": [[]]}"#).contains("`_tensors` cannot be read")
    );
    let long = format!(
        r#"{{"_id": "1", "a": "{}", "_tensors": []}}"#,
        "x".repeat(1000)
    );
    assert!(of(&long).contains("exceeds the allowed document size limit"));
    let (refused, _) = add(&unstructured(), &with("[]"), "{}");
    assert!(
        refused
            .unwrap_err()
            .message
            .contains("Field name must not be one of")
    );
}
