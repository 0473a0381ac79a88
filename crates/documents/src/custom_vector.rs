//! Vectors that the caller brings.

use pelorus_excerpt::truncated;
use serde_json::value::RawValue;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::{self, JsonValue};
use crate::reader::Reader;
use crate::schema::DocumentSchema;
use crate::split::Member;

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

/// A custom vector that nothing is wrong with but, perhaps, its dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CustomVector {
    pub content: String,
    pub vector: Vec<f32>,
}

/// Reads `{"vector": [numbers], "content": "text"}`, which may have been read as the body was split.
pub(crate) fn read(
    schema: &DocumentSchema,
    member: &Member<'_>,
) -> Result<CustomVector, ItemError> {
    let field = member.name;
    let usual = match member.vector {
        Some(read) => Some(read.clone()),
        None => usual(&mut Reader::new(member.value)),
    };
    let mut read = match usual {
        Some(usual) if is_vector(schema, &usual.vector) => usual,
        _ => explained(schema, field, member.value)?,
    };
    if schema.normalize {
        normalize(field, &mut read.vector)?;
    } else if schema.refuses_zero_vectors && read.vector.iter().all(|x| *x == 0.0) {
        return Err(zero_magnitude(field));
    }
    Ok(read)
}

fn is_vector(schema: &DocumentSchema, vector: &[f32]) -> bool {
    vector.len() == schema.dimensions && vector.iter().all(|x| x.is_finite())
}

/// The custom vector that comes next, in one pass: most of the bytes of most requests are its numbers. None
/// where anything is unusual.
pub(crate) fn usual(reader: &mut Reader<'_>) -> Option<CustomVector> {
    let (mut content, mut vector) = (None, None);
    reader.pass(b'{')?;
    loop {
        reader.peek()?;
        let name = reader.value::<&RawValue>()?.get();
        reader.pass(b':')?;
        match name {
            r#""vector""# if vector.is_none() => vector = Some(reader.floats()?),
            r#""content""# if content.is_none() => content = Some(reader.value()?),
            _ => return None,
        }
        if reader.ends(b'}')? {
            return Some(CustomVector {
                content: content.unwrap_or_default(),
                vector: vector?,
            });
        }
    }
}

