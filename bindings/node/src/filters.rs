//! The fields that a filter names, for callers that decide whether it may name them.

use napi::Env;
use napi_derive::napi;
use pelorus_filter::ListLimit;

use crate::error::CodedError;

/// The fields that the terms of a filter name, each once. Takes time linear in its length. Throws
/// `invalid_argument` for a text that is no filter.
#[napi(catch_unwind)]
pub fn filter_fields(env: &Env, text: String) -> napi::Result<Vec<String>> {
    // How long a list may be is for who searches with it to say.
    let any_length = ListLimit {
        values_max: usize::MAX,
        setting: None,
    };
    match pelorus_filter::parse_within(&text, any_length) {
        Ok(filter) => Ok(filter.fields().into_iter().map(str::to_owned).collect()),
        Err(error) => Err(CodedError::invalid_argument(error.to_string()).into_napi(env)),
    }
}
