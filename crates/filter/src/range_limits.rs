//! The two limits of a range.

use crate::Number;
use crate::dates::{End, unix_seconds};
use crate::error::RangeProblem;
use pelorus_excerpt::truncated;

type Limits = (Option<Number>, Option<Number>);

/// Reads what stands between the brackets of a range: lower and upper limit, none where it is open.
pub(crate) fn range_limits(limits: &str) -> Result<Limits, RangeProblem> {
    let separator = limits
        .as_bytes()
        .windows(" TO ".len())
        .position(|window| window.eq_ignore_ascii_case(b" TO "))
        .ok_or(RangeProblem::MissingTo)?;
    let lower = limit(&limits[..separator], End::Lower)?;
    let upper = limit(&limits[separator + " TO ".len()..], End::Upper)?;
    if lower.is_none() && upper.is_none() {
        return Err(RangeProblem::Unlimited);
    }
    Ok((lower, upper))
}

fn limit(text: &str, end: End) -> Result<Option<Number>, RangeProblem> {
    match text.trim_matches(' ') {
        "*" => Ok(None),
        text => Number::parse(text)
            .or_else(|| unix_seconds(text, end))
            .map(Some)
            .ok_or_else(|| RangeProblem::InvalidLimit(truncated(text).into_owned())),
    }
}
