//! Documents of an index with declared fields: the declaration decides.

use pelorus_columns::{FieldValue, Number};
use pelorus_excerpt::truncated;

use crate::check::{CheckedDocument, TensorContent, TensorInput, read_field};
use crate::custom_vector::{self, CustomVector};
use crate::error::ItemError;
use crate::generated::AddOptions;
use crate::geo_point::geo_point;
use crate::json::{JsonValue, to_json};
use crate::media::declared_embeddable;
use crate::multi_vector::multi_vector;
use crate::names::{check_key, check_structured_name, check_unprotected};
use crate::numbers::{NumberError, NumberType};
use crate::options::Weights;
use crate::schema::{DocumentSchema, StructuredField, StructuredFields};
use crate::sparse_vector::sparse_vector;
use crate::split::{Member, value_of};
use crate::unstructured::{map_value, mixed_list, null_value, same_kind};
use crate::values::Field;

pub(crate) fn check(
    schema: &DocumentSchema,
    options: &AddOptions,
    id: String,
    members: &[Member<'_>],
    declared: &StructuredFields,
) -> Result<CheckedDocument, ItemError> {
    let mut document = CheckedDocument {
        id,
        fields: Vec::new(),
        removed: Vec::new(),
        tensors: Vec::new(),
    };
    for member in members {
        let field = assigned_field(schema, declared, member.name)?;
        check_field(schema, options, declared, field, member, &mut document)?;
    }
    for field in &declared.fields {
        if let Some(plan) = multimodal_plan(schema, options, declared, field, members)? {
            document.tensors.push(plan);
            if let Some(weights) = overriding_weights(options, field) {
                document.fields.push(weights_field(&field.name, weights));
            }
        }
    }
    Ok(document)
}

/// The declaration of a document's field.
pub(crate) fn declared_field<'a>(
    schema: &DocumentSchema,
    declared: &'a StructuredFields,
    name: &str,
) -> Result<&'a StructuredField, ItemError> {
    check_structured_name(name)?;
    if let Some(field) = declared.get(name) {
        return Ok(field);
    }
    check_unprotected(name)?;
    Err(ItemError::invalid(format!(
        "Field {} is not a valid field for structured index {}. Valid fields are: {}",
        truncated(name),
        schema.index,
        declared.names()
    )))
}

/// The declaration of a field that a document gives a value of its own.
pub(crate) fn assigned_field<'a>(
    schema: &DocumentSchema,
    declared: &'a StructuredFields,
    name: &str,
) -> Result<&'a StructuredField, ItemError> {
    let field = declared_field(schema, declared, name)?;
    match field.kind.as_str() {
        "multimodal_combination" => Err(ItemError::invalid(format!(
            "Field {} is a multimodal combination field and cannot be assigned a value.",
            truncated(name)
        ))),
        _ => Ok(field),
    }
}

fn check_field(
    schema: &DocumentSchema,
    options: &AddOptions,
    declared: &StructuredFields,
    field: &StructuredField,
    member: &Member<'_>,
    document: &mut CheckedDocument,
) -> Result<(), ItemError> {
    let name = &field.name;
    if field.kind == "custom_vector" {
        let CustomVector { content, vector } = custom_vector::read(schema, member)?;
        document.fields.push(Field::text(name, content.clone()));
        let content = TensorContent::Vector { content, vector };
        document.tensors.push(TensorInput {
            field: name.clone(),
            content,
        });
        return Ok(());
    }
    let raw = member.value;
    let value = read_field(name, raw)?;
    if let JsonValue::Null = value {
        return Err(null_value(name));
    }
    let is_tensor = declared.tensor_fields.contains(name);
    if is_tensor || declared.is_dependent(name) {
        let JsonValue::Text(text) = &value else {
            return Err(ItemError::invalid(format!(
                "Invalid type <class '{}'> for tensor field {}",
                value.type_name(),
                truncated(name)
            )));
        };
        let content = declared_embeddable(schema, options, field, text)?;
        if is_tensor {
            document.tensors.push(TensorInput {
                field: name.clone(),
                content: TensorContent::Embeddable(content),
            });
        }
    }
    document.fields.push(typed(field, &value)?);
    Ok(())
}

/// Checks a value against the declared type.
pub(crate) fn typed(field: &StructuredField, value: &JsonValue<'_>) -> Result<Field, ItemError> {
    let (name, kind) = (field.name.as_str(), field.kind.as_str());
    let inside = |open: &str| kind.strip_prefix(open)?.strip_suffix('>');
    if let Some(item) = inside("array<") {
        return array(field, item, value);
    }
    if let Some(item) = inside("map<text, ") {
        return map(field, item, value);
    }
    match (kind, value) {
        ("text" | "image_pointer" | "video_pointer" | "audio_pointer", JsonValue::Text(text)) => {
            Ok(Field::text(name, text.clone()))
        }
        ("geo_point", value) => geo_point(name, value),
        ("sparse_vector", value) => sparse_vector(name, value),
        ("multi_vector", value) => multi_vector(name, field.dimensions, value),
        ("bool", JsonValue::Bool(truth)) => Ok(Field::new(
            name,
            truth.to_string(),
            FieldValue::Bool(*truth),
        )),
        ("text", JsonValue::Object(_)) => Err(ItemError::invalid(format!(
            "The field {} is of type `text`, which is not a valid object field type. The only object field type supported is `custom_vector`.",
            truncated(&field.name)
        ))),
        _ => match NumberType::named(kind) {
            Some(number) => match number.stored(value) {
                Ok((json, Number::Int(number))) => {
                    Ok(Field::new(name, json, FieldValue::Int(number)))
                }
                Ok((json, Number::Float(number))) => {
                    Ok(Field::new(name, json, FieldValue::Float(number)))
                }
                Err(NumberError::OutOfRange) => Err(number.out_of_range(&truncated(name), value)),
                Err(NumberError::WrongType) => Err(wrong_type(field, value, number.expected())),
            },
            None if kind == "bool" => Err(wrong_type(field, value, "bool")),
            None => Err(wrong_type(field, value, "str")),
        },
    }
}

