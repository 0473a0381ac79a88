//! What an index was created with, as far as the engine acts on it.

use std::collections::HashMap;

use pelorus_columns::{FieldKind, FieldSpec, Schema};
use pelorus_filter::listed;
use pelorus_hnsw::{HnswParams, Metric, NumericType};
use pelorus_text::{ChunkMethod, ChunkSpec};
use serde::Deserialize;

use crate::document::{Weights, check_field_name_length};
use crate::error::{EngineError, Result};

/// Most components of a vector.
const DIMENSIONS_MAX: usize = 4_096;

/// The stored definition: the public settings and what was resolved at creation.
#[derive(Debug, Deserialize)]
struct Stored {
    settings: Settings,
    resolved: Resolved,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    #[serde(rename = "type")]
    kind: String,
    model: String,
    #[serde(default = "yes")]
    normalize_embeddings: bool,
    text_preprocessing: TextPreprocessing,
    vector_numeric_type: Option<String>,
    ann_parameters: AnnParameters,
    filter_string_max_length: Option<i64>,
    treat_urls_and_pointers_as_images: Option<bool>,
    treat_urls_and_pointers_as_media: Option<bool>,
    collapse_fields: Option<Vec<CollapseField>>,
    all_fields: Option<Vec<StructuredField>>,
    tensor_fields: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextPreprocessing {
    split_length: usize,
    split_overlap: usize,
    split_method: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnnParameters {
    space_type: String,
    parameters: HnswParameters,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HnswParameters {
    ef_construction: usize,
    m: usize,
}

#[derive(Debug, Deserialize)]
struct CollapseField {
    name: String,
}

/// One declared field of a structured index.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StructuredField {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub features: Vec<String>,
    pub dependent_fields: Option<Weights>,
}

impl StructuredField {
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|f| f == feature)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resolved {
    dimensions: usize,
    #[serde(default)]
    text_chunk_prefix: Option<String>,
    #[serde(default = "yes")]
    embeds: bool,
}

fn yes() -> bool {
    true
}

/// Fields chosen as documents arrive, or declared at creation.
#[derive(Debug)]
pub(crate) enum IndexKind {
    Unstructured {
        filter_string_max_length: i64,
        collapse_field: Option<String>,
    },
    Structured(StructuredFields),
}

#[derive(Debug)]
pub(crate) struct StructuredFields {
    /// In the order of creation, as messages list them.
    pub fields: Vec<StructuredField>,
    pub by_name: HashMap<String, usize>,
    pub tensor_fields: Vec<String>,
}

impl StructuredFields {
    pub fn get(&self, name: &str) -> Option<&StructuredField> {
        self.by_name.get(name).map(|&at| &self.fields[at])
    }

    /// The names of the fields, for a message.
    pub fn names(&self) -> String {
        listed(self.fields.iter().map(|f| f.name.as_str()))
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

/// The definition of one index.
#[derive(Debug)]
pub(crate) struct Definition {
    pub index: String,
    pub kind: IndexKind,
    pub model: String,
    pub embeds: bool,
    pub dimensions: usize,
    pub normalize: bool,
    pub metric: Metric,
    pub numbers: NumericType,
    pub m: usize,
    pub ef_construction: usize,
    pub chunk_prefix: String,
    pub chunks: ChunkSpec,
    pub media_images: bool,
    pub media_all: bool,
}

impl Definition {
    /// Reads the JSON that `createIndex` was given.
    ///
    /// # Errors
    /// `invalid_argument` naming the member that cannot be read.
    pub fn parse(index: &str, json: &[u8]) -> Result<Self> {
        let stored: Stored = serde_json::from_slice(json)
            .map_err(|e| EngineError::invalid_argument(format!("index definition: {e}")))?;
        let Stored { settings, resolved } = stored;
        let kind = match settings.kind.as_str() {
            "structured" => structured(&settings),
            _ => IndexKind::Unstructured {
                filter_string_max_length: settings.filter_string_max_length.unwrap_or(50),
                collapse_field: settings
                    .collapse_fields
                    .as_ref()
                    .and_then(|fields| fields.first())
                    .map(|field| field.name.clone()),
            },
        };
        let invalid = |what: &str, value: &str| {
            EngineError::invalid_argument(format!("index definition: unknown {what} '{value}'"))
        };
        let space = &settings.ann_parameters.space_type;
        let metric = space.parse().map_err(|_| invalid("spaceType", space))?;
        let numbers = match &settings.vector_numeric_type {
            Some(name) => name
                .parse()
                .map_err(|_| invalid("vectorNumericType", name))?,
            None => NumericType::Float,
        };
        let split = &settings.text_preprocessing;
        let method: ChunkMethod = split
            .split_method
            .parse()
            .map_err(|_| invalid("splitMethod", &split.split_method))?;
        Ok(Self {
            index: index.to_owned(),
            kind,
            model: settings.model,
            embeds: resolved.embeds,
            dimensions: resolved.dimensions,
            normalize: settings.normalize_embeddings,
            metric,
            numbers,
            m: settings.ann_parameters.parameters.m,
            ef_construction: settings.ann_parameters.parameters.ef_construction,
            chunk_prefix: resolved.text_chunk_prefix.unwrap_or_default(),
            chunks: ChunkSpec::new(method, split.split_length, split.split_overlap)
                .map_err(|e| EngineError::invalid_argument(e.to_string()))?,
            media_images: settings.treat_urls_and_pointers_as_images.unwrap_or(false),
            media_all: settings.treat_urls_and_pointers_as_media.unwrap_or(false),
        })
    }

    /// Refuses what no index can be made with.
    ///
    /// # Errors
    /// `invalid_argument` with what was expected and what came.
    pub fn check(&self) -> Result<()> {
        self.check_dimensions()?;
        let names: Vec<&str> = match &self.kind {
            IndexKind::Structured(declared) => {
                declared.fields.iter().map(|f| f.name.as_str()).collect()
            }
            IndexKind::Unstructured { collapse_field, .. } => {
                collapse_field.as_deref().into_iter().collect()
            }
        };
        let checked = names.into_iter().try_for_each(check_field_name_length);
        checked.map_err(EngineError::invalid_argument)
    }

    fn check_dimensions(&self) -> Result<()> {
        let dimensions = self.dimensions;
        let expected = match self.metric {
            Metric::Geodegrees => 2..=2,
            _ => 1..=DIMENSIONS_MAX,
        };
        if expected.contains(&dimensions) {
            return Ok(());
        }
        Err(EngineError::invalid_argument(format!(
            "Vectors of spaceType {} have {} to {} dimensions, but those of model {} have {dimensions}",
            self.metric,
            expected.start(),
            expected.end(),
            self.model
        )))
    }

    /// How one tensor field's graph is built. The seed is fixed, so that a rebuild of the same
    /// vectors in the same order gives the same graph.
    pub fn hnsw_params(&self) -> HnswParams {
        HnswParams {
            dim: self.dimensions,
            metric: self.metric,
            numeric: self.numbers,
            // A node with one link would be a dead end, so the least that can be asked for is two.
            m: self.m.max(2),
            ef_construction: self.ef_construction,
            seed: 0x70e1_0515,
        }
    }

    /// The schema of the columns.
    pub fn columns_schema(&self) -> Schema {
        match &self.kind {
            IndexKind::Unstructured {
                filter_string_max_length,
                collapse_field,
            } => Schema::Unstructured {
                filter_string_max_length: *filter_string_max_length,
                collapse_field: collapse_field.clone(),
            },
            IndexKind::Structured(declared) => Schema::Structured {
                index: self.index.clone(),
                fields: declared.fields.iter().filter_map(field_spec).collect(),
            },
        }
    }

    pub fn structured(&self) -> Option<&StructuredFields> {
        match &self.kind {
            IndexKind::Structured(fields) => Some(fields),
            IndexKind::Unstructured { .. } => None,
        }
    }
}

fn structured(settings: &Settings) -> IndexKind {
    let fields = settings.all_fields.clone().unwrap_or_default();
    let by_name = fields
        .iter()
        .enumerate()
        .map(|(at, f)| (f.name.clone(), at))
        .collect();
    let tensor_fields = settings.tensor_fields.clone().unwrap_or_default();
    IndexKind::Structured(StructuredFields {
        fields,
        by_name,
        tensor_fields,
    })
}

fn field_spec(field: &StructuredField) -> Option<FieldSpec> {
    let kind = match field.kind.as_str() {
        "bool" => FieldKind::Bool,
        "int" => FieldKind::Int,
        "long" => FieldKind::Long,
        "float" => FieldKind::Float,
        "double" => FieldKind::Double,
        "array<text>" => FieldKind::TextArray,
        "array<int>" => FieldKind::IntArray,
        "array<long>" => FieldKind::LongArray,
        "array<float>" => FieldKind::FloatArray,
        "array<double>" => FieldKind::DoubleArray,
        "map<text, int>" => FieldKind::IntMap,
        "map<text, long>" => FieldKind::LongMap,
        "map<text, float>" => FieldKind::FloatMap,
        "map<text, double>" => FieldKind::DoubleMap,
        "custom_vector" => FieldKind::CustomVector,
        "multimodal_combination" => return None,
        // text and the pointer types: a string either way.
        _ => FieldKind::Text,
    };
    Some(FieldSpec {
        name: field.name.clone(),
        kind,
        filter: field.has("filter"),
        score_modifier: field.has("score_modifier"),
    })
}
