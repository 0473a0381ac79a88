//! The bounds of a query.
//!
//! A query over a bound is refused and never cut: one that lost a required phrase would find too
//! much, one that lost a word too little, and nobody would be told. The bounds are on the cost of a
//! search. Blanks and repetitions cost nothing, so they are free.

use super::{QueryTerm, SplitQuery};
use crate::error::{LexicalError, Result};

/// Bytes of the text as it came. Only a text of blanks or repetitions can be this long and within
/// the other bounds.
const TEXT_BYTES_MAX: usize = 64 * 1_024;
/// Characters of all terms together, blanks inside quotes not counted.
const TERM_CHARS_MAX: usize = 4_096;
/// Distinct terms: each is looked up and scored on its own.
const TERMS_MAX: usize = 512;
/// The most terms of several tokens among these: positions are compared, which costs many times a
/// word.
const PHRASES_MAX: usize = 64;

pub(super) fn check_text(text: &str) -> Result<()> {
    check("bytes", TEXT_BYTES_MAX, text.len())
}

pub(super) fn check_split(split: &SplitQuery<'_>) -> Result<()> {
    let terms = split.required.iter().chain(&split.optional);
    let chars = terms.flat_map(|term| term.chars());
    let received = chars.filter(|c| !c.is_whitespace()).count();
    check("characters besides blanks", TERM_CHARS_MAX, received)
}

/// `required` and `optional` each without repetitions.
pub(super) fn check_terms(required: &[QueryTerm], optional: &[QueryTerm]) -> Result<()> {
    check("distinct terms", TERMS_MAX, required.len() + optional.len())?;
    let terms = required.iter().chain(optional);
    let phrases = terms.filter(|term| term.tokens.token_count() > 1).count();
    check("distinct phrases of several words", PHRASES_MAX, phrases)
}

fn check(what: &'static str, limit: usize, received: usize) -> Result<()> {
    if received > limit {
        return Err(LexicalError::QueryTooLong {
            what,
            limit,
            received,
        });
    }
    Ok(())
}
