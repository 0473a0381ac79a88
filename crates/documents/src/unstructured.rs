//! Documents of an index without declared fields: the value's own type decides.

use pelorus_excerpt::{joined_truncated, truncated};

use pelorus_columns::FieldValue;

use crate::check::{CheckedDocument, TensorContent, TensorInput, read_field};
use crate::custom_vector::{self, CustomVector};
use crate::error::ItemError;
use crate::generated::AddOptions;
use crate::geo_point::geo_point;
use crate::json::{JsonValue, to_json};
use crate::media::{Embeddable, embeddable};
use crate::multi_vector::multi_vector;
use crate::names::{check_key, check_name};
use crate::numbers::{beyond_64_bits, double_json};
use crate::schema::DocumentSchema;
use crate::sparse_vector::sparse_vector;
use crate::split::{Member, value_of};
use crate::values::Field;

pub(crate) fn check(
    schema: &DocumentSchema,
    options: &AddOptions,
    id: String,
    members: &[Member<'_>],
    collapse_field: Option<&str>,
) -> Result<CheckedDocument, ItemError> {
    check_conflicts(options, members)?;
    let mut document = CheckedDocument {
        id,
        fields: Vec::new(),
        removed: Vec::new(),
        tensors: Vec::new(),
    };
    for member in members {
        let Member { name, value, .. } = *member;
        check_name(name)?;
        if options.is_custom_vector(name) {
            let CustomVector { content, vector } = custom_vector::read(schema, member)?;
            document.fields.push(Field::text(name, content.clone()));
            let content = TensorContent::Vector { content, vector };
            document.tensors.push(TensorInput {
                field: name.to_owned(),
                content,
            });
            continue;
        }
        let value = read_field(name, value)?;
        let is_text = matches!(value, JsonValue::Text(_));
        if options.is_tensor_field(name) || is_text && options.embeds_text_of(name) {
            let plan = tensor_input(schema, options, name, &value)?;
            document.tensors.push(plan);
        }
        if options.is_geo_point(name) {
            document.fields.push(geo_point(name, &value)?);
            continue;
        }
        if options.is_sparse_vector(name) {
            document.fields.push(sparse_vector(name, &value)?);
            continue;
        }
        if let Some(dimensions) = options.multi_vector_dimensions(name) {
            let vectors = multi_vector(name, Some(dimensions), &value)?;
            document.fields.push(vectors);
            continue;
        }
        push_value(&mut document.fields, name, &value, &document.id)?;
    }
    if let Some(field) = collapse_field
        // A stored document has one, and keeps it.
        && !(options.keeps_other_fields && value_of(members, field).is_none())
    {
        check_collapse_value(field, members)?;
    }
    for (field, weights) in options.multimodal() {
        check_name(field)?;
        let mut parts = Vec::new();
        for (sub, weight) in &weights.0 {
            let Some(value) = value_of(members, sub) else {
                continue;
            };
            let part = multimodal_part(schema, options, sub, value)?;
            parts.push((sub.clone(), part, *weight));
        }
        if !parts.is_empty() {
            let content = TensorContent::Multimodal {
                parts,
                weights: weights.clone(),
            };
            document.tensors.push(TensorInput {
                field: field.to_owned(),
                content,
            });
        }
    }
    Ok(document)
}

fn check_conflicts(options: &AddOptions, members: &[Member<'_>]) -> Result<(), ItemError> {
    let conflicts: Vec<String> = options
        .multimodal()
        .filter(|(field, _)| value_of(members, field).is_some())
        .map(|(field, _)| format!("'{field}'"))
        .collect();
    let listed = joined_truncated(conflicts.iter().map(String::as_str));
    match conflicts.is_empty() {
        true => Ok(()),
        false => Err(ItemError::invalid(format!(
            "Document and mappings object have conflicting fields: {{{listed}}}"
        ))),
    }
}

fn tensor_input(
    schema: &DocumentSchema,
    options: &AddOptions,
    name: &str,
    value: &JsonValue<'_>,
) -> Result<TensorInput, ItemError> {
    match value {
        JsonValue::Text(text) => {
            let content = TensorContent::Embeddable(embeddable(schema, options, name, text)?);
            Ok(TensorInput {
                field: name.to_owned(),
                content,
            })
        }
        other => Err(ItemError::invalid(format!(
            "Invalid type <class '{}'> for tensor field {}",
            other.type_name(),
            truncated(name)
        ))),
    }
}

fn multimodal_part(
    schema: &DocumentSchema,
    options: &AddOptions,
    sub: &str,
    value: &str,
) -> Result<Embeddable, ItemError> {
    match read_field(sub, value)? {
        JsonValue::Text(text) => embeddable(schema, options, sub, &text),
        other => Err(ItemError::invalid(format!(
            "Multimodal subfields must be strings representing text or image pointer, received {}:{}, which is of type {}",
            truncated(sub),
            other.echo(),
            other.type_name()
        ))),
    }
}

pub(crate) fn check_collapse_value(field: &str, members: &[Member<'_>]) -> Result<(), ItemError> {
    let Some(value) = value_of(members, field) else {
        return Err(missing_collapse_value(field));
    };
    match read_field(field, value)? {
        JsonValue::Text(text) if text.trim().is_empty() => Err(ItemError::invalid(format!(
            "Field '{}' cannot be empty. Provide a non-empty string value for grouping.",
            truncated(field)
        ))),
        JsonValue::Text(_) => Ok(()),
        other => Err(ItemError::invalid(format!(
            "Field '{}' must be of type string. Got {}: {}",
            truncated(field),
            other.type_name(),
            other.echo()
        ))),
    }
}

pub(crate) fn missing_collapse_value(field: &str) -> ItemError {
    ItemError::invalid(format!(
        "Document missing required field '{}'. All documents must contain this field for grouping.",
        truncated(field)
    ))
}

/// Adds the field that a value makes, of a map one for each entry.
pub(crate) fn push_value(
    fields: &mut Vec<Field>,
    name: &str,
    value: &JsonValue<'_>,
    id: &str,
) -> Result<(), ItemError> {
    let field = match value {
        JsonValue::Null => return Err(null_value(name)),
        JsonValue::Bool(truth) => Field::new(name, truth.to_string(), FieldValue::Bool(*truth)),
        JsonValue::Int(number) => Field::new(name, number.to_string(), FieldValue::Int(*number)),
        JsonValue::BigInteger(text) => return Err(beyond_64_bits(&truncated(name), text)),
        JsonValue::Float(number) => {
            Field::new(name, double_json(*number), FieldValue::Float(*number))
        }
        JsonValue::Text(text) => Field::text(name, text.clone()),
        JsonValue::List(items) => text_list(name, value, items, id)?,
        JsonValue::Object(entries) => return push_map(fields, name, entries),
    };
    fields.push(field);
    Ok(())
}

pub(crate) fn null_value(name: &str) -> ItemError {
    ItemError::invalid(format!(
        "Field content `None` \nof type `NoneType` is not of valid content type!Allowed content types: ['str', 'int', 'float', 'bool', 'list', 'dict']. The field is '{}'",
        truncated(name)
    ))
}

/// A list, of which all items are texts.
fn text_list(
    name: &str,
    value: &JsonValue<'_>,
    items: &[&str],
    id: &str,
) -> Result<Field, ItemError> {
    let items = items.iter().map(|raw| read_field(name, raw));
    let items: Vec<JsonValue<'_>> = items.collect::<Result<_, _>>()?;
    if let Some("int" | "float") = same_kind(&items) {
        return Err(ItemError::invalid(format!(
            "Error processing field '{}' in document {}: Unsupported type <class 'list'> of numbers. An unstructured index stores lists of strings only",
            truncated(name),
            truncated(id)
        )));
    }
    let text = |item| match item {
        JsonValue::Text(text) => Ok(text),
        _ => Err(mixed_list(name, value)),
    };
    let texts: Vec<String> = items.into_iter().map(text).collect::<Result<_, _>>()?;
    let json: Vec<String> = texts.iter().map(|text| to_json(text)).collect();
    Ok(Field {
        name: name.to_owned(),
        json: format!("[{}]", json.join(",")),
        value: (!texts.is_empty()).then_some(FieldValue::TextList(texts)),
    })
}

/// The type that all items have; none where there are several or no items.
pub(crate) fn same_kind(items: &[JsonValue<'_>]) -> Option<&'static str> {
    let first = items.first()?.type_name();
    let same = items.iter().all(|item| item.type_name() == first);
    same.then_some(first)
}

pub(crate) fn mixed_list(name: &str, value: &JsonValue<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Field content '{}' of type list is not of valid content type! All list elements must be of the same type and that type must be int, float or string. The field is '{}'",
        value.echo(),
        truncated(name)
    ))
}

/// Maps are stored flat, one number per `field.key`.
pub(crate) fn push_map(
    fields: &mut Vec<Field>,
    name: &str,
    entries: &[(String, &str)],
) -> Result<(), ItemError> {
    if entries.is_empty() {
        let empty = FieldValue::Map(Vec::new());
        fields.push(Field::new(name, "{}".to_owned(), empty));
    }
    for (key, raw) in entries {
        check_key(name, key)?;
        let (json, value) = match map_value(name, key, raw)? {
            JsonValue::Int(number) => (number.to_string(), FieldValue::Int(number)),
            JsonValue::Float(number) => (double_json(number), FieldValue::Float(number)),
            other => {
                let place = format!("{}, key '{}'", truncated(name), truncated(key));
                return Err(beyond_64_bits(&place, &other.echo()));
            }
        };
        fields.push(Field::new(&format!("{name}.{key}"), json, value));
    }
    Ok(())
}

/// The value of one key of a map, which is a number of any size.
pub(crate) fn map_value<'a>(
    name: &str,
    key: &str,
    raw: &'a str,
) -> Result<JsonValue<'a>, ItemError> {
    let value = read_field(name, raw)?.or_number();
    let kind = value.type_name();
    match value {
        JsonValue::Int(_) | JsonValue::BigInteger(_) | JsonValue::Float(_) => Ok(value),
        JsonValue::Object(_) => Err(ItemError::invalid(format!(
            "Nested dictionaries are not allowed in map fields. Each value must be a single int, float, or double. Received a dictionary for key '{}' of field '{}'",
            truncated(key),
            truncated(name)
        ))),
        other => Err(ItemError::invalid(format!(
            "Value '{}' for key '{}' in map field '{}' is not of type int or float, but of type <class '{kind}'>. If you are using an unstructured index and attempting to index another type of object field (e.g. custom_vector field), please use the 'mappings' object.",
            other.echo(),
            truncated(key),
            truncated(name)
        ))),
    }
}
