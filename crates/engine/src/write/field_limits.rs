//! Bounds on the fields that documents may add to an index as a whole.

use std::collections::HashSet;

use pelorus_columns::FieldValue;
use pelorus_documents::{FieldTensors, IndexedValues, ItemError, KnownFields};
use pelorus_excerpt::truncated;

use crate::generated::EngineOptions;
use crate::index::Index;
use crate::index::definition::Definition;
use crate::write::job::Put;

/// Most columns of one index, maps and each of their entries counted. A column costs memory even when
/// a single document has a value, so names that are really values (`price_12345`) must not pile up.
const COLUMNS_MAX: usize = 10_000;

/// Most text fields of any index: the postings number them, and have numbers for a few more.
const TEXT_FIELDS_MAX: usize = 50_000;

/// The columns that documents of an index have.
pub trait KnownColumns {
    fn count(&self) -> usize;
    /// Tells whether a field, or a map's entry as `map.key`, has a column.
    fn has_field(&self, field: &str) -> bool;
    /// Tells whether some document has a list of texts in a field.
    fn has_text_lists(&self, field: &str) -> bool;
    /// Tells whether some document has a geo point in a field.
    fn has_points(&self, field: &str) -> bool;
}

impl KnownColumns for &Index {
    fn count(&self) -> usize {
        self.columns.read().field_count()
    }

    fn has_field(&self, field: &str) -> bool {
        self.columns.read().has_field(field)
    }

    fn has_text_lists(&self, field: &str) -> bool {
        self.columns.read().has_text_lists(field)
    }

    fn has_points(&self, field: &str) -> bool {
        self.columns.read().has_points(field)
    }
}

/// The number of fields that an index may have, and those it has, with the fields that the
/// documents of one group that were taken in so far add to them.
pub struct FieldLimits<'a, C> {
    index: &'a str,
    known: C,
    columns: usize,
    new_columns: HashSet<String>,
    new_text_lists: HashSet<String>,
    new_points: HashSet<String>,
    text_fields: Fields<'a>,
    tensor_fields: Fields<'a>,
}

/// The fields of one kind that an index has, those of the documents taken in so far among them.
struct Fields<'a> {
    names: HashSet<String>,
    most: usize,
    /// The name of fields of this kind, and the setting that bounds how many there are.
    kind: &'static str,
    setting: Option<&'a str>,
}

impl Fields<'_> {
    /// The names among `wanted` that are new, or why the index takes no more.
    fn new_among<'d>(
        &self,
        index: &str,
        wanted: impl Iterator<Item = &'d str>,
    ) -> Result<Vec<&'d str>, ItemError> {
        let mut new: Vec<&str> = wanted.filter(|name| !self.names.contains(*name)).collect();
        new.sort_unstable();
        new.dedup();
        let Some(field) = new.get(self.most.saturating_sub(self.names.len())) else {
            return Ok(new);
        };
        let kind = self.kind;
        let advice = self
            .setting
            .map(|name| format!(" Please set a larger limit in {name} environment variable."));
        Err(ItemError {
            id: None,
            code: "bad_request",
            message: format!(
                "Index {index} has {} {kind} fields. Your request to add {} as a {kind} field is rejected since it exceeds the limit of {}.{}",
                self.names.len(),
                truncated(field),
                self.most,
                advice.unwrap_or_default()
            ),
        })
    }

    fn extend(&mut self, new: &[&str]) {
        self.names.extend(new.iter().map(|name| (*name).to_owned()));
    }
}

impl<'a> FieldLimits<'a, &'a Index> {
    pub(crate) fn new(index: &'a Index) -> Self {
        let seen = index.fields.seen.load();
        let text_fields = seen.with_lexical_fields(index.lexical.fields());
        let tensor_fields = seen.with_tensor_fields(index.vectors.names());
        let (definition, limits) = (&index.definition, index.limits());
        Self::of(definition, limits, index, text_fields, tensor_fields)
    }

    /// Takes in the fields of a document that is stored, or says which bound it would break.
    pub(crate) fn admit(&mut self, put: &Put) -> Result<(), ItemError> {
        match put {
            Put::Document(document) => {
                self.admit_values(&document.id, &document.values, &document.tensors)
            }
            Put::Revision(revision) => self.admit_values(&revision.id, &revision.values, &[]),
            Put::Update(_) | Put::Unchanged(_) => Ok(()),
        }
    }
}

