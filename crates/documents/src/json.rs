//! One level of JSON: scalars are read, the inside of a list or an object stays text.

use pelorus_excerpt::truncated;
use serde_json::value::RawValue;

use crate::members::Members;
use crate::split::NOT_FINITE;

/// Most items of a list or object that a message shows: more are cut anyway.
const ECHO_ITEMS: usize = 256;

/// No character of those that a message shows of a value has more bytes than four.
const SHOWN_BYTES: usize = 4 * 256;

pub(crate) enum JsonValue<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer outside of 64 bits, as it was written.
    BigInteger(&'a str),
    Float(f64),
    Text(String),
    List(Vec<&'a str>),
    Object(Vec<(String, &'a str)>),
}

/// Reads one level.
///
/// # Errors
/// A message about a number that is no finite 64-bit float or text that is not valid Unicode.
pub(crate) fn read(text: &str) -> Result<JsonValue<'_>, String> {
    let unreadable =
        |e: serde_json::Error| format!("The value {} cannot be read: {e}", truncated(text));
    match text.as_bytes().first() {
        Some(b'n') => Ok(JsonValue::Null),
        Some(b't') => Ok(JsonValue::Bool(true)),
        Some(b'f') => Ok(JsonValue::Bool(false)),
        Some(b'"') => serde_json::from_str(text)
            .map(JsonValue::Text)
            .map_err(unreadable),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
            Ok(JsonValue::List(
                items.into_iter().map(RawValue::get).collect(),
            ))
        }
        Some(b'{') => {
            let Members(members) = serde_json::from_str(text).map_err(unreadable)?;
            Ok(JsonValue::Object(members))
        }
        _ => number(text),
    }
}

fn number(text: &str) -> Result<JsonValue<'_>, String> {
    if text == NOT_FINITE {
        return Err("NaN and Infinity are not numbers here: a number must be finite".to_owned());
    }
    if text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(JsonValue::Float(value)),
            _ => Err(format!(
                "The number {} is outside the range of a 64-bit float",
                truncated(text)
            )),
        };
    }
    Ok(text
        .parse()
        .map_or(JsonValue::BigInteger(text), JsonValue::Int))
}

impl JsonValue<'_> {
    /// The type's name as the interface's messages spell it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::BigInteger(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::List(_) => "list",
            Self::Object(_) => "dict",
        }
    }

    /// A truth value as the number that it is in a map: 1 or 0.
    pub fn or_number(self) -> Self {
        match self {
            Self::Bool(truth) => Self::Int(i64::from(truth)),
            other => other,
        }
    }

    /// The value as the interface's messages print it, cut to a bounded length.
    pub fn echo(&self) -> String {
        truncated(&self.print()).into_owned()
    }

    fn print(&self) -> String {
        match self {
            Self::Null => "None".into(),
            Self::Bool(true) => "True".into(),
            Self::Bool(false) => "False".into(),
            Self::Int(value) => value.to_string(),
            Self::BigInteger(text) => (*text).to_owned(),
            Self::Float(value) => format!("{value:?}"),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let printed: Vec<_> = items
                    .iter()
                    .take(ECHO_ITEMS)
                    .map(|item| quoted(item))
                    .collect();
                format!("[{}]", printed.join(", "))
            }
            Self::Object(members) => {
                let printed: Vec<_> = members
                    .iter()
                    .take(ECHO_ITEMS)
                    .map(|(name, value)| format!("'{}': {}", truncated(name), quoted(value)))
                    .collect();
                format!("{{{}}}", printed.join(", "))
            }
        }
    }
}

/// A value inside a list or object: strings in quotes.
fn quoted(raw: &str) -> String {
    if raw.starts_with(['[', '{']) {
        return nested(raw);
    }
    match read(raw) {
        Ok(JsonValue::Text(text)) => format!("'{}'", truncated(&text)),
        Ok(value) => value.print(),
        Err(_) => truncated(raw).into_owned(),
    }
}

/// A list or object with all its levels, as much of it as a message shows. In one pass, however deep.
fn nested(raw: &str) -> String {
    let (mut printed, mut rest) = (String::new(), raw);
    while let Some(&first) = rest.as_bytes().first()
        && printed.len() <= SHOWN_BYTES
    {
        let length = match first {
            b'"' => string_length(rest),
            _ if is_between_values(first) => 1,
            _ => rest
                .bytes()
                .position(is_between_values)
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        match first {
            b',' => printed.push_str(", "),
            b':' => printed.push_str(": "),
            b'[' | b']' | b'{' | b'}' => printed.push(char::from(first)),
            _ if first.is_ascii_whitespace() => {}
            _ => printed.push_str(&quoted(token)),
        }
        rest = after;
    }
    truncated(&printed).into_owned()
}

fn is_between_values(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}') || byte.is_ascii_whitespace()
}

/// The bytes of the string, quotes included, that a text of JSON begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true; // As if it were not the first quote that ends it.
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return at + 1,
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// A text as a JSON string.
pub(crate) fn to_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(json: &str) -> String {
        match read(json) {
            Ok(value) => value.echo(),
            Err(message) => panic!("{message}"),
        }
    }

    #[test]
    fn every_level_is_printed_alike() {
        let json = r#"[["a", "b\"c\\"], {"x" : [1, 2.0, true,null], "y":{}}, "z", false]"#;
        let printed = r#"[['a', 'b"c\'], {'x': [1, 2.0, True, None], 'y': {}}, 'z', False]"#;
        assert_eq!(echo(json), printed);
        assert_eq!(echo(r#"{"m": [[], "é"]}"#), "{'m': [[], 'é']}");
    }

    #[test]
    fn the_start_of_a_deep_or_long_value_is_printed() {
        let deep = format!("[{}{}]", "[".repeat(100), "]".repeat(100));
        assert_eq!(echo(&deep), deep);
        let long = format!("[[{}0]]", "\"word\",".repeat(100_000));
        assert!(echo(&long).starts_with("[['word', 'word', "));
        assert!(echo(&long).len() < 300);
    }
}
