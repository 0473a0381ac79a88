//! Updates of single fields. A document of such a request holds an `_id` and the fields to change; `null`
//! removes one. Those of an update request keep to fields without vectors. A document of an add that keeps other
//! fields is an update too, with the vectors of its own ones, where it is stored.
//!
//! Checks that need no stored document are made here, when the request comes. Other checks are made as the changes are
//! [merged](DocumentUpdate::merge) into the document, by whoever writes, so that nothing comes between.

mod merge;

use pelorus_excerpt::truncated;

pub use self::merge::{KnownFields, Revision, Updated};

use crate::check::{INVALID_ID, check_each, member_length, read_field, read_id, too_large};
use crate::error::{ItemError, Result};
use crate::expiry::{EXPIRES_AT, read_expiry};
use crate::generated::UpdateOptions;
use crate::json::{self, JsonValue};
use crate::multi_vector::{is_like_vectors, is_text_of_vectors, multi_vector};
use crate::names::check_name;
use crate::schema::{DocumentSchema, IndexKind, StructuredFields};
use crate::sparse_vector::{is_like_vector, sparse_vector};
use crate::split::{DocumentBatch, Member, value_of};
use crate::structured::typed;
use crate::tensors::FieldTensors;
use crate::unstructured::push_value;
use crate::values::Field;

/// The changes of one document of an update request.
#[derive(Debug, Clone, Default)]
pub struct DocumentUpdate {
    pub id: String,
    changes: Vec<FieldChange>,
    max_doc_bytes: Option<usize>,
    /// The tensors of the changed fields, of a document that is added where it is not stored. None where neither is
    /// to be: the fields have no tensors, and the document is stored.
    tensors: Option<Vec<FieldTensors>>,
}

/// The new value of one field.
#[derive(Debug, Clone)]
struct FieldChange {
    field: String,
    /// As they are stored: a map of an unstructured index gives one for each entry. None removes the field.
    values: Vec<Field>,
}

impl DocumentUpdate {
    /// An update by a document that was checked for an add, with its tensors.
    pub(crate) fn embedded(
        id: String,
        fields: Vec<Field>,
        removed: Vec<String>,
        tensors: Vec<FieldTensors>,
        max_doc_bytes: Option<usize>,
    ) -> Self {
        let mut changes: Vec<FieldChange> = Vec::with_capacity(fields.len() + removed.len());
        for value in fields {
            match changes.last_mut() {
                Some(change) if change.field == owner(&value.name) => change.values.push(value),
                _ => changes.push(FieldChange {
                    field: owner(&value.name).to_owned(),
                    values: vec![value],
                }),
            }
        }
        changes.extend(removed.into_iter().map(|field| FieldChange {
            field,
            values: Vec::new(),
        }));
        Self {
            id,
            changes,
            max_doc_bytes,
            tensors: Some(tensors),
        }
    }

    /// Tells whether it makes a document where none with its id is stored.
    pub fn adds_where_missing(&self) -> bool {
        self.tensors.is_some()
    }

    /// Bytes that it takes until it is written, about.
    pub fn bytes(&self) -> usize {
        let values = self.changes.iter().flat_map(|change| &change.values);
        let values = values.map(|value| value.name.len() + value.json.len());
        let tensors = self.tensors.iter().flatten().map(FieldTensors::bytes);
        self.id.len() + values.sum::<usize>() + tensors.sum::<usize>()
    }
}

