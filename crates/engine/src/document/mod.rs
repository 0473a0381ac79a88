//! One document of an add request: checked, and turned into what is stored, indexed and embedded.

mod custom_vector;
mod json;
mod names;
mod numbers;
mod options;
mod stored;
mod structured;
mod unstructured;
mod values;

pub(crate) use names::check_field_name_length;
pub(crate) use options::{AddOptions, Weights};
pub(crate) use stored::{StoredDocument, encode_document};
pub(crate) use values::{IndexedValues, index_values};

use pelorus_filter::shown;
use serde_json::value::RawValue;

use crate::definition::{Definition, IndexKind};
use crate::split::Members;
use json::Shallow;
use names::is_longer;

/// Why one document was refused; the rest of the batch goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ItemError {
    /// The document's own id where it could be read.
    pub id: Option<String>,
    pub code: &'static str,
    pub message: String,
}

impl ItemError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self {
            id: None,
            code: "invalid_argument",
            message: message.into(),
        }
    }

    fn name(message: impl Into<String>) -> Self {
        Self {
            id: None,
            code: "invalid_field_name",
            message: message.into(),
        }
    }
}

/// A document that will be stored.
#[derive(Debug)]
pub(crate) struct CheckedDocument {
    pub id: String,
    /// Member name and JSON text, in the order of the request.
    pub fields: Vec<(String, String)>,
    pub tensors: Vec<TensorPlan>,
}

/// What one tensor field of one document needs.
#[derive(Debug)]
pub(crate) struct TensorPlan {
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
const FIELDS: usize = 1_000;

/// Longest `_id`, in characters.
const ID_CHARS_MAX: usize = 2_048;

/// Checks one raw document and reads it.
pub(crate) fn check_document(
    definition: &Definition,
    options: &AddOptions,
    raw: &str,
) -> Result<CheckedDocument, ItemError> {
    let mut id = None;
    read_document(definition, options, raw, &mut id).map_err(|error| ItemError { id, ..error })
}

fn read_document(
    definition: &Definition,
    options: &AddOptions,
    raw: &str,
    known_id: &mut Option<String>,
) -> Result<CheckedDocument, ItemError> {
    if !raw.trim_start().starts_with('{') {
        return Err(ItemError::invalid("Docs must be dicts"));
    }
    let Members(members) = serde_json::from_str(raw)
        .map_err(|e| ItemError::invalid(format!("The document cannot be read: {e}")))?;
    if members.is_empty() {
        return Err(ItemError::invalid("Can't index an empty dict."));
    }
    let id_member = members
        .iter()
        .find(|(name, _)| name == "_id")
        .map(|(_, value)| *value);
    if let Some(value) = id_member
        && let Ok(Shallow::Text(text)) = json::read(value)
    {
        *known_id = Some(text);
    }
    check_size(definition, options, &members, known_id.as_deref())?;
    let id = match id_member {
        Some(value) => read_id(value)?,
        None => uuid::Uuid::new_v4().to_string(),
    };
    let fields: Vec<(String, &RawValue)> = members
        .into_iter()
        .filter(|(name, _)| name != "_id")
        .collect();
    let document = match &definition.kind {
        IndexKind::Unstructured { collapse_field, .. } => {
            unstructured::check(definition, options, id, &fields, collapse_field.as_deref())
        }
        IndexKind::Structured(declared) => {
            structured::check(definition, options, id, &fields, declared)
        }
    }?;
    if document.fields.len() > FIELDS {
        return Err(ItemError::invalid(format!(
            "A document has at most {FIELDS} fields, entries of maps counted one by one; this one has {}",
            document.fields.len()
        )));
    }
    Ok(document)
}

/// Reads one level of the value of a field; what cannot be read is refused with the field's name.
fn read_field<'a>(name: &str, raw: &'a RawValue) -> Result<Shallow<'a>, ItemError> {
    json::read(raw)
        .map_err(|problem| ItemError::invalid(format!("Field '{}': {problem}", shown(name))))
}

fn read_id(value: &RawValue) -> Result<String, ItemError> {
    let wrong = |message: String| ItemError {
        id: None,
        code: "invalid_document_id",
        message,
    };
    match json::read(value).map_err(ItemError::invalid)? {
        Shallow::Text(id) if id.is_empty() => Err(wrong("Document ID can't be empty".into())),
        Shallow::Text(id) if is_longer(&id, ID_CHARS_MAX) => Err(wrong(format!(
            "Document _id must not be longer than {ID_CHARS_MAX} characters; received one of {} characters: {}",
            id.chars().count(),
            shown(&id)
        ))),
        Shallow::Text(id) => Ok(id),
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
    definition: &Definition,
    options: &AddOptions,
    members: &[(String, &RawValue)],
    id: Option<&str>,
) -> Result<(), ItemError> {
    let Some(limit) = options.max_doc_bytes else {
        return Ok(());
    };
    let size: usize = members
        .iter()
        .map(|(name, value)| {
            let length = match is_custom_vector(definition, options, name) {
                true => custom_vector::content_length(value),
                false => value.get().len(),
            };
            name.len() + length + 6
        })
        .sum();
    if size <= limit {
        return Ok(());
    }
    let which = id
        .map(|id| format!(" _id:`{}`", shown(id)))
        .unwrap_or_default();
    Err(ItemError {
        id: None,
        code: "doc_too_large",
        message: format!(
            "Document{which} with length `{size}` exceeds the allowed document size limit of [{limit}]."
        ),
    })
}

fn is_custom_vector(definition: &Definition, options: &AddOptions, name: &str) -> bool {
    match definition.structured() {
        Some(declared) => declared
            .get(name)
            .is_some_and(|f| f.kind == "custom_vector"),
        None => options.is_custom_vector(name),
    }
}

/// A URL with a media extension, on an index that treats such pointers as media. What follows the path, such as the
/// signature of a URL, is no part of the extension.
fn media_kind(definition: &Definition, text: &str) -> Option<&'static str> {
    if !definition.media_images || !(text.starts_with("http://") || text.starts_with("https://")) {
        return None;
    }
    let path = text.split(['?', '#']).next()?;
    let extension = path.rsplit('.').next()?.to_ascii_lowercase();
    match extension.as_str() {
        "jpg" | "jpeg" | "png" | "gif" | "webp" => Some("image"),
        "mp4" | "avi" | "mov" if definition.media_all => Some("video"),
        "mp3" | "wav" | "ogg" if definition.media_all => Some("audio"),
        _ => None,
    }
}

/// Refuses what the index's model cannot turn into a vector.
fn check_embeddable(definition: &Definition, text: &str) -> Result<(), ItemError> {
    if !definition.embeds {
        return Err(ItemError::invalid(format!(
            "Model {} cannot vectorise content: an index of this model takes custom vectors only",
            shown(&definition.model)
        )));
    }
    match media_kind(definition, text) {
        None => Ok(()),
        Some(kind) => Err(ItemError::invalid(format!(
            "Could not process the media file found at `{}`. Reason: Model {} does not support {kind}",
            shown(text),
            shown(&definition.model)
        ))),
    }
}
