//! One document of an add request, checked.

use pelorus_excerpt::truncated;

use crate::custom_vector;
use crate::error::ItemError;
use crate::json::{self, JsonValue};
use crate::names::is_longer;
use crate::options::{AddOptions, Weights};
use crate::schema::{DocumentSchema, IndexKind};
use crate::split::{DocumentText, Members};
use crate::values::Field;
use crate::{structured, unstructured};

/// A document that will be stored.
#[derive(Debug)]
pub(crate) struct CheckedDocument {
    pub id: String,
    /// In the order of the request.
    pub fields: Vec<Field>,
    pub tensors: Vec<TensorInput>,
}

/// What one tensor field of one document needs.
#[derive(Debug)]
pub(crate) struct TensorInput {
    pub field: String,
    pub content: TensorContent,
}

#[derive(Debug)]
pub(crate) enum TensorContent {
    /// Text, to be chunked and embedded.
    Text(String),
    /// The caller's own vector, already of the right length and norm.
    Vector { content: String, vector: Vec<f32> },
    /// A weighted sum of whole texts.
    Multimodal {
        parts: Vec<(String, String, f64)>,
        weights: Weights,
    },
}

/// Most fields of one document, entries of maps counted one by one.
const FIELDS_MAX: usize = 1_000;

/// Longest `_id`, in characters.
const ID_CHARS_MAX: usize = 2_048;

/// Checks one raw document and reads it.
pub(crate) fn check_document(
    schema: &DocumentSchema,
    options: &AddOptions,
    document: DocumentText<'_>,
) -> Result<CheckedDocument, ItemError> {
    match document {
        DocumentText::Members(members) => check_members(schema, options, &members),
        DocumentText::Unread(text) => {
            if !text.trim_start().starts_with('{') {
                return Err(ItemError::invalid("Docs must be dicts"));
            }
            let Members(members) = serde_json::from_str(text)
                .map_err(|e| ItemError::invalid(format!("The document cannot be read: {e}")))?;
            let members = members.iter().map(|(name, value)| (name.as_str(), *value));
            check_members(schema, options, &members.collect::<Vec<_>>())
        }
    }
}

fn check_members(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[(&str, &str)],
) -> Result<CheckedDocument, ItemError> {
    let mut id = None;
    read_members(schema, options, members, &mut id).map_err(|error| ItemError { id, ..error })
}

fn read_members(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[(&str, &str)],
    known_id: &mut Option<String>,
) -> Result<CheckedDocument, ItemError> {
    if members.is_empty() {
        return Err(ItemError::invalid("Can't index an empty dict."));
    }
    let id_member = members
        .iter()
        .find(|(name, _)| *name == "_id")
        .map(|(_, value)| *value);
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
    let fields: Vec<(&str, &str)> = members
        .iter()
        .filter(|(name, _)| *name != "_id")
        .copied()
        .collect();
    let document = match &schema.kind {
        IndexKind::Unstructured { collapse_field, .. } => {
            unstructured::check(schema, options, id, &fields, collapse_field.as_deref())
        }
        IndexKind::Structured(declared) => {
            structured::check(schema, options, id, &fields, declared)
        }
    }?;
    if document.fields.len() > FIELDS_MAX {
        return Err(ItemError::invalid(format!(
            "A document has at most {FIELDS_MAX} fields, entries of maps counted one by one; this one has {}",
            document.fields.len()
        )));
    }
    Ok(document)
}

/// Reads one level of the value of a field; what cannot be read is refused with the field's name.
pub(crate) fn read_field<'a>(name: &str, raw: &'a str) -> Result<JsonValue<'a>, ItemError> {
    json::read(raw)
        .map_err(|problem| ItemError::invalid(format!("Field '{}': {problem}", truncated(name))))
}

fn read_id(value: &str) -> Result<String, ItemError> {
    let wrong = |message: String| ItemError {
        id: None,
        code: "invalid_document_id",
        message,
    };
    match json::read(value).map_err(ItemError::invalid)? {
        JsonValue::Text(id) if id.is_empty() => Err(wrong("Document ID can't be empty".into())),
        JsonValue::Text(id) if is_longer(&id, ID_CHARS_MAX) => Err(wrong(format!(
            "Document _id must not be longer than {ID_CHARS_MAX} characters; received one of {} characters: {}",
            id.chars().count(),
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

/// Counts the document's text. Custom vectors do not count: they have their own bound, the
/// dimension.
fn check_size(
    schema: &DocumentSchema,
    options: &AddOptions,
    members: &[(&str, &str)],
    id: Option<&str>,
) -> Result<(), ItemError> {
    let Some(limit) = options.max_doc_bytes else {
        return Ok(());
    };
    // No custom vector has to be looked into where even all of its numbers would fit.
    let length = |(name, value): &(&str, &str)| name.len() + value.len() + 6;
    if members.iter().map(length).sum::<usize>() <= limit {
        return Ok(());
    }
    let size: usize = members
        .iter()
        .map(|(name, value)| {
            let length = match is_custom_vector(schema, options, name) {
                true => custom_vector::content_length(value),
                false => value.len(),
            };
            name.len() + length + 6
        })
        .sum();
    if size <= limit {
        return Ok(());
    }
    let which = id
        .map(|id| format!(" _id:`{}`", truncated(id)))
        .unwrap_or_default();
    Err(ItemError {
        id: None,
        code: "doc_too_large",
        message: format!(
            "Document{which} with length `{size}` exceeds the allowed document size limit of [{limit}]."
        ),
    })
}

fn is_custom_vector(schema: &DocumentSchema, options: &AddOptions, name: &str) -> bool {
    match schema.structured() {
        Some(declared) => declared
            .get(name)
            .is_some_and(|f| f.kind == "custom_vector"),
        None => options.is_custom_vector(name),
    }
}

/// A URL with a media extension, on an index that treats such pointers as media. What follows the path, such as the
/// signature of a URL, is no part of the extension.
fn media_kind(schema: &DocumentSchema, text: &str) -> Option<&'static str> {
    if !schema.media_images || !(text.starts_with("http://") || text.starts_with("https://")) {
        return None;
    }
    let path = text.split(['?', '#']).next()?;
    let extension = path.rsplit('.').next()?.to_ascii_lowercase();
    match extension.as_str() {
        "jpg" | "jpeg" | "png" | "gif" | "webp" => Some("image"),
        "mp4" | "avi" | "mov" if schema.media_all => Some("video"),
        "mp3" | "wav" | "ogg" if schema.media_all => Some("audio"),
        _ => None,
    }
}

/// Refuses what the index's model cannot turn into a vector.
pub(crate) fn check_embeddable(schema: &DocumentSchema, text: &str) -> Result<(), ItemError> {
    if !schema.embeds {
        return Err(ItemError::invalid(format!(
            "Model {} cannot vectorise content: an index of this model takes custom vectors only",
            truncated(&schema.model)
        )));
    }
    match media_kind(schema, text) {
        None => Ok(()),
        Some(kind) => Err(ItemError::invalid(format!(
            "Could not process the media file found at `{}`. Reason: Model {} does not support {kind}",
            truncated(text),
            truncated(&schema.model)
        ))),
    }
}
