//! The texts of documents that stand for pictures, films and sounds.

use pelorus_embed::{MediaInput, Medium, Pointed, bare, data_of, pointed_to};
use pelorus_excerpt::truncated;

use crate::error::ItemError;
use crate::generated::AddOptions;
use crate::schema::{DocumentSchema, StructuredField};

/// A text of a document that is embedded: it, or its target.
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

/// The input to embed for a text of a field that nobody declared: its target, where the index says that such pointers
/// stand for their targets.
pub(crate) fn embeddable(
    schema: &DocumentSchema,
    options: &AddOptions,
    field: &str,
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
        Pointed::Medium(medium) if is_treated(&medium) => {
            pointer(schema, options, field, text, medium)
        }
        Pointed::Unknown if takes_any() && data_of(bare(text)).is_some() => {
            Err(base64_error(field, "", "images"))
        }
        Pointed::Unknown if takes_any() => Ok(Embeddable::Media(text.to_owned(), None)),
        _ => Ok(Embeddable::Text(text.to_owned())),
    }
}

/// The input to embed for a text of a declared field, by the field's type.
pub(crate) fn declared_embeddable(
    schema: &DocumentSchema,
    options: &AddOptions,
    field: &StructuredField,
    text: &str,
) -> Result<Embeddable, ItemError> {
    check_embeds(schema)?;
    match field.medium() {
        Some(medium) => pointer(schema, options, &field.name, text, medium),
        None => Ok(Embeddable::Text(text.to_owned())),
    }
}

/// Refuses media that the model of the index does not take, and such as would be stored whole as their own chunk.
fn pointer(
    schema: &DocumentSchema,
    options: &AddOptions,
    field: &str,
    text: &str,
    medium: Medium,
) -> Result<Embeddable, ItemError> {
    if data_of(bare(text)).is_some() {
        let (kind, several) = match medium {
            Medium::Image => ("image ", "images"),
            Medium::Video => ("video ", "videos"),
            Medium::Audio => ("audio ", "sounds"),
        };
        return Err(base64_error(field, kind, several));
    }
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

fn base64_error(field: &str, kind: &str, several: &str) -> ItemError {
    ItemError::invalid(format!(
        "Field '{}' contains base64 {kind}data. Base64 {several} can only be used in search queries.",
        truncated(field)
    ))
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

/// Tells whether the model of the index takes a medium.
fn takes(options: &AddOptions, medium: Medium) -> bool {
    options.media.contains(&medium)
}

/// A pointer as an input, without what stands around it. One that may turn out to point to a text is embedded as such,
/// behind `prefix`.
pub(crate) fn media_input(
    pointer: &str,
    medium: Option<Medium>,
    prefix: &str,
    patches: bool,
) -> MediaInput {
    MediaInput {
        text: medium.is_none().then(|| format!("{prefix}{pointer}")),
        pointer: bare(pointer).to_owned(),
        medium,
        patches,
    }
}

/// Tells whether chunks of a field that holds `text` may be parts of a picture, film or sound. This index may take
/// fewer media than the one that the chunks come from.
pub(crate) fn may_have_parts(declared: Option<&StructuredField>, text: &str) -> bool {
    match declared {
        Some(field) => field.medium().is_some(),
        None => pointed_to(text) != Pointed::Text,
    }
}

/// Tells whether a chunk stands for a part of a picture, `[x1, y1, x2, y2]`, or of a film or sound, `[start, end]`.
pub(crate) fn is_part(chunk: &str) -> bool {
    let inner = chunk.strip_prefix('[').and_then(|c| c.strip_suffix(']'));
    let Some(inner) = inner else {
        return false;
    };
    let numbers: Vec<&str> = inner.split(", ").collect();
    let is_number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    matches!(numbers.len(), 2 | 4) && numbers.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_box_or_a_stretch_of_time() {
        for part in [
            "[0.0, 20.0]",
            "[17.0, 37.5]",
            "[0, 20]",
            "[0.0, 0.0, 512.0, 341.3333333333333]",
        ] {
            assert!(is_part(part), "{part}");
        }
        for text in [
            "",
            "[]",
            "[1.0]",
            "[1.0, 2.0, 3.0]",
            "[1.0, x]",
            "[1.0, NaN]",
            "1.0, 2.0",
            "[1.0, 2.0",
        ] {
            assert!(!is_part(text), "{text}");
        }
    }
}
