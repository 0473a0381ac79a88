//! The two limits of a range.

use crate::error::RangeError;
use crate::{End, Limit, spelled_number, spelled_range};
use pelorus_excerpt::truncated;

type Limits = (Option<Limit>, Option<Limit>);

/// Reads the text between the brackets of a range: lower and upper limit, none where it is open.
pub(crate) fn range_limits(limits: &str) -> Result<Limits, RangeError> {
    let (lower, upper) = split_limits(limits).ok_or_else(|| RangeError::MissingTo {
        expected: spelled_range(limits.trim_matches(' '))
            .map(|(lower, upper)| format!("[{} TO {}]", truncated(&lower), truncated(&upper))),
    })?;
    let (lower, upper) = (limit(lower, End::Lower)?, limit(upper, End::Upper)?);
    if lower.is_none() && upper.is_none() {
        return Err(RangeError::Unlimited);
    }
    Ok((lower, upper))
}

/// The texts before and behind the word that parts limits.
pub(crate) fn split_limits(limits: &str) -> Option<(&str, &str)> {
    let mut words = limits.as_bytes().windows(" TO ".len());
    let separator = words.position(|window| window.eq_ignore_ascii_case(b" TO "))?;
    Some((&limits[..separator], &limits[separator + " TO ".len()..]))
}

fn limit(text: &str, end: End) -> Result<Option<Limit>, RangeError> {
    match text.trim_matches(' ') {
        "*" => Ok(None),
        text => Limit::parse(text, end)
            .map(Some)
            .ok_or_else(|| RangeError::InvalidLimit {
                limit: truncated(text).into_owned(),
                expected: spelled_number(text),
            }),
    }
}
