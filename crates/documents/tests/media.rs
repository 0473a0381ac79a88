//! Pointers to pictures, films and sounds in documents: the inputs embedded for them, and their stored form.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::HashMap;

use pelorus_documents::{
    DocumentSchema, DocumentsError, EmbeddedInputs, IndexKind, ItemError, PreparedDocuments,
    ReadyDocument, StoredDocument, StoredVersion, StructuredFields, encode_tensors,
    split_documents, write_tensors,
};
use pelorus_embed::{EncoderInput, MediaInput, Medium};
use pelorus_hnsw::NumericType;
use pelorus_text::{ChunkMethod, ChunkSpec};

const DIMENSIONS: usize = 2;

const PICTURE: &str = "https://shop.example/a.png";
const FILM: &str = "https://shop.example/a.mp4";
const SOUND: &str = "https://shop.example/a.wav";
const UNKNOWN: &str = "https://shop.example/7";

const ALL: &str = r#""image", "video", "audio""#;
const PICTURES: &str = r#""image""#;
const NONE: &str = "";

fn schema(kind: IndexKind) -> DocumentSchema {
    DocumentSchema {
        index: "i".to_owned(),
        kind,
        model: "m".to_owned(),
        embeds: true,
        dimensions: DIMENSIONS,
        normalize: false,
        refuses_zero_vectors: false,
        numbers: NumericType::Float,
        chunks: ChunkSpec::new(ChunkMethod::Sentence, 1, 0).unwrap(),
        media_images: false,
        media_all: false,
    }
}

fn unstructured(media_images: bool, media_all: bool) -> DocumentSchema {
    let kind = IndexKind::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    };
    DocumentSchema {
        media_images,
        media_all,
        ..schema(kind)
    }
}

fn structured() -> DocumentSchema {
    let fields = r#"[
        {"name": "text", "type": "text"}, {"name": "image", "type": "image_pointer"},
        {"name": "video", "type": "video_pointer"}, {"name": "audio", "type": "audio_pointer"},
        {"name": "both", "type": "multimodal_combination", "dependentFields": {"image": 0.5, "text": 1}}
    ]"#;
    let tensor_fields = ["text", "image", "video", "audio", "both"].map(str::to_owned);
    schema(IndexKind::Structured(StructuredFields::new(
        serde_json::from_str(fields).unwrap(),
        tensor_fields.into(),
    )))
}

fn prepare(
    schema: &DocumentSchema,
    documents: &str,
    options: &str,
    existing: Option<&ReadyDocument>,
) -> (PreparedDocuments, Vec<EncoderInput>) {
    let body = format!(r#"{{"documents": [{documents}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let stored = |_: &str| {
        let version = existing.map(|ready| {
            let tensors = encode_tensors(&ready.tensors, schema.numbers);
            StoredVersion::decode(&ready.document, &tensors, DIMENSIONS).unwrap()
        });
        Ok::<_, DocumentsError>(version)
    };
    PreparedDocuments::prepare(schema, &batch, options.as_bytes(), stored).unwrap()
}

/// Options of a request that embeds the field `t`, and combines `a` and `b` in `both`.
fn options(media: &str) -> String {
    format!(
        r#"{{"tensorFields": ["t", "both"], "media": [{media}], "textChunkPrefix": "p: ",
            "useExistingTensors": true, "mappings": {{"both": {{"type": "multimodal_combination", "weights": {{"a": 1, "b": 3}}}}}}}}"#
    )
}

type Outcome = Result<ReadyDocument, ItemError>;

/// The first input gets these parts, the first component of whose vectors counts up from 1; each other input has a
/// vector of tens.
fn add(schema: &DocumentSchema, document: &str, options: &str, parts: &[&str]) -> Outcome {
    let (documents, inputs) = prepare(schema, document, options, None);
    let first = 1..=parts.len().max(1);
    let others = 1..inputs.len().max(1);
    let vectors: Vec<f32> = first
        .map(|row| row as f32)
        .chain(others.map(|input| 10.0 * input as f32))
        .take(if inputs.is_empty() { 0 } else { usize::MAX })
        .flat_map(|x| [x, 1.0])
        .collect();
    let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
    let embedded = EmbeddedInputs {
        vectors: &vectors,
        failures: HashMap::new(),
        parts: match parts.is_empty() {
            true => HashMap::new(),
            false => HashMap::from([(0, parts)]),
        },
    };
    documents.with_vectors(schema, embedded).unwrap().remove(0)
}

fn text(text: &str) -> EncoderInput {
    EncoderInput::Text(text.to_owned())
}

fn media(pointer: &str, medium: Option<Medium>, patches: bool) -> EncoderInput {
    EncoderInput::Media(MediaInput {
        pointer: pointer.to_owned(),
        medium,
        text: medium.is_none().then(|| format!("p: {pointer}")),
        patches,
    })
}

