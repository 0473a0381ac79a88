//! Documents of an index with declared fields: the declaration decides.

use pelorus_filter::shown;
use serde_json::value::RawValue;

use super::json::{self, Shallow};
use super::names::check_structured_name;
use super::unstructured::{beyond_64_bits, list_json, map_number, mixed_list, null_value, to_json};
use super::{
    AddOptions, CheckedDocument, ItemError, TensorContent, TensorPlan, Weights, check_embeddable,
    custom_vector,
};
use crate::definition::{Definition, StructuredField, StructuredFields};

/// The original refuses the lowest 32-bit integer; so do we, for documents that move both ways.
const INT_RANGE: std::ops::RangeInclusive<i64> = -2_147_483_647..=2_147_483_647;

pub(super) fn check(
    definition: &Definition,
    options: &AddOptions,
    id: String,
    members: &[(String, &RawValue)],
    declared: &StructuredFields,
) -> Result<CheckedDocument, ItemError> {
    let mut document = CheckedDocument {
        id,
        fields: Vec::new(),
        tensors: Vec::new(),
    };
    for (name, raw) in members {
        check_structured_name(name)?;
        let Some(field) = declared.get(name) else {
            return Err(ItemError::invalid(format!(
                "Field {} is not a valid field for structured index {}. Valid fields are: {}",
                shown(name),
                definition.index,
                declared.names()
            )));
        };
        check_field(definition, declared, field, raw, &mut document)?;
    }
    for field in &declared.fields {
        if let Some(plan) = multimodal_plan(options, field, members)? {
            document.tensors.push(plan);
            if let Some(weights) = overriding_weights(options, field) {
                document
                    .fields
                    .push((field.name.clone(), weights.to_json()));
            }
        }
    }
    Ok(document)
}

fn check_field(
    definition: &Definition,
    declared: &StructuredFields,
    field: &StructuredField,
    raw: &RawValue,
    document: &mut CheckedDocument,
) -> Result<(), ItemError> {
    let name = &field.name;
    if field.kind == "multimodal_combination" {
        return Err(ItemError::invalid(format!(
            "Field {} is a multimodal combination field and cannot be assigned a value.",
            shown(name)
        )));
    }
    if field.kind == "custom_vector" {
        let (content, vector) = custom_vector::read(definition, name, raw)?;
        document.fields.push((name.clone(), to_json(&content)));
        let content = TensorContent::Vector { content, vector };
        document.tensors.push(TensorPlan {
            field: name.clone(),
            content,
        });
        return Ok(());
    }
    let value = json::read(raw).map_err(ItemError::invalid)?;
    if let Shallow::Null = value {
        return Err(null_value());
    }
    let is_tensor = declared.tensor_fields.contains(name);
    if is_tensor || declared.is_dependent(name) {
        let Shallow::Text(text) = &value else {
            return Err(ItemError::invalid(format!(
                "Invalid type <class '{}'> for tensor field {}",
                value.type_name(),
                shown(name)
            )));
        };
        check_modality(definition, field, text)?;
        if is_tensor {
            let content = TensorContent::Text(text.clone());
            document.tensors.push(TensorPlan {
                field: name.clone(),
                content,
            });
        }
    }
    let stored = typed(field, raw, &value)?;
    document.fields.push((name.clone(), stored));
    Ok(())
}

fn check_modality(
    definition: &Definition,
    field: &StructuredField,
    text: &str,
) -> Result<(), ItemError> {
    match field.kind.strip_suffix("_pointer") {
        Some(modality) => Err(ItemError::invalid(format!(
            "Could not process the media file found at `{}`. Reason: Model {} does not support {modality}",
            shown(text),
            shown(&definition.model)
        ))),
        None => check_embeddable(definition, text),
    }
}

/// Checks a value against the declared type; gives the JSON that is stored.
fn typed(
    field: &StructuredField,
    raw: &RawValue,
    value: &Shallow<'_>,
) -> Result<String, ItemError> {
    let as_sent = || Ok(raw.get().to_owned());
    match (field.kind.as_str(), value) {
        ("text" | "image_pointer" | "video_pointer" | "audio_pointer", Shallow::Text(text)) => {
            Ok(to_json(text))
        }
        ("bool", Shallow::Bool(_))
        | ("long", Shallow::Int(_))
        | ("double", Shallow::Int(_) | Shallow::Huge(_) | Shallow::Float(_)) => as_sent(),
        ("int", Shallow::Int(number)) => in_int_range(*number).and_then(|()| as_sent()),
        ("float", Shallow::Int(_) | Shallow::Huge(_) | Shallow::Float(_)) => {
            in_float_range(raw.get()).and_then(|()| as_sent())
        }
        ("int" | "long", Shallow::Huge(text)) => Err(beyond_64_bits(&field.name, text)),
        ("int" | "long" | "float" | "double", Shallow::Bool(truth)) => {
            Ok(u8::from(*truth).to_string())
        }
        (kind, Shallow::List(items)) if kind.starts_with("array<") => {
            check_array(field, value, items).and_then(|()| list_json(items))
        }
        (kind, Shallow::Object(entries)) if kind.starts_with("map<") => map(field, entries),
        ("text", Shallow::Object(_)) => Err(ItemError::invalid(format!(
            "The field {} is of type `text`, which is not a valid object field type. The only object field type supported is `custom_vector`.",
            shown(&field.name)
        ))),
        (kind, _) if kind.starts_with("array<") || kind.starts_with("map<") => {
            Err(wrong_list(field, value))
        }
        (kind, _) => Err(ItemError::invalid(format!(
            "Invalid value {} for field {} with Marqo type {kind}. Expected a value of type <class '{}'>, but found <class '{}'>",
            value.echo(),
            shown(&field.name),
            expected_type(kind),
            value.type_name()
        ))),
    }
}

