//! The merge of an update into a stored document.

use std::collections::{HashMap, HashSet};

use pelorus_columns::FieldValue;
use pelorus_excerpt::truncated;

use super::{
    DocumentUpdate, FieldChange, check_independent, check_not_grouping, could_not_update,
    only_known_lists, owner,
};
use crate::check::{check_field_count, member_length, too_large};
use crate::error::ItemError;
use crate::expiry::EXPIRES_AT;
use crate::geo_point;
use crate::numbers::double_json;
use crate::options::Weights;
use crate::prepare::{ReadyDocument, stored_form};
use crate::schema::{DocumentSchema, IndexKind};
use crate::stored_version::StoredFields;
use crate::tensors::{FieldTensors, TensorHead, TensorKind};
use crate::unstructured::{missing_collapse_value, null_value};
use crate::values::{Field, IndexedValues};

/// The types that an unstructured index has seen in fields of a name.
pub trait KnownFields {
    /// Tells whether some document has, or had, a text.
    fn has_texts(&self, field: &str) -> bool;
    /// Tells whether some document has a list of texts.
    fn has_text_lists(&self, field: &str) -> bool;
    /// Tells whether some document has a geo point.
    fn has_points(&self, field: &str) -> bool;
}

/// The result of an update for a document.
#[derive(Debug)]
pub enum Updated {
    /// It holds the new values already.
    Unchanged { id: String },
    /// The same version with other values: data derived from its texts and its vectors, those of columns too, stay.
    Revised(Revision),
    /// A new version, with the tensors of the one before.
    Replaced(Replacement),
}

/// The new content of a document under the ordinal that it has.
#[derive(Debug)]
pub struct Revision {
    pub id: String,
    /// The stored form, which [`StoredDocument::decode`](crate::StoredDocument::decode) reads.
    pub document: Vec<u8>,
    pub values: IndexedValues,
}

/// A new version of a document, to which the tensors of the one before belong but for those of changed fields.
#[derive(Debug)]
pub struct Replacement {
    pub id: String,
    /// The stored form, which [`StoredDocument::decode`](crate::StoredDocument::decode) reads.
    pub document: Vec<u8>,
    pub values: IndexedValues,
    changed: HashSet<String>,
    /// The new tensors of changed fields.
    tensors: Vec<FieldTensors>,
}

impl Replacement {
    /// Tells whether it has the tensors of this field that are stored.
    pub fn keeps_tensors_of(&self, field: &str) -> bool {
        !self.changed.contains(field)
    }

    /// The version as it is stored, where the one before has these tensors.
    pub fn with_tensors(self, mut stored: Vec<FieldTensors>) -> ReadyDocument {
        stored.retain(|tensor| self.keeps_tensors_of(&tensor.field));
        stored.extend(self.tensors);
        debug_assert!(
            (1..stored.len())
                .all(|at| stored[..at].iter().all(|one| one.field != stored[at].field)),
            "a field has its tensors once"
        );
        ReadyDocument {
            id: self.id,
            document: self.document,
            tensors: stored,
            values: self.values,
        }
    }
}

impl DocumentUpdate {
    /// Turns an update into its outcome where no document with its id is stored.
    ///
    /// # Errors
    /// Why there is none.
    pub fn create(self, schema: &DocumentSchema) -> Result<ReadyDocument, ItemError> {
        let Self {
            id,
            changes,
            tensors,
            ..
        } = self;
        let Some(tensors) = tensors else {
            return Err(missing_document(schema, id));
        };
        // A moment that it does not have need not be taken away.
        let mut removed = changes.iter().filter(|change| change.values.is_empty());
        if let Some(removed) = removed.find(|change| change.field != EXPIRES_AT) {
            return Err(null_value(&removed.field).of(id));
        }
        if let Some(field) = schema.collapse_field()
            && !changes.iter().any(|change| change.field == field)
        {
            return Err(missing_collapse_value(field).of(id));
        }
        let fields = changes.into_iter().flat_map(|change| change.values);
        Ok(ReadyDocument::of_fields(
            schema,
            id,
            fields.collect(),
            tensors,
        ))
    }

