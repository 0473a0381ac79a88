//! What the columns and the lexical index take from a stored document.

use pelorus_columns::{FieldValue, Number};

use super::StoredDocument;
use super::json::{self, Shallow};
use crate::definition::{Definition, IndexKind, StructuredField};
use crate::error::{EngineError, Result};

/// Values for the derived structures.
#[derive(Debug, Default)]
pub(crate) struct IndexedValues {
    pub columns: Vec<(String, FieldValue)>,
    /// Field and text, one entry per text (a list gives several).
    pub lexical: Vec<(String, String)>,
}

/// Reads the values of a stored document. The same function serves a fresh write and the
/// rebuild after a restart, so both give the same index.
pub(crate) fn index_values(
    definition: &Definition,
    document: &StoredDocument<'_>,
) -> Result<IndexedValues> {
    let mut values = IndexedValues::default();
    for (name, json) in &document.fields {
        let raw: &serde_json::value::RawValue = serde_json::from_str(json)
            .map_err(|e| EngineError::internal(format!("stored field {name}: {e}")))?;
        let shallow = json::read(raw).map_err(EngineError::internal)?;
        match &definition.kind {
            IndexKind::Unstructured { collapse_field, .. } => {
                if let Shallow::Text(text) = &shallow
                    && collapse_field.as_deref() != Some(name)
                {
                    values.lexical.push(((*name).to_owned(), text.clone()));
                }
                values
                    .columns
                    .extend(column_value(shallow)?.map(|v| ((*name).to_owned(), v)));
            }
            IndexKind::Structured(declared) => {
                if let Some(field) = declared.get(name) {
                    structured_value(field, shallow, &mut values)?;
                }
            }
        }
    }
    Ok(values)
}

fn structured_value(
    field: &StructuredField,
    shallow: Shallow<'_>,
    values: &mut IndexedValues,
) -> Result<()> {
    let value = column_value(shallow)?;
    if field.has("lexical_search") {
        match &value {
            Some(FieldValue::Text(text)) => {
                values.lexical.push((field.name.clone(), text.clone()));
            }
            Some(FieldValue::TextList(texts)) => {
                let entries = texts.iter().map(|text| (field.name.clone(), text.clone()));
                values.lexical.extend(entries);
            }
            _ => {}
        }
    }
    if field.has("filter") || field.has("score_modifier") {
        values
            .columns
            .extend(value.map(|value| (field.name.clone(), value)));
    }
    Ok(())
}

/// The column value of one JSON value; none for what has no column.
fn column_value(shallow: Shallow<'_>) -> Result<Option<FieldValue>> {
    Ok(Some(match shallow {
        Shallow::Null => return Ok(None),
        Shallow::Bool(truth) => FieldValue::Bool(truth),
        Shallow::Int(number) => FieldValue::Int(number),
        Shallow::Huge(text) => FieldValue::Float(nearest_float(text)),
        Shallow::Float(number) => FieldValue::Float(number),
        Shallow::Text(text) => FieldValue::Text(text),
        Shallow::Object(entries) => {
            let mut map = Vec::with_capacity(entries.len());
            for (key, raw) in entries {
                match json::read(raw).map_err(EngineError::internal)? {
                    Shallow::Int(number) => map.push((key, Number::Int(number))),
                    Shallow::Huge(text) => map.push((key, Number::Float(nearest_float(text)))),
                    Shallow::Float(number) => map.push((key, Number::Float(number))),
                    _ => {}
                }
            }
            FieldValue::Map(map)
        }
        Shallow::List(items) => return list_value(&items),
    }))
}

/// Floats of a list may be written as integers, here one beyond 64 bits.
fn nearest_float(text: &str) -> f64 {
    text.parse().unwrap_or(f64::INFINITY)
}

fn list_value(items: &[&serde_json::value::RawValue]) -> Result<Option<FieldValue>> {
    let (mut texts, mut ints, mut floats) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match json::read(item).map_err(EngineError::internal)? {
            Shallow::Text(text) => texts.push(text),
            Shallow::Int(number) => ints.push(number),
            Shallow::Huge(text) => floats.push(nearest_float(text)),
            Shallow::Float(number) => floats.push(number),
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
