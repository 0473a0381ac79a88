//! Field names.

use pelorus_filter::shown;

use super::ItemError;

const RESERVED: [&str; 6] = [
    "_id",
    "_tensor_facets",
    "_highlights",
    "_score",
    "_found",
    "_embedding",
];

/// Checks the name of a field of an unstructured document.
pub(super) fn check_name(name: &str) -> Result<(), ItemError> {
    let mut chars = name.chars();
    let legal = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !legal {
        return Err(ItemError::name(format!(
            "\"{}\": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with \"marqo__\"",
            shown(name)
        )));
    }
    if name.starts_with("marqo__") {
        return Err(ItemError::name(format!(
            "{}: Field name must not start with \"marqo__\"",
            shown(name)
        )));
    }
    if RESERVED.contains(&name) {
        return Err(ItemError::name(format!(
            "{name}: Field name must not be one of {}",
            RESERVED.join(", ")
        )));
    }
    Ok(())
}

/// Checks a name against a structured index before it is looked up there.
pub(super) fn check_structured_name(name: &str) -> Result<(), ItemError> {
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
            shown(name)
        ))),
        None => Ok(()),
    }
}
