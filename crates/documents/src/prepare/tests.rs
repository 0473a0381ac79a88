use pelorus_embed::{MediaInput, Medium};
use pelorus_hnsw::NumericType;
use pelorus_text::{ChunkMethod, ChunkSpec};

use super::*;
use crate::schema::IndexKind;
use crate::split::split_documents;

const DIMENSIONS: usize = 2;

fn schema() -> DocumentSchema {
    DocumentSchema {
        index: "a".to_owned(),
        kind: IndexKind::Unstructured {
            filter_string_max_length: 50,
            collapse_field: None,
        },
        model: "random/small".to_owned(),
        embeds: true,
        dimensions: DIMENSIONS,
        normalize: false,
        refuses_zero_vectors: false,
        numbers: NumericType::Float,
        chunk_prefix: String::new(),
        chunks: ChunkSpec::new(ChunkMethod::Sentence, 1, 0).unwrap(),
        media_images: false,
        media_all: false,
    }
}

/// The documents and the texts to embed.
fn prepared(documents: &str, mappings: &str) -> (PreparedDocuments, Vec<String>) {
    let body = format!(r#"{{"documents": {documents}}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let options = format!(r#"{{"tensorFields": ["title", "both"], "mappings": {mappings}}}"#);
    let nothing = |_: &str| Ok::<_, DocumentsError>(None);
    let (documents, inputs) =
        PreparedDocuments::prepare(&schema(), &batch, options.as_bytes(), nothing).unwrap();
    let text = |input| match input {
        EncoderInput::Text(text) => text,
        EncoderInput::Media(media) => panic!("no text: {media:?}"),
    };
    (documents, inputs.into_iter().map(text).collect())
}

/// One vector for each input: `[row, row]`.
fn numbered(documents: &PreparedDocuments) -> Vec<f32> {
    let rows = 0..documents.input_count;
    rows.flat_map(|row| [row as f32; DIMENSIONS]).collect()
}

/// The id of each document, or why it was refused.
fn outcomes(
    documents: PreparedDocuments,
    failures: &[(usize, &str)],
) -> Vec<std::result::Result<String, ItemError>> {
    let vectors = numbered(&documents);
    let failures = failures
        .iter()
        .map(|(row, reason)| (*row, (*reason).to_owned()));
    let embedded = EmbeddedInputs {
        vectors: &vectors,
        failures: failures.collect(),
        parts: HashMap::new(),
    };
    let items = documents.with_vectors(&schema(), embedded);
    let id = |item: std::result::Result<ReadyDocument, ItemError>| Ok(item?.id);
    items.unwrap().into_iter().map(id).collect()
}

#[test]
fn only_documents_that_need_a_failed_input_are_refused() {
    let documents = r#"[{"_id": "1", "title": "red"}, {"_id": "2", "title": "Blue. Green."},
        {"_id": "3", "title": "red"}, {"_id": "4", "body": "blue"}]"#;
    let (documents, texts) = prepared(documents, "null");
    assert_eq!(texts, ["red", "Blue.", "Green."]);
    let refused = ItemError::invalid("Field title cannot be embedded: too green");
    let [one, three, four] = ["1", "3", "4"].map(|id| Ok(id.to_owned()));
    assert_eq!(
        outcomes(documents, &[(2, "too green")]),
        [one, Err(refused.of("2".to_owned())), three, four]
    );
}

#[test]
fn a_combination_of_fields_needs_all_of_its_parts() {
    let documents = r#"[{"_id": "1", "a": "red", "b": "green"}, {"_id": "2", "a": "red"}]"#;
    let mappings = r#"{"both": {"type": "multimodal_combination", "weights": {"a": 1, "b": 2}}}"#;
    let (documents, texts) = prepared(documents, mappings);
    assert_eq!(texts, ["red", "green"]);
    let [first, second] = outcomes(documents, &[(1, "too green")]).try_into().unwrap();
    let message = first.unwrap_err().message;
    assert_eq!(message, "Field both cannot be embedded: too green");
    assert_eq!(second, Ok("2".to_owned()));
}

#[test]
fn a_failure_of_no_input_is_a_bug_of_the_caller() {
    let (documents, _) = prepared(r#"[{"_id": "1", "title": "red"}]"#, "null");
    let vectors = numbered(&documents);
    let embedded = EmbeddedInputs {
        vectors: &vectors,
        failures: HashMap::from([(1, "beyond".to_owned())]),
        parts: HashMap::new(),
    };
    let error = documents.with_vectors(&schema(), embedded).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected failures and parts of inputs below 1, got input 1"
    );
}

const PICTURE: &str = "https://shop.example.com/a.png";
const FILM: &str = "https://shop.example.com/a.mp4";
const ANYTHING: &str = "https://shop.example.com/7";

/// An index that takes pointers for what they point to.
fn media_schema() -> DocumentSchema {
    DocumentSchema {
        chunk_prefix: "passage: ".to_owned(),
        media_images: true,
        media_all: true,
        ..schema()
    }
}

/// One document of such an index, whose model takes `media`.
fn prepared_media(
    schema: &DocumentSchema,
    document: &str,
    media: &str,
) -> (PreparedDocuments, Vec<EncoderInput>) {
    let body = format!(r#"{{"documents": [{document}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let options = format!(
        r#"{{"tensorFields": ["title", "both"], "media": {media},
            "mappings": {{"both": {{"type": "multimodal_combination", "weights": {{"a": 1, "b": 3}}}}}}}}"#
    );
    let nothing = |_: &str| Ok::<_, DocumentsError>(None);
    PreparedDocuments::prepare(schema, &batch, options.as_bytes(), nothing).unwrap()
}