    /// Merges the changes into the stored version.
    ///
    /// # Errors
    /// Why the document does not take them.
    pub fn merge(
        self,
        schema: &DocumentSchema,
        stored: StoredFields,
        known: &impl KnownFields,
    ) -> Result<Updated, ItemError> {
        let id = self.id.clone();
        let merged = self.merged(schema, stored, known);
        merged.map_err(|refused| refused.of(id))
    }

    fn merged(
        mut self,
        schema: &DocumentSchema,
        stored: StoredFields,
        known: &impl KnownFields,
    ) -> Result<Updated, ItemError> {
        let embeds = self.tensors.is_some();
        match &schema.kind {
            IndexKind::Unstructured { .. } => {
                let before = Before::of(&stored);
                for change in &mut self.changes {
                    check_not_grouping(schema.collapse_field(), &change.field)?;
                    before.check_fixed(&change.field, embeds)?;
                    before.take_point(change, known)?;
                    if !embeds {
                        before.check_known(change, known)?;
                    }
                    before.keep_types(change)?;
                }
            }
            IndexKind::Structured(declared) => {
                for change in &self.changes {
                    check_independent(declared, &change.field)?;
                }
            }
        }
        let tensors = self.tensors.unwrap_or_default();
        let changed = self.changes.iter().map(|change| change.field.clone());
        let changed: HashSet<String> = changed.collect();
        let same_tensors = tensors.is_empty()
            && !stored
                .tensors
                .iter()
                .any(|old| changed.contains(&old.field));
        let fields = with_changes(&stored.fields, self.changes);
        if same_tensors && fields == stored.fields {
            return Ok(Updated::Unchanged { id: self.id });
        }
        check_field_count(fields.len())?;
        let length = stored_length(&self.id, &fields);
        if let Some(limit) = self.max_doc_bytes
            // One that is beyond the limit already may become smaller.
            && length > limit.max(stored_length(&self.id, &stored.fields))
        {
            return Err(too_large(Some(&self.id), length, limit));
        }
        let (id, before) = (self.id, IndexedValues::of_fields(schema, stored.fields));
        let (document, values) = stored_form(schema, &id, fields);
        let same_words = values.lexical == before.lexical;
        let same_vectors = values.column_vectors().eq(before.column_vectors());
        Ok(match same_tensors && same_words && same_vectors {
            true => Updated::Revised(Revision {
                id,
                document,
                values,
            }),
            false => Updated::Replaced(Replacement {
                id,
                document,
                values,
                changed,
                tensors,
            }),
        })
    }
}

/// The error of an update whose document is not there.
fn missing_document(schema: &DocumentSchema, id: String) -> ItemError {
    const MISSING: &str = "Document does not exist in the index";
    let error = match &schema.kind {
        IndexKind::Structured(_) => ItemError {
            id: None,
            code: "document_not_found",
            message: MISSING.to_owned(),
        },
        IndexKind::Unstructured { .. } => could_not_update(MISSING),
    };
    error.of(id)
}

/// A document of an unstructured index as it is before an update.
struct Before<'a> {
    /// By the names that they are stored under.
    stored: HashMap<&'a str, &'a Field>,
    /// The type of each field, and the one that all entries of a map have, if they have one.
    types: HashMap<&'a str, (ValueType, Option<ValueType>)>,
    /// Fields that stand behind a vector, and their part in it.
    fixed: HashMap<String, Role<'a>>,
}

/// The part of a field in a vector.
enum Role<'a> {
    Tensor,
    Multimodal,
    /// Part of the multimodal field of this name.
    Part(&'a str),
}

