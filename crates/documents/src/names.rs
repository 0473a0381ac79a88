//! Names of fields, and keys of maps.

use pelorus_columns::composed;
use pelorus_excerpt::truncated;

use crate::error::ItemError;
use crate::given::TENSORS;

const RESERVED: [&str; 7] = [
    "_id",
    "_tensor_facets",
    "_highlights",
    "_score",
    "_found",
    "_embedding",
    TENSORS,
];

/// Longest field name and longest key of a map, in characters. A name is stored with each document
/// and kept in memory with each column, so it must not grow into a value of its own.
const NAME_CHARS_MAX: usize = 255;

/// Tells whether a text has more than `most` characters, composed ones however it is encoded.
pub(crate) fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && composed(text).chars().nth(most).is_some()
}

/// Counts the characters of a text as [`is_longer`] does.
pub(crate) fn length(text: &str) -> usize {
    composed(text).chars().count()
}

/// Refuses a field name that is too long, with the message that a client is shown.
pub fn check_field_name_length(name: &str) -> Result<(), String> {
    match is_longer(name, NAME_CHARS_MAX) {
        false => Ok(()),
        true => Err(format!(
            "{}: Field name must not be longer than {NAME_CHARS_MAX} characters, but this one has {}",
            truncated(name),
            length(name)
        )),
    }
}

/// Checks a key of the map `field`.
pub(crate) fn check_key(field: &str, key: &str) -> Result<(), ItemError> {
    match is_longer(key, NAME_CHARS_MAX) {
        false => Ok(()),
        true => Err(ItemError::name(format!(
            "Field '{}': a key of a map must not be longer than {NAME_CHARS_MAX} characters, but this one has {}: {}",
            truncated(field),
            length(key),
            truncated(key)
        ))),
    }
}

/// Checks the name of a field of an unstructured document.
pub(crate) fn check_name(name: &str) -> Result<(), ItemError> {
    let mut chars = name.chars();
    let legal = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !legal {
        return Err(ItemError::name(format!(
            "\"{}\": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with \"marqo__\"",
            truncated(name)
        )));
    }
    if name.starts_with("marqo__") {
        return Err(ItemError::name(format!(
            "{}: Field name must not start with \"marqo__\"",
            truncated(name)
        )));
    }
    if RESERVED.contains(&name) {
        return Err(ItemError::name(format!(
            "{name}: Field name must not be one of {}",
            RESERVED.join(", ")
        )));
    }
    check_field_name_length(name).map_err(ItemError::name)
}

/// Checks a name against a structured index before it is looked up there.
pub(crate) fn check_structured_name(name: &str) -> Result<(), ItemError> {
    if name.is_empty() {
        return Err(ItemError::name("field name can't be empty! "));
    }
    if RESERVED.contains(&name) {
        return Err(ItemError::name(format!(
            "field name can't be a protected field. Please rename this field: {name}"
        )));
    }
    match name.chars().find(|c| matches!(c, '.' | '/' | '\n')) {
        Some(c) => Err(ItemError::name(format!(
            "Illegal character '{}' detected in field name {}",
            c.escape_default(),
            truncated(name)
        ))),
        None => Ok(()),
    }
}

/// The reason that a structured index which declares no field of this name has none: the name begins as those that the
/// original engine keeps for itself.
pub(crate) fn check_unprotected(name: &str) -> Result<(), ItemError> {
    let refused = if name.starts_with("__vector_") {
        "can't start field name with protected prefix __vector_"
    } else if name.starts_with("__chunks") {
        "can't name field with protected field name __chunks"
    } else {
        return Ok(());
    };
    Err(ItemError::name(format!(
        "{refused}. Please rename this field: {}",
        truncated(name)
    )))
}
