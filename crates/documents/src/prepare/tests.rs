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
        EncoderInput::Chunk(chunk) => chunk.text,
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
