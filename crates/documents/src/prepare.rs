//! From the documents of a request to what is committed: checked, chunked, their stored form written,
//! and the texts listed that need a vector; then the vectors put in place.

use std::collections::HashMap;

use pelorus_embed::weighted_mean;
use pelorus_excerpt::truncated;
use pelorus_hnsw::NumericType;
use pelorus_kernels::{bf16_to_f32, f32_to_bf16};
use pelorus_text::chunk_within;

use crate::check::{CheckedDocument, TensorContent, TensorInput, check_document, check_each};
use crate::error::{DocumentsError, ItemError, Result};
use crate::json::to_json;
use crate::options::{AddOptions, Weights};
use crate::schema::DocumentSchema;
use crate::split::DocumentBatch;
use crate::stored::{StoredDocument, encode_document};
use crate::tensors::{FieldTensors, TensorKind, decode_tensors};
use crate::values::{Field, IndexedValues};

/// Most chunks that one field of one document may give.
const CHUNKS_PER_FIELD_MAX: usize = 1_000;

/// Checked documents that wait for the vectors of their texts.
#[derive(Debug)]
pub struct PreparedDocuments {
    items: Vec<std::result::Result<PreparedDocument, ItemError>>,
    texts: Vec<String>,
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
    /// One row of the embedded texts per chunk.
    Rows(Vec<usize>),
    /// Rows that are summed by weight into the only chunk.
    Weighted(Vec<(usize, f64)>),
    /// At hand: the caller's own or those already stored.
    Ready(Vec<f32>),
}

/// The stored version of a document, for one that takes its place.
#[derive(Debug)]
pub struct StoredVersion {
    pub(crate) fields: Vec<Field>,
    pub(crate) tensors: Vec<FieldTensors>,
}

/// Texts to embed, each once.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    rows: HashMap<String, usize>,
}

impl Texts {
    fn row(&mut self, text: String) -> usize {
        if let Some(&row) = self.rows.get(&text) {
            return row;
        }
        let row = self.texts.len();
        self.texts.push(text.clone());
        self.rows.insert(text, row);
        row
    }
}

impl PreparedDocuments {
    /// Checks every document of a batch. `options` is the part of the request that says how they are
    /// read, as JSON; `existing` finds the stored version of a document, and is asked where tensors
    /// are to be used again. Of documents with one id the last counts, even when it is refused.
    ///
    /// # Errors
    /// [`DocumentsError::Options`], and whatever `existing` fails with.
    pub fn prepare<E: From<DocumentsError>>(
        schema: &DocumentSchema,
        batch: &DocumentBatch,
        options: &[u8],
        existing: impl Fn(&str) -> std::result::Result<Option<StoredVersion>, E>,
    ) -> std::result::Result<Self, E> {
        let options = AddOptions::parse(options)?;
        let check = |members: &[(&str, &str)]| check_document(schema, &options, members);
        let checked = check_each(batch, check, |document| &document.id);

        let mut texts = Texts::default();
        let mut items = Vec::with_capacity(checked.len());
        for document in checked {
            items.push(match document {
                Err(error) => Err(error),
                Ok(document) => {
                    let existing = match options.use_existing_tensors {
                        true => existing(&document.id)?,
                        false => None,
                    };
                    prepare_document(schema, &options, document, existing.as_ref(), &mut texts)
                }
            });
        }
        let texts = texts.texts;
        Ok(Self { items, texts })
    }

    /// The texts to embed, prefixes included, each once.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Gives every document its vectors: `vectors` is `[texts, dimensions]`, in the order of
    /// [`texts`](Self::texts).
    ///
    /// # Errors
    /// [`DocumentsError::Vectors`] when that is not their shape, [`DocumentsError::NotFinite`] when
    /// they hold a number that is not.
    pub fn with_vectors(
        self,
        schema: &DocumentSchema,
        vectors: &[f32],
    ) -> Result<Vec<std::result::Result<ReadyDocument, ItemError>>> {
        if vectors.len() != self.texts.len() * schema.dimensions {
            return Err(DocumentsError::Vectors {
                rows: self.texts.len(),
                dimensions: schema.dimensions,
                received: vectors.len(),
            });
        }
        if vectors.iter().any(|x| !x.is_finite()) {
            return Err(DocumentsError::NotFinite);
        }
        let items = self.items.into_iter();
        Ok(items
            .map(|item| item.and_then(|document| ready(schema, document, vectors)))
            .collect())
    }
}