/// Checks every document of an update request, as far as that needs no stored document. `options` is the part of the
/// request that says how they are read. The last of documents with one id counts, even when it is refused.
///
/// # Errors
/// [`DocumentsError::TooMany`](crate::DocumentsError::TooMany).
pub fn check_updates(
    schema: &DocumentSchema,
    batch: &DocumentBatch,
    options: &UpdateOptions,
) -> Result<Vec<std::result::Result<DocumentUpdate, ItemError>>> {
    let check = |members: &[Member<'_>]| check_update(schema, options, members);
    check_each(batch, check, |update| &update.id)
}

fn check_update(
    schema: &DocumentSchema,
    options: &UpdateOptions,
    members: &[Member<'_>],
) -> std::result::Result<DocumentUpdate, ItemError> {
    let Some(raw_id) = value_of(members, "_id") else {
        return Err(ItemError {
            id: None,
            code: INVALID_ID,
            message: "'_id' is a required field but it does not exist".to_owned(),
        });
    };
    let id = read_id(raw_id).map_err(|error| ItemError {
        id: json::read(raw_id).ok().map(|id| id.echo()),
        ..error
    })?;
    match check_changes(schema, options, &id, members) {
        Ok(changes) => Ok(DocumentUpdate {
            id,
            changes,
            max_doc_bytes: options.max_doc_bytes,
            tensors: None,
        }),
        Err(error) => Err(error.of(id)),
    }
}

fn check_changes(
    schema: &DocumentSchema,
    options: &UpdateOptions,
    id: &str,
    members: &[Member<'_>],
) -> std::result::Result<Vec<FieldChange>, ItemError> {
    let lengths = members.iter();
    let size = lengths.map(|member| match is_text_of_vectors(member.value) {
        true => member_length(member.name, 0),
        false => member_length(member.name, member.value.len()),
    });
    let size: usize = size.sum();
    if let Some(limit) = options.max_doc_bytes.filter(|limit| size > *limit) {
        return Err(too_large(Some(id), size, limit));
    }
    let changed = members.iter().filter(|member| member.name != "_id");
    let change = |member: &Member<'_>| {
        let (name, raw) = (member.name, member.value);
        let values = match &schema.kind {
            _ if name == EXPIRES_AT => Ok(read_expiry(raw)?.into_iter().collect()),
            IndexKind::Structured(declared) => declared_value(schema, declared, name, raw),
            IndexKind::Unstructured { collapse_field, .. } => {
                own_values(name, raw, id, collapse_field.as_deref())
            }
        };
        Ok(FieldChange {
            field: name.to_owned(),
            values: values?,
        })
    };
    changed.map(change).collect()
}

/// The value of a declared field.
fn declared_value(
    schema: &DocumentSchema,
    declared: &StructuredFields,
    name: &str,
    raw: &str,
) -> std::result::Result<Vec<Field>, ItemError> {
    let Some(field) = declared.get(name) else {
        return Err(ItemError::invalid(format!(
            "Invalid field name {} for index {}. Valid field names are {}",
            truncated(name),
            schema.index,
            declared.names()
        )));
    };
    if declared.tensor_fields.contains(&field.name) {
        return Err(fixed(name, "tensor field"));
    }
    check_independent(declared, name)?;
    Ok(match read_field(name, raw)? {
        JsonValue::Null => Vec::new(),
        value => vec![typed(field, &value)?],
    })
}

/// Refuses to change a declared field that a multimodal field is combined from.
fn check_independent(
    declared: &StructuredFields,
    name: &str,
) -> std::result::Result<(), ItemError> {
    match declared.is_dependent(name) {
        true => Err(fixed(
            name,
            "dependent field of a multimodal combination field",
        )),
        false => Ok(()),
    }
}

fn fixed(name: &str, role: &str) -> ItemError {
    ItemError::invalid(format!(
        "You cannot modify '{}' field as this is a {role}",
        truncated(name)
    ))
}

fn check_not_grouping(
    collapse_field: Option<&str>,
    name: &str,
) -> std::result::Result<(), ItemError> {
    match collapse_field == Some(name) {
        true => Err(could_not_update(format_args!(
            "Field '{}' groups the documents of this index and cannot be changed by an update",
            truncated(name)
        ))),
        false => Ok(()),
    }
}

/// The field that is stored under a name: its own, or that of the map whose entry it is. No field has a
/// dot in its name.
fn owner(stored_name: &str) -> &str {
    let map = stored_name.split_once('.').map(|(map, _)| map);
    map.unwrap_or(stored_name)
}

/// The values of a field that nobody declared. An empty map is none: it removes the field. An object of two lists is a
/// sparse vector, which no map is like, and a list of lists many vectors.
fn own_values(
    name: &str,
    raw: &str,
    id: &str,
    collapse_field: Option<&str>,
) -> std::result::Result<Vec<Field>, ItemError> {
    check_name(name)?;
    check_not_grouping(collapse_field, name)?;
    let value = read_field(name, raw)?;
    match &value {
        JsonValue::Null => return Ok(Vec::new()),
        JsonValue::Object(entries) if entries.is_empty() => return Ok(Vec::new()),
        JsonValue::Object(entries) if is_like_vector(entries) => {
            return Ok(vec![sparse_vector(name, &value)?]);
        }
        JsonValue::Object(entries) => check_entries(name, entries, id)?,
        list if is_like_vectors(list) => return Ok(vec![multi_vector(name, None, list)?]),
        JsonValue::List(items) => check_items(name, items)?,
        _ => {}
    }
    let mut values = Vec::new();
    push_value(&mut values, name, &value, id)?;
    Ok(values)
}

fn check_entries(
    name: &str,
    entries: &[(String, &str)],
    id: &str,
) -> std::result::Result<(), ItemError> {
    for (key, raw) in entries {
        let value = read_field(name, raw)?;
        if !matches!(value.type_name(), "int" | "float") {
            return Err(ItemError::invalid(format!(
                "Unsupported field type <class '{}'> for field {} in doc {}. We only support int and float types for map values when updating a document. The key is '{}'",
                value.type_name(),
                truncated(name),
                truncated(id),
                truncated(key)
            )));
        }
    }
    Ok(())
}

fn check_items(name: &str, items: &[&str]) -> std::result::Result<(), ItemError> {
    match items.iter().all(|item| item.starts_with('"')) {
        true => Ok(()),
        false => Err(only_known_lists(name)),
    }
}

fn only_known_lists(name: &str) -> ItemError {
    ItemError::invalid(format!(
        "Unstructured index updates only support updating existing string array fields. The field is '{}'",
        truncated(name)
    ))
}

/// The error that clients of unstructured indexes know, and the reason.
fn could_not_update(reason: impl std::fmt::Display) -> ItemError {
    ItemError::invalid(format!(
        "Marqo vector store couldn't update the document. Please see: /docs for more details. {reason}"
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests;
