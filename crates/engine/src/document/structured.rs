//! Documents of an index with declared fields: the declaration decides.

use pelorus_filter::shown;
use serde_json::value::RawValue;

use super::json::Shallow;
use super::names::{check_key, check_structured_name};
use super::numbers::{NumberFault, NumberType};
use super::unstructured::{map_value, mixed_list, null_value, same_kind, to_json};
use super::{
    AddOptions, CheckedDocument, ItemError, TensorContent, TensorPlan, Weights, check_embeddable,
    custom_vector, read_field,
};
use crate::definition::{Definition, StructuredField, StructuredFields};

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
    let value = read_field(name, raw)?;
    if let Shallow::Null = value {
        return Err(null_value(name));
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
    let stored = typed(field, &value)?;
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
fn typed(field: &StructuredField, value: &Shallow<'_>) -> Result<String, ItemError> {
    let kind = field.kind.as_str();
    let inside = |open: &str| kind.strip_prefix(open)?.strip_suffix('>');
    if let Some(item) = inside("array<") {
        return array(field, item, value);
    }
    if let Some(item) = inside("map<text, ") {
        return map(field, item, value);
    }
    match (kind, value) {
        ("text" | "image_pointer" | "video_pointer" | "audio_pointer", Shallow::Text(text)) => {
            Ok(to_json(text))
        }
        ("bool", Shallow::Bool(truth)) => Ok(truth.to_string()),
        ("text", Shallow::Object(_)) => Err(ItemError::invalid(format!(
            "The field {} is of type `text`, which is not a valid object field type. The only object field type supported is `custom_vector`.",
            shown(&field.name)
        ))),
        _ => match NumberType::named(kind) {
            Some(number) => number.stored(value).map_err(|fault| match fault {
                NumberFault::OutOfRange => number.out_of_range(&shown(&field.name), value),
                NumberFault::WrongType => wrong_type(field, value, number.expected()),
            }),
            None if kind == "bool" => Err(wrong_type(field, value, "bool")),
            None => Err(wrong_type(field, value, "str")),
        },
    }
}

fn wrong_type(field: &StructuredField, value: &Shallow<'_>, expected: &str) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for field {} with Marqo type {}. Expected a value of type <class '{expected}'>, but found <class '{}'>",
        value.echo(),
        shown(&field.name),
        field.kind,
        value.type_name()
    ))
}

fn wrong_list(field: &StructuredField, value: &Shallow<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for a list field {} with Marqo type {}. All list elements must be the same valid type ",
        value.echo(),
        shown(&field.name),
        field.kind
    ))
}

/// A list, of which all items are of the type `item`.
fn array(field: &StructuredField, item: &str, value: &Shallow<'_>) -> Result<String, ItemError> {
    let Shallow::List(items) = value else {
        return Err(wrong_list(field, value));
    };
    let items = items.iter().map(|raw| read_field(&field.name, raw));
    let items: Vec<Shallow<'_>> = items.collect::<Result<_, _>>()?;
    match same_kind(&items) {
        None if items.is_empty() => return Ok("[]".to_owned()),
        Some("str" | "int" | "float") => {}
        _ => return Err(mixed_list(&field.name, value)),
    }
    let stored = |one: &Shallow<'_>| match (NumberType::named(item), one) {
        (None, Shallow::Text(text)) => Ok(to_json(text)),
        (None, _) => Err(wrong_list(field, value)),
        (Some(number), one) => number.stored(one).map_err(|fault| match fault {
            NumberFault::OutOfRange => number.out_of_range(&shown(&field.name), one),
            NumberFault::WrongType => wrong_list(field, value),
        }),
    };
    let stored: Vec<String> = items.iter().map(stored).collect::<Result<_, _>>()?;
    Ok(format!("[{}]", stored.join(",")))
}

/// A flat object, of which all values are of the type `item`.
fn map(field: &StructuredField, item: &str, value: &Shallow<'_>) -> Result<String, ItemError> {
    let (Shallow::Object(entries), Some(number)) = (value, NumberType::named(item)) else {
        return Err(wrong_list(field, value));
    };
    let mut members = Vec::with_capacity(entries.len());
    for (key, raw) in entries {
        check_key(&field.name, key)?;
        let value = map_value(&field.name, key, raw)?;
        let stored = number.stored(&value).map_err(|fault| match fault {
            NumberFault::OutOfRange => {
                let place = format!("{}, key '{}'", shown(&field.name), shown(key));
                number.out_of_range(&place, &value)
            }
            NumberFault::WrongType => not_whole(field, key, &value),
        })?;
        members.push(format!("{}:{stored}", to_json(key)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

/// As for a field that is an integer itself, `1.0` is none.
fn not_whole(field: &StructuredField, key: &str, number: &Shallow<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for key '{}' in field {} with Marqo type {}. Expected a value of type <class 'int'>, but found <class 'float'>",
        number.echo(),
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
        if let Shallow::Text(text) = read_field(sub, raw)? {
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
