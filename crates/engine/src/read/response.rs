//! Parts of answers, and the most bytes of one.

use crate::error::{EngineError, Result};

/// Most bytes of one answer.
const ANSWER_BYTES: usize = 128 * 1024 * 1024;

/// Refuses an answer that has grown beyond the size of one response.
pub(crate) fn check_answer_size(bytes: usize) -> Result<()> {
    if bytes <= ANSWER_BYTES {
        return Ok(());
    }
    Err(EngineError::AnswerTooLarge {
        bytes_max: ANSWER_BYTES,
    })
}

/// A finished response body about several items, with the figures of the `x-count-*` headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemsResponse {
    /// A JSON object; the caller may append members before its final brace.
    pub body: Vec<u8>,
    /// Items with a 2xx status.
    pub success: u32,
    /// Items with a 4xx status.
    pub failure: u32,
    /// Items with a 5xx status.
    pub error: u32,
}

/// Appends a JSON string.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("a string serialises into memory");
}
