//! From the documents of a request to the commit: checked, chunked, their stored form written, and the inputs listed
//! that need a vector; then the vectors put in place.

mod embedded;

use std::collections::HashMap;

use pelorus_embed::{ChunkInput, EncoderInput};
use pelorus_excerpt::truncated;
use pelorus_text::{SentenceRule, chunk_within};

pub use self::embedded::EmbeddedInputs;
use self::embedded::EmbeddedRows;
use crate::check::{CheckedDocument, TensorContent, TensorInput, check_document, check_each};
use crate::error::{DocumentsError, ItemError, Result};
use crate::generated::AddOptions;
use crate::json::to_json;
use crate::media::{Embeddable, media_input};
use crate::options::TextField;
use crate::schema::DocumentSchema;
use crate::split::{DocumentBatch, Member};
use crate::stored::{StoredDocument, encode_document};
use crate::stored_version::StoredVersion;
use crate::tensors::{FieldTensors, TensorKind};
use crate::update::DocumentUpdate;
use crate::values::{Field, IndexedValues};

/// Most chunks that one field of one document may give.
pub(crate) const CHUNKS_PER_FIELD_MAX: usize = 1_000;

/// Checked documents that wait for the vectors of their inputs.
#[derive(Debug)]
pub struct PreparedDocuments {
    items: Vec<std::result::Result<PreparedDocument, ItemError>>,
    input_count: usize,
    reports_creation: bool,
    keeps_other_fields: bool,
    max_doc_bytes: Option<usize>,
    text_fields: Vec<(String, TextField)>,
    within: Option<String>,
}

#[derive(Debug)]
struct PreparedDocument {
    id: String,
    fields: Vec<Field>,
    removed: Vec<String>,
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
    pub(crate) fn of_fields(
        schema: &DocumentSchema,
        id: String,
        fields: Vec<Field>,
        tensors: Vec<FieldTensors>,
    ) -> Self {
        let (document, values) = stored_form(schema, &id, fields);
        Self {
            id,
            document,
            tensors,
            values,
        }
    }

    /// Bytes that it takes until it is written, about.
    pub fn bytes(&self) -> usize {
        let tensors = self.tensors.iter().map(FieldTensors::bytes);
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

/// The inputs to embed, each once, and the rows that their vectors will have.
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
        debug_assert!(
            inputs.iter().map(|(_, row)| *row).eq(0..inputs.len()),
            "a row for each input"
        );
        inputs.into_iter().map(|(input, _)| input).collect()
    }
}

impl PreparedDocuments {
    /// Checks every document of a batch. `options` is the part of the request that says how they are read, as JSON;
    /// `existing` finds the stored version of a document, and is asked where tensors are to be used again. The last of
    /// documents with one id counts, even when it is refused.
    ///
    /// Gives besides the inputs to embed, prefixes included, each once.
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
            keeps_other_fields: options.keeps_other_fields,
            max_doc_bytes: options.max_doc_bytes,
            text_fields: options
                .text_fields()
                .map(|(name, field)| (name.to_owned(), field.clone()))
                .collect(),
            within: options.within,
        };
        Ok((prepared, inputs))
    }

    /// Fields of which the request says how their texts are analysed.
    pub fn text_fields(&self) -> &[(String, TextField)] {
        &self.text_fields
    }

    /// The filter that the caller is bound to.
    pub fn within(&self) -> Option<&str> {
        self.within.as_deref()
    }

    /// Tells whether the answer tells documents that are new from those that took another's place.
    pub fn reports_creation(&self) -> bool {
        self.reports_creation
    }

    /// Tells whether documents that are stored keep the fields that are not named.
    pub fn keeps_other_fields(&self) -> bool {
        self.keeps_other_fields
    }

    /// Gives every document the vectors of its inputs. A document that needs an input without one is refused by itself.
    ///
    /// # Errors
    /// [`DocumentsError::Vectors`] when the vectors are not of their shape, [`DocumentsError::NotFinite`] when they
    /// hold a number that is not, [`DocumentsError::UnknownInput`] for a report about no input,
    /// [`DocumentsError::NoParts`].
    pub fn with_vectors(
        self,
        schema: &DocumentSchema,
        embedded: EmbeddedInputs<'_>,
    ) -> Result<Vec<std::result::Result<ReadyDocument, ItemError>>> {
        let rows = EmbeddedRows::new(self.input_count, schema.dimensions, embedded)?;
        let items = self.items.into_iter();
        let ready = |document: PreparedDocument| {
            let (document, tensors) = document.filled(schema, &rows)?;
            Ok(ReadyDocument::of_fields(
                schema,
                document.id,
                document.fields,
                tensors,
            ))
        };
        Ok(items.map(|item| item.and_then(ready)).collect())
    }

    /// Gives the same as [`PreparedDocuments::with_vectors`], each document as the update that it is where one with
    /// its id is stored.
    ///
    /// # Errors
    /// As [`PreparedDocuments::with_vectors`].
    pub fn updates_with_vectors(
        self,
        schema: &DocumentSchema,
        embedded: EmbeddedInputs<'_>,
    ) -> Result<Vec<std::result::Result<DocumentUpdate, ItemError>>> {
        let rows = EmbeddedRows::new(self.input_count, schema.dimensions, embedded)?;
        let items = self.items.into_iter();
        let update = |document: PreparedDocument| {
            let (document, tensors) = document.filled(schema, &rows)?;
            let PreparedDocument {
                id,
                fields,
                removed,
                ..
            } = document;
            Ok(DocumentUpdate::embedded(
                id,
                fields,
                removed,
                tensors,
                self.max_doc_bytes,
            ))
        };
        Ok(items.map(|item| item.and_then(update)).collect())
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
        removed,
        tensors,
    } = document;
    let prefix = options.text_chunk_prefix.as_str();
    let tensor = |input: TensorInput| match existing.and_then(|e| e.reuse(&input, &fields)) {
        Some(tensors) => Ok(ready_tensor(tensors)),
        None => prepare_tensor(schema, prefix, input, inputs),
    };
    let tensors: std::result::Result<_, ItemError> = tensors.into_iter().map(tensor).collect();
    let tensors = tensors.map_err(|error| error.of(id.clone()))?;
    Ok(PreparedDocument {
        id,
        fields,
        removed,
        tensors,
    })
}

