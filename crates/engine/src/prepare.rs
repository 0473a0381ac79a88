//! From checked documents to the distinct texts that need a vector.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pelorus_filter::shown;
use pelorus_text::chunk_within;
use serde::Serialize;

use crate::document::{
    AddOptions, CheckedDocument, ItemError, StoredDocument, TensorContent, TensorPlan, Weights,
    check_document,
};
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::split::DocumentBatch;
use crate::tensors::{FieldTensors, TensorKind, decode_tensors};

/// Most chunks that one field of one document may give.
const CHUNKS_PER_FIELD: usize = 1_000;

/// Checked documents that wait for the vectors of their texts.
pub struct PreparedBatch {
    pub(crate) index: Arc<Index>,
    pub(crate) items: Vec<std::result::Result<PreparedDocument, ItemError>>,
    /// Rows that `apply` expects.
    pub(crate) rows: usize,
}

pub(crate) struct PreparedDocument {
    pub id: String,
    pub fields: Vec<(String, String)>,
    pub tensors: Vec<PreparedTensor>,
}

/// One tensor field, its vectors still to come or already here.
pub(crate) struct PreparedTensor {
    pub field: String,
    pub kind: TensorKind,
    pub weights: String,
    pub chunks: Vec<String>,
    pub source: VectorSource,
}

pub(crate) enum VectorSource {
    /// One row of the embedded texts per chunk.
    Rows(Vec<usize>),
    /// Rows that are summed by weight into the only chunk.
    Weighted(Vec<(usize, f64)>),
    /// At hand: the caller's own or those already stored.
    Ready(Vec<f32>),
}

/// Texts to embed, each once.
#[derive(Default, Serialize)]
struct Texts {
    texts: Vec<String>,
    #[serde(skip)]
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

/// Checks every document of a batch and lists what has to be embedded, as
/// `{"texts": [...]}`. Of documents with one id the last counts, even when it is refused.
pub(crate) fn prepare(
    index: Arc<Index>,
    batch: &DocumentBatch,
    options: &[u8],
) -> Result<(PreparedBatch, Vec<u8>)> {
    let options = AddOptions::parse(options)?;
    let mut seen = HashSet::new();
    let mut checked = Vec::with_capacity(batch.len());
    for raw in batch.documents().rev() {
        let document = check_document(&index.definition, &options, raw);
        let id = match &document {
            Ok(document) => Some(&document.id),
            Err(error) => error.id.as_ref(),
        };
        if id.is_none_or(|id| seen.insert(id.clone())) {
            checked.push(document);
        }
    }
    checked.reverse();

    let reuse = match options.use_existing_tensors {
        true => Some(index.views.load()),
        false => None,
    };
    let mut texts = Texts::default();
    let mut items = Vec::with_capacity(checked.len());
    for document in checked {
        items.push(match document {
            Err(error) => Err(error),
            Ok(document) => {
                let existing = match &reuse {
                    Some(view) => Existing::load(&index, &view.truth, &document.id)?,
                    None => None,
                };
                prepare_document(&index, &options, document, existing.as_ref(), &mut texts)
            }
        });
    }
    let rows = texts.texts.len();
    let json = serde_json::to_vec(&texts).map_err(|e| EngineError::internal(e.to_string()))?;
    Ok((PreparedBatch { index, items, rows }, json))
}

fn prepare_document(
    index: &Index,
    options: &AddOptions,
    document: CheckedDocument,
    existing: Option<&Existing>,
    texts: &mut Texts,
) -> std::result::Result<PreparedDocument, ItemError> {
    let prefix = options
        .text_chunk_prefix
        .as_deref()
        .unwrap_or(&index.definition.chunk_prefix);
    let tensors = document
        .tensors
        .into_iter()
        .map(
            |plan| match existing.and_then(|e| e.reuse(&plan, &document.fields)) {
                Some(tensors) => Ok(PreparedTensor {
                    field: tensors.field,
                    kind: tensors.kind,
                    weights: tensors.weights,
                    chunks: tensors.chunks,
                    source: VectorSource::Ready(tensors.vectors),
                }),
                None => prepare_tensor(index, prefix, plan, texts),
            },
        )
        .collect::<std::result::Result<_, ItemError>>()
        .map_err(|error| ItemError {
            id: Some(document.id.clone()),
            ..error
        })?;
    Ok(PreparedDocument {
        id: document.id,
        fields: document.fields,
        tensors,
    })
}

fn prepare_tensor(
    index: &Index,
    prefix: &str,
    plan: TensorPlan,
    texts: &mut Texts,
) -> std::result::Result<PreparedTensor, ItemError> {
    let field = plan.field;
    Ok(match plan.content {
        TensorContent::Text(text) => {
            let chunks = chunk_within(&text, &index.definition.chunks, CHUNKS_PER_FIELD)
                .map_err(|e| ItemError::invalid(format!("Field {}: {e}", shown(&field))))?;
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
                .map(|(name, text, _)| format!("{}: {}", json_text(name), json_text(text)))
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

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The stored version of a document, for `useExistingTensors`.
struct Existing {
    fields: Vec<(String, String)>,
    tensors: Vec<FieldTensors>,
}

impl Existing {
    fn load(index: &Index, view: &pelorus_store::ReadView, id: &str) -> Result<Option<Self>> {
        let Some(doc) = view.doc_of(id)? else {
            return Ok(None);
        };
        let (Some(document), Some(tensors)) = (view.document(doc)?, view.tensors(doc)?) else {
            return Ok(None);
        };
        let document = StoredDocument::decode(&document)?;
        let fields = document
            .fields
            .iter()
            .map(|(name, json)| ((*name).to_owned(), (*json).to_owned()))
            .collect();
        let tensors = decode_tensors(&tensors, index.definition.dimensions)?;
        Ok(Some(Self { fields, tensors }))
    }

    /// The stored tensors of this field, where its content is exactly the same.
    fn reuse(&self, plan: &TensorPlan, fields: &[(String, String)]) -> Option<FieldTensors> {
        let stored = self.tensors.iter().find(|t| t.field == plan.field)?;
        let same = match &plan.content {
            TensorContent::Vector { .. } => false,
            TensorContent::Text(text) => {
                stored.kind != TensorKind::Multimodal
                    && text_of(&self.fields, &plan.field).as_ref() == Some(text)
            }
            TensorContent::Multimodal { weights, .. } => {
                stored.kind == TensorKind::Multimodal
                    && stored.weights == weights.to_json()
                    && self.same_parts(weights, fields)
            }
        };
        same.then(|| stored.clone())
    }

    fn same_parts(&self, weights: &Weights, fields: &[(String, String)]) -> bool {
        weights.0.iter().all(|(name, _)| {
            let new = text_of(fields, name);
            new.is_some() && new == text_of(&self.fields, name)
        })
    }
}

fn text_of(fields: &[(String, String)], name: &str) -> Option<String> {
    let (_, json) = fields.iter().find(|(field, _)| field == name)?;
    serde_json::from_str(json).ok()
}
