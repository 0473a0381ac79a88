//! One document of ours as one of the cluster's, in JSON.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_columns::{TypedRules, composed};
use pelorus_documents::{FieldTensors, IndexedValues, ReadyDocument, TensorKind};
use pelorus_lexical::{FieldAnalysis, PlaceAnalyzer};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::layout::{chunks_path, path_part};
use crate::value_terms::{id_term, value_terms};

/// Stands between the forms of a word that share a place; the analyzer of the mapping takes them apart.
const FORM_SEPARATOR: char = '\u{1}';

/// Writes documents into bulk bodies. Each thread uses its own.
pub struct DocumentWriter<'a> {
    rules: &'a TypedRules,
    analyses: &'a HashMap<String, FieldAnalysis>,
    places: PlaceAnalyzer,
}

/// The fields of an index that `layout` names.
#[derive(Serialize)]
struct Source<'a> {
    id: &'a str,
    stored: String,
    values: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
    sources: Vec<TensorSource<'a>>,
    #[serde(flatten)]
    chunks: BTreeMap<String, Vec<Chunk<'a>>>,
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
    /// A writer for documents of one index. `analyses` are those of fields for which a request has set one.
    pub fn new(rules: &'a TypedRules, analyses: &'a HashMap<String, FieldAnalysis>) -> Self {
        Self {
            rules,
            analyses,
            places: PlaceAnalyzer::default(),
        }
    }

    /// Appends the two lines by which a bulk body stores a document in the place of the one with its id.
    pub fn write(&mut self, document: &ReadyDocument, body: &mut Vec<u8>) {
        #[derive(Serialize)]
        struct Index<'a> {
            _id: &'a str,
        }
        #[derive(Serialize)]
        struct Action<'a> {
            index: Index<'a>,
        }
        let mut values = vec![id_term(&composed(&document.id))];
        values.extend(value_terms(&self.rules.values(&document.values.columns)));
        let source = Source {
            id: &document.id,
            stored: STANDARD.encode(&document.document),
            values,
            words: self.words(&document.values),
            sources: document.tensors.iter().map(TensorSource::of).collect(),
            chunks: document.tensors.iter().map(chunks).collect(),
        };
        let key = key(&document.id);
        let index = Index { _id: &key };
        write_line(body, &Action { index });
        write_line(body, &source);
    }

    fn words(&mut self, values: &IndexedValues) -> BTreeMap<String, Vec<String>> {
        let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (field, text) in &values.lexical {
            let analysis = self.analyses.get(field).copied().unwrap_or_default();
            let mut tokens = String::with_capacity(text.len());
            self.places.for_each_token(text, analysis, |token, begins| {
                if !tokens.is_empty() {
                    tokens.push(if begins { ' ' } else { FORM_SEPARATOR });
                }
                tokens.push_str(token);
            });
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

fn write_line(body: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *body, line)
        .expect("texts and finite numbers serialise into memory");
    body.push(b'\n');
}
