//! One document of an add request, checked.

use std::collections::HashSet;

use pelorus_columns::composed;
use pelorus_excerpt::truncated;

use crate::custom_vector;
use crate::error::ItemError;
use crate::expiry::{EXPIRES_AT, read_expiry};
use crate::generated::AddOptions;
use crate::json::{self, JsonValue};
use crate::media::Embeddable;
use crate::members::Members;
use crate::multi_vector::is_text_of_vectors;
use crate::names::{check_name, is_longer, length};
use crate::options::Weights;
use crate::schema::{DocumentSchema, IndexKind};
use crate::split::{DocumentBatch, DocumentText, Member, is_object, value_of};
use crate::tensors::FieldTensors;
use crate::values::Field;
use crate::{given, structured, unstructured};

/// A document that will be stored.
#[derive(Debug)]
pub(crate) struct CheckedDocument {
    pub id: String,
    /// In the order of the request.
    pub fields: Vec<Field>,
    /// Names of fields that a stored document loses.
    pub removed: Vec<String>,
    pub tensors: Vec<TensorInput>,
}

/// The input of one tensor field of one document.
#[derive(Debug)]
pub(crate) struct TensorInput {
    pub field: String,
    pub content: TensorContent,
}

#[derive(Debug)]
pub(crate) enum TensorContent {
    /// Text, to be chunked and embedded, or its target.
    Embeddable(Embeddable),
    /// The caller's own vector, already of the right length and norm.
    Vector { content: String, vector: Vec<f32> },
    /// A weighted sum of whole texts and of the targets of others.
    Multimodal {
        parts: Vec<(String, Embeddable, f64)>,
        weights: Weights,
    },
    /// The tensors that the document brought, as they are stored.
    Given(FieldTensors),
}

/// Most fields of one document, entries of maps counted one by one.
const FIELDS_MAX: usize = 1_000;

/// Longest `_id`, in characters.
const ID_CHARS_MAX: usize = 2_048;

