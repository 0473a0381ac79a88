//! Many vectors of one document, in one form: a list of lists of numbers, of which all are as long.

use std::sync::Arc;

use pelorus_columns::{FieldValue, MultiVector};
use pelorus_excerpt::truncated;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::{self, JsonValue};
use crate::reader::Reader;
use crate::values::Field;

/// Reads the value of a field that holds many vectors, of `dimensions` numbers where these are known. Numbers are stored in
/// 32 bits, as they came.
pub(crate) fn multi_vector(
    name: &str,
    dimensions: Option<usize>,
    value: &JsonValue<'_>,
) -> Result<Field, ItemError> {
    let items = match value {
        JsonValue::List(items) if items.iter().all(|item| item.starts_with('[')) => items,
        _ => return Err(no_vectors(name, value)),
    };
    let refuse =
        |reason: String| ItemError::invalid(format!("Field '{}': {reason}", truncated(name)));
    let mut vectors = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        let vector = match Reader::new(item).floats() {
            Some(vector) => vector,
            None => explained(name, place, item)?,
        };
        if let Some(expected) = dimensions
            && vector.len() != expected
        {
            return Err(refuse(format!(
                "a vector has {expected} numbers here, but vector {place} has {}",
                vector.len()
            )));
        }
        vectors.push(vector);
    }
    let kept = MultiVector::new(&vectors).map_err(|error| refuse(error.to_string()))?;
    let value = FieldValue::Multi(Arc::new(kept));
    Ok(Field::new(name, to_json(&vectors), value))
}

/// The vectors that a stored list of lists is.
///
/// # Errors
/// The reason that it is not as it is written.
pub(crate) fn stored_vectors(json: &str) -> Result<MultiVector, String> {
    let vectors = lists_of(json).ok_or_else(|| format!("{} are no vectors", truncated(json)))?;
    MultiVector::new(&vectors).map_err(|error| error.to_string())
}

/// Lists of one number or more each.
fn lists_of(json: &str) -> Option<Vec<Vec<f32>>> {
    let mut reader = Reader::new(json);
    reader.pass(b'[')?;
    let mut vectors = vec![reader.floats()?];
    while !reader.ends(b']')? {
        vectors.push(reader.floats()?);
    }
    reader.peek().is_none().then_some(vectors)
}

/// Tells whether a value is a list of lists, which nothing else is.
pub(crate) fn is_like_vectors(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::List(items) if items.first().is_some_and(|item| item.starts_with('[')))
}

/// The same of a value that is not read yet.
pub(crate) fn is_text_of_vectors(raw: &str) -> bool {
    let inside = raw.trim_ascii_start().strip_prefix('[');
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with('['))
}

/// Reads number by number, so that the error names the vector.
fn explained(name: &str, place: usize, item: &str) -> Result<Vec<f32>, ItemError> {
    let JsonValue::List(numbers) = read_field(name, item)? else {
        return Ok(Vec::new());
    };
    let number = |raw: &&str| match json::read(raw) {
        Ok(JsonValue::Int(_) | JsonValue::BigInteger(_) | JsonValue::Float(_)) => {
            Ok(raw.parse().unwrap_or(f32::NAN))
        }
        _ => Err(ItemError::invalid(format!(
            "Field '{}': a vector has finite numbers of 32 bits alone, but vector {place} has {}",
            truncated(name),
            truncated(raw)
        ))),
    };
    numbers.iter().map(number).collect()
}

fn to_json(vectors: &[Vec<f32>]) -> String {
    use std::fmt::Write;
    let mut json = String::from("[");
    for (place, vector) in vectors.iter().enumerate() {
        json.push_str(if place == 0 { "[" } else { ",[" });
        for (at, number) in vector.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            // The fewest digits that are this number in 32 bits.
            write!(json, "{comma}{number:?}").expect("a text takes what is written");
        }
        json.push(']');
    }
    json.push(']');
    json
}

