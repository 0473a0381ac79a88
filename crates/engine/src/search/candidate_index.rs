//! An index that is kept elsewhere, as far as its searches know it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pelorus_columns::{HeldValues, TypedFilter, TypedRules, Warning};
use pelorus_documents::{EXPIRES_AT, IndexKind};
use pelorus_filter::Filter;
use pelorus_hnsw::Metric;
use pelorus_lexical::{FieldAnalysis, TextFields};

use super::check::{KnownFields, check_contains};
use crate::error::{EngineError, FilterError, Result, SearchError};
use crate::generated::EngineOptions;
use crate::index::definition::Definition;

/// An index that is kept elsewhere: its definition, and the fields that its documents have ever had.
#[derive(Debug)]
pub struct CandidateIndex {
    pub(crate) definition: Definition,
    pub(super) options: EngineOptions,
    fields: CandidateFields,
}

/// The fields that documents of an index have ever had.
#[derive(Debug, Clone, Default)]
pub struct CandidateFields {
    /// Text fields, with the analyses that their texts had.
    pub text: TextFields,
    /// The analyses of those for which a request has set one.
    pub analyses: Arc<HashMap<String, FieldAnalysis>>,
    /// Tensor fields.
    pub tensor: Vec<String>,
    /// The kinds of values that columns have had; filters of other columns are not checked by their values.
    pub held: Arc<BTreeMap<String, HeldValues>>,
    /// The number of columns from which on further ones are not in `held`.
    pub held_max: usize,
    /// Tells whether documents have their points and sparse vectors in a form that areas and inner products are told by.
    pub has_packed: bool,
}

impl CandidateIndex {
    /// The index `name` by its stored definition and the engine's options, both JSON.
    ///
    /// # Errors
    /// `invalid_argument` for one of these that cannot be read.
    pub fn new(
        name: &str,
        definition: &[u8],
        options: &[u8],
        fields: CandidateFields,
    ) -> Result<Self> {
        Ok(Self {
            definition: Definition::parse(name, definition)?,
            options: serde_json::from_slice(options)
                .map_err(|error| EngineError::request("engine options", error))?,
            fields,
        })
    }

    pub fn text_fields(&self) -> &TextFields {
        &self.fields.text
    }

    /// The analyses of text fields for which a request has set one.
    pub fn analyses(&self) -> Arc<HashMap<String, FieldAnalysis>> {
        self.fields.analyses.clone()
    }

    pub fn tensor_fields(&self) -> &[String] {
        &self.fields.tensor
    }

    /// The form of a filter that compares typed values.
    ///
    /// # Errors
    /// For a term that the index cannot be asked, or that can match nothing and means something else.
    pub fn typed_filter(&self, filter: &Filter) -> Result<TypedFilter> {
        if filter.area_field().is_some() {
            self.check_packed("the places that WITHIN asks for")?;
        }
        let rules = TypedRules::new(self.definition.columns_schema());
        let held = |field: &str| self.fields.held.get(field).copied();
        let has_texts = |field: &str| self.has_lexical_field(field);
        let checked = rules.check(filter, &held, &has_texts);
        let typed = checked.and_then(|()| rules.filter(filter));
        Ok(typed.map_err(FilterError::Columns)?)
    }

    /// Refuses to ask for a part of documents that an index of an earlier version does not have.
    ///
    /// # Errors
    /// `invalid_argument`.
    pub fn check_packed(&self, lacks: &'static str) -> Result<()> {
        match self.fields.has_packed {
            true => Ok(()),
            false => Err(SearchError::MadeBefore {
                index: self.definition.documents.index.clone(),
                lacks,
            }
            .into()),
        }
    }

    /// The warnings about terms that can match nothing, of a filter that has passed its check.
    pub(super) fn filter_warnings(&self, filter: &Filter) -> Vec<Warning> {
        let columns = &self.fields.held;
        let is_full = columns.len() >= self.fields.held_max;
        // No column is noted of texts that are too long for filters.
        let is_incomparable = |field: &str| {
            self.definition.structured().is_none() && !is_full && self.has_lexical_field(field)
        };
        let held = |field: &str| {
            let incomparable = || is_incomparable(field).then(HeldValues::default);
            columns.get(field).copied().or_else(incomparable)
        };
        let is_known =
            |field: &str| field == EXPIRES_AT || is_full || self.has_lexical_field(field);
        let rules = TypedRules::new(self.definition.columns_schema());
        rules.warnings(filter, &held, &is_known)
    }

    /// Checks that CONTAINS may look into a field.
    ///
    /// # Errors
    /// For a structured index, and a field that no document has had.
    pub fn check_contains(&self, field: &str) -> Result<()> {
        Ok(check_contains(self, field)?)
    }

    pub fn metric(&self) -> Metric {
        self.definition.metric
    }

    /// Components of a vector.
    pub fn dimensions(&self) -> usize {
        self.definition.documents.dimensions
    }
}

impl KnownFields for CandidateIndex {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn has_tensor_field(&self, name: &str) -> bool {
        let names = match self.definition.structured() {
            Some(declared) => &declared.tensor_fields,
            None => &self.fields.tensor,
        };
        names.iter().any(|field| field == name)
    }

    fn tensor_field_names(&self) -> Vec<String> {
        match &self.definition.documents.kind {
            IndexKind::Structured(declared) => declared.tensor_fields.clone(),
            IndexKind::Unstructured { .. } => self.fields.tensor.clone(),
        }
    }

    fn has_lexical_field(&self, name: &str) -> bool {
        match self.definition.structured() {
            Some(declared) => declared
                .get(name)
                .is_some_and(|field| field.has("lexical_search")),
            None => self.fields.text.has(name),
        }
    }

    fn lexical_field_names(&self) -> Vec<String> {
        match &self.definition.documents.kind {
            IndexKind::Structured(declared) => declared.lexical_field_names(),
            IndexKind::Unstructured { .. } => self.texts_had(),
        }
    }

    fn texts_had(&self) -> Vec<String> {
        let mut names = self.fields.text.names().to_vec();
        names.sort_unstable();
        names
    }
}
