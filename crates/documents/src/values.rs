//! Fields as they are stored, and their values for the columns and the lexical index.

use std::sync::Arc;

use pelorus_columns::{FieldValue, MultiVector, Number};

use crate::error::{DocumentsError, Result};
use crate::expiry::moment_of;
use crate::geo_point::stored_point;
use crate::json::{self, JsonValue, to_json};
use crate::multi_vector::{is_text_of_vectors, stored_vectors};
use crate::schema::{DocumentSchema, IndexKind};
use crate::sparse_vector::stored_vector;
use crate::stored::StoredDocument;

/// A checked field: the JSON that is stored, and its value, so that the JSON need not be read
/// again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub name: String,
    pub json: String,
    /// None for an empty list.
    pub value: Option<FieldValue>,
}

impl Field {
    pub fn new(name: &str, json: String, value: FieldValue) -> Self {
        Self {
            name: name.to_owned(),
            json,
            value: Some(value),
        }
    }

    pub fn text(name: &str, text: String) -> Self {
        Self::new(name, to_json(&text), FieldValue::Text(text))
    }

    /// The text of a field that is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Some(FieldValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Reads a field as it is stored.
    pub fn read(name: &str, json: &str) -> Result<Self> {
        // Vectors are long, and read in one pass.
        let value = match is_text_of_vectors(json) {
            true => stored_vectors(json).map(|vectors| Some(FieldValue::Multi(Arc::new(vectors)))),
            false => json::read(json).and_then(typed),
        };
        Ok(Self {
            name: name.to_owned(),
            json: json.to_owned(),
            value: value.map_err(|reason| DocumentsError::StoredField {
                field: name.to_owned(),
                reason,
            })?,
        })
    }
}

/// Values for the derived structures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedValues {
    pub columns: Vec<(String, FieldValue)>,
    /// Field and text, one entry per text (a list gives several).
    pub lexical: Vec<(String, String)>,
    /// The moment from which the document is gone, in milliseconds since 1970.
    pub expires_at: Option<i64>,
}

impl IndexedValues {
    /// The values of a stored document: the same as those of the fresh one, so that a restart gives
    /// the same index.
    ///
    /// # Errors
    /// [`DocumentsError::StoredField`] when a field is not as it is written.
    pub fn of_stored(schema: &DocumentSchema, document: &StoredDocument<'_>) -> Result<Self> {
        let mut values = Self::default();
        for (name, json) in &document.fields {
            values.push(schema, Field::read(name, json)?);
        }
        Ok(values)
    }

    /// The vectors of a field of which a document may have many.
    pub fn multi_vectors(&self, field: &str) -> Option<&Arc<MultiVector>> {
        self.columns.iter().find_map(|(name, value)| match value {
            FieldValue::Multi(vectors) if name == field => Some(vectors),
            _ => None,
        })
    }

    /// The vectors that columns hold by field: sparse ones, and many of one document.
    pub(crate) fn column_vectors(&self) -> impl Iterator<Item = &(String, FieldValue)> {
        let is_vector =
            |(_, value): &&_| matches!(value, FieldValue::Sparse(_) | FieldValue::Multi(_));
        self.columns.iter().filter(is_vector)
    }

    pub(crate) fn of_fields(schema: &DocumentSchema, fields: Vec<Field>) -> Self {
        let mut values = Self::default();
        for field in fields {
            values.push(schema, field);
        }
        values
    }

    fn push(&mut self, schema: &DocumentSchema, field: Field) {
        if let Some(moment) = moment_of(&field) {
            self.expires_at = Some(moment);
            return;
        }
        let Field { name, value, .. } = field;
        let Some(value) = value else {
            return;
        };
        match &schema.kind {
            IndexKind::Unstructured { collapse_field, .. } => {
                if let FieldValue::Text(text) = &value
                    && collapse_field.as_ref() != Some(&name)
                {
                    self.lexical.push((name.clone(), text.clone()));
                }
                let is_point = |entries: &[_]| !entries.is_empty();
                self.columns.push((name, with_point(value, is_point)));
            }
            IndexKind::Structured(declared) => {
                let Some(field) = declared.get(&name) else {
                    return;
                };
                if field.has("lexical_search") {
                    let texts = match &value {
                        FieldValue::Text(text) => std::slice::from_ref(text),
                        FieldValue::TextList(texts) => texts,
                        _ => &[],
                    };
                    let entries = texts.iter().map(|text| (name.clone(), text.clone()));
                    self.lexical.extend(entries);
                }
                let is_vector = matches!(field.kind.as_str(), "sparse_vector" | "multi_vector");
                if field.has("filter") || field.has("score_modifier") || is_vector {
                    let is_point = |_: &[_]| field.kind == "geo_point";
                    self.columns.push((name, with_point(value, is_point)));
                }
            }
        }
    }
}

/// The value for the columns of a stored one: of an object that is a point, the point. In an unstructured index that is
/// each one with entries, as maps are stored entry by entry.
fn with_point(value: FieldValue, is_point: impl Fn(&[(String, Number)]) -> bool) -> FieldValue {
    match &value {
        FieldValue::Map(entries) if is_point(entries) => {
            stored_point(entries).map_or(value, FieldValue::Point)
        }
        _ => value,
    }
}

/// The value that a stored JSON value stands for; none for an empty list and null.
fn typed(value: JsonValue<'_>) -> std::result::Result<Option<FieldValue>, String> {
    Ok(Some(match value {
        JsonValue::Null => return Ok(None),
        JsonValue::Bool(truth) => FieldValue::Bool(truth),
        JsonValue::Int(number) => FieldValue::Int(number),
        JsonValue::BigInteger(text) => FieldValue::Float(nearest_float(text)),
        JsonValue::Float(number) => FieldValue::Float(number),
        JsonValue::Text(text) => FieldValue::Text(text),
        JsonValue::Object(entries) => {
            if let Some(vector) = stored_vector(&entries)? {
                return Ok(Some(FieldValue::Sparse(vector)));
            }
            let mut map = Vec::with_capacity(entries.len());
            for (key, raw) in entries {
                match json::read(raw)? {
                    JsonValue::Int(number) => map.push((key, Number::Int(number))),
                    JsonValue::BigInteger(text) => {
                        map.push((key, Number::Float(nearest_float(text))))
                    }
                    JsonValue::Float(number) => map.push((key, Number::Float(number))),
                    _ => {}
                }
            }
            FieldValue::Map(map)
        }
        JsonValue::List(items) => return list_value(&items),
    }))
}

/// Floats of a list may be written as integers, here one beyond 64 bits.
fn nearest_float(text: &str) -> f64 {
    text.parse().unwrap_or(f64::INFINITY)
}

fn list_value(items: &[&str]) -> std::result::Result<Option<FieldValue>, String> {
    let (mut texts, mut ints, mut floats) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match json::read(item)? {
            JsonValue::Text(text) => texts.push(text),
            JsonValue::Int(number) => ints.push(number),
            JsonValue::BigInteger(text) => floats.push(nearest_float(text)),
            JsonValue::Float(number) => floats.push(number),
            _ => {}
        }
    }
    Ok(
        match (texts.is_empty(), ints.is_empty(), floats.is_empty()) {
            (false, _, _) => Some(FieldValue::TextList(texts)),
            (_, false, _) => Some(FieldValue::IntList(ints)),
            (_, _, false) => Some(FieldValue::FloatList(floats)),
            _ => None,
        },
    )
}