/// The error of a value that is no list of vectors.
fn no_vectors(name: &str, value: &JsonValue<'_>) -> ItemError {
    ItemError::invalid(format!(
        "Field '{}' holds lists of vectors, and {} is none. Expected a list of lists such as [[0.5, -1.25], [0.75, 2]]",
        truncated(name),
        value.echo()
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn read(json: &str, dimensions: Option<usize>) -> Result<String, String> {
        let value = crate::json::read(json).unwrap();
        let field = multi_vector("colbert", dimensions, &value).map_err(|error| error.message)?;
        assert_eq!(
            Field::read("colbert", &field.json).unwrap(),
            field,
            "a restart reads the same"
        );
        Ok(field.json)
    }

    #[test]
    fn vectors_are_stored_in_their_order_and_in_32_bits() {
        for (sent, stored) in [
            ("[[0.5, 1], [2, -3]]", "[[0.5,1.0],[2.0,-3.0]]"),
            ("[ [0.123456789012, 1e-3] ]", "[[0.12345679,0.001]]"),
            ("[[0, 0, 0]]", "[[0.0,0.0,0.0]]"),
            ("[[1e20,2.5e-9]]", "[[1e20,2.5e-9]]"),
        ] {
            assert_eq!(read(sent, None).as_deref(), Ok(stored));
        }
        assert!(read("[[0.5, 1], [2, -3]]", Some(2)).is_ok());
    }

    #[test]
    fn malformed_vectors_are_refused_by_the_name_of_their_field() {
        let long = format!("[[{}]]", vec!["1"; 1025].join(","));
        let many = format!("[{}]", vec!["[1,2]"; 1025].join(","));
        for (sent, reason) in [
            (
                "[[1,2],[1,2,3]]",
                "a vector has 2 numbers here, but vector 1 has 3",
            ),
            (
                "[[1,2],[]]",
                "a vector has 2 numbers here, but vector 1 has 0",
            ),
            (
                r#"[[1,2],[1,"2"]]"#,
                r#"a vector has finite numbers of 32 bits alone, but vector 1 has "2""#,
            ),
            (
                "[[1,null]]",
                "a vector has finite numbers of 32 bits alone, but vector 0 has null",
            ),
            (
                "[[1,1e39]]",
                "a vector has finite numbers of 32 bits, but vector 0 has another",
            ),
            (&many, "there are 1 to 1024 vectors, but received 1025"),
            ("[]", "there are 1 to 1024 vectors, but received 0"),
        ] {
            assert_eq!(
                read(sent, Some(2)),
                Err(format!("Field 'colbert': {reason}"))
            );
        }
        for (sent, reason) in [
            (
                "[[1,2],[1,2,3]]",
                "all vectors have as many numbers as the first, which has 2, but vector 1 has 3",
            ),
            ("[[1]]", "a vector has 2 to 1024 numbers, but received 1"),
            (&long, "a vector has 2 to 1024 numbers, but received 1025"),
        ] {
            assert_eq!(read(sent, None), Err(format!("Field 'colbert': {reason}")));
        }
        for sent in ["[1,2]", "[[1,2],3]", "7", "{}", "\"x\"", "null"] {
            let message = read(sent, None).expect_err(sent);
            assert!(
                message.starts_with("Field 'colbert' holds lists of vectors, and "),
                "{message}"
            );
            assert!(message.ends_with("[[0.5, -1.25], [0.75, 2]]"), "{message}");
        }
    }

    #[test]
    fn a_stored_list_that_is_damaged_is_an_error() {
        for json in [
            "[[1]]",
            "[[1,2],[1]]",
            "[[1,\"a\"]]",
            "[[1,2],3]",
            "[[1,2]",
            "[[1,2]]]",
        ] {
            assert!(Field::read("colbert", json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_list_of_lists_is_told_by_its_beginning() {
        for (raw, is_one) in [
            ("[[1,2]]", true),
            (" [ [", true),
            ("[1,2]", false),
            ("[]", false),
            ("\"[[\"", false),
        ] {
            assert_eq!(is_text_of_vectors(raw), is_one, "{raw}");
        }
    }
}
