//! The moment from which a document is gone, which the document itself says.

use pelorus_columns::FieldValue;
use pelorus_excerpt::truncated;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::JsonValue;
use crate::values::Field;

/// The member that says it. It is stored as an integer, in milliseconds since 1970.
pub const EXPIRES_AT: &str = "_expiresAt";

/// The end of the year 9999.
const MILLISECONDS_MAX: i64 = 253_402_300_799_999;

/// Reads the value of the member; none for null.
pub(crate) fn read_expiry(raw: &str) -> Result<Option<Field>, ItemError> {
    let value = read_field(EXPIRES_AT, raw)?;
    let milliseconds = match &value {
        JsonValue::Null => return Ok(None),
        JsonValue::Int(milliseconds) => Some(*milliseconds),
        JsonValue::Text(text) => milliseconds_of(text),
        _ => None,
    };
    let milliseconds = milliseconds.filter(|moment| (0..=MILLISECONDS_MAX).contains(moment));
    match milliseconds {
        Some(moment) => Ok(Some(Field::new(
            EXPIRES_AT,
            moment.to_string(),
            FieldValue::Int(moment),
        ))),
        None => Err(ItemError::invalid(format!(
            "{EXPIRES_AT} is {}, expected milliseconds since 1970, an integer of at most {MILLISECONDS_MAX}, or a time such as 2027-01-31T12:00:00Z",
            truncated(&value.echo())
        ))),
    }
}

/// The millisecond in which a moment lies.
fn milliseconds_of(text: &str) -> Option<i64> {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(moment.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

/// The moment of a stored field that says one.
pub(crate) fn moment_of(field: &Field) -> Option<i64> {
    match field.value {
        Some(FieldValue::Int(moment)) if field.name == EXPIRES_AT => Some(moment),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn stored(raw: &str) -> Option<String> {
        read_expiry(raw).unwrap().map(|field| field.json)
    }

    #[test]
    fn every_spelling_of_a_moment_is_stored_as_milliseconds() {
        for (raw, json) in [
            ("1700000000123", "1700000000123"),
            ("0", "0"),
            (r#""2023-11-14T22:13:20.123Z""#, "1700000000123"),
            (r#""2023-11-14T22:13:20.123999Z""#, "1700000000123"),
            (r#""2023-11-15T00:13:20.123+02:00""#, "1700000000123"),
        ] {
            assert_eq!(stored(raw).unwrap(), json, "{raw}");
        }
        assert_eq!(stored("null"), None);
    }

    #[test]
    fn anything_else_is_refused_with_what_came() {
        for raw in [
            "-1",
            "1.5",
            "253402300800000",
            "true",
            r#""tomorrow""#,
            r#""2023-11-14""#,
            r#""2023-11-14T22:13:20""#,
            "[1]",
            "{}",
        ] {
            let error = read_expiry(raw).unwrap_err();
            assert_eq!(error.code, "invalid_argument", "{raw}");
            assert!(error.message.contains(EXPIRES_AT), "{error:?}");
        }
    }
}
