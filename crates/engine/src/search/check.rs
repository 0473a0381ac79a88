//! Whether the index has what the plan names.

use pelorus_filter::{listed, shown};

use super::plan::{Method, Plan};
use crate::error::{EngineError, Result};
use crate::index::Index;

pub(super) fn check(index: &Index, plan: &Plan) -> Result<()> {
    let tensor = index.tensor_field_names();
    let lexical = index.lexical_field_names();
    if index.definition.structured().is_some() {
        check_legs(index, plan, tensor.is_empty(), lexical.is_empty())?;
    }
    if let Some(fields) = plan.tensor.as_ref().and_then(|leg| leg.fields.as_ref()) {
        check_fields(index, fields, &tensor, "tensor field", "tensor fields")?;
    }
    if let Some(fields) = plan.lexical.as_ref().and_then(|leg| leg.fields.as_ref()) {
        let (one, many) = ("lexically searchable field", "lexically searchable fields");
        check_fields(index, fields, &lexical, one, many)?;
    }
    check_retrieved(index, plan)
}

/// An unstructured index without such fields is only empty so far: it has no hits. A
/// structured one will never have any.
fn check_legs(index: &Index, plan: &Plan, no_tensor: bool, no_lexical: bool) -> Result<()> {
    let name = &index.name;
    let message = match plan.method {
        Method::Tensor if no_tensor => format!(
            "Index {name} has no tensor fields, thus tensor search cannot be performed. Please create an index with a tensor field, or try a different search method."
        ),
        Method::Lexical if no_lexical => format!(
            "Index {name} has no lexically searchable fields, thus lexical search cannot be performed. Please create an index with a lexically searchable field, or try a different search method."
        ),
        Method::Hybrid if no_tensor || no_lexical => format!(
            "Index {name} either has no tensor fields or no lexically searchable fields, thus hybrid search cannot be performed. Please create an index with both, or try a different search method."
        ),
        _ => return Ok(()),
    };
    Err(EngineError::invalid_argument(message))
}

fn check_fields(
    index: &Index,
    fields: &[String],
    known: &[String],
    one: &str,
    many: &str,
) -> Result<()> {
    for field in fields {
        check_name(field)?;
        if !known.contains(field) {
            return Err(field_error(format!(
                "Index {} has no {one} {}. Available {many} are: {}",
                index.name,
                shown(field),
                listed(known.iter().map(String::as_str))
            )));
        }
    }
    Ok(())
}

fn check_retrieved(index: &Index, plan: &Plan) -> Result<()> {
    let Some(fields) = &plan.attributes_to_retrieve else {
        return Ok(());
    };
    for field in fields.iter().filter(|field| *field != "_id") {
        check_name(field)?;
        if let Some(declared) = index.definition.structured()
            && declared.get(field).is_none()
        {
            return Err(field_error(format!(
                "Index {} has no field {}. Available fields are: {}",
                index.name,
                shown(field),
                declared.names()
            )));
        }
    }
    Ok(())
}

const RESERVED: [&str; 7] = [
    "_highlights",
    "_score",
    "_tensor_facets",
    "_embedding",
    "_found",
    "__field_name",
    "__field_content",
];

fn check_name(field: &str) -> Result<()> {
    if field.is_empty() {
        return Err(field_error("field name can't be empty! ".to_owned()));
    }
    if let Some(c) = field.chars().find(|c| matches!(c, '.' | '/' | '\n')) {
        return Err(field_error(format!(
            "Illegal character '{}' detected in field name {}",
            c.escape_default(),
            shown(field)
        )));
    }
    if RESERVED.contains(&field) {
        return Err(field_error(format!(
            "field name can't be a protected field. Please rename this field: {field}"
        )));
    }
    if field.starts_with("__vector_") || field.starts_with("__chunks") {
        return Err(field_error(format!(
            "can't start field name with protected prefix: {}",
            shown(field)
        )));
    }
    Ok(())
}

fn field_error(message: String) -> EngineError {
    EngineError::new("invalid_field_name", message)
}
