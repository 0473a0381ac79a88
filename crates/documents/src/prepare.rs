//! From the documents of a request to what is committed: checked, chunked, their stored form written,
//! and the inputs listed that need a vector; then the vectors put in place.

mod embedded;

use std::collections::HashMap;

use pelorus_embed::EncoderInput;
use pelorus_excerpt::truncated;
use pelorus_text::chunk_within;

pub use self::embedded::EmbeddedInputs;
use self::embedded::{EmbeddedRows, ready};
use crate::check::{CheckedDocument, TensorContent, TensorInput, check_document, check_each};
use crate::error::{DocumentsError, ItemError, Result};
use crate::json::to_json;
use crate::options::{AddOptions, TextField};
use crate::schema::DocumentSchema;
use crate::split::{DocumentBatch, Member};
use crate::stored::{StoredDocument, encode_document};
use crate::stored_version::StoredVersion;
use crate::tensors::{FieldTensors, TensorKind};
use crate::values::{Field, IndexedValues};

/// Most chunks that one field of one document may give.
pub(crate) const CHUNKS_PER_FIELD_MAX: usize = 1_000;

/// Checked documents that wait for the vectors of their inputs.
#[derive(Debug)]
pub struct PreparedDocuments {
    items: Vec<std::result::Result<PreparedDocument, ItemError>>,
    input_count: usize,
    reports_creation: bool,
    text_fields: Vec<(String, TextField)>,
}

#[derive(Debug)]
struct PreparedDocument {
    id: String,
    document: Vec<u8>,
    values: IndexedValues,
    tensors: Vec<PreparedTensor>,
}

/// A document with its vectors, ready to be committed.
#[derive(Debug)]
pub struct ReadyDocument {
    pub id: String,
    /// The stored form, which [`StoredDocument::decode`] reads.
    pub document: Vec<u8>,
    pub tensors: Vec<FieldTensors>,
    pub values: IndexedValues,
}

impl ReadyDocument {
    /// Bytes that it takes until it is written, about.
    pub fn bytes(&self) -> usize {
        let tensors = self.tensors.iter().map(|tensor| {
            let chunks: usize = tensor.chunks.iter().map(String::len).sum();
            size_of_val(tensor.vectors.as_slice()) + chunks
        });
        self.id.len() + self.document.len() + tensors.sum::<usize>()
    }
}

/// One tensor field, its vectors still to come or already here.
#[derive(Debug)]
struct PreparedTensor {
    field: String,
    kind: TensorKind,
    weights: String,
    chunks: Vec<String>,
    source: VectorSource,
}

#[derive(Debug)]
enum VectorSource {
    /// An input for each chunk; one that gets vectors for its parts replaces its chunk by theirs.
    Inputs(Vec<usize>),
    /// Inputs that are summed by weight into the only chunk.
    Weighted(Vec<(usize, f64)>),
    /// At hand: the caller's own or those already stored.
    Ready(Vec<f32>),
}

/// What is to be embedded, each once, and the row that its vector will have.
#[derive(Default)]
struct DistinctInputs(HashMap<EncoderInput, usize>);

impl DistinctInputs {
    fn row(&mut self, input: EncoderInput) -> usize {
        let next = self.0.len();
        *self.0.entry(input).or_insert(next)
    }

    /// The inputs by their rows.
    fn in_order(self) -> Vec<EncoderInput> {
        let mut inputs: Vec<_> = self.0.into_iter().collect();
        inputs.sort_unstable_by_key(|(_, row)| *row);
        inputs.into_iter().map(|(input, _)| input).collect()
    }
}