/// The stored form of a document, and the data derived from it.
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
        TensorContent::Embeddable(content) => {
            let (chunks, rows) = match content {
                Embeddable::Text(text) => {
                    let chunks = chunk_within(&text, &schema.chunks, CHUNKS_PER_FIELD_MAX)
                        .map_err(|e| {
                            ItemError::invalid(format!("Field {}: {e}", truncated(&field)))
                        })?;
                    let rows = chunks
                        .iter()
                        .map(|chunk| inputs.row(chunk_input(schema, prefix, chunk)))
                        .collect();
                    (chunks, rows)
                }
                Embeddable::Media(pointer, medium) => {
                    let input = media_input(&pointer, medium, prefix, true);
                    (vec![pointer], vec![inputs.row(EncoderInput::Media(input))])
                }
            };
            PreparedTensor {
                field,
                kind: TensorKind::Text,
                weights: String::new(),
                chunks,
                source: VectorSource::Inputs(rows),
            }
        }
        TensorContent::Vector { content, vector } => {
            debug_assert_eq!(vector.len(), schema.dimensions, "a checked vector");
            PreparedTensor {
                field,
                kind: TensorKind::Vector,
                weights: String::new(),
                chunks: vec![content],
                source: VectorSource::Ready(vector),
            }
        }
        TensorContent::Multimodal { parts, weights } => {
            let named = parts
                .iter()
                .map(|(name, content, _)| (&**name, content.as_str()));
            let chunks = vec![combination_chunk(named)];
            let rows = parts
                .iter()
                .map(|(_, content, weight)| {
                    let input = match content {
                        Embeddable::Text(text) => {
                            let text = if text.trim().is_empty() { " " } else { text };
                            EncoderInput::Text(format!("{prefix}{text}"))
                        }
                        Embeddable::Media(pointer, medium) => {
                            EncoderInput::Media(media_input(pointer, *medium, prefix, false))
                        }
                    };
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

/// The encoder input of a chunk: where texts of every script are cut, all of the chunk is embedded.
fn chunk_input(schema: &DocumentSchema, prefix: &str, chunk: &str) -> EncoderInput {
    match schema.chunks.sentences() {
        SentenceRule::English => EncoderInput::Text(format!("{prefix}{chunk}")),
        SentenceRule::EveryScript => EncoderInput::Chunk(ChunkInput::new(prefix, chunk)),
    }
}

/// Tensors that are there already.
fn ready_tensor(tensors: FieldTensors) -> PreparedTensor {
    debug_assert!(tensors.is_whole(), "a row of numbers for each chunk");
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
mod tests;
