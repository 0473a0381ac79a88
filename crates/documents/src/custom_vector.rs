//! Vectors that the caller brings.

use pelorus_filter::shown;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::{self, JsonValue};
use crate::schema::DocumentSchema;

/// Length of the text that a custom vector's value brings along, for the size check.
pub(crate) fn content_length(value: &str) -> usize {
    let Ok(JsonValue::Object(members)) = json::read(value) else {
        return value.len();
    };
    members
        .iter()
        .filter(|(name, _)| name != "vector")
        .map(|(_, value)| value.len())
        .sum()
}

/// Reads `{"vector": [numbers], "content": "text"}` into content and vector.
pub(crate) fn read(
    schema: &DocumentSchema,
    field: &str,
    value: &str,
) -> Result<(String, Vec<f32>), ItemError> {
    let members = match read_field(field, value)? {
        JsonValue::Object(members) => members,
        other => {
            return Err(ItemError::invalid(format!(
                "Custom vector field {} must be an object with the member 'vector', but given {} of type <class '{}'>",
                shown(field),
                other.echo(),
                other.type_name()
            )));
        }
    };
    if let Some((extra, _)) = members
        .iter()
        .find(|(name, _)| name != "vector" && name != "content")
    {
        return Err(ItemError::invalid(format!(
            "Custom vector field can only contain fields 'vector' and 'content'. Received unexpected extra fields: {{'{}'}} in field {}.",
            shown(extra),
            shown(field)
        )));
    }
    let find = |name: &str| {
        members
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| *value)
    };
    let content = match find("content") {
        None => String::new(),
        Some(value) => read_content(field, value)?,
    };
    let Some(vector) = find("vector") else {
        return Err(ItemError::invalid(format!(
            "Cannot create custom_vector field {} missing 'vector', which is a required key. Given field content: '{}'",
            shown(field),
            JsonValue::Object(members).echo()
        )));
    };
    let mut vector = read_vector(schema, field, vector)?;
    if schema.normalize {
        normalize(field, &mut vector)?;
    } else if schema.refuses_zero_vectors && vector.iter().all(|x| *x == 0.0) {
        return Err(zero_magnitude(field));
    }
    Ok((content, vector))
}

fn read_content(field: &str, value: &str) -> Result<String, ItemError> {
    match read_field(field, value)? {
        JsonValue::Text(text) => Ok(text),
        other => Err(ItemError::invalid(format!(
            "Custom vector field 'content' must be one of the following types: [<class 'str'>], but given content is of type <class '{}'> in field {}",
            other.type_name(),
            shown(field)
        ))),
    }
}

fn read_vector(schema: &DocumentSchema, field: &str, value: &str) -> Result<Vec<f32>, ItemError> {
    if let Ok(vector) = serde_json::from_str::<Vec<f32>>(value)
        && vector.len() == schema.dimensions
        && vector.iter().all(|x| x.is_finite())
    {
        return Ok(vector);
    }
    read_items(schema, field, value)
}

/// Reads item by item, so that what is wrong is named.
fn read_items(schema: &DocumentSchema, field: &str, value: &str) -> Result<Vec<f32>, ItemError> {
    let items = match read_field(field, value)? {
        JsonValue::List(items) => items,
        other => {
            return Err(ItemError::invalid(format!(
                "Custom vector field 'vector' must be a list, but given vector is of type <class '{}'> in field {}",
                other.type_name(),
                shown(field)
            )));
        }
    };
    if items.len() != schema.dimensions {
        return Err(ItemError::invalid(format!(
            "Custom vector must have dimension of {}, but given vector is of length {} in field {}",
            schema.dimensions,
            items.len(),
            shown(field)
        )));
    }
    let items = items.into_iter().enumerate();
    items.map(|(at, item)| read_item(field, at, item)).collect()
}

fn read_item(field: &str, at: usize, item: &str) -> Result<f32, ItemError> {
    let number = match read_field(field, item)? {
        JsonValue::Int(number) => number as f32,
        JsonValue::Float(number) => number as f32,
        JsonValue::BigInteger(text) => text.parse().unwrap_or(f32::INFINITY),
        other => {
            return Err(ItemError::invalid(format!(
                "Custom vector field 'vector' must be a list of numbers, but given vector contains an element of type <class '{}'>: {} at position {at} in field {}",
                other.type_name(),
                other.echo(),
                shown(field)
            )));
        }
    };
    if number.is_finite() {
        return Ok(number);
    }
    Err(ItemError::invalid(format!(
        "Custom vector field 'vector' must be a list of 32-bit floats, but given vector contains {} at position {at} in field {}",
        shown(item),
        shown(field)
    )))
}

fn normalize(field: &str, vector: &mut [f32]) -> Result<(), ItemError> {
    let norm = vector
        .iter()
        .map(|x| f64::from(*x) * f64::from(*x))
        .sum::<f64>()
        .sqrt();
    if norm == 0.0 {
        return Err(zero_magnitude(field));
    }
    for x in vector {
        *x = (f64::from(*x) / norm) as f32;
    }
    Ok(())
}

fn zero_magnitude(field: &str) -> ItemError {
    ItemError::invalid(format!(
        "Field {} has zero magnitude vector, cannot normalize.",
        shown(field)
    ))
}
