//! Whether the index has what the plan names. What a name may look like needs no index and is
//! checked before a plan is made.

use pelorus_documents::StructuredFields;
use pelorus_excerpt::{joined_truncated, truncated};

use crate::error::{EngineError, Result};
use crate::generated::SearchPlan;
use crate::index::Index;

pub(super) fn check(index: &Index, plan: &SearchPlan) -> Result<()> {
    if let Some(declared) = index.definition.structured() {
        check_legs(&index.name, declared, plan)?;
    }
    if let Some(fields) = plan.tensor.as_ref().and_then(|leg| leg.fields.as_ref()) {
        check_fields(index, "tensor field", fields, &index.tensor_field_names())?;
    }
    if let Some(fields) = plan.lexical.as_ref().and_then(|leg| leg.fields.as_ref()) {
        let known = index.lexical_field_names();
        check_fields(index, "lexically searchable field", fields, &known)?;
    }
    check_context(index, plan)?;
    check_retrieved(index, plan)
}

/// Fields of an unstructured index that nobody has are only without vectors.
fn check_context(index: &Index, plan: &SearchPlan) -> Result<()> {
    let (Some(context), Some(declared)) = (&plan.context, index.definition.structured()) else {
        return Ok(());
    };
    let known = &declared.tensor_fields;
    let mut fields = context.tensor_fields.iter().flatten();
    match fields.find(|field| !known.contains(field)) {
        None => Ok(()),
        Some(unknown) => Err(EngineError::new(
            "invalid_field_name",
            format!(
                "Tensor field \"{}\" not found in index \"{}\". Available tensor fields: {}",
                truncated(unknown),
                index.name,
                joined_truncated(known.iter().map(String::as_str))
            ),
        )),
    }
}

/// An unstructured index without such fields is only empty so far: it has no hits. A
/// structured one will never have any.
fn check_legs(index: &str, declared: &StructuredFields, plan: &SearchPlan) -> Result<()> {
    let mut fields = declared.fields.iter();
    let lacks_tensor = plan.tensor.is_some() && declared.tensor_fields.is_empty();
    let lacks_lexical = plan.lexical.is_some() && !fields.any(|field| field.has("lexical_search"));
    if !lacks_tensor && !lacks_lexical {
        return Ok(());
    }
    let (has, search, fields) = match (&plan.tensor, &plan.lexical) {
        (Some(_), Some(_)) => (
            "either has no tensor fields or no lexically searchable fields",
            "hybrid",
            "fields of both kinds",
        ),
        (Some(_), None) => ("has no tensor fields", "tensor", "a tensor field"),
        (None, _) => (
            "has no lexically searchable fields",
            "lexical",
            "a lexically searchable field",
        ),
    };
    Err(EngineError::invalid_argument(format!(
        "Index {index} {has}, thus {search} search cannot be performed. Please create an index with {fields}, or try a different search method."
    )))
}

/// `kind` names one such field.
fn check_fields(index: &Index, kind: &str, fields: &[String], known: &[String]) -> Result<()> {
    match fields.iter().find(|field| !known.contains(field)) {
        None => Ok(()),
        Some(unknown) => Err(EngineError::new(
            "invalid_field_name",
            format!(
                "Index {} has no {kind} {}. Available {kind}s are: {}",
                index.name,
                truncated(unknown),
                joined_truncated(known.iter().map(String::as_str))
            ),
        )),
    }
}

fn check_retrieved(index: &Index, plan: &SearchPlan) -> Result<()> {
    let (Some(fields), Some(declared)) =
        (&plan.attributes_to_retrieve, index.definition.structured())
    else {
        return Ok(());
    };
    let unknown = |field: &&String| *field != "_id" && declared.get(field).is_none();
    match fields.iter().find(unknown) {
        None => Ok(()),
        Some(unknown) => Err(EngineError::new(
            "invalid_field_name",
            format!(
                "Index {} has no field {}. Available fields are: {}",
                index.name,
                truncated(unknown),
                declared.names()
            ),
        )),
    }
}