impl<'a> Before<'a> {
    fn of(version: &'a StoredFields) -> Self {
        let mut types = HashMap::new();
        for value in &version.fields {
            let of_value = ValueType::of(value);
            if value.name == owner(&value.name) {
                types.insert(value.name.as_str(), (of_value, None));
                continue;
            }
            let map = types.entry(owner(&value.name));
            let (_, entries) = map.or_insert((ValueType::Map, Some(of_value)));
            *entries = entries.filter(|other| *other == of_value);
        }
        let mut fixed = HashMap::new();
        let combined = version.tensors.iter();
        let combined = combined.filter(|tensor| tensor.kind == TensorKind::Multimodal);
        for TensorHead { field, weights, .. } in combined {
            let weights: Weights =
                serde_json::from_str(weights).expect("weights are stored as they were read");
            fixed.extend(
                weights
                    .0
                    .into_iter()
                    .map(|(part, _)| (part, Role::Part(field))),
            );
            fixed.insert(field.clone(), Role::Multimodal);
        }
        let own = version
            .tensors
            .iter()
            .filter(|tensor| tensor.kind != TensorKind::Multimodal);
        fixed.extend(own.map(|tensor| (tensor.field.clone(), Role::Tensor)));
        Self {
            stored: version
                .fields
                .iter()
                .map(|value| (value.name.as_str(), value))
                .collect(),
            types,
            fixed,
        }
    }

    /// Refuses to change a field behind a vector, unless the change brings the vector of its field.
    fn check_fixed(&self, field: &str, embeds: bool) -> Result<(), ItemError> {
        let shown = truncated(field);
        let refuse = |role: &str| {
            Err(could_not_update(format_args!(
                "Field '{shown}' is {role} of this document"
            )))
        };
        match self.fixed.get(field) {
            None => Ok(()),
            Some(Role::Tensor) if embeds => Ok(()),
            Some(Role::Tensor) => refuse("a tensor field"),
            Some(Role::Multimodal) => refuse("a multimodal combination field"),
            Some(Role::Part(whole)) => refuse(&format!(
                "part of the multimodal combination field '{}'",
                truncated(whole)
            )),
        }
    }

    /// Takes a map for a geo point where the field of the document holds one, or where that has no value and the field is
    /// known for points.
    fn take_point(
        &self,
        change: &mut FieldChange,
        known: &impl KnownFields,
    ) -> Result<(), ItemError> {
        let field = &change.field;
        let is_map = change
            .values
            .first()
            .is_some_and(|value| value.name != *field);
        let holds_points = || match self.types.get(field.as_str()) {
            Some((old, _)) => *old == ValueType::Point,
            None => known.has_points(field),
        };
        if is_map && holds_points() {
            change.values = vec![geo_point::of_entries(field, &change.values)?];
        }
        Ok(())
    }

    /// Refuses texts and lists in a field where the index has not seen any.
    fn check_known(&self, change: &FieldChange, known: &impl KnownFields) -> Result<(), ItemError> {
        let field = &change.field;
        let Some(new) = change.values.first().map(ValueType::of) else {
            return Ok(());
        };
        if self
            .types
            .get(field.as_str())
            .is_some_and(|(old, _)| *old == new)
        {
            return Ok(());
        }
        match new {
            ValueType::Text if !known.has_texts(field) => Err(ItemError::invalid(format!(
                "{} of type str does not exist in the original document. Marqo does not support adding new lexical fields in partial updates",
                truncated(field)
            ))),
            ValueType::List if !known.has_text_lists(field) => Err(only_known_lists(field)),
            _ => Ok(()),
        }
    }

    /// Refuses values of another type than the stored ones.
    fn keep_types(&self, change: &mut FieldChange) -> Result<(), ItemError> {
        let Some(&(old, entries)) = self.types.get(change.field.as_str()) else {
            return Ok(());
        };
        for value in &mut change.values {
            let is_entry = value.name != change.field;
            if !is_entry || old != ValueType::Map {
                let new = if is_entry {
                    ValueType::Map
                } else {
                    ValueType::of(value)
                };
                expect_type(&change.field, value, new, old)?;
                self.keep_dimensions(value)?;
                continue;
            }
            let same = self.stored.get(value.name.as_str());
            if let Some(old) = same.map(|entry| ValueType::of(entry)).or(entries) {
                let (place, new) = (value.name.clone(), ValueType::of(value));
                expect_type(&place, value, new, old)?;
            }
        }
        Ok(())
    }