impl<'a, C: KnownColumns> FieldLimits<'a, C> {
    /// Those of an index that has had such fields.
    pub fn of(
        definition: &'a Definition,
        limits: &'a EngineOptions,
        known: C,
        text_fields: impl IntoIterator<Item = String>,
        tensor_fields: impl IntoIterator<Item = String>,
    ) -> Self {
        let bound = |most| match definition.structured() {
            None => most,
            // Its fields were counted when it was made.
            Some(_) => usize::MAX,
        };
        Self {
            index: &definition.documents.index,
            columns: known.count(),
            known,
            new_columns: HashSet::new(),
            new_text_lists: HashSet::new(),
            new_points: HashSet::new(),
            text_fields: Fields {
                names: text_fields.into_iter().collect(),
                most: bound(limits.lexical_fields_max.min(TEXT_FIELDS_MAX)),
                kind: "lexical",
                setting: limits.lexical_fields_setting.as_deref(),
            },
            tensor_fields: Fields {
                names: tensor_fields.into_iter().collect(),
                most: bound(limits.tensor_fields_max),
                kind: "tensor",
                setting: limits.tensor_fields_setting.as_deref(),
            },
        }
    }

    /// Takes in the fields of a document that is stored, or says which bound it would break.
    ///
    /// # Errors
    /// The error of the document.
    pub fn admit_values(
        &mut self,
        id: &str,
        values: &IndexedValues,
        tensors: &[FieldTensors],
    ) -> Result<(), ItemError> {
        let refuse = |error: ItemError| error.of(id.to_owned());
        let name = self.index;
        let texts = values.lexical.iter();
        let texts = texts.map(|(field, _)| field.as_str());
        let text_fields = self.text_fields.new_among(name, texts).map_err(refuse)?;
        let tensors = tensors.iter().map(|tensor| tensor.field.as_str());
        let tensor_fields = self
            .tensor_fields
            .new_among(name, tensors)
            .map_err(refuse)?;
        let new_columns = self.new_columns_of(values);
        let total = self.columns + self.new_columns.len() + new_columns.len();
        if total > COLUMNS_MAX {
            return Err(refuse(ItemError::invalid(format!(
                "Index {name} holds at most {COLUMNS_MAX} distinct fields, maps and each of their entries counted; with this document there would be {total}"
            ))));
        }
        self.text_fields.extend(&text_fields);
        self.tensor_fields.extend(&tensor_fields);
        self.new_columns.extend(new_columns);
        for (field, value) in &values.columns {
            match value {
                FieldValue::TextList(_) => self.new_text_lists.insert(field.clone()),
                FieldValue::Point(_) => self.new_points.insert(field.clone()),
                _ => false,
            };
        }
        Ok(())
    }

    fn new_columns_of(&self, values: &IndexedValues) -> HashSet<String> {
        let mut new = HashSet::new();
        let mut note = |field: String| {
            if !self.known.has_field(&field) && !self.new_columns.contains(&field) {
                new.insert(field);
            }
        };
        for (field, value) in &values.columns {
            match value {
                FieldValue::Map(entries) => {
                    note(field.clone());
                    entries
                        .iter()
                        .for_each(|(key, _)| note(format!("{field}.{key}")));
                }
                _ => note(field.clone()),
            }
        }
        new
    }
}

impl<C: KnownColumns> KnownFields for FieldLimits<'_, C> {
    fn has_texts(&self, field: &str) -> bool {
        self.text_fields.names.contains(field)
    }

    fn has_text_lists(&self, field: &str) -> bool {
        self.new_text_lists.contains(field) || self.known.has_text_lists(field)
    }

    fn has_points(&self, field: &str) -> bool {
        self.new_points.contains(field) || self.known.has_points(field)
    }
}
