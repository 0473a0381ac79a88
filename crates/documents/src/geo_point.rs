//! Geo points: a latitude and a longitude, in one form.

use pelorus_columns::{FieldValue, GeoPoint, Number};
use pelorus_excerpt::truncated;

use crate::check::read_field;
use crate::error::ItemError;
use crate::json::JsonValue;
use crate::numbers::double_json;
use crate::values::Field;

/// The names of the coordinates, in the order in which they are stored.
const NAMES: [&str; 2] = ["lat", "lon"];

/// Reads the value of a field that holds geo points. Its coordinates are stored as they were sent.
pub(crate) fn geo_point(name: &str, value: &JsonValue<'_>) -> Result<Field, ItemError> {
    let JsonValue::Object(entries) = value else {
        return Err(no_point(name, value));
    };
    let coordinate = |wanted: &str| {
        let entry = entries.iter().find(|(key, _)| key == wanted);
        let Some((_, raw)) = entry else {
            return Err(no_point(name, value));
        };
        match read_field(name, raw)? {
            JsonValue::Int(number) => Ok((number.to_string(), Number::Int(number))),
            JsonValue::Float(number) => Ok((double_json(number), Number::Float(number))),
            _ => Err(no_point(name, value)),
        }
    };
    let [(lat_json, lat), (lon_json, lon)] = [coordinate(NAMES[0])?, coordinate(NAMES[1])?];
    if entries.len() > NAMES.len() {
        return Err(no_point(name, value));
    }
    for ((coordinate, number, json), most) in
        [("latitude", lat, &lat_json), ("longitude", lon, &lon_json)]
            .into_iter()
            .zip([90.0, 180.0])
    {
        if number.as_f64().abs() > most {
            return Err(ItemError::invalid(format!(
                "Field '{}': a {coordinate} is -{most} to {most} degrees, but received {json}",
                truncated(name)
            )));
        }
    }
    let json = format!("{{\"lat\":{lat_json},\"lon\":{lon_json}}}");
    let entries = NAMES.map(str::to_owned).into_iter().zip([lat, lon]);
    Ok(Field::new(name, json, FieldValue::Map(entries.collect())))
}

/// Reads a geo point that was taken for a map, of which `entries` are the fields.
pub(crate) fn of_entries(name: &str, entries: &[Field]) -> Result<Field, ItemError> {
    let key = |entry: &Field| {
        entry
            .name
            .get(name.len() + 1..)
            .unwrap_or_default()
            .to_owned()
    };
    let entries = entries
        .iter()
        .map(|entry| (key(entry), entry.json.as_str()));
    geo_point(name, &JsonValue::Object(entries.collect()))
}

/// The point that a stored object of numbers is; none for other numbers.
pub(crate) fn stored_point(entries: &[(String, Number)]) -> Option<GeoPoint> {
    let coordinate = |wanted: &str| {
        let (_, number) = entries.iter().find(|(key, _)| key == wanted)?;
        Some(number.as_f64())
    };
    GeoPoint::of_degrees(coordinate(NAMES[0])?, coordinate(NAMES[1])?)
}

/// Tells whether an object has the members of a geo point and no other.
pub(crate) fn is_like_point(entries: &[(String, &str)]) -> bool {
    let has = |name: &str| entries.iter().any(|(key, _)| key == name);
    entries.len() == NAMES.len() && NAMES.into_iter().all(has)
}

/// The error of a value that is no geo point, with the object that it means where that is plain.
fn no_point(name: &str, value: &JsonValue<'_>) -> ItemError {
    let expected = meant(value)
        .unwrap_or_else(|| "an object such as {\"lat\": 48.1, \"lon\": 11.5}".to_owned());
    ItemError::invalid(format!(
        "Field '{}' holds geo points, and {} is none. Expected {expected}",
        truncated(name),
        value.echo()
    ))
}

