//! The definition of an index, as far as the engine acts on it.

use pelorus_columns::{Columns, FieldKind, FieldSpec, Fold, Schema};
use pelorus_documents::{
    DocumentSchema, IndexKind, StructuredField, StructuredFields, check_field_name_length,
};
use pelorus_hnsw::{HnswParams, Metric, NumericType};
use pelorus_lexical::{Segmentation, fold_text};
use pelorus_text::{ChunkMethod, ChunkSpec, SentenceRule};
use serde::Deserialize;

use crate::error::{DefinitionError, EngineError};
use crate::generated::ResolvedSettings;

/// Most components of a vector.
const DIMENSIONS_MAX: usize = 4_096;

/// The stored definition: the public settings and those that were resolved at creation.
#[derive(Debug, Deserialize)]
struct Stored {
    settings: Settings,
    resolved: ResolvedSettings,
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
    text_segmentation: Option<String>,
    filter_folding: Option<String>,
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

fn yes() -> bool {
    true
}

/// The definition of one index.
#[derive(Debug, PartialEq)]
pub struct Definition {
    /// The rules for its documents, and their treatment.
    pub documents: DocumentSchema,
    pub metric: Metric,
    pub m: usize,
    pub ef_construction: usize,
    /// The cut of texts in scripts without blanks, for searches by words.
    pub segmentation: Segmentation,
    /// Tells whether filters and facets take texts for one that differ in accents, as words do, and not in case alone.
    pub folds_accents: bool,
    /// Requests say which prefix their chunks have. It is only compared: chunks embedded with another would not be
    /// like those that are stored.
    chunk_prefix: String,
}

impl Definition {
    /// Reads the JSON that `createIndex` was given.
    ///
    /// # Errors
    /// `invalid_argument` naming the member that cannot be read.
    pub fn parse(index: &str, json: &[u8]) -> Result<Self, EngineError> {
        let stored: Stored = serde_json::from_slice(json)
            .map_err(|error| EngineError::request("index definition", error))?;
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
        let unknown = |member, value: &str| DefinitionError::UnknownValue {
            member,
            value: value.to_owned(),
        };
        let space = &settings.ann_parameters.space_type;
        let metric: Metric = space.parse().map_err(|_| unknown("spaceType", space))?;
        let numbers = match &settings.vector_numeric_type {
            Some(name) => name
                .parse()
                .map_err(|_| unknown("vectorNumericType", name))?,
            None => NumericType::Float,
        };
        let segmentation = match &settings.text_segmentation {
            Some(name) => {
                Segmentation::from_name(name).ok_or_else(|| unknown("textSegmentation", name))?
            }
            None => Segmentation::Pairs,
        };
        let folds_accents = match settings.filter_folding.as_deref() {
            None | Some("case") => false,
            Some("caseAndAccents") => true,
            Some(other) => return Err(unknown("filterFolding", other).into()),
        };
        let split = &settings.text_preprocessing;
        let method: ChunkMethod = split
            .split_method
            .parse()
            .map_err(|_| unknown("splitMethod", &split.split_method))?;
        Ok(Self {
            metric,
            m: settings.ann_parameters.parameters.m,
            ef_construction: settings.ann_parameters.parameters.ef_construction,
            segmentation,
            folds_accents,
            chunk_prefix: resolved.text_chunk_prefix,
            documents: DocumentSchema {
                index: index.to_owned(),
                kind,
                model: settings.model,
                embeds: resolved.embeds,
                dimensions: resolved.dimensions,
                normalize: settings.normalize_embeddings,
                refuses_zero_vectors: metric == Metric::Angular,
                numbers,
                chunks: ChunkSpec::new(method, split.split_length, split.split_overlap)
                    .map_err(DefinitionError::Chunks)?
                    .with_sentences(match resolved.chunks_every_script {
                        true => SentenceRule::EveryScript,
                        false => SentenceRule::English,
                    }),
                media_images: settings.treat_urls_and_pointers_as_images.unwrap_or(false),
                media_all: settings.treat_urls_and_pointers_as_media.unwrap_or(false),
            },
        })
    }

    /// Refuses settings that no index can be made with.
    ///
    /// # Errors
    /// An error of the definition, with the expected and the received value.
    pub fn check(&self) -> Result<(), DefinitionError> {
        self.check_dimensions()?;
        let names: Vec<&str> = match &self.documents.kind {
            IndexKind::Structured(declared) => {
                declared.fields.iter().map(|f| f.name.as_str()).collect()
            }
            IndexKind::Unstructured { collapse_field, .. } => {
                collapse_field.as_deref().into_iter().collect()
            }
        };
        let checked = names.into_iter().try_for_each(check_field_name_length);
        checked.map_err(DefinitionError::FieldName)
    }