fn media(pointer: &str, medium: Option<Medium>, patches: bool) -> EncoderInput {
    EncoderInput::Media(MediaInput {
        pointer: pointer.to_owned(),
        medium,
        text: medium.is_none().then(|| format!("passage: {pointer}")),
        patches,
    })
}

fn text(text: &str) -> EncoderInput {
    EncoderInput::Text(format!("passage: {text}"))
}

#[test]
fn pointers_are_embedded_as_what_they_point_to() {
    let all = r#"["image", "video", "audio"]"#;
    for (value, media_types, expected) in [
        (PICTURE, all, media(PICTURE, Some(Medium::Image), true)),
        (FILM, all, media(FILM, Some(Medium::Video), true)),
        (ANYTHING, all, media(ANYTHING, None, true)),
        (ANYTHING, r#"["audio"]"#, media(ANYTHING, None, true)),
        // A model of texts has nothing to find out.
        (ANYTHING, "[]", text(ANYTHING)),
        ("red shoes", all, text("red shoes")),
    ] {
        let document = format!(r#"{{"title": "{value}"}}"#);
        let (_, inputs) = prepared_media(&media_schema(), &document, media_types);
        assert_eq!(inputs, [expected], "{value} with {media_types}");
    }
}

#[test]
fn flags_say_which_pointers_stand_for_themselves() {
    let images = DocumentSchema {
        media_all: false,
        ..media_schema()
    };
    let none = DocumentSchema {
        chunk_prefix: media_schema().chunk_prefix,
        ..schema()
    };
    let all = r#"["image", "video", "audio"]"#;
    for (schema, value, expected) in [
        (&images, PICTURE, media(PICTURE, Some(Medium::Image), true)),
        (&images, ANYTHING, media(ANYTHING, None, true)),
        (&images, FILM, text(FILM)),
        (&none, PICTURE, text(PICTURE)),
        (&none, ANYTHING, text(ANYTHING)),
    ] {
        let document = format!(r#"{{"title": "{value}"}}"#);
        let (_, inputs) = prepared_media(schema, &document, all);
        assert_eq!(inputs, [expected], "{value}");
    }
}

#[test]
fn a_medium_that_the_model_does_not_take_refuses_its_document() {
    let document = format!(r#"{{"_id": "1", "title": "{FILM}"}}"#);
    let (documents, inputs) = prepared_media(&media_schema(), &document, r#"["image"]"#);
    assert_eq!(inputs, []);
    let items = documents.with_vectors(&media_schema(), EmbeddedInputs::default());
    let error = items.unwrap().pop().unwrap().unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "Could not process the media file found at `{FILM}`. Reason: Model random/small does not support video"
        )
    );
}

/// The tensors of the only document.
fn tensors(documents: PreparedDocuments, embedded: EmbeddedInputs<'_>) -> Vec<FieldTensors> {
    let items = documents.with_vectors(&media_schema(), embedded).unwrap();
    items.into_iter().next().unwrap().unwrap().tensors
}

#[test]
fn parts_take_the_place_of_the_pointer_and_each_has_its_vector() {
    let document = format!(r#"{{"title": "{PICTURE}"}}"#);
    let (documents, _) = prepared_media(&media_schema(), &document, r#"["image"]"#);
    let chunks = ["[0.0, 0.0, 9.0, 9.0]", "[0.0, 0.0, 3.0, 3.0]"].map(str::to_owned);
    let [tensors] = tensors(
        documents,
        EmbeddedInputs {
            vectors: &[1.0, 2.0, 3.0, 4.0],
            failures: HashMap::new(),
            parts: HashMap::from([(0, chunks.to_vec())]),
        },
    )
    .try_into()
    .unwrap();
    assert_eq!(tensors.chunks, chunks);
    assert_eq!(tensors.vectors, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_combination_takes_the_mean_of_the_parts_of_a_film() {
    let document = format!(r#"{{"a": "red", "b": "{FILM}"}}"#);
    let (documents, inputs) = prepared_media(&media_schema(), &document, r#"["video"]"#);
    assert_eq!(
        inputs,
        [text("red"), media(FILM, Some(Medium::Video), false)]
    );
    let [tensors] = tensors(
        documents,
        EmbeddedInputs {
            vectors: &[8.0, 0.0, 1.0, 2.0, 3.0, 4.0],
            failures: HashMap::new(),
            parts: HashMap::from([(1, vec!["[0.0, 1.0]".to_owned(), "[1.0, 2.0]".to_owned()])]),
        },
    )
    .try_into()
    .unwrap();
    assert_eq!(
        tensors.chunks,
        [format!(r#"{{"a": "red", "b": "{FILM}"}}"#)]
    );
    // One part red, three parts the mean (2, 3) of the film, over two.
    assert_eq!(tensors.vectors, [7.0, 4.5]);
}

#[test]
fn a_field_has_a_bound_of_parts() {
    let document = format!(r#"{{"_id": "1", "title": "{PICTURE}"}}"#);
    let (documents, _) = prepared_media(&media_schema(), &document, r#"["image"]"#);
    let count = CHUNKS_PER_FIELD_MAX + 1;
    let embedded = EmbeddedInputs {
        vectors: &vec![1.0; count * DIMENSIONS],
        failures: HashMap::new(),
        parts: HashMap::from([(0, vec![String::new(); count])]),
    };
    let items = documents.with_vectors(&media_schema(), embedded);
    let error = items.unwrap().pop().unwrap().unwrap_err();
    assert_eq!(
        error.message,
        "Field title: what it points to has 1001 parts, expected at most 1000"
    );
}