    /// Refuses many vectors of other dimensions than the stored ones.
    fn keep_dimensions(&self, value: &Field) -> Result<(), ItemError> {
        let stored = self.stored.get(value.name.as_str());
        let old = stored.and_then(|stored| stored.value.as_ref());
        match (old, &value.value) {
            (Some(FieldValue::Multi(old)), Some(FieldValue::Multi(new)))
                if old.dimensions() != new.dimensions() =>
            {
                Err(could_not_update(format_args!(
                    "Field '{}' of this document has vectors of {} numbers, and an update cannot change that to {}",
                    truncated(&value.name),
                    old.dimensions(),
                    new.dimensions()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Integers and floats are numbers of one field: JSON as many write it spells 20.0 as 20. An integer in a field of
/// floats becomes one, unless it would be rounded: then it stays an integer.
fn expect_type(
    place: &str,
    value: &mut Field,
    new: ValueType,
    old: ValueType,
) -> Result<(), ItemError> {
    match (new, old, &value.value) {
        _ if new == old => Ok(()),
        (ValueType::Float, ValueType::Int, _) => Ok(()),
        (ValueType::Int, ValueType::Float, Some(FieldValue::Int(number))) => {
            let float = *number as f64;
            if float as i128 != i128::from(*number) {
                return Ok(());
            }
            *value = Field::new(&value.name, double_json(float), FieldValue::Float(float));
            Ok(())
        }
        _ => Err(could_not_update(format_args!(
            "Field '{}' of this document is of type {}, and an update cannot change that to {}",
            truncated(place),
            old.name(),
            new.name()
        ))),
    }
}

/// The type of a value whose field was not declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueType {
    Bool,
    Int,
    Float,
    Text,
    List,
    Map,
    Point,
    Sparse,
    Multi,
}

impl ValueType {
    fn of(stored: &Field) -> Self {
        match &stored.value {
            Some(FieldValue::Bool(_)) => Self::Bool,
            Some(FieldValue::Int(_)) => Self::Int,
            Some(FieldValue::Float(_)) => Self::Float,
            Some(FieldValue::Text(_)) => Self::Text,
            // Maps that are not empty are stored entry by entry.
            Some(FieldValue::Map(entries)) if entries.is_empty() => Self::Map,
            Some(FieldValue::Map(_) | FieldValue::Point(_)) => Self::Point,
            Some(FieldValue::Sparse(_)) => Self::Sparse,
            Some(FieldValue::Multi(_)) => Self::Multi,
            // A list without items has no value.
            None
            | Some(FieldValue::TextList(_) | FieldValue::IntList(_) | FieldValue::FloatList(_)) => {
                Self::List
            }
        }
    }

    /// As messages spell it.
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Text => "str",
            Self::List => "list",
            Self::Map => "dict",
            Self::Point => "geo_point",
            Self::Sparse => "sparse_vector",
            Self::Multi => "multi_vector",
        }
    }
}

/// The stored fields with the changed ones in their places, and new ones behind.
fn with_changes(stored: &[Field], changes: Vec<FieldChange>) -> Vec<Field> {
    let mut places = HashMap::with_capacity(changes.len());
    let mut values = Vec::with_capacity(changes.len());
    for (place, change) in changes.into_iter().enumerate() {
        places.insert(change.field, place);
        values.push(change.values);
    }
    let mut fields = Vec::with_capacity(stored.len() + values.len());
    for field in stored {
        match places.get(owner(&field.name)) {
            Some(&place) => fields.append(&mut values[place]),
            None => fields.push(field.clone()),
        }
    }
    fields.extend(values.into_iter().flatten());
    fields
}

/// The length of a document in its stored form, counted as that of one that comes in: without many vectors.
fn stored_length(id: &str, fields: &[Field]) -> usize {
    let quoted_id = id.len() + 2;
    let fields = fields.iter();
    let fields = fields.map(|field| match &field.value {
        Some(FieldValue::Multi(_)) => member_length(&field.name, 0),
        _ => member_length(&field.name, field.json.len()),
    });
    member_length("_id", quoted_id) + fields.sum::<usize>()
}