    /// Refuses to take the place of `other` where that would change the engine's work.
    ///
    /// # Errors
    /// [`DefinitionError::OtherIndex`].
    pub fn check_replaces(&self, other: &Self) -> Result<(), DefinitionError> {
        match self == other {
            true => Ok(()),
            false => Err(DefinitionError::OtherIndex {
                index: other.documents.index.clone(),
            }),
        }
    }

    fn check_dimensions(&self) -> Result<(), DefinitionError> {
        let dimensions = self.documents.dimensions;
        let expected = match self.metric {
            Metric::Geodegrees => 2..=2,
            _ => 1..=DIMENSIONS_MAX,
        };
        if expected.contains(&dimensions) {
            return Ok(());
        }
        Err(DefinitionError::Dimensions {
            metric: self.metric,
            expected,
            model: self.documents.model.clone(),
            received: dimensions,
        })
    }

    /// The parameters by which one tensor field's graph is built. The seed is fixed, so that a
    /// rebuild of the same vectors in the same order gives the same graph.
    pub fn hnsw_params(&self) -> HnswParams {
        HnswParams {
            dim: self.documents.dimensions,
            metric: self.metric,
            numeric: self.documents.numbers,
            // A node with one link would be a dead end, so the least that can be asked for is two.
            m: self.m.max(2),
            ef_construction: self.ef_construction,
            seed: 0x70e1_0515,
        }
    }

    /// Columns of the index, empty still.
    pub fn columns(&self) -> Columns {
        let columns = Columns::new(self.columns_schema());
        match self.fold() {
            Some(fold) => columns.with_fold(fold),
            None => columns,
        }
    }

    /// The form by which filters and facets compare texts, where that is not case alone.
    pub fn fold(&self) -> Option<Fold> {
        self.folds_accents.then_some(fold_text)
    }

    /// The schema of the columns.
    pub fn columns_schema(&self) -> Schema {
        match &self.documents.kind {
            IndexKind::Unstructured {
                filter_string_max_length,
                collapse_field,
            } => Schema::Unstructured {
                filter_string_max_length: *filter_string_max_length,
                collapse_field: collapse_field.clone(),
            },
            IndexKind::Structured(declared) => Schema::Structured {
                index: self.documents.index.clone(),
                fields: declared.fields.iter().filter_map(field_spec).collect(),
            },
        }
    }

    /// The declared fields, of an index that has such.
    pub fn structured(&self) -> Option<&StructuredFields> {
        self.documents.structured()
    }
}

fn structured(settings: &Settings) -> IndexKind {
    let fields = settings.all_fields.clone().unwrap_or_default();
    let tensor_fields = settings.tensor_fields.clone().unwrap_or_default();
    IndexKind::Structured(StructuredFields::new(fields, tensor_fields))
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
        "geo_point" => FieldKind::GeoPoint,
        "sparse_vector" => FieldKind::SparseVector,
        "multi_vector" => FieldKind::MultiVector,
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parsed(resolved: &Value) -> Result<Definition, EngineError> {
        let settings = json!({
            "type": "unstructured", "model": "m",
            "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
            "annParameters": {"spaceType": "dotproduct", "parameters": {"efConstruction": 8, "m": 4}},
        });
        let definition = json!({"settings": settings, "resolved": resolved});
        Definition::parse("a", definition.to_string().as_bytes())
    }

    #[test]
    fn facts_that_earlier_and_later_versions_stored_are_read() {
        let early =
            parsed(&json!({"dimensions": 3})).expect("what was not known yet has a default");
        assert!(early.documents.embeds);
        let late = json!({
            "dimensions": 3, "textQueryPrefix": "", "textChunkPrefix": "", "embeds": true,
            "chunksEveryScript": false, "createdAt": "", "modelKey": "", "notYetKnown": {"a": 1},
        });
        let late = parsed(&late).expect("what is not known here is passed over");
        assert_eq!(late, early);
    }

    #[test]
    fn a_definition_without_dimensions_is_refused() {
        let error = parsed(&json!({"embeds": true})).expect_err("vectors need a length");
        assert!(error.to_string().contains("dimensions"), "{error}");
    }
}
