//! One document of ours as one of the cluster's, in JSON.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_columns::{FieldValue, TypedRules, composed};
use pelorus_documents::{
    EXPIRES_AT, FieldTensors, IndexedValues, ItemError, ReadyDocument, TensorKind,
};
use pelorus_engine::elsewhere::TextSettings;
use pelorus_lexical::PlaceAnalyzer;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::facts::Facts;
use crate::layout::{chunks_path, path_part};
use crate::packed::PackedValues;
use crate::value_terms::{id_term, value_terms};

/// Stands between the forms of a word that share a place; the analyzer of the mapping takes them apart.
const FORM_SEPARATOR: char = '\u{1}';

/// Writes documents as actions of bulk bodies. Each thread uses its own.
pub struct DocumentWriter<'a> {
    rules: &'a TypedRules,
    /// Those of the index, and of the documents that were written.
    pub facts: Facts,
    places: PlaceAnalyzer,
}

/// The first line of an action.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Action<'a> {
    Index { _id: &'a str },
    Create { _id: &'a str },
    Delete { _id: &'a str },
}

/// Refuses a document that says from when it is gone: the cluster would show it for ever.
pub(crate) fn check_never_expires(id: &str, values: &IndexedValues) -> Result<(), ItemError> {
    match values.expires_at {
        None => Ok(()),
        Some(_) => Err(ItemError::invalid(format!(
            "{EXPIRES_AT} is not for documents of an index on a cluster, which would show them for ever"
        ))
        .of(id.to_owned())),
    }
}

/// Returns the line by which a bulk body deletes the document with an id.
pub(crate) fn deletion(id: &str) -> Vec<u8> {
    let mut line = Vec::new();
    write_line(&mut line, &Action::Delete { _id: &key(id) });
    line
}

/// The fields of an index that `layout` names.
#[derive(Serialize)]
struct Source<'a> {
    id: &'a str,
    stored: String,
    values: Vec<String>,
    #[serde(flatten)]
    packed: PackedValues,
    words: BTreeMap<String, Vec<String>>,
    sources: Vec<TensorSource<'a>>,
    #[serde(flatten)]
    chunks: BTreeMap<String, Vec<Chunk<'a>>>,
}

/// A change of a document's tensors by an update.
#[derive(Serialize)]
pub(crate) struct TensorChange<'a> {
    /// Those of all tensor fields.
    sources: Vec<TensorSource<'a>>,
    /// Nested fields that end.
    removed: Vec<String>,
    chunks: BTreeMap<String, Vec<Chunk<'a>>>,
}

impl<'a> TensorChange<'a> {
    /// The tensors of the first `kept` fields stay as they are, `removed` are fields that may have had others.
    pub fn of(tensors: &'a [FieldTensors], kept: usize, removed: &[String]) -> Self {
        Self {
            sources: tensors.iter().map(TensorSource::of).collect(),
            removed: removed.iter().map(|field| chunks_path(field)).collect(),
            chunks: tensors[kept..].iter().map(chunks).collect(),
        }
    }
}

#[derive(Serialize)]
struct Chunk<'a> {
    text: &'a str,
    vector: &'a [f32],
}

#[derive(Serialize)]
struct TensorSource<'a> {
    field: &'a str,
    kind: &'static str,
    weights: &'a str,
}

impl<'a> DocumentWriter<'a> {
    /// A writer for documents of an index with these facts.
    pub fn new(rules: &'a TypedRules, facts: Facts) -> Self {
        Self {
            rules,
            facts,
            places: PlaceAnalyzer::default(),
        }
    }

    /// Returns the two lines by which a bulk body stores a document in the place of the one with its id.
    pub fn write(&mut self, document: &ReadyDocument) -> Vec<u8> {
        let key = key(&document.id);
        self.lines(&Action::Index { _id: &key }, document)
    }

    /// Returns the two lines by which a bulk body stores a document unless there is one with its id.
    pub fn create(&mut self, document: &ReadyDocument) -> Vec<u8> {
        let key = key(&document.id);
        self.lines(&Action::Create { _id: &key }, document)
    }

