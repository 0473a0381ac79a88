//! Sparse vectors: indices and their weights, in one form.

use pelorus_columns::{FieldValue, SparseVector};
use pelorus_excerpt::truncated;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::{self, JsonValue};
use crate::values::Field;

/// The names of the two lists, in the order in which they are stored.
const NAMES: [&str; 2] = ["indices", "values"];

/// Reads the value of a field that holds sparse vectors. It is stored in the order of its indices, without entries of
/// weight 0, with weights in 32 bits.
pub(crate) fn sparse_vector(name: &str, value: &JsonValue<'_>) -> Result<Field, ItemError> {
    let none = || no_vector(name, value);
    let JsonValue::Object(entries) = value else {
        return Err(none());
    };
    let list = |wanted: &str| -> Result<Vec<&str>, ItemError> {
        let entry = entries.iter().find(|(key, _)| key == wanted);
        let (_, raw) = entry.ok_or_else(none)?;
        match read_field(name, raw)? {
            JsonValue::List(items) => Ok(items),
            _ => Err(none()),
        }
    };
    let [indices, values] = [list(NAMES[0])?, list(NAMES[1])?];
    if entries.len() > NAMES.len() {
        return Err(none());
    }
    let refuse =
        |reason: String| ItemError::invalid(format!("Field '{}': {reason}", truncated(name)));
    if indices.len() != values.len() {
        return Err(refuse(format!(
            "a sparse vector has as many indices as values, but received {} and {}",
            indices.len(),
            values.len()
        )));
    }
    let pairs = indices.iter().zip(&values).map(|(index, value)| {
        let index = index_of(index).ok_or_else(|| {
            let received = truncated(index);
            refuse(format!(
                "an index is an integer from 0 to {}, but received {received}",
                u32::MAX
            ))
        })?;
        let weight = match read_field(name, value)?.or_number() {
            JsonValue::Int(_) | JsonValue::BigInteger(_) | JsonValue::Float(_) => value.parse(),
            _ => {
                return Err(refuse(format!(
                    "a weight is a number, but received {}",
                    truncated(value)
                )));
            }
        };
        Ok((index, weight.unwrap_or(f32::NAN)))
    });
    let pairs: Vec<(u32, f32)> = pairs.collect::<Result<_, _>>()?;
    let vector = SparseVector::new(pairs).map_err(|error| refuse(error.to_string()))?;
    Ok(Field::new(
        name,
        to_json(&vector),
        FieldValue::Sparse(vector),
    ))
}

/// The vector that a stored object is; none for any other object.
///
/// # Errors
/// The reason that an object of two lists is not as it is written.
pub(crate) fn stored_vector(entries: &[(String, &str)]) -> Result<Option<SparseVector>, String> {
    if !is_like_vector(entries) {
        return Ok(None);
    }
    let list = |wanted: &str| match entries.iter().find(|(key, _)| key == wanted) {
        Some((_, raw)) => match json::read(raw)? {
            JsonValue::List(items) => Ok(items),
            _ => Err(format!("'{wanted}' is no list")),
        },
        None => Err(format!("'{wanted}' is missing")),
    };
    let [indices, values] = [list(NAMES[0])?, list(NAMES[1])?];
    if indices.len() != values.len() {
        return Err("a sparse vector has as many indices as values".to_owned());
    }
    let pairs = indices.iter().zip(&values).map(|(index, value)| {
        let index = index_of(index).ok_or_else(|| format!("{index} is no index"))?;
        let weight = value.parse().map_err(|_| format!("{value} is no weight"))?;
        Ok::<_, String>((index, weight))
    });
    let vector = SparseVector::new(pairs.collect::<Result<_, _>>()?);
    vector.map(Some).map_err(|error| error.to_string())
}

/// Tells whether an object has the members of a sparse vector and no other. Maps have numbers, and no lists.
pub(crate) fn is_like_vector(entries: &[(String, &str)]) -> bool {
    let has = |name: &str| {
        let mut entries = entries.iter();
        entries.any(|(key, raw)| key == name && raw.trim_ascii_start().starts_with('['))
    };
    entries.len() == NAMES.len() && NAMES.into_iter().all(has)
}

fn index_of(raw: &str) -> Option<u32> {
    let is_digits = raw.bytes().all(|byte| byte.is_ascii_digit());
    raw.parse().ok().filter(|_| is_digits)
}

