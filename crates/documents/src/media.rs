//! Which texts of documents stand for pictures, films and sounds.

use pelorus_embed::{MediaInput, Medium, Pointed, pointed_to};
use pelorus_excerpt::truncated;

use crate::error::ItemError;
use crate::options::AddOptions;
use crate::schema::{DocumentSchema, StructuredField};

/// A text of a document that is embedded: it, or what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Embeddable {
    Text(String),
    /// A pointer; what to where its looks or its field say so.
    Media(String, Option<Medium>),
}

impl Embeddable {
    /// The text as it stands in the document.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) | Self::Media(text, _) => text,
        }
    }
}

/// What is embedded of a text of an index without declared fields: what it points to, where the index says that such
/// pointers stand for what they point to.
pub(crate) fn embeddable(
    schema: &DocumentSchema,
    options: &AddOptions,
    text: &str,
) -> Result<Embeddable, ItemError> {
    check_embeds(schema)?;
    let is_treated = |medium: &Medium| match medium {
        Medium::Image => schema.media_images,
        Medium::Video | Medium::Audio => schema.media_all,
    };
    let takes_any = || {
        let mut media = [Medium::Image, Medium::Video, Medium::Audio].into_iter();
        media.any(|medium| is_treated(&medium) && takes(options, medium))
    };
    match pointed_to(text) {
        Pointed::Medium(medium) if is_treated(&medium) => pointer(schema, options, text, medium),
        Pointed::Unknown if takes_any() => Ok(Embeddable::Media(text.to_owned(), None)),
        _ => Ok(Embeddable::Text(text.to_owned())),
    }
}

/// What is embedded of a text of a declared field, whose type says what it is.
pub(crate) fn declared_embeddable(
    schema: &DocumentSchema,
    options: &AddOptions,
    field: &StructuredField,
    text: &str,
) -> Result<Embeddable, ItemError> {
    check_embeds(schema)?;
    let medium = match field.kind.as_str() {
        "image_pointer" => Medium::Image,
        "video_pointer" => Medium::Video,
        "audio_pointer" => Medium::Audio,
        _ => return Ok(Embeddable::Text(text.to_owned())),
    };
    pointer(schema, options, text, medium)
}

fn pointer(
    schema: &DocumentSchema,
    options: &AddOptions,
    text: &str,
    medium: Medium,
) -> Result<Embeddable, ItemError> {
    if takes(options, medium) {
        return Ok(Embeddable::Media(text.to_owned(), Some(medium)));
    }
    Err(ItemError::invalid(format!(
        "Could not process the media file found at `{}`. Reason: Model {} does not support {}",
        truncated(text),
        truncated(&schema.model),
        medium.name()
    )))
}

/// Refuses documents with something to embed where the model embeds nothing.
fn check_embeds(schema: &DocumentSchema) -> Result<(), ItemError> {
    if schema.embeds {
        return Ok(());
    }
    Err(ItemError::invalid(format!(
        "Model {} cannot vectorise content: an index of this model takes custom vectors only",
        truncated(&schema.model)
    )))
}

/// Whether the model of the index takes a medium.
fn takes(options: &AddOptions, medium: Medium) -> bool {
    options.media.iter().any(|name| name == medium.name())
}

/// A pointer as an input. One that may turn out to point to a text is embedded as such, behind `prefix`.
pub(crate) fn media_input(
    pointer: &str,
    medium: Option<Medium>,
    prefix: &str,
    patches: bool,
) -> MediaInput {
    MediaInput {
        text: medium.is_none().then(|| format!("{prefix}{pointer}")),
        pointer: pointer.to_owned(),
        medium,
        patches,
    }
}