/// Checks every document of a batch. The last of several with one id, however that is encoded, counts alone, even when
/// it is refused; a document that `check` refuses for its id is no document of any id.
pub(crate) fn check_each<T>(
    batch: &DocumentBatch,
    check: impl Fn(&[Member<'_>]) -> Result<T, ItemError>,
    id_of: impl Fn(&T) -> &str,
) -> crate::error::Result<Vec<Result<T, ItemError>>> {
    let mut seen = HashSet::new();
    let mut checked = Vec::with_capacity(batch.len());
    for document in batch.documents()?.rev() {
        let document = check_text(document, &check);
        let id = match &document {
            Ok(document) => Some(id_of(document)),
            Err(error) if error.code == INVALID_ID => None,
            Err(error) => error.id.as_deref(),
        };
        if id.is_none_or(|id| seen.insert(composed(id).into_owned())) {
            checked.push(document);
        }
    }
    checked.reverse();
    Ok(checked)
}

fn check_text<T>(
    document: DocumentText<'_>,
    check: impl Fn(&[Member<'_>]) -> Result<T, ItemError>,
) -> Result<T, ItemError> {
    match document {
        DocumentText::Members(members) => check(&members),
        DocumentText::Unread(text) => {
            if !is_object(text) {
                return Err(ItemError::invalid("Docs must be dicts"));
            }
            let Members(members) = serde_json::from_str(text)
                .map_err(|e| ItemError::invalid(format!("The document cannot be read: {e}")))?;
            let members = members.iter().map(|(name, value)| Member {
                name,
                value,
                vector: None,
            });
            check(&members.collect::<Vec<_>>())
        }
    }
}

/// Checks the members of one raw document and reads them.
pub(crate) fn check_document(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[Member<'_>],
) -> Result<CheckedDocument, ItemError> {
    let mut id = None;
    read_members(schema, options, members, &mut id).map_err(|error| ItemError { id, ..error })
}

fn read_members(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[Member<'_>],
    known_id: &mut Option<String>,
) -> Result<CheckedDocument, ItemError> {
    if members.is_empty() {
        return Err(ItemError::invalid("Can't index an empty dict."));
    }
    let id_member = value_of(members, "_id");
    if let Some(value) = id_member
        && let Ok(JsonValue::Text(text)) = json::read(value)
    {
        *known_id = Some(text);
    }
    check_size(schema, options, members, known_id.as_deref())?;
    let id = match id_member {
        Some(value) => read_id(value)?,
        None => uuid::Uuid::new_v4().to_string(),
    };
    let expiry = value_of(members, EXPIRES_AT).map(read_expiry).transpose()?;
    let fields = members
        .iter()
        .filter(|member| !matches!(member.name, "_id" | EXPIRES_AT));
    let (removed, fields): (Vec<Member<'_>>, Vec<_>) = fields
        .copied()
        .partition(|member| options.keeps_other_fields && member.value.trim() == "null");
    let removed = removed.iter().map(|member| removable(schema, member.name));
    let mut removed: Vec<String> = removed.collect::<Result<_, _>>()?;
    if options.keeps_other_fields && matches!(expiry, Some(None)) {
        removed.push(EXPIRES_AT.to_owned());
    }
    let mut document = match &schema.kind {
        _ if options.use_given_tensors => given::check(schema, id, &fields),
        IndexKind::Unstructured { collapse_field, .. } => {
            unstructured::check(schema, options, id, &fields, collapse_field.as_deref())
        }
        IndexKind::Structured(declared) => {
            structured::check(schema, options, id, &fields, declared)
        }
    }?;
    document.fields.extend(expiry.flatten());
    check_field_count(document.fields.len())?;
    Ok(CheckedDocument {
        removed,
        ..document
    })
}

/// The name of a field that a stored document may lose.
fn removable(schema: &DocumentSchema, name: &str) -> Result<String, ItemError> {
    match &schema.kind {
        IndexKind::Unstructured { .. } => check_name(name)?,
        IndexKind::Structured(declared) => {
            structured::assigned_field(schema, declared, name)?;
        }
    }
    Ok(name.to_owned())
}

pub(crate) fn check_field_count(count: usize) -> Result<(), ItemError> {
    if count <= FIELDS_MAX {
        return Ok(());
    }
    Err(ItemError::invalid(format!(
        "A document has at most {FIELDS_MAX} fields, entries of maps counted one by one; this one has {count}"
    )))
}

/// Reads one level of the value of a field; a value that cannot be read is refused with the field's
/// name.
pub(crate) fn read_field<'a>(name: &str, raw: &'a str) -> Result<JsonValue<'a>, ItemError> {
    json::read(raw)
        .map_err(|reason| ItemError::invalid(format!("Field '{}': {reason}", truncated(name))))
}

/// The code of an error in the id.
pub(crate) const INVALID_ID: &str = "invalid_document_id";

pub(crate) fn read_id(value: &str) -> Result<String, ItemError> {
    let wrong = |message: String| ItemError {
        id: None,
        code: INVALID_ID,
        message,
    };
    match json::read(value).map_err(ItemError::invalid)? {
        JsonValue::Text(id) if id.is_empty() => Err(wrong("Document ID can't be empty".into())),
        JsonValue::Text(id) if is_longer(&id, ID_CHARS_MAX) => Err(wrong(format!(
            "Document _id must not be longer than {ID_CHARS_MAX} characters; received one of {} characters: {}",
            length(&id),
            truncated(&id)
        ))),
        JsonValue::Text(id) => Ok(id),
        other => Err(wrong(format!(
            "Document _id must be a string type! Received _id {} of type `{}`",
            other.echo(),
            other.type_name()
        ))),
    }
}

/// Counts the document's text. Custom vectors, many vectors of a field and given tensors do not count: they have their own
/// bounds, the dimension, the number and the chunks of a field.
fn check_size(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[Member<'_>],
    id: Option<&str>,
) -> Result<(), ItemError> {
    let Some(limit) = options.max_doc_bytes else {
        return Ok(());
    };
    // No custom vector has to be looked into where even all of its numbers would fit.
    let length = |member: &Member<'_>| member_length(member.name, member.value.len());
    if members.iter().map(length).sum::<usize>() <= limit {
        return Ok(());
    }
    let size: usize = members
        .iter()
        .map(|Member { name, value, .. }| {
            let length = match () {
                () if options.use_given_tensors && *name == given::TENSORS => 0,
                () if is_text_of_vectors(value) => 0,
                () if options.use_given_tensors => value.len(),
                () if is_custom_vector(schema, options, name) => {
                    custom_vector::content_length(value)
                }
                () => value.len(),
            };
            member_length(name, length)
        })
        .sum();
    match size <= limit {
        true => Ok(()),
        false => Err(too_large(id, size, limit)),
    }
}

/// The share of one member in the length of its document: quotes, colon and comma, each with a blank.
pub(crate) fn member_length(name: &str, value_length: usize) -> usize {
    name.len() + value_length + 6
}

pub(crate) fn too_large(id: Option<&str>, size: usize, limit: usize) -> ItemError {
    let which = id
        .map(|id| format!(" _id:`{}`", truncated(id)))
        .unwrap_or_default();
    ItemError {
        id: None,
        code: "doc_too_large",
        message: format!(
            "Document{which} with length `{size}` exceeds the allowed document size limit of [{limit}]."
        ),
    }
}

fn is_custom_vector(schema: &DocumentSchema, options: &AddOptions, name: &str) -> bool {
    match schema.structured() {
        Some(declared) => declared
            .get(name)
            .is_some_and(|f| f.kind == "custom_vector"),
        None => options.is_custom_vector(name),
    }
}