fn prepare_document(
    schema: &DocumentSchema,
    options: &AddOptions,
    document: CheckedDocument,
    existing: Option<&StoredVersion>,
    texts: &mut Texts,
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
        Some(tensors) => Ok(PreparedTensor {
            field: tensors.field,
            kind: tensors.kind,
            weights: tensors.weights,
            chunks: tensors.chunks,
            source: VectorSource::Ready(tensors.vectors),
        }),
        None => prepare_tensor(schema, prefix, input, texts),
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
    texts: &mut Texts,
) -> std::result::Result<PreparedTensor, ItemError> {
    let field = input.field;
    Ok(match input.content {
        TensorContent::Text(text) => {
            let chunks = chunk_within(&text, &schema.chunks, CHUNKS_PER_FIELD_MAX)
                .map_err(|e| ItemError::invalid(format!("Field {}: {e}", truncated(&field))))?;
            let rows = chunks
                .iter()
                .map(|c| texts.row(format!("{prefix}{c}")))
                .collect();
            PreparedTensor {
                field,
                kind: TensorKind::Text,
                weights: String::new(),
                chunks,
                source: VectorSource::Rows(rows),
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
            let label: Vec<String> = parts
                .iter()
                .map(|(name, text, _)| format!("{}: {}", to_json(name), to_json(text)))
                .collect();
            let rows = parts
                .iter()
                .map(|(_, text, weight)| {
                    let text = if text.trim().is_empty() { " " } else { text };
                    (texts.row(format!("{prefix}{text}")), *weight)
                })
                .collect();
            PreparedTensor {
                field,
                kind: TensorKind::Multimodal,
                weights: weights.to_json(),
                chunks: vec![format!("{{{}}}", label.join(", "))],
                source: VectorSource::Weighted(rows),
            }
        }
    })
}

impl StoredVersion {
    /// Reads a stored document and its stored tensors.
    ///
    /// # Errors
    /// [`DocumentsError::Stored`] and [`DocumentsError::StoredField`] when they are not what is written.
    pub fn decode(document: &[u8], tensors: &[u8], dimensions: usize) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(document)?,
            tensors: decode_tensors(tensors, dimensions)?,
        })
    }

    /// The version that a document will be when it is stored.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn of(document: &ReadyDocument) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(&document.document)?,
            tensors: document.tensors.clone(),
        })
    }

    /// The stored tensors of this field, where its content is exactly the same.
    fn reuse(&self, input: &TensorInput, fields: &[Field]) -> Option<FieldTensors> {
        let stored = self.tensors.iter().find(|t| t.field == input.field)?;
        let same = match &input.content {
            TensorContent::Vector { .. } => false,
            TensorContent::Text(text) => {
                stored.kind != TensorKind::Multimodal
                    && text_of(&self.fields, &input.field) == Some(text)
            }
            TensorContent::Multimodal { weights, .. } => {
                stored.kind == TensorKind::Multimodal
                    && stored.weights == weights.to_json()
                    && self.same_parts(weights, fields)
            }
        };
        same.then(|| stored.clone())
    }

    fn same_parts(&self, weights: &Weights, fields: &[Field]) -> bool {
        weights.0.iter().all(|(name, _)| {
            let new = text_of(fields, name);
            new.is_some() && new == text_of(&self.fields, name)
        })
    }
}

fn stored_fields(document: &[u8]) -> Result<Vec<Field>> {
    let document = StoredDocument::decode(document)?;
    let fields = document.fields.iter();
    fields.map(|(name, json)| Field::read(name, json)).collect()
}

fn text_of<'a>(fields: &'a [Field], name: &str) -> Option<&'a str> {
    fields.iter().find(|field| field.name == name)?.as_text()
}

fn ready(
    schema: &DocumentSchema,
    prepared: PreparedDocument,
    vectors: &[f32],
) -> std::result::Result<ReadyDocument, ItemError> {
    let tensors = prepared.tensors.into_iter();
    let tensors: std::result::Result<_, ItemError> = tensors
        .map(|tensor| fill(schema, tensor, vectors))
        .collect();
    match tensors {
        Ok(tensors) => Ok(ReadyDocument {
            id: prepared.id,
            document: prepared.document,
            values: prepared.values,
            tensors,
        }),
        Err(error) => Err(error.of(prepared.id)),
    }
}

fn fill(
    schema: &DocumentSchema,
    tensor: PreparedTensor,
    vectors: &[f32],
) -> std::result::Result<FieldTensors, ItemError> {
    let dimensions = schema.dimensions;
    let row = |at: usize| &vectors[at * dimensions..(at + 1) * dimensions];
    let filled = match tensor.source {
        VectorSource::Ready(vectors) => vectors,
        VectorSource::Rows(rows) => rows
            .into_iter()
            .flat_map(|at| row(at).iter().copied())
            .collect(),
        VectorSource::Weighted(parts) => {
            let parts: Vec<(&[f32], f64)> = parts
                .iter()
                .map(|(at, weight)| (row(*at), *weight))
                .collect();
            mean_of_parts(&tensor.field, &parts, schema)?
        }
    };
    Ok(FieldTensors {
        vectors: rounded(&tensor.field, filled, schema.numbers)?,
        field: tensor.field,
        kind: tensor.kind,
        weights: tensor.weights,
        chunks: tensor.chunks,
    })
}

/// The vectors as they are stored, so that searches rank by what is read back.
fn rounded(
    field: &str,
    mut vectors: Vec<f32>,
    numbers: NumericType,
) -> std::result::Result<Vec<f32>, ItemError> {
    if numbers == NumericType::Bfloat16 {
        let round = |x: &mut f32| *x = bf16_to_f32(f32_to_bf16(*x));
        vectors.iter_mut().for_each(round);
    }
    match vectors.iter().all(|x| x.is_finite()) {
        true => Ok(vectors),
        false => Err(ItemError::invalid(format!(
            "Field {} has a vector beyond the range of bfloat16",
            truncated(field)
        ))),
    }
}

/// The mean of the weighted parts of a field, which has to be a vector that can be stored.
fn mean_of_parts(
    field: &str,
    parts: &[(&[f32], f64)],
    schema: &DocumentSchema,
) -> std::result::Result<Vec<f32>, ItemError> {
    let mean = weighted_mean(parts, schema.dimensions, schema.normalize);
    if schema.normalize && mean.iter().all(|x| *x == 0.0) {
        return Err(ItemError::invalid(format!(
            "Field {} has zero magnitude vector, cannot normalize.",
            truncated(field)
        )));
    }
    let mean: Vec<f32> = mean.into_iter().map(|x| x as f32).collect();
    match mean.iter().all(|x| x.is_finite()) {
        true => Ok(mean),
        false => Err(ItemError::invalid(format!(
            "The weights of field {} give a vector beyond the range of 32-bit floats",
            truncated(field)
        ))),
    }
}
