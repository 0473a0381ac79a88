//! Documents that bring their tensors: an add takes back the documents of a scan, and nothing is embedded.
//!
//! Such a document is in its stored form. It differs from the document as sent first in that a custom vector is its
//! content, an entry of an unstructured index's map is a member `map.key`, and a combination of a structured index may
//! hold the weights that it was made with. `_tensors` has the rest, and must fit the fields: [`form`] is how it is
//! written, [`fit`] which fields it has to fit.

mod fit;
mod form;

use std::collections::HashSet;

use pelorus_excerpt::truncated;

use self::fit::Fields;
pub use self::form::write_tensors;
use crate::check::{CheckedDocument, TensorContent, TensorInput, read_field};
use crate::error::ItemError;
use crate::geo_point::{geo_point, is_like_point};
use crate::json::JsonValue;
use crate::multi_vector::{is_like_vectors, multi_vector};
use crate::names::check_name;
use crate::options::Weights;
use crate::schema::{DocumentSchema, IndexKind, StructuredField, StructuredFields};
use crate::sparse_vector::{is_like_vector, sparse_vector};
use crate::split::{Member, value_of};
use crate::structured::{declared_field, typed, weights_field};
use crate::unstructured::{check_collapse_value, null_value, push_map, push_value};
use crate::values::Field;

/// The member that holds the tensors of a document.
pub(crate) const TENSORS: &str = "_tensors";

/// Checks a document in its stored form, and that its tensors fit it.
pub(crate) fn check(
    schema: &DocumentSchema,
    id: String,
    members: &[Member<'_>],
) -> Result<CheckedDocument, ItemError> {
    let Some(raw) = value_of(members, TENSORS) else {
        return Err(ItemError::invalid(format!(
            "With `useGivenTensors` every document brings its tensors in the member `{TENSORS}`, an empty list where it has none; this one has no such member"
        )));
    };
    let members = members.iter().filter(|m| m.name != TENSORS).copied();
    let members: Vec<_> = members.collect();
    let fields = match &schema.kind {
        IndexKind::Unstructured { collapse_field, .. } => {
            unstructured_fields(&id, &members, collapse_field.as_deref())
        }
        IndexKind::Structured(declared) => structured_fields(schema, declared, &members),
    }?;
    let tensors = form::read(schema, raw)?;
    Fields::new(schema, &fields).check(&tensors)?;
    let tensors = tensors.into_iter().map(|tensors| TensorInput {
        field: tensors.field.clone(),
        content: TensorContent::Given(tensors),
    });
    Ok(CheckedDocument {
        id,
        tensors: tensors.collect(),
        fields,
        removed: Vec::new(),
    })
}

fn unstructured_fields(
    id: &str,
    members: &[Member<'_>],
    collapse_field: Option<&str>,
) -> Result<Vec<Field>, ItemError> {
    let mut fields = Vec::with_capacity(members.len());
    let mut maps = HashSet::new();
    for Member {
        name, value: raw, ..
    } in members
    {
        match name.split_once('.') {
            None => {
                check_name(name)?;
                match read_field(name, raw)? {
                    // A map is in entries here, so that an object of coordinates is a point, and one of
                    // two lists a sparse vector. No value but many vectors is a list of lists.
                    value if is_point(&value) => {
                        fields.push(geo_point(name, &value)?);
                    }
                    value if is_sparse(&value) => {
                        fields.push(sparse_vector(name, &value)?);
                    }
                    value if is_like_vectors(&value) => {
                        fields.push(multi_vector(name, None, &value)?);
                    }
                    value => push_value(&mut fields, name, &value, id)?,
                }
            }
            Some((map, key)) => {
                check_name(map)?;
                push_map(&mut fields, map, &[(key.to_owned(), *raw)])?;
                maps.insert(map);
            }
        }
    }
    if let Some(Member { name, .. }) = members.iter().find(|m| maps.contains(m.name)) {
        return Err(ItemError::invalid(format!(
            "Field '{}' has a value of its own and entries of a map besides",
            truncated(name)
        )));
    }
    if let Some(field) = collapse_field {
        check_collapse_value(field, members)?;
    }
    Ok(fields)
}

fn is_point(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::Object(entries) if is_like_point(entries))
}

fn is_sparse(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::Object(entries) if is_like_vector(entries))
}

fn structured_fields(
    schema: &DocumentSchema,
    declared: &StructuredFields,
    members: &[Member<'_>],
) -> Result<Vec<Field>, ItemError> {
    let field = |Member {
                     name, value: raw, ..
                 }: &Member<'_>| {
        let field = declared_field(schema, declared, name)?;
        if let Some(dependent) = &field.dependent_fields {
            return Ok(weights_field(name, &weights(field, dependent, raw)?));
        }
        match (field.kind.as_str(), read_field(name, raw)?) {
            (_, JsonValue::Null) => Err(null_value(name)),
            ("custom_vector", JsonValue::Text(content)) => Ok(Field::text(name, content)),
            ("custom_vector", other) => Err(ItemError::invalid(format!(
                "Custom vector field {} of a document that brings its tensors must be the content, a text, but given {} of type <class '{}'>",
                truncated(name),
                other.echo(),
                other.type_name()
            ))),
            (_, value) => typed(field, &value),
        }
    };
    members.iter().map(field).collect()
}

/// The weights that a combination was made with in place of the declared ones.
fn weights(field: &StructuredField, dependent: &Weights, raw: &str) -> Result<Weights, ItemError> {
    let weights = serde_json::from_str::<Weights>(raw).ok();
    let fits = |weights: &Weights| {
        let mut parts = weights.0.iter();
        parts.all(|(part, weight)| dependent.get(part).is_some() && weight.is_finite())
    };
    weights.filter(fits).ok_or_else(|| {
        ItemError::invalid(format!(
            "Multimodal combination field {} of a document that brings its tensors may only hold weights of its dependent fields, as an object of numbers, but given {}",
            truncated(&field.name),
            truncated(raw)
        ))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests;
