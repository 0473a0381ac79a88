//! Documents of an index without declared fields: the value's own type decides.

use pelorus_filter::{listed, shown};
use serde_json::value::RawValue;

use super::json::{self, Shallow};
use super::names::check_name;
use super::{
    AddOptions, CheckedDocument, ItemError, TensorContent, TensorPlan, check_embeddable,
    custom_vector,
};
use crate::definition::Definition;

pub(super) fn check(
    definition: &Definition,
    options: &AddOptions,
    id: String,
    members: &[(String, &RawValue)],
    collapse_field: Option<&str>,
) -> Result<CheckedDocument, ItemError> {
    check_conflicts(options, members)?;
    let mut document = CheckedDocument {
        id,
        fields: Vec::new(),
        tensors: Vec::new(),
    };
    for (name, value) in members {
        check_name(name)?;
        if options.is_custom_vector(name) {
            let (content, vector) = custom_vector::read(definition, name, value)?;
            document.fields.push((name.clone(), to_json(&content)));
            let content = TensorContent::Vector { content, vector };
            document.tensors.push(TensorPlan {
                field: name.clone(),
                content,
            });
            continue;
        }
        let value_read = json::read(value).map_err(ItemError::invalid)?;
        if options.is_tensor_field(name) {
            document
                .tensors
                .push(text_plan(definition, name, &value_read)?);
        }
        push_value(&mut document.fields, name, value, &value_read, &document.id)?;
    }
    if let Some(field) = collapse_field {
        check_collapse_value(field, members)?;
    }
    for (field, weights) in options.multimodal() {
        check_name(field)?;
        let mut parts = Vec::new();
        for (sub, weight) in &weights.0 {
            let Some((_, value)) = members.iter().find(|(name, _)| name == sub) else {
                continue;
            };
            parts.push((
                sub.clone(),
                multimodal_text(definition, sub, value)?,
                *weight,
            ));
        }
        if !parts.is_empty() {
            let content = TensorContent::Multimodal {
                parts,
                weights: weights.clone(),
            };
            document.tensors.push(TensorPlan {
                field: field.to_owned(),
                content,
            });
        }
    }
    Ok(document)
}

fn check_conflicts(options: &AddOptions, members: &[(String, &RawValue)]) -> Result<(), ItemError> {
    let conflicts: Vec<String> = options
        .multimodal()
        .filter(|(field, _)| members.iter().any(|(name, _)| name == field))
        .map(|(field, _)| format!("'{field}'"))
        .collect();
    let listed = listed(conflicts.iter().map(String::as_str));
    match conflicts.is_empty() {
        true => Ok(()),
        false => Err(ItemError::invalid(format!(
            "Document and mappings object have conflicting fields: {{{listed}}}"
        ))),
    }
}

fn text_plan(
    definition: &Definition,
    name: &str,
    value: &Shallow<'_>,
) -> Result<TensorPlan, ItemError> {
    match value {
        Shallow::Text(text) => {
            check_embeddable(definition, text)?;
            let content = TensorContent::Text(text.clone());
            Ok(TensorPlan {
                field: name.to_owned(),
                content,
            })
        }
        other => Err(ItemError::invalid(format!(
            "Invalid type <class '{}'> for tensor field {}",
            other.type_name(),
            shown(name)
        ))),
    }
}

fn multimodal_text(
    definition: &Definition,
    sub: &str,
    value: &RawValue,
) -> Result<String, ItemError> {
    match json::read(value).map_err(ItemError::invalid)? {
        Shallow::Text(text) => {
            check_embeddable(definition, &text)?;
            Ok(text)
        }
        other => Err(ItemError::invalid(format!(
            "Multimodal subfields must be strings representing text or image pointer, received {}:{}, which is of type {}",
            shown(sub),
            other.echo(),
            other.type_name()
        ))),
    }
}

fn check_collapse_value(field: &str, members: &[(String, &RawValue)]) -> Result<(), ItemError> {
    let Some((_, value)) = members.iter().find(|(name, _)| name == field) else {
        return Err(ItemError::invalid(format!(
            "Document missing required field '{}'. All documents must contain this field for grouping.",
            shown(field)
        )));
    };
    match json::read(value).map_err(ItemError::invalid)? {
        Shallow::Text(text) if text.trim().is_empty() => Err(ItemError::invalid(format!(
            "Field '{}' cannot be empty. Provide a non-empty string value for grouping.",
            shown(field)
        ))),
        Shallow::Text(_) => Ok(()),
        other => Err(ItemError::invalid(format!(
            "Field '{}' must be of type string. Got {}: {}",
            shown(field),
            other.type_name(),
            other.echo()
        ))),
    }
}

