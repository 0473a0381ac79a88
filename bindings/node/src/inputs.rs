//! The inputs to embed, on their way to an encoder: `class InputBatch`.

use napi::Env;
use napi_derive::napi;

use crate::error::{CodedError, answer};
use crate::handover;

/// The kind of a picture, film or sound.
#[napi(string_enum = "lowercase")]
pub enum Medium {
    Image,
    Video,
    Audio,
}

/// An input of which a vector can be computed.
#[napi(
    discriminant = "kind",
    discriminant_case = "lowercase",
    object_to_js = false
)]
pub enum EncoderInput {
    /// A text with its prefix.
    Text { text: String },
    /// A chunk of a text, with a prefix of `prefixBytes`, which has vectors for parts of it where the model does not read
    /// all of it.
    Chunk { text: String, prefix_bytes: u32 },
    /// A URL or data URI of a picture, film or sound. `text` is embedded where it turns out to be none of them, and
    /// only without a `medium`. `patches` lets a picture be taken apart into patches with vectors of their own.
    Media {
        pointer: String,
        medium: Option<Medium>,
        text: Option<String>,
        patches: bool,
    },
}

/// A picture, film or sound among inputs.
#[napi(object, object_from_js = false)]
pub struct MediaInput {
    /// Its place among the inputs.
    pub row: u32,
    /// A URL, or a data URI.
    pub pointer: String,
    /// The medium that it points to; absent where only the bytes can tell.
    pub medium: Option<Medium>,
    /// The text that is embedded where the bytes turn out to be none of the media, with the prefix of texts; absent
    /// where that is a failure.
    pub text: Option<String>,
    /// Tells whether a picture may be taken apart into patches with vectors of their own.
    pub patches: bool,
}

/// Inputs to embed. Those of documents are made by `AddBatch.prepare`, and no text of theirs becomes a JavaScript
/// string. An encoder takes the contents of the batch, once, so that they are freed when they are used up and not when
/// the garbage collector comes by.
#[napi]
pub struct InputBatch {
    count: u32,
    inputs: Option<Vec<pelorus_embed::EncoderInput>>,
}

impl InputBatch {
    pub(crate) fn new(inputs: Vec<pelorus_embed::EncoderInput>) -> Self {
        InputBatch {
            count: inputs.len() as u32,
            inputs: Some(inputs),
        }
    }

    /// The texts that the batch holds, each with the bytes of its prefix where it may be cut into parts.
    pub(crate) fn take_text_inputs(&mut self) -> Result<Vec<(String, Option<usize>)>, CodedError> {
        let texts = self.take()?.into_iter().map(|input| match input {
            pelorus_embed::EncoderInput::Text(text) => Ok((text, None)),
            pelorus_embed::EncoderInput::Chunk(chunk) => Ok((chunk.text, Some(chunk.prefix_bytes))),
            pelorus_embed::EncoderInput::Media(_) => Err(CodedError::invalid_argument(
                "the inputs hold media, which takeMedia gives",
            )),
        });
        texts.collect()
    }

    fn take(&mut self) -> Result<Vec<pelorus_embed::EncoderInput>, CodedError> {
        let inputs = self.inputs.take();
        inputs.ok_or_else(|| CodedError::invalid_argument("the inputs were encoded before"))
    }
}

/// A batch between two threads.
struct HandedOver {
    count: u32,
    inputs: Vec<pelorus_embed::EncoderInput>,
}

#[napi]
impl InputBatch {
    /// The inputs of a query, or of whatever else is at hand.
    #[napi(
        factory,
        catch_unwind,
        ts_args_type = "inputs: readonly EncoderInput[]"
    )]
    pub fn of(inputs: Vec<EncoderInput>) -> Self {
        InputBatch::new(inputs.into_iter().map(Into::into).collect())
    }

    /// Takes the contents, for one other thread, which has them with `attach` and the token that this gives.
    #[napi(catch_unwind)]
    pub fn hand_over(&mut self, env: &Env) -> napi::Result<u32> {
        let inputs = answer(env, || self.take())?;
        Ok(handover::offer(HandedOver {
            count: self.count,
            inputs,
        }))
    }

    /// The batch that another thread handed over by a token, which is good once. Throws `invalid_argument` where there is
    /// none.
    #[napi(factory, catch_unwind)]
    pub fn attach(env: &Env, token: u32) -> napi::Result<Self> {
        let HandedOver { count, inputs } = answer(env, || handover::take(token))?;
        Ok(InputBatch {
            count,
            inputs: Some(inputs),
        })
    }

    /// The number of inputs it was made of.
    #[napi(getter, catch_unwind)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Pictures, films and sounds are in it still, which `takeMedia` would take out.
    #[napi(getter, catch_unwind)]
    pub fn has_media(&self) -> bool {
        let is_media = |input: &_| matches!(input, pelorus_embed::EncoderInput::Media(_));
        self.inputs
            .as_ref()
            .is_some_and(|inputs| inputs.iter().any(is_media))
    }

    /// Takes the pictures, films and sounds out. The texts stay, in their order.
    #[napi(catch_unwind)]
    pub fn take_media(&mut self, env: &Env) -> napi::Result<Vec<MediaInput>> {
        let inputs = answer(env, || self.take())?;
        let mut media = Vec::new();
        let mut texts = Vec::with_capacity(inputs.len());
        for (row, input) in inputs.into_iter().enumerate() {
            match input {
                pelorus_embed::EncoderInput::Media(one) => media.push(MediaInput {
                    row: row as u32,
                    pointer: one.pointer,
                    medium: one.medium.map(Into::into),
                    text: one.text,
                    patches: one.patches,
                }),
                text => texts.push(text),
            }
        }
        self.inputs = Some(texts);
        Ok(media)
    }

    /// Takes the texts, each with its prefix, for an encoder that is not in this process. Throws `invalid_argument` where
    /// the inputs hold media.
    #[napi(catch_unwind)]
    pub fn take_texts(&mut self, env: &Env) -> napi::Result<Vec<String>> {
        let texts = answer(env, || self.take_text_inputs())?;
        Ok(texts.into_iter().map(|(text, _)| text).collect())
    }
}

impl From<EncoderInput> for pelorus_embed::EncoderInput {
    fn from(input: EncoderInput) -> Self {
        match input {
            EncoderInput::Text { text } => Self::Text(text),
            EncoderInput::Chunk { text, prefix_bytes } => {
                let prefix_bytes = text.floor_char_boundary(prefix_bytes as usize);
                Self::Chunk(pelorus_embed::ChunkInput { text, prefix_bytes })
            }
            EncoderInput::Media {
                pointer,
                medium,
                text,
                patches,
            } => Self::Media(pelorus_embed::MediaInput {
                pointer,
                medium: medium.map(Into::into),
                text,
                patches,
            }),
        }
    }
}

impl From<Medium> for pelorus_embed::Medium {
    fn from(medium: Medium) -> Self {
        match medium {
            Medium::Image => Self::Image,
            Medium::Video => Self::Video,
            Medium::Audio => Self::Audio,
        }
    }
}

impl From<pelorus_embed::Medium> for Medium {
    fn from(medium: pelorus_embed::Medium) -> Self {
        match medium {
            pelorus_embed::Medium::Image => Self::Image,
            pelorus_embed::Medium::Video => Self::Video,
            pelorus_embed::Medium::Audio => Self::Audio,
        }
    }
}
