//! The rules of an index for its documents.

use std::collections::HashMap;

use pelorus_embed::Medium;
use pelorus_excerpt::joined_truncated;
use pelorus_hnsw::NumericType;
use pelorus_text::ChunkSpec;
use serde::Deserialize;

use crate::options::Weights;

/// One declared field of a structured index.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StructuredField {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub features: Vec<String>,
    pub dependent_fields: Option<Weights>,
    /// Numbers of each vector, of a field that holds many.
    #[serde(default)]
    pub dimensions: Option<usize>,
}

impl StructuredField {
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|f| f == feature)
    }

    /// The medium that its value points to; none for a field that points to nothing.
    pub fn medium(&self) -> Option<Medium> {
        match self.kind.as_str() {
            "image_pointer" => Some(Medium::Image),
            "video_pointer" => Some(Medium::Video),
            "audio_pointer" => Some(Medium::Audio),
            _ => None,
        }
    }
}

/// Fields chosen as documents arrive, or declared at creation.
#[derive(Debug, PartialEq)]
pub enum IndexKind {
    Unstructured {
        filter_string_max_length: i64,
        collapse_field: Option<String>,
    },
    Structured(StructuredFields),
}

#[derive(Debug, PartialEq)]
pub struct StructuredFields {
    /// In the order of creation, as messages list them.
    pub fields: Vec<StructuredField>,
    by_name: HashMap<String, usize>,
    pub tensor_fields: Vec<String>,
}

impl StructuredFields {
    pub fn new(fields: Vec<StructuredField>, tensor_fields: Vec<String>) -> Self {
        let by_name = fields
            .iter()
            .enumerate()
            .map(|(at, f)| (f.name.clone(), at))
            .collect();
        Self {
            fields,
            by_name,
            tensor_fields,
        }
    }

    pub fn get(&self, name: &str) -> Option<&StructuredField> {
        self.by_name.get(name).map(|&at| &self.fields[at])
    }

    /// The fields that lexical search may use.
    pub fn lexical_field_names(&self) -> Vec<String> {
        let fields = self.fields.iter();
        let fields = fields.filter(|field| field.has("lexical_search"));
        fields.map(|field| field.name.clone()).collect()
    }

    /// The names of the fields, for a message.
    pub fn names(&self) -> String {
        joined_truncated(self.fields.iter().map(|f| f.name.as_str()))
    }

    /// The multimodal field that weighs `name`, if any does.
    pub fn is_dependent(&self, name: &str) -> bool {
        self.fields.iter().any(|f| {
            f.dependent_fields
                .as_ref()
                .is_some_and(|weights| weights.get(name).is_some())
        })
    }
}

/// The rules of an index for its documents, and their treatment.
#[derive(Debug, PartialEq)]
pub struct DocumentSchema {
    /// The index's name, for messages.
    pub index: String,
    pub kind: IndexKind,
    /// The model's name, for messages.
    pub model: String,
    /// Tells whether the model can embed at all.
    pub embeds: bool,
    pub dimensions: usize,
    /// Tells whether vectors are brought to unit length.
    pub normalize: bool,
    /// Tells whether the distance of vectors has no meaning for one that is all zeros.
    pub refuses_zero_vectors: bool,
    /// The type of a stored vector's numbers.
    pub numbers: NumericType,
    pub chunks: ChunkSpec,
    /// Takes URLs of pictures for the pictures.
    pub media_images: bool,
    /// Takes URLs of films and sounds for those too.
    pub media_all: bool,
}

impl DocumentSchema {
    /// The declared fields, of an index that has such.
    pub fn structured(&self) -> Option<&StructuredFields> {
        match &self.kind {
            IndexKind::Structured(fields) => Some(fields),
            IndexKind::Unstructured { .. } => None,
        }
    }

    /// The field that groups the documents, where one does.
    pub fn collapse_field(&self) -> Option<&str> {
        match &self.kind {
            IndexKind::Unstructured { collapse_field, .. } => collapse_field.as_deref(),
            IndexKind::Structured(_) => None,
        }
    }
}