fn push_value(
    fields: &mut Vec<(String, String)>,
    name: &str,
    raw: &RawValue,
    value: &Shallow<'_>,
    id: &str,
) -> Result<(), ItemError> {
    match value {
        Shallow::Bool(_) | Shallow::Int(_) | Shallow::Float(_) => {}
        Shallow::Text(text) => {
            fields.push((name.to_owned(), to_json(text)));
            return Ok(());
        }
        Shallow::Huge(text) => return Err(beyond_64_bits(name, text)),
        Shallow::Null => return Err(null_value()),
        Shallow::List(items) => {
            check_list(name, value, items, id)?;
            fields.push((name.to_owned(), list_json(items)?));
            return Ok(());
        }
        Shallow::Object(entries) => return push_map(fields, name, entries),
    }
    fields.push((name.to_owned(), raw.get().to_owned()));
    Ok(())
}

pub(super) fn null_value() -> ItemError {
    ItemError::invalid(
        "Field content `None` \nof type `NoneType` is not of valid content type!Allowed content types: ['str', 'int', 'float', 'bool', 'list', 'dict']",
    )
}

pub(super) fn beyond_64_bits(name: &str, text: &str) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for field {}: an integer must be in the signed 64-bit range [{}, {}]",
        shown(text),
        shown(name),
        i64::MIN,
        i64::MAX
    ))
}

/// A list of scalars without the blanks and escapes that it may have been sent with.
pub(super) fn list_json(items: &[&RawValue]) -> Result<String, ItemError> {
    let mut json = String::from("[");
    for item in items {
        if json.len() > 1 {
            json.push(',');
        }
        match json::read(item).map_err(ItemError::invalid)? {
            Shallow::Text(text) => json.push_str(&to_json(&text)),
            _ => json.push_str(item.get()),
        }
    }
    json.push(']');
    Ok(json)
}

fn check_list(
    name: &str,
    value: &Shallow<'_>,
    items: &[&RawValue],
    id: &str,
) -> Result<(), ItemError> {
    let mut kinds = items.iter().map(|item| match json::read(item) {
        Ok(item) => Ok(item.type_name()),
        Err(message) => Err(ItemError::invalid(message)),
    });
    let Some(first) = kinds.next().transpose()? else {
        return Ok(());
    };
    let mut same = true;
    for kind in kinds {
        same &= kind? == first;
    }
    match (same, first) {
        (true, "str") => Ok(()),
        (true, "int" | "float") => Err(ItemError::invalid(format!(
            "Error processing field '{}' in document {}: Unsupported type <class 'list'> of numbers. An unstructured index stores lists of strings only",
            shown(name),
            shown(id)
        ))),
        _ => Err(mixed_list(value)),
    }
}

pub(super) fn mixed_list(value: &Shallow<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Field content '{}' of type list is not of valid content type! All list elements must be of the same type and that type must be int, float or string",
        value.echo()
    ))
}

/// Maps are stored flat, one number per `field.key`.
fn push_map(
    fields: &mut Vec<(String, String)>,
    name: &str,
    entries: &[(String, &RawValue)],
) -> Result<(), ItemError> {
    if entries.is_empty() {
        fields.push((name.to_owned(), "{}".to_owned()));
    }
    for (key, raw) in entries {
        let number = map_number(key, raw)?;
        fields.push((format!("{name}.{key}"), number));
    }
    Ok(())
}

pub(super) fn map_number(key: &str, raw: &RawValue) -> Result<String, ItemError> {
    match json::read(raw).map_err(ItemError::invalid)? {
        Shallow::Int(_) | Shallow::Float(_) => Ok(raw.get().to_owned()),
        Shallow::Huge(text) => Err(beyond_64_bits(key, text)),
        Shallow::Bool(value) => Ok(u8::from(value).to_string()),
        Shallow::Object(_) => Err(ItemError::invalid(
            "Nested dictionaries are not allowed in map fields. Each value must be a single int, float, or double.",
        )),
        other => Err(ItemError::invalid(format!(
            "Value '{}' for key '{}' in map field is not of type int or float. If you are using an unstructured index and attempting to index another type of object field (e.g. custom_vector field), please use the 'mappings' object.",
            other.echo(),
            shown(key)
        ))),
    }
}

pub(super) fn to_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