fn to_json(vector: &SparseVector) -> String {
    let (mut indices, mut values) = (String::new(), String::new());
    for (index, weight) in vector.entries() {
        let comma = if indices.is_empty() { "" } else { "," };
        indices.push_str(&format!("{comma}{index}"));
        // The fewest digits that are this number in 32 bits.
        values.push_str(&format!("{comma}{weight:?}"));
    }
    format!("{{\"indices\":[{indices}],\"values\":[{values}]}}")
}

/// The error of a value that is no sparse vector.
fn no_vector(name: &str, value: &JsonValue<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Field '{}' holds sparse vectors, and {} is none. Expected an object such as {{\"indices\": [17, 204], \"values\": [0.5, 1.25]}}",
        truncated(name),
        value.echo()
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<String, String> {
        let value = crate::json::read(json).unwrap();
        let field = sparse_vector("splade", &value).map_err(|error| error.message)?;
        assert_eq!(
            Field::read("splade", &field.json).unwrap(),
            field,
            "a restart reads the same"
        );
        Ok(field.json)
    }

    #[test]
    fn vectors_are_stored_in_the_order_of_their_indices_and_in_32_bits() {
        for (sent, stored) in [
            (
                r#"{"indices": [204, 17], "values": [1.25, 0.1]}"#,
                r#"{"indices":[17,204],"values":[0.1,1.25]}"#,
            ),
            (
                r#"{"values": [2, 0, 0.123456789012], "indices": [0, 5, 4294967295]}"#,
                r#"{"indices":[0,4294967295],"values":[2.0,0.12345679]}"#,
            ),
            (
                r#"{"indices":[1,2],"values":[1e20,2.5e-9]}"#,
                r#"{"indices":[1,2],"values":[1e20,2.5e-9]}"#,
            ),
            (
                r#"{"indices":[],"values":[]}"#,
                r#"{"indices":[],"values":[]}"#,
            ),
        ] {
            assert_eq!(read(sent).as_deref(), Ok(stored));
        }
    }

    #[test]
    fn a_malformed_vector_is_refused_by_the_name_of_its_field() {
        for (sent, reason) in [
            (
                r#"{"indices":[1,2],"values":[1]}"#,
                "a sparse vector has as many indices as values, but received 2 and 1",
            ),
            (
                r#"{"indices":[-1],"values":[1]}"#,
                "an index is an integer from 0 to 4294967295, but received -1",
            ),
            (
                r#"{"indices":[1.5],"values":[1]}"#,
                "an index is an integer from 0 to 4294967295, but received 1.5",
            ),
            (
                r#"{"indices":["storm"],"values":[1]}"#,
                "an index is an integer from 0 to 4294967295, but received \"storm\"",
            ),
            (
                r#"{"indices":[1],"values":["1"]}"#,
                "a weight is a number, but received \"1\"",
            ),
            (
                r#"{"indices":[1],"values":[-0.5]}"#,
                "a weight is a finite number of at least 0, but received -0.5",
            ),
            (
                r#"{"indices":[1],"values":[1e39]}"#,
                "a weight is a finite number of at least 0, but received inf",
            ),
            (
                r#"{"indices":[7,7],"values":[1,2]}"#,
                "each index stands once, but received 7 more than once",
            ),
        ] {
            assert_eq!(read(sent), Err(format!("Field 'splade': {reason}")));
        }
        for sent in [
            r#"{"storm": 0.5}"#,
            r#"{"indices":[1]}"#,
            "[1]",
            "7",
            r#"{"indices":[],"values":[],"x":1}"#,
        ] {
            let message = read(sent).expect_err(sent);
            assert!(
                message.starts_with("Field 'splade' holds sparse vectors, and "),
                "{message}"
            );
            assert!(
                message.ends_with(r#"{"indices": [17, 204], "values": [0.5, 1.25]}"#),
                "{message}"
            );
        }
    }

    #[test]
    fn a_stored_object_that_is_damaged_is_an_error() {
        for json in [
            r#"{"indices":[1],"values":[1,2]}"#,
            r#"{"indices":[1],"values":[-1]}"#,
            r#"{"indices":[1,1],"values":[1,2]}"#,
            r#"{"indices":["a"],"values":[1]}"#,
            r#"{"indices":[1],"values":["a"]}"#,
        ] {
            assert!(Field::read("splade", json).is_err(), "{json}");
        }
    }
}
