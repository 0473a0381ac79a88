//! Distances of documents from a place, which are read like the numbers of a field.
//!
//! A distance is named by its field and the place, `home@48.1,11.5`: latitude, then longitude. No field has an `@` in its
//! name, and an entry of a map (`map.key`) only behind its point.

use pelorus_filter::Number;
use pelorus_geo::GeoPoint;

use crate::date::date_of;

/// The field and the place of a distance by its name; `None` for another name.
pub fn distance_of(name: &str) -> Option<(&str, GeoPoint)> {
    let (field, place) = name.split_once('@')?;
    let (lat, lon) = place.split_once(',').filter(|_| !field.contains('.'))?;
    let [lat, lon] = [Number::parse(lat)?, Number::parse(lon)?];
    Some((field, GeoPoint::of_degrees(lat.as_f64(), lon.as_f64())?))
}

/// The field that a name of numbers reads: its own, or that of a distance or a date.
pub fn field_of(name: &str) -> &str {
    match date_of(name) {
        Some((_, field)) => field,
        None => distance_of(name).map_or(name, |(field, _)| field),
    }
}

/// The distance between two places in metres, as a number of a document.
pub(crate) fn number(from: GeoPoint, to: GeoPoint) -> Number {
    Number::Float(from.distance_m(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_named_by_its_field_and_a_place() {
        let place = GeoPoint::of_degrees(-48.1, 1.0e-7).unwrap();
        assert_eq!(distance_of("home@-48.1,1e-7"), Some(("home", place)));
        assert_eq!(field_of("home@-48.1,1e-7"), "home");
        for name in [
            "home",
            "map.k@48.1,11.5",
            "home@48.1",
            "home@91,0",
            "home@a,b",
            "home@",
        ] {
            assert_eq!(distance_of(name), None, "{name}");
            assert_eq!(field_of(name), name);
        }
    }
}
