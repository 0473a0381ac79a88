//! Circles against distances by another formula, and boxes against plain comparisons.

use pelorus_geo::{Area, AreaError, Bounds, EARTH_RADIUS_M, GeoPoint};
use proptest::prelude::*;

use crate::{config, degrees, place, point};

/// The angle between two vectors from the centre of the earth, which needs no half angles.
fn distance_by_vectors(one: GeoPoint, other: GeoPoint) -> f64 {
    let vector = |point: GeoPoint| {
        let [lat, lon] = point.degrees().map(f64::to_radians);
        [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
    };
    let ([a, b, c], [x, y, z]) = (vector(one), vector(other));
    let cross = [b * z - c * y, c * x - a * z, a * y - b * x];
    let sine = cross.iter().map(|part| part * part).sum::<f64>().sqrt();
    EARTH_RADIUS_M * sine.atan2(a * x + b * y + c * z)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn distances_are_the_angles_between_vectors(one in place(), other in place()) {
        let received = one.distance_m(other);
        let expected = distance_by_vectors(one, other);
        // Half way round the earth both formulas lose digits.
        let tolerance = if expected > 0.999 * EARTH_RADIUS_M * std::f64::consts::PI { 1.0 } else { 1e-3 };
        prop_assert!((received - expected).abs() < tolerance, "{received} {expected}");
    }

    #[test]
    fn circles_hold_what_is_no_further_than_their_radius(
        center in place(),
        other in place(),
        radius in prop_oneof![0.0..1_000.0_f64, 0.0..3e6_f64, 0.0..21e6_f64],
    ) {
        let distance = distance_by_vectors(center, other);
        prop_assume!((distance - radius).abs() > 1.0);
        let circle = Area::circle(center, radius);
        prop_assert_eq!(circle.contains(other), distance < radius);
    }

    /// Scans look at points within the bounds alone.
    #[test]
    fn a_place_at_just_the_radius_is_in_the_circle(center in place(), other in place()) {
        let circle = Area::circle(center, center.distance_m(other));
        prop_assert!(circle.contains(other) && circle.bounds().contains(other), "{center:?} {other:?}");
    }

    #[test]
    fn bounds_hold_their_circle(
        center in place(),
        radius in prop_oneof![0.0..1_000.0_f64, 0.0..3e6_f64, 0.0..21e6_f64],
        bearing in 0.0..std::f64::consts::TAU,
        part in prop_oneof![Just(1.0), 0.9..1.0_f64],
    ) {
        let circle = Area::circle(center, radius);
        let [lat, lon] = center.degrees().map(f64::to_radians);
        let angle = part * radius / EARTH_RADIUS_M;
        let sine = lat.sin() * angle.cos() + lat.cos() * angle.sin() * bearing.cos();
        let ahead = angle.cos() - lat.sin() * sine;
        let beside = bearing.sin() * angle.sin() * lat.cos();
        let lon = (lon + beside.atan2(ahead)).to_degrees();
        let lon = (lon + 540.0).rem_euclid(360.0) - 180.0;
        let reached = point(sine.clamp(-1.0, 1.0).asin().to_degrees(), lon);
        prop_assume!(circle.contains(reached));
        prop_assert!(circle.bounds().contains(reached), "{:?} {:?}", circle.bounds(), reached);
    }

    #[test]
    fn boxes_hold_what_is_between_their_corners(
        [one_lat, west] in degrees(),
        [other_lat, east] in degrees(),
        [lat, lon] in degrees(),
    ) {
        let (south, north) = (one_lat.min(other_lat), one_lat.max(other_lat));
        let area = Area::of_corners(south, west, north, east).unwrap();
        // Rounded to units, as whole numbers.
        let units = |degrees: f64| (degrees * 1e7).round() as i64;
        let is_lon = [-360.0, 0.0, 360.0].iter().any(|turn| {
            let (lon, west, east) = (units(lon + turn), units(west), units(east));
            // A box over the antimeridian goes on to the east of it.
            let east = if west <= east { east } else { east + 3_600_000_000 };
            west <= lon && lon <= east
        });
        let expected = units(south) <= units(lat) && units(lat) <= units(north) && is_lon;
        prop_assert_eq!(area.contains(point(lat, lon)), expected);
        prop_assert_eq!(area.bounds().contains(point(lat, lon)), expected);
    }

    #[test]
    fn bounds_that_do_not_meet_have_no_common_point(
        [one_lat, west] in degrees(),
        [other_lat, east] in degrees(),
        places in prop::collection::vec(place(), 1..20),
    ) {
        let (south, north) = (one_lat.min(other_lat), one_lat.max(other_lat));
        let bounds = Area::of_corners(south, west, north, east).unwrap().bounds();
        let mut around = Bounds::of(places[0]);
        places.iter().for_each(|place| around.widen(*place));
        prop_assert!(places.iter().all(|place| around.contains(*place)));
        let is_common = places.iter().any(|place| bounds.contains(*place));
        prop_assert!(bounds.meets(&around) || !is_common);
    }
}

#[test]
fn circles_go_over_poles_and_the_antimeridian() {
    let pole = Area::circle(point(89.0, 0.0), 300_000.0);
    assert!(pole.contains(point(89.0, 180.0)) && pole.bounds().contains(point(89.0, 180.0)));
    assert!(!pole.contains(point(87.0, 180.0)));
    let fiji = Area::circle(point(-17.0, 179.0), 400_000.0);
    for (lon, is_within) in [
        (-179.0, true),
        (-177.0, false),
        (176.0, true),
        (174.0, false),
    ] {
        let there = point(-17.0, lon);
        assert_eq!(fiji.contains(there), is_within, "{lon}");
        assert_eq!(fiji.bounds().contains(there), is_within, "{lon}");
    }
    let center = point(48.0, 11.0);
    assert!(Area::circle(center, 0.0).contains(center));
    assert!(!Area::circle(center, 0.0).contains(point(48.0, 11.000_000_1)));
    let everywhere = Area::circle(center, 20_100_000.0);
    assert!(everywhere.contains(point(-48.0, -169.0)));
}

#[test]
fn boxes_with_an_edge_on_the_antimeridian_hold_it() {
    let there = point(0.0, 180.0);
    for (west, east, is_within) in [
        (170.0, 180.0, true),
        (-180.0, -170.0, true),
        (170.0, -170.0, true),
        (180.0, -170.0, true),
        (170.0, -180.0, true),
        (180.0, 180.0, true),
        (-180.0, 180.0, true),
        (-170.0, 170.0, false),
    ] {
        let area = Area::of_corners(-1.0, west, 1.0, east).unwrap();
        assert_eq!(area.contains(there), is_within, "{west} {east}");
        let narrow = west.abs() == 180.0 && west == east;
        assert_eq!(
            area.contains(point(0.0, 175.0)),
            west <= 175.0 && !narrow && (east >= 175.0 || east < west),
            "{west} {east}"
        );
    }
}

#[test]
fn coordinates_that_are_none_are_refused_with_what_was_received() {
    let received = |area: Result<Area, AreaError>| area.unwrap_err().to_string();
    assert_eq!(
        received(Area::of_corners(-91.0, 0.0, 1.0, 1.0)),
        "a latitude is -90 to 90 degrees, but received -91"
    );
    assert_eq!(
        received(Area::of_corners(0.0, 0.0, 1.0, 180.5)),
        "a longitude is -180 to 180 degrees, but received 180.5"
    );
    assert_eq!(
        received(Area::of_corners(2.0, 0.0, 1.0, 1.0)),
        "the first corner of a box is the southern one, but its latitude 2 is above 1 of the second"
    );
}