    fn lines(&mut self, action: &Action<'_>, document: &ReadyDocument) -> Vec<u8> {
        self.note(&document.values, &document.tensors);
        let (values, packed) = self.values(&document.id, &document.values);
        let source = Source {
            id: &document.id,
            stored: stored_text(&document.document),
            values,
            packed,
            words: self.words(&document.values),
            sources: document.tensors.iter().map(TensorSource::of).collect(),
            chunks: document.tensors.iter().map(chunks).collect(),
        };
        let mut lines = Vec::new();
        write_line(&mut lines, action);
        write_line(&mut lines, &source);
        lines
    }

    /// Takes in the fields of a document.
    pub(crate) fn note(&mut self, values: &IndexedValues, tensors: &[FieldTensors]) {
        for (field, _) in &values.lexical {
            self.facts.add_text(field, TextSettings::default);
        }
        for tensor in tensors {
            self.facts.add_tensor(&tensor.field);
        }
        for (field, value) in &values.columns {
            if matches!(value, FieldValue::TextList(_)) {
                self.facts.add_text_list(field);
            }
        }
        for (column, held) in self.rules.held(&values.columns) {
            self.facts.add_held(column, held);
        }
    }

    /// The terms of a document's id and values, and those of the values that scripts read.
    pub(crate) fn values(&self, id: &str, values: &IndexedValues) -> (Vec<String>, PackedValues) {
        let values = self.rules.values(&values.columns);
        let mut terms = vec![id_term(&composed(id))];
        terms.extend(value_terms(&values));
        let packed = match self.facts.has_packed() {
            true => PackedValues::of(&values),
            false => PackedValues::default(),
        };
        (terms, packed)
    }

    /// The tokens of a document's texts, by the fields within `words`.
    pub(crate) fn words(&mut self, values: &IndexedValues) -> BTreeMap<String, Vec<String>> {
        let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (field, text) in &values.lexical {
            let analysis = self.facts.analysis(field);
            let mut tokens = String::with_capacity(text.len());
            let number = self.places.for_each_token(text, analysis, |token, begins| {
                if !tokens.is_empty() {
                    tokens.push(if begins { ' ' } else { FORM_SEPARATOR });
                }
                tokens.push_str(token);
            });
            self.facts.add_analysis(field, number);
            words.entry(path_part(field)).or_default().push(tokens);
        }
        words
    }
}

impl<'a> TensorSource<'a> {
    fn of(tensor: &'a FieldTensors) -> Self {
        Self {
            field: &tensor.field,
            kind: kind_name(tensor.kind),
            weights: &tensor.weights,
        }
    }
}

/// The chunks of a tensor field, with the name of their nested field.
fn chunks(tensor: &FieldTensors) -> (String, Vec<Chunk<'_>>) {
    let dimensions = tensor.vectors.len().checked_div(tensor.chunks.len());
    let rows = tensor.vectors.chunks_exact(dimensions.unwrap_or(0).max(1));
    let chunks = tensor.chunks.iter().zip(rows);
    let chunks = chunks.map(|(text, vector)| Chunk { text, vector });
    (chunks_path(&tensor.field), chunks.collect())
}

pub(crate) fn kind_name(kind: TensorKind) -> &'static str {
    match kind {
        TensorKind::Text => "text",
        TensorKind::Vector => "vector",
        TensorKind::Multimodal => "multimodal",
    }
}

/// Longest id that is a key of its own, in bytes; theirs end at 512.
const KEY_BYTES_MAX: usize = 500;

/// The `_id` of a document: its composed id behind an `i`, or the SHA-256 of a long one behind an `h`.
pub fn key(id: &str) -> String {
    let id = composed(id);
    if id.len() <= KEY_BYTES_MAX {
        return format!("i{id}");
    }
    let hash = Sha256::digest(id.as_bytes());
    let digits = hash.iter().map(|byte| format!("{byte:02x}"));
    format!("h{}", digits.collect::<String>())
}

/// A stored form as the cluster keeps it.
pub(crate) fn stored_text(document: &[u8]) -> String {
    STANDARD.encode(document)
}

pub(crate) fn write_line(body: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *body, line)
        .expect("texts and finite numbers serialise into memory");
    body.push(b'\n');
}