fn expected_type(kind: &str) -> &'static str {
    match kind {
        "bool" => "bool",
        "int" | "long" => "int",
        "float" | "double" => "float",
        _ => "str",
    }
}

fn in_int_range(number: i64) -> Result<(), ItemError> {
    if INT_RANGE.contains(&number) {
        return Ok(());
    }
    Err(ItemError::invalid(format!(
        "Invalid value {number} for int field. Expected a value in the range [{}, {}], but found {number}. If you wish to store a value outside of this range, create a field with type 'long or 'double' ",
        INT_RANGE.start(),
        INT_RANGE.end()
    )))
}

fn in_float_range(text: &str) -> Result<(), ItemError> {
    let number: f64 = text.parse().unwrap_or(f64::INFINITY);
    if number.abs() <= f64::from(f32::MAX) {
        return Ok(());
    }
    let text = shown(text);
    Err(ItemError::invalid(format!(
        "Invalid value {text} for float field. Expected a value in the range [{:e}, {:e}], but found {text}. If you wish to store a value outside of this range, create a field with type 'double' ",
        f32::MIN,
        f32::MAX
    )))
}

fn wrong_list(field: &StructuredField, value: &Shallow<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for a list field {} with Marqo type {}. All list elements must be the same valid type ",
        value.echo(),
        shown(&field.name),
        field.kind
    ))
}

fn check_array(
    field: &StructuredField,
    value: &Shallow<'_>,
    items: &[&RawValue],
) -> Result<(), ItemError> {
    let mut first: Option<&'static str> = None;
    for item in items {
        let item = json::read(item).map_err(ItemError::invalid)?;
        let kind = item.type_name();
        if !matches!(item, Shallow::Text(_) | Shallow::Int(_) | Shallow::Float(_))
            || *first.get_or_insert(kind) != kind
        {
            return Err(mixed_list(value));
        }
        match (field.kind.as_str(), &item) {
            ("array<text>", Shallow::Text(_))
            | ("array<long>", Shallow::Int(_))
            | ("array<double>", Shallow::Int(_) | Shallow::Huge(_) | Shallow::Float(_)) => {}
            ("array<int>", Shallow::Int(number)) => in_int_range(*number)?,
            ("array<int>" | "array<long>", Shallow::Huge(text)) => {
                return Err(beyond_64_bits(&field.name, text));
            }
            ("array<float>", Shallow::Huge(text)) => in_float_range(text)?,
            ("array<float>", Shallow::Int(number)) => in_float_range(&number.to_string())?,
            ("array<float>", Shallow::Float(number)) => in_float_range(&format!("{number:?}"))?,
            _ => return Err(wrong_list(field, value)),
        }
    }
    Ok(())
}

fn map(field: &StructuredField, entries: &[(String, &RawValue)]) -> Result<String, ItemError> {
    let mut members = Vec::with_capacity(entries.len());
    for (key, raw) in entries {
        let number = map_number(key, raw)?;
        match (field.kind.as_str(), number.parse()) {
            ("map<text, int>", Ok(number)) => in_int_range(number)?,
            ("map<text, int>" | "map<text, long>", Err(_)) => {
                return Err(not_whole(field, key, &number));
            }
            ("map<text, float>", _) => in_float_range(&number)?,
            _ => {}
        }
        members.push(format!("{}:{number}", to_json(key)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

/// As for a field that is an integer itself, `1.0` is none.
fn not_whole(field: &StructuredField, key: &str, number: &str) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for key '{}' in field {} with Marqo type {}. Expected a value of type <class 'int'>, but found <class 'float'>",
        shown(number),
        shown(key),
        shown(&field.name),
        field.kind
    ))
}

/// Weights that this request gives in place of the declared ones.
fn overriding_weights<'a>(options: &'a AddOptions, field: &StructuredField) -> Option<&'a Weights> {
    let weights = options.mapping(&field.name)?.weights.as_ref()?;
    let declared = field.dependent_fields.as_ref()?;
    let same = declared.0.len() == weights.0.len()
        && weights
            .0
            .iter()
            .all(|(name, weight)| declared.get(name) == Some(*weight));
    (!same).then_some(weights)
}

fn multimodal_plan(
    options: &AddOptions,
    field: &StructuredField,
    members: &[(String, &RawValue)],
) -> Result<Option<TensorPlan>, ItemError> {
    let Some(declared) = field.dependent_fields.as_ref() else {
        return Ok(None);
    };
    let weights = overriding_weights(options, field).unwrap_or(declared);
    let mut parts = Vec::new();
    for (sub, weight) in &weights.0 {
        let Some((_, raw)) = members.iter().find(|(name, _)| name == sub) else {
            continue;
        };
        if let Shallow::Text(text) = json::read(raw).map_err(ItemError::invalid)? {
            parts.push((sub.clone(), text, *weight));
        }
    }
    Ok((!parts.is_empty()).then(|| TensorPlan {
        field: field.name.clone(),
        content: TensorContent::Multimodal {
            parts,
            weights: weights.clone(),
        },
    }))
}