/// Reads item by item, so that the error names the item.
fn explained(schema: &DocumentSchema, field: &str, value: &str) -> Result<CustomVector, ItemError> {
    let members = match read_field(field, value)? {
        JsonValue::Object(members) => members,
        other => {
            return Err(ItemError::invalid(format!(
                "Custom vector field {} must be an object with the member 'vector', but given {} of type <class '{}'>",
                truncated(field),
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
            truncated(extra),
            truncated(field)
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
            truncated(field),
            JsonValue::Object(members).echo()
        )));
    };
    let vector = read_items(schema, field, vector)?;
    Ok(CustomVector { content, vector })
}

fn read_content(field: &str, value: &str) -> Result<String, ItemError> {
    match read_field(field, value)? {
        JsonValue::Text(text) => Ok(text),
        other => Err(ItemError::invalid(format!(
            "Custom vector field 'content' must be one of the following types: [<class 'str'>], but given content is of type <class '{}'> in field {}",
            other.type_name(),
            truncated(field)
        ))),
    }
}

fn read_items(schema: &DocumentSchema, field: &str, value: &str) -> Result<Vec<f32>, ItemError> {
    let items = match read_field(field, value)? {
        JsonValue::List(items) => items,
        other => {
            return Err(ItemError::invalid(format!(
                "Custom vector field 'vector' must be a list, but given vector is of type <class '{}'> in field {}",
                other.type_name(),
                truncated(field)
            )));
        }
    };
    if items.len() != schema.dimensions {
        return Err(ItemError::invalid(format!(
            "Custom vector must have dimension of {}, but given vector is of length {} in field {}",
            schema.dimensions,
            items.len(),
            truncated(field)
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
                truncated(field)
            )));
        }
    };
    if number.is_finite() {
        return Ok(number);
    }
    Err(ItemError::invalid(format!(
        "Custom vector field 'vector' must be a list of 32-bit floats, but given vector contains {} at position {at} in field {}",
        truncated(item),
        truncated(field)
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
        truncated(field)
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use pelorus_hnsw::NumericType;
    use pelorus_text::{ChunkMethod, ChunkSpec};
    use proptest::prelude::*;

    use super::*;
    use crate::schema::IndexKind;

    fn schema(dimensions: usize) -> DocumentSchema {
        DocumentSchema {
            index: "i".into(),
            kind: IndexKind::Unstructured {
                filter_string_max_length: 50,
                collapse_field: None,
            },
            model: "m".into(),
            embeds: false,
            dimensions,
            normalize: false,
            refuses_zero_vectors: false,
            numbers: NumericType::Float,
            chunks: ChunkSpec::new(ChunkMethod::Sentence, 1, 0).unwrap(),
            media_images: false,
            media_all: false,
        }
    }

    #[test]
    fn an_unusual_vector_is_left_to_be_explained() {
        for text in [
            r#"{"vector": [1, null]}"#,
            r#"{"vector": [true, 0]}"#,
            r#"{"vector": []}"#,
            r#"{"vector": [[1], 2]}"#,
            r#"{"vector": ["1", 2]}"#,
            r#"{"vector": [1], "vector": [2]}"#,
            r#"{"vector": [1], "content": 5}"#,
            r#"{"vector": [1], "other": "a"}"#,
            r#"{"\u0076ector": [1]}"#,
            r#"{"content": "a:b,]"}"#,
            "{}",
            "5",
        ] {
            assert_eq!(usual(&mut Reader::new(text)), None, "{text}");
        }
        let text = r#"{ "content" : "a\":,]}" , "vector" : [ 1 , -2.5e1 ] }"#;
        let read = CustomVector {
            content: "a\":,]}".to_owned(),
            vector: vec![1.0, -25.0],
        };
        assert_eq!(usual(&mut Reader::new(text)), Some(read));
    }

    #[test]
    fn only_numbers_are_components() {
        for (item, named) in [
            ("true", "<class 'bool'>: True"),
            ("false", "<class 'bool'>: False"),
            ("null", "<class 'NoneType'>: None"),
            (r#""1""#, "<class 'str'>: 1"),
            ("[1]", "<class 'list'>: [1]"),
            ("{}", "<class 'dict'>: {}"),
        ] {
            for (at, vector) in [(0, format!("[{item}, 1]")), (1, format!("[1, {item}]"))] {
                let value = format!(r#"{{"vector": {vector}}}"#);
                let refused = explained(&schema(2), "f", &value).unwrap_err().message;
                let expected = format!("{named} at position {at} in field f");
                assert!(refused.ends_with(&expected), "{refused}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(11), ..ProptestConfig::default() })]

        #[test]
        fn one_pass_reads_what_reading_item_by_item_does(
            numbers in prop::collection::vec(
                prop_oneof![
                    any::<f64>().prop_filter("JSON", |x| x.is_finite()).prop_map(|x| x.to_string()),
                    any::<f32>().prop_filter("JSON", |x| x.is_finite()).prop_map(|x| format!("{x:e}")),
                    any::<i64>().prop_map(|n| n.to_string()),
                ],
                1..20,
            ),
            content in any::<Option<String>>(), is_first in any::<bool>(),
        ) {
            let vector = format!(r#""vector":[{}]"#, numbers.join(", "));
            let mut members = vec![vector];
            if let Some(content) = &content {
                let content = format!(r#""content": {}"#, serde_json::Value::from(content.as_str()));
                members.insert(usize::from(!is_first), content);
            }
            let text = format!("{{{}}}", members.join(" , "));
            let schema = schema(numbers.len());
            match usual(&mut Reader::new(&text)) {
                Some(usual) if is_vector(&schema, &usual.vector) => {
                    prop_assert_eq!(Ok(usual), explained(&schema, "f", &text));
                }
                Some(_) => prop_assert!(explained(&schema, "f", &text).is_err()),
                None => prop_assert!(false, "{} is usual", text),
            }
        }
    }
}