fn wrong_type(field: &StructuredField, value: &JsonValue<'_>, expected: &str) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for field {} with Marqo type {}. Expected a value of type <class '{expected}'>, but found <class '{}'>",
        value.echo(),
        truncated(&field.name),
        field.kind,
        value.type_name()
    ))
}

fn wrong_list(field: &StructuredField, value: &JsonValue<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for a list field {} with Marqo type {}. All list elements must be the same valid type ",
        value.echo(),
        truncated(&field.name),
        field.kind
    ))
}

/// A list, of which all items are of the type `item`.
fn array(field: &StructuredField, item: &str, value: &JsonValue<'_>) -> Result<Field, ItemError> {
    let JsonValue::List(items) = value else {
        return Err(wrong_list(field, value));
    };
    let items = items.iter().map(|raw| read_field(&field.name, raw));
    let items: Vec<JsonValue<'_>> = items.collect::<Result<_, _>>()?;
    match same_kind(&items) {
        None if items.is_empty() => {}
        Some("str" | "int" | "float") => {}
        _ => return Err(mixed_list(&field.name, value)),
    }
    let (mut json, mut texts) = (Vec::new(), Vec::new());
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    for one in items {
        match (NumberType::named(item), one) {
            (None, JsonValue::Text(text)) => {
                json.push(to_json(&text));
                texts.push(text);
            }
            (None, _) => return Err(wrong_list(field, value)),
            (Some(number), one) => {
                let (text, number) = number.stored(&one).map_err(|error| match error {
                    NumberError::OutOfRange => number.out_of_range(&truncated(&field.name), &one),
                    NumberError::WrongType => wrong_list(field, value),
                })?;
                json.push(text);
                match number {
                    Number::Int(number) => ints.push(number),
                    Number::Float(number) => floats.push(number),
                }
            }
        }
    }
    let typed = match (texts.is_empty(), ints.is_empty(), floats.is_empty()) {
        (false, _, _) => Some(FieldValue::TextList(texts)),
        (_, false, _) => Some(FieldValue::IntList(ints)),
        (_, _, false) => Some(FieldValue::FloatList(floats)),
        _ => None,
    };
    Ok(Field {
        name: field.name.clone(),
        json: format!("[{}]", json.join(",")),
        value: typed,
    })
}

/// A flat object, of which all values are of the type `item`.
fn map(field: &StructuredField, item: &str, value: &JsonValue<'_>) -> Result<Field, ItemError> {
    let (JsonValue::Object(entries), Some(number)) = (value, NumberType::named(item)) else {
        return Err(wrong_list(field, value));
    };
    let mut members = Vec::with_capacity(entries.len());
    let mut typed = Vec::with_capacity(entries.len());
    for (key, raw) in entries {
        check_key(&field.name, key)?;
        let value = map_value(&field.name, key, raw)?;
        let (stored, number) = number.stored(&value).map_err(|error| match error {
            NumberError::OutOfRange => {
                let place = format!("{}, key '{}'", truncated(&field.name), truncated(key));
                number.out_of_range(&place, &value)
            }
            NumberError::WrongType => not_whole(field, key, &value),
        })?;
        members.push(format!("{}:{stored}", to_json(key)));
        typed.push((key.clone(), number));
    }
    let json = format!("{{{}}}", members.join(","));
    Ok(Field::new(&field.name, json, FieldValue::Map(typed)))
}

/// As for a field that is an integer itself, `1.0` is none.
fn not_whole(field: &StructuredField, key: &str, number: &JsonValue<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Invalid value {} for key '{}' in field {} with Marqo type {}. Expected a value of type <class 'int'>, but found <class 'float'>",
        number.echo(),
        truncated(key),
        truncated(&field.name),
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
    schema: &DocumentSchema,
    options: &AddOptions,
    fields: &StructuredFields,
    field: &StructuredField,
    members: &[Member<'_>],
) -> Result<Option<TensorInput>, ItemError> {
    let Some(declared) = field.dependent_fields.as_ref() else {
        return Ok(None);
    };
    let weights = overriding_weights(options, field).unwrap_or(declared);
    let mut parts = Vec::new();
    for (sub, weight) in &weights.0 {
        let Some(raw) = value_of(members, sub) else {
            continue;
        };
        if let (JsonValue::Text(text), Some(part)) = (read_field(sub, raw)?, fields.get(sub)) {
            let content = declared_embeddable(schema, options, part, &text)?;
            parts.push((sub.clone(), content, *weight));
        }
    }
    Ok((!parts.is_empty()).then(|| TensorInput {
        field: field.name.clone(),
        content: TensorContent::Multimodal {
            parts,
            weights: weights.clone(),
        },
    }))
}

/// The weights that a multimodal field was made with, as they are stored.
pub(crate) fn weights_field(name: &str, weights: &Weights) -> Field {
    Field::read(name, &weights.to_json()).expect("an object of numbers")
}