/// The point that a list in GeoJSON's order, or a text of latitude and longitude, means.
fn meant(value: &JsonValue<'_>) -> Option<String> {
    let (lat, lon, of_form) = match value {
        JsonValue::List(items) => {
            let [lon, lat] = items.as_slice() else {
                return None;
            };
            (*lat, *lon, ", as a list in the order of GeoJSON means")
        }
        JsonValue::Text(text) => {
            let (lat, lon) = text.split_once(',')?;
            (
                lat.trim(),
                lon.trim(),
                ", as latitude before longitude means",
            )
        }
        _ => return None,
    };
    let [lat, lon] = [Number::parse(lat)?, Number::parse(lon)?];
    GeoPoint::of_degrees(lat.as_f64(), lon.as_f64())?;
    Some(format!("{{\"lat\": {lat}, \"lon\": {lon}}}{of_form}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<String, String> {
        let value = crate::json::read(json).unwrap();
        let field = geo_point("place", &value).map_err(|error| error.message)?;
        let Some(FieldValue::Map(entries)) = &field.value else {
            panic!("{field:?} has coordinates");
        };
        assert!(stored_point(entries).is_some(), "{json}");
        assert_eq!(
            Field::read("place", &field.json).unwrap(),
            field,
            "a restart reads the same"
        );
        Ok(field.json)
    }

    #[test]
    fn coordinates_are_stored_as_they_were_sent_latitude_first() {
        for (sent, stored) in [
            (
                r#"{"lat": 48.1, "lon": 11.5}"#,
                r#"{"lat":48.1,"lon":11.5}"#,
            ),
            (r#"{"lon": -180, "lat": 90}"#, r#"{"lat":90,"lon":-180}"#),
            (
                r#"{"lat":-9e1,"lon":180.0}"#,
                r#"{"lat":-90.0,"lon":180.0}"#,
            ),
            (
                r#"{"lat":0.123456789012,"lon":0}"#,
                r#"{"lat":0.123456789012,"lon":0}"#,
            ),
        ] {
            assert_eq!(read(sent).as_deref(), Ok(stored));
        }
    }

    #[test]
    fn coordinates_beyond_the_earth_are_refused_by_the_name_of_their_field() {
        for (sent, message) in [
            (
                r#"{"lat":90.01,"lon":0}"#,
                "Field 'place': a latitude is -90 to 90 degrees, but received 90.01",
            ),
            (
                r#"{"lat":0,"lon":-181}"#,
                "Field 'place': a longitude is -180 to 180 degrees, but received -181",
            ),
        ] {
            assert_eq!(read(sent), Err(message.to_owned()));
        }
    }

    #[test]
    fn another_form_is_refused_with_the_one_to_write() {
        const EXAMPLE: &str = r#"an object such as {"lat": 48.1, "lon": 11.5}"#;
        for (sent, expected) in [
            (
                "[11.5, 48.1]",
                r#"{"lat": 48.1, "lon": 11.5}, as a list in the order of GeoJSON means"#,
            ),
            (
                r#""48.1,11.5""#,
                r#"{"lat": 48.1, "lon": 11.5}, as latitude before longitude means"#,
            ),
            (r#""11.5,348.1""#, EXAMPLE),
            (r#""Munich""#, EXAMPLE),
            (r#"{"lat":48.1,"lng":11.5}"#, EXAMPLE),
            (r#"{"lat":48.1,"lon":11.5,"alt":3}"#, EXAMPLE),
            (r#"{"lat":"48.1","lon":11.5}"#, EXAMPLE),
            (r#"{"lat":true,"lon":11.5}"#, EXAMPLE),
            (r#"{"lat":48.1}"#, EXAMPLE),
            ("{}", EXAMPLE),
            ("7", EXAMPLE),
            ("[1, 2, 3]", EXAMPLE),
        ] {
            let message = read(sent).expect_err(sent);
            assert!(
                message.starts_with("Field 'place' holds geo points, and "),
                "{message}"
            );
            assert!(
                message.ends_with(&format!(" is none. Expected {expected}")),
                "{message}"
            );
        }
    }
}
