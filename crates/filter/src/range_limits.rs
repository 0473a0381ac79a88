//! The two limits of a range.

use crate::error::RangeError;
use crate::{End, Limit};
use pelorus_excerpt::truncated;

type Limits = (Option<Limit>, Option<Limit>);

/// Reads the text between the brackets of a range: lower and upper limit, none where it is open.
pub(crate) fn range_limits(limits: &str) -> Result<Limits, RangeError> {
    let separator = limits
        .as_bytes()
        .windows(" TO ".len())
        .position(|window| window.eq_ignore_ascii_case(b" TO "))
        .ok_or(RangeError::MissingTo)?;
    let lower = limit(&limits[..separator], End::Lower)?;
    let upper = limit(&limits[separator + " TO ".len()..], End::Upper)?;
    if lower.is_none() && upper.is_none() {
        return Err(RangeError::Unlimited);
    }
    Ok((lower, upper))
}

fn limit(text: &str, end: End) -> Result<Option<Limit>, RangeError> {
    match text.trim_matches(' ') {
        "*" => Ok(None),
        text => Limit::parse(text, end)
            .map(Some)
            .ok_or_else(|| RangeError::InvalidLimit(truncated(text).into_owned())),
    }
}
