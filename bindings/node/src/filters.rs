//! Filters as callers judge them before an index has any: the fields that one names, and whether single documents can be
//! held against it.

use napi::Env;
use napi_derive::napi;
use pelorus_engine::elsewhere::Within;
use pelorus_filter::{ListLimit, Moment};

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

/// The Unix time in seconds, as near as a number is, of the first moment of a text that filters take as a date; null of
/// another text.
#[napi(catch_unwind)]
pub fn date_seconds(text: String) -> Option<f64> {
    let moment = Moment::of_text(&text)?;
    Some(moment.seconds().as_f64())
}

/// Checks a filter that single documents are held against, as that of a key. Throws `invalid_argument` for a text that is
/// no filter, and for one that asks for words of texts.
#[napi(catch_unwind)]
pub fn check_document_filter(env: &Env, text: String) -> napi::Result<()> {
    match Within::read(Some(&text)) {
        Ok(_) => Ok(()),
        Err(error) => Err(CodedError::from(error).into_napi(env)),
    }
}
