//! What is to be embedded, on its way to an encoder: `class InputBatch`.

use napi_derive::napi;

use crate::error::CodedError;

/// What a vector can be computed of.
#[napi(
    discriminant = "kind",
    discriminant_case = "lowercase",
    object_to_js = false
)]
pub enum EncoderInput {
    Text { text: String },
}

/// Inputs to embed. Those of documents are made by `AddBatch.prepare`, and no text of theirs becomes a
/// JavaScript string. An encoder takes what the batch holds, once, so that it is freed when it is used
/// up and not when the garbage collector comes by.
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

    pub(crate) fn take(&mut self) -> Result<Vec<pelorus_embed::EncoderInput>, CodedError> {
        let inputs = self.inputs.take();
        inputs.ok_or_else(|| CodedError::invalid_argument("the inputs were encoded before"))
    }
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
        let core = |EncoderInput::Text { text }| pelorus_embed::EncoderInput::Text(text);
        InputBatch::new(inputs.into_iter().map(core).collect())
    }

    /// How many inputs it was made of.
    #[napi(getter, catch_unwind)]
    pub fn count(&self) -> u32 {
        self.count
    }
}