impl PreparedDocuments {
    /// Checks every document of a batch. `options` is the part of the request that says how they are
    /// read, as JSON; `existing` finds the stored version of a document, and is asked where tensors
    /// are to be used again. Of documents with one id the last counts, even when it is refused.
    ///
    /// Gives besides what is to be embedded, prefixes included, each once.
    ///
    /// # Errors
    /// [`DocumentsError::Options`], [`DocumentsError::TooMany`], and whatever `existing` fails with.
    pub fn prepare<E: From<DocumentsError>>(
        schema: &DocumentSchema,
        batch: &DocumentBatch,
        options: &[u8],
        existing: impl Fn(&str) -> std::result::Result<Option<StoredVersion>, E>,
    ) -> std::result::Result<(Self, Vec<EncoderInput>), E> {
        let options = AddOptions::parse(options)?;
        let check = |members: &[Member<'_>]| check_document(schema, &options, members);
        let checked = check_each(batch, check, |document| &document.id)?;

        let mut inputs = DistinctInputs::default();
        let mut items = Vec::with_capacity(checked.len());
        for document in checked {
            items.push(match document {
                Err(error) => Err(error),
                Ok(document) => {
                    let existing = match options.use_existing_tensors {
                        true => existing(&document.id)?,
                        false => None,
                    };
                    prepare_document(schema, &options, document, existing.as_ref(), &mut inputs)
                }
            });
        }
        let inputs = inputs.in_order();
        let prepared = Self {
            items,
            input_count: inputs.len(),
            reports_creation: options.reports_creation,
            text_fields: options
                .text_fields()
                .map(|(name, field)| (name.to_owned(), field.clone()))
                .collect(),
        };
        Ok((prepared, inputs))
    }

    /// Fields of which the request says how their texts are analysed.
    pub fn text_fields(&self) -> &[(String, TextField)] {
        &self.text_fields
    }

    /// Whether the answer tells documents that are new from those that took another's place.
    pub fn reports_creation(&self) -> bool {
        self.reports_creation
    }

    /// Gives every document the vectors of its inputs. A document that needs an input without one is refused by itself.
    ///
    /// # Errors
    /// [`DocumentsError::Vectors`] when the vectors are not of their shape, [`DocumentsError::NotFinite`] when they hold
    /// a number that is not, [`DocumentsError::UnknownInput`] for what is told of no input, [`DocumentsError::NoParts`].
    pub fn with_vectors(
        self,
        schema: &DocumentSchema,
        embedded: EmbeddedInputs<'_>,
    ) -> Result<Vec<std::result::Result<ReadyDocument, ItemError>>> {
        let rows = EmbeddedRows::new(self.input_count, schema.dimensions, embedded)?;
        let items = self.items.into_iter();
        Ok(items
            .map(|item| item.and_then(|document| ready(schema, document, &rows)))
            .collect())
    }
}

fn prepare_document(
    schema: &DocumentSchema,
    options: &AddOptions,
    document: CheckedDocument,
    existing: Option<&StoredVersion>,
    inputs: &mut DistinctInputs,
) -> std::result::Result<PreparedDocument, ItemError> {
    let CheckedDocument {
        id,
        fields,
        tensors,
    } = document;
    let prefix = options
        .text_chunk_prefix
        .as_deref()
        .unwrap_or(&schema.chunk_prefix);
    let tensor = |input: TensorInput| match existing.and_then(|e| e.reuse(&input, &fields)) {
        Some(tensors) => Ok(ready_tensor(tensors)),
        None => prepare_tensor(schema, prefix, input, inputs),
    };
    let tensors: std::result::Result<_, ItemError> = tensors.into_iter().map(tensor).collect();
    let tensors = tensors.map_err(|error| error.of(id.clone()))?;
    let (document, values) = stored_form(schema, &id, fields);
    Ok(PreparedDocument {
        document,
        values,
        tensors,
        id,
    })
}

/// The stored form of a document, and what is derived from it.
pub(crate) fn stored_form(
    schema: &DocumentSchema,
    id: &str,
    fields: Vec<Field>,
) -> (Vec<u8>, IndexedValues) {
    let document = encode_document(id, &fields);
    let values = IndexedValues::of_fields(schema, fields);
    debug_assert_eq!(
        Some(&values),
        StoredDocument::decode(&document)
            .and_then(|stored| IndexedValues::of_stored(schema, &stored))
            .ok()
            .as_ref(),
        "a restart reads the values that were taken from the fresh document"
    );
    (document, values)
}

fn prepare_tensor(
    schema: &DocumentSchema,
    prefix: &str,
    input: TensorInput,
    inputs: &mut DistinctInputs,
) -> std::result::Result<PreparedTensor, ItemError> {
    let field = input.field;
    Ok(match input.content {
        TensorContent::Text(text) => {
            let chunks = chunk_within(&text, &schema.chunks, CHUNKS_PER_FIELD_MAX)
                .map_err(|e| ItemError::invalid(format!("Field {}: {e}", truncated(&field))))?;
            let rows = chunks
                .iter()
                .map(|c| inputs.row(EncoderInput::Text(format!("{prefix}{c}"))))
                .collect();
            PreparedTensor {
                field,
                kind: TensorKind::Text,
                weights: String::new(),
                chunks,
                source: VectorSource::Inputs(rows),
            }
        }
        TensorContent::Vector { content, vector } => PreparedTensor {
            field,
            kind: TensorKind::Vector,
            weights: String::new(),
            chunks: vec![content],
            source: VectorSource::Ready(vector),
        },
        TensorContent::Multimodal { parts, weights } => {
            let named = parts.iter().map(|(name, text, _)| (&**name, &**text));
            let chunks = vec![combination_chunk(named)];
            let rows = parts
                .iter()
                .map(|(_, text, weight)| {
                    let text = if text.trim().is_empty() { " " } else { text };
                    let input = EncoderInput::Text(format!("{prefix}{text}"));
                    (inputs.row(input), *weight)
                })
                .collect();
            PreparedTensor {
                field,
                kind: TensorKind::Multimodal,
                weights: weights.to_json(),
                chunks,
                source: VectorSource::Weighted(rows),
            }
        }
        TensorContent::Given(tensors) => ready_tensor(tensors),
    })
}

/// Tensors that are there already.
fn ready_tensor(tensors: FieldTensors) -> PreparedTensor {
    PreparedTensor {
        field: tensors.field,
        kind: tensors.kind,
        weights: tensors.weights,
        chunks: tensors.chunks,
        source: VectorSource::Ready(tensors.vectors),
    }
}

/// The only chunk of a combination: its parts, names and texts, as a JSON object.
pub(crate) fn combination_chunk<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let members = parts.map(|(name, text)| format!("{}: {}", to_json(name), to_json(text)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
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
        let mappings =
            r#"{"both": {"type": "multimodal_combination", "weights": {"a": 1, "b": 2}}}"#;
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
}