/// The only input that a document with `value` in the field `t` has, or why it is refused.
fn input(schema: &DocumentSchema, value: &str, media: &str) -> Result<EncoderInput, String> {
    let document = format!(r#"{{"_id": "1", "t": "{value}"}}"#);
    let (documents, inputs) = prepare(schema, &document, &options(media), None);
    match <[EncoderInput; 1]>::try_from(inputs) {
        Ok([input]) => Ok(input),
        Err(_) => {
            let none = EmbeddedInputs::default();
            let refused = documents.with_vectors(schema, none).unwrap().remove(0);
            Err(refused.unwrap_err().message)
        }
    }
}

#[test]
fn the_settings_of_an_index_decide_which_urls_are_media() {
    let as_text = |url: &str| Ok(text(&format!("p: {url}")));
    let media = |url: &str, medium| Ok(media(url, medium, true));
    for (images, all, url, expected) in [
        (false, false, PICTURE, as_text(PICTURE)),
        (false, false, FILM, as_text(FILM)),
        (false, false, UNKNOWN, as_text(UNKNOWN)),
        (true, false, PICTURE, media(PICTURE, Some(Medium::Image))),
        (true, false, FILM, as_text(FILM)),
        (true, false, SOUND, as_text(SOUND)),
        (true, false, UNKNOWN, media(UNKNOWN, None)),
        (true, true, PICTURE, media(PICTURE, Some(Medium::Image))),
        (true, true, FILM, media(FILM, Some(Medium::Video))),
        (true, true, SOUND, media(SOUND, Some(Medium::Audio))),
        (true, true, UNKNOWN, media(UNKNOWN, None)),
        (true, true, "red shoes", as_text("red shoes")),
        (true, true, "a.png", as_text("a.png")),
    ] {
        let index = unstructured(images, all);
        assert_eq!(input(&index, url, ALL), expected, "{images} {all} {url}");
    }
}

#[test]
fn media_that_the_model_does_not_take_are_refused() {
    let index = unstructured(true, true);
    for (url, media, medium) in [
        (PICTURE, NONE, "image"),
        (FILM, PICTURES, "video"),
        (SOUND, PICTURES, "audio"),
    ] {
        let message = format!(
            "Could not process the media file found at `{url}`. Reason: Model m does not support {medium}"
        );
        assert_eq!(input(&index, url, media), Err(message));
    }
    assert_eq!(
        input(&index, UNKNOWN, NONE),
        Ok(text(&format!("p: {UNKNOWN}"))),
        "nothing is fetched for a model of texts"
    );
}

#[test]
fn pictures_that_documents_bring_along_are_refused() {
    let refusal =
        "Field 't' contains base64 image data. Base64 images can only be used in search queries.";
    let data = "data:image/png;base64,AAAA";
    assert_eq!(
        input(&unstructured(true, false), data, ALL),
        Err(refusal.to_owned())
    );
    assert_eq!(
        input(&unstructured(false, false), data, ALL),
        Ok(text(&format!("p: {data}")))
    );
}

#[test]
fn the_types_of_declared_fields_decide_alone() {
    let document = format!(
        r#"{{"_id": "1", "text": "{PICTURE}", "image": "{UNKNOWN}", "video": "{PICTURE}", "audio": "x"}}"#
    );
    let options = format!(r#"{{"media": [{ALL}], "textChunkPrefix": "p: "}}"#);
    let (_, inputs) = prepare(&structured(), &document, &options, None);
    let expected = [
        text(&format!("p: {PICTURE}")),
        media(UNKNOWN, Some(Medium::Image), true),
        media(PICTURE, Some(Medium::Video), true),
        media("x", Some(Medium::Audio), true),
        media(UNKNOWN, Some(Medium::Image), false),
    ];
    assert_eq!(inputs, expected);

    let options = format!(r#"{{"media": [{NONE}]}}"#);
    let refused = add(&structured(), &document, &options, &[]).unwrap_err();
    assert_eq!(
        refused.message,
        format!(
            "Could not process the media file found at `{UNKNOWN}`. Reason: Model m does not support image"
        )
    );
}

#[test]
fn a_field_has_a_chunk_for_each_part_of_what_it_points_to() {
    let index = unstructured(true, true);
    for (url, parts) in [
        (
            PICTURE,
            &["[0.0, 0.0, 8.0, 6.0]", "[0.0, 0.0, 4.0, 3.0]"][..],
        ),
        (FILM, &["[0.0, 20.0]", "[17.0, 37.0]", "[25.4, 45.4]"]),
        (SOUND, &[]),
    ] {
        let document = format!(r#"{{"_id": "1", "t": "{url}"}}"#);
        let ready = add(&index, &document, &options(ALL), parts).unwrap();
        let [tensors] = ready.tensors.as_slice() else {
            panic!("one field: {:?}", ready.tensors);
        };
        let expected = if parts.is_empty() { &[url] } else { parts };
        assert_eq!(tensors.chunks, expected);
        let counting = (1..=expected.len()).flat_map(|row| [row as f32, 1.0]);
        assert_eq!(tensors.vectors, counting.collect::<Vec<_>>());
    }
}

#[test]
fn a_combination_takes_the_mean_of_the_parts_of_a_field() {
    let index = unstructured(true, true);
    let document = format!(r#"{{"_id": "1", "a": "{FILM}", "b": "red. green."}}"#);
    let (_, inputs) = prepare(&index, &document, &options(ALL), None);
    let film = media(FILM, Some(Medium::Video), false);
    assert_eq!(inputs, [film, text("p: red. green.")]);

    let ready = add(
        &index,
        &document,
        &options(ALL),
        &["[0.0, 2.0]", "[2.0, 4.0]", "[4.0, 6.0]"],
    )
    .unwrap();
    let [both] = ready.tensors.as_slice() else {
        panic!("one field: {:?}", ready.tensors);
    };
    assert_eq!(
        both.chunks,
        [format!(r#"{{"a": "{FILM}", "b": "red. green."}}"#)]
    );
    // The mean of the film is (2, 1), and the text has (10, 1).
    assert_eq!(both.vectors, [(2.0 + 3.0 * 10.0) / 2.0, (1.0 + 3.0) / 2.0]);
}

#[test]
fn a_field_has_no_more_parts_than_texts_have_chunks() {
    let index = unstructured(true, true);
    let document = format!(r#"{{"_id": "1", "t": "{FILM}"}}"#);
    let parts = |count: usize| vec!["[0.0, 1.0]"; count];
    assert!(add(&index, &document, &options(ALL), &parts(1000)).is_ok());
    let refused = add(&index, &document, &options(ALL), &parts(1001)).unwrap_err();
    assert_eq!(refused.id.as_deref(), Some("1"));
    assert_eq!(
        refused.message,
        "Field t: it has 1001 parts, expected at most 1000"
    );
}

#[test]
fn a_pointer_that_is_stored_is_not_fetched_again() {
    let index = unstructured(true, true);
    let document = |t: &str| format!(r#"{{"_id": "1", "t": "{t}", "a": "{PICTURE}", "b": "red"}}"#);
    let parts = ["[0.0, 0.0, 8.0, 6.0]", "[0.0, 0.0, 4.0, 3.0]"];
    let stored = add(&index, &document(PICTURE), &options(ALL), &parts).unwrap();

    let (again, inputs) = prepare(&index, &document(PICTURE), &options(ALL), Some(&stored));
    assert_eq!(inputs, []);
    let again = again
        .with_vectors(&index, EmbeddedInputs::default())
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(again.tensors, stored.tensors);

    let other = "https://shop.example/b.png";
    let (_, inputs) = prepare(&index, &document(other), &options(ALL), Some(&stored));
    assert_eq!(inputs, [media(other, Some(Medium::Image), true)]);
}

/// A stored document as a scan shows it.
fn shown(document: &ReadyDocument) -> String {
    let mut out = br#"{"_id":"1","#.to_vec();
    for (name, json) in StoredDocument::decode(&document.document).unwrap().fields {
        out.extend_from_slice(format!("\"{name}\":{json},").as_bytes());
    }
    let tensors = encode_tensors(&document.tensors, NumericType::Float);
    write_tensors(&mut out, &tensors, &[], DIMENSIONS).unwrap();
    out.push(b'}');
    String::from_utf8(out).unwrap()
}

#[test]
fn documents_with_parts_are_taken_back_as_they_were_shown() {
    let given = r#"{"useGivenTensors": true}"#;
    let declared = format!(r#"{{"media": [{ALL}]}}"#);
    let boxes = [
        "[0.0, 0.0, 512.0, 341.5]",
        "[0.0, 0.0, 170.66666666666666, 113.8]",
    ];
    for (index, document, options, parts) in [
        (
            unstructured(true, true),
            format!(r#"{{"t": "{PICTURE}"}}"#),
            options(ALL),
            &boxes[..],
        ),
        (
            unstructured(true, true),
            format!(r#"{{"t": "{UNKNOWN}"}}"#),
            options(ALL),
            &boxes,
        ),
        (
            unstructured(true, true),
            format!(r#"{{"t": "{FILM}", "a": "{FILM}"}}"#),
            options(ALL),
            &["[0.0, 9.5]"],
        ),
        (
            unstructured(true, true),
            format!(r#"{{"t": "{PICTURE}"}}"#),
            options(ALL),
            &[],
        ),
        (
            structured(),
            r#"{"image": "somewhere"}"#.to_owned(),
            declared.clone(),
            &boxes,
        ),
    ] {
        let first = add(
            &index,
            &document.replace("{\"", "{\"_id\": \"1\", \""),
            &options,
            parts,
        )
        .unwrap();
        let again = add(&index, &shown(&first), given, &[]).unwrap();
        assert_eq!(again.tensors, first.tensors);
        assert_eq!(again.document, first.document);
    }
}

#[test]
fn texts_have_no_parts() {
    let given = r#"{"useGivenTensors": true}"#;
    let index = unstructured(true, true);
    let document = format!(r#"{{"_id": "1", "t": "{PICTURE}"}}"#);
    let first = add(&index, &document, &options(ALL), &["[0.0, 1.0]"]).unwrap();
    let text = shown(&first).replace(PICTURE, "red shoes");
    let refused = add(&index, &text, given, &[]).unwrap_err();
    assert_eq!(
        refused.message,
        "Tensors of field t: the chunk [0.0, 1.0] is not in the text of the field, or not behind the chunk before it"
    );
}
