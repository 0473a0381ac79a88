//! Documents of an index without declared fields: the value's own type decides.

use pelorus_filter::{listed, shown};
use serde_json::value::RawValue;

use super::json::Shallow;
use super::names::{check_key, check_name};
use super::numbers::{beyond_64_bits, double_json};
use super::{
    AddOptions, CheckedDocument, ItemError, TensorContent, TensorPlan, check_embeddable,
    custom_vector, read_field,
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
        let value = read_field(name, value)?;
        if options.is_tensor_field(name) {
            let plan = text_plan(definition, name, &value)?;
            document.tensors.push(plan);
        }
        push_value(&mut document.fields, name, &value, &document.id)?;
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
    match read_field(sub, value)? {
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
    match read_field(field, value)? {
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
    value: &Shallow<'_>,
    id: &str,
) -> Result<(), ItemError> {
    let json = match value {
        Shallow::Null => return Err(null_value(name)),
        Shallow::Bool(truth) => truth.to_string(),
        Shallow::Int(number) => number.to_string(),
        Shallow::Huge(text) => return Err(beyond_64_bits(&shown(name), text)),
        Shallow::Float(number) => double_json(*number),
        Shallow::Text(text) => to_json(text),
        Shallow::List(items) => list_json(name, value, items, id)?,
        Shallow::Object(entries) => return push_map(fields, name, entries),
    };
    fields.push((name.to_owned(), json));
    Ok(())
}

pub(super) fn null_value(name: &str) -> ItemError {
    ItemError::invalid(format!(
        "Field content `None` \nof type `NoneType` is not of valid content type!Allowed content types: ['str', 'int', 'float', 'bool', 'list', 'dict']. The field is '{}'",
        shown(name)
    ))
}

/// The JSON of a list, of which all items are texts.
fn list_json(
    name: &str,
    value: &Shallow<'_>,
    items: &[&RawValue],
    id: &str,
) -> Result<String, ItemError> {
    let items = items.iter().map(|raw| read_field(name, raw));
    let items: Vec<Shallow<'_>> = items.collect::<Result<_, _>>()?;
    if let Some("int" | "float") = same_kind(&items) {
        return Err(ItemError::invalid(format!(
            "Error processing field '{}' in document {}: Unsupported type <class 'list'> of numbers. An unstructured index stores lists of strings only",
            shown(name),
            shown(id)
        )));
    }
    let text = |item: &Shallow<'_>| match item {
        Shallow::Text(text) => Ok(to_json(text)),
        _ => Err(mixed_list(name, value)),
    };
    let texts: Vec<String> = items.iter().map(text).collect::<Result<_, _>>()?;
    Ok(format!("[{}]", texts.join(",")))
}

/// The type that all items have; none where there are several or no items.
pub(super) fn same_kind(items: &[Shallow<'_>]) -> Option<&'static str> {
    let first = items.first()?.type_name();
    let same = items.iter().all(|item| item.type_name() == first);
    same.then_some(first)
}

pub(super) fn mixed_list(name: &str, value: &Shallow<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Field content '{}' of type list is not of valid content type! All list elements must be of the same type and that type must be int, float or string. The field is '{}'",
        value.echo(),
        shown(name)
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
        check_key(name, key)?;
        let json = match map_value(name, key, raw)? {
            Shallow::Int(number) => number.to_string(),
            Shallow::Float(number) => double_json(number),
            other => {
                let place = format!("{}, key '{}'", shown(name), shown(key));
                return Err(beyond_64_bits(&place, &other.echo()));
            }
        };
        fields.push((format!("{name}.{key}"), json));
    }
    Ok(())
}

/// The value of one key of a map, which is a number of any size.
pub(super) fn map_value<'a>(
    name: &str,
    key: &str,
    raw: &'a RawValue,
) -> Result<Shallow<'a>, ItemError> {
    let value = read_field(name, raw)?;
    let kind = value.type_name();
    match value {
        Shallow::Int(_) | Shallow::Huge(_) | Shallow::Float(_) => Ok(value),
        Shallow::Object(_) => Err(ItemError::invalid(format!(
            "Nested dictionaries are not allowed in map fields. Each value must be a single int, float, or double. Received a dictionary for key '{}' of field '{}'",
            shown(key),
            shown(name)
        ))),
        other => Err(ItemError::invalid(format!(
            "Value '{}' for key '{}' in map field '{}' is not of type int or float, but of type <class '{kind}'>. If you are using an unstructured index and attempting to index another type of object field (e.g. custom_vector field), please use the 'mappings' object.",
            other.echo(),
            shown(key),
            shown(name)
        ))),
    }
}

pub(super) fn to_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
