//! Polygons against a plain ray to the north in exact integers, and against themselves moved round the earth.

use pelorus_geo::{Area, AreaError, POLYGON_POINTS_MAX};
use proptest::prelude::*;

use crate::{config, point};

/// Tells whether a place is inside a polygon or on its edge, by a ray to the north; all of it far from the antimeridian.
fn holds(corners: &[[i64; 2]], [lat, lon]: [i64; 2]) -> bool {
    let mut is_inside = false;
    for (at, &one) in corners.iter().enumerate() {
        let other = corners[(at + 1) % corners.len()];
        let [from, to] = if one[1] <= other[1] {
            [one, other]
        } else {
            [other, one]
        };
        let cross = i128::from(to[0] - from[0]) * i128::from(lon - from[1])
            - i128::from(lat - from[0]) * i128::from(to[1] - from[1]);
        let is_beside = from[1] <= lon && lon <= to[1];
        let is_level = from[0].min(to[0]) <= lat && lat <= from[0].max(to[0]);
        if cross == 0 && is_beside && is_level {
            return true;
        }
        if from[1] <= lon && lon < to[1] && cross > 0 {
            is_inside = !is_inside;
        }
    }
    is_inside
}

/// Corners and a place on a coarse grid of hundredths of degrees, so that edges and corners are often met.
fn grid() -> impl Strategy<Value = (Vec<[i64; 2]>, [i64; 2])> {
    let step = prop_oneof![Just(1_i64), Just(100), Just(700)];
    step.prop_flat_map(|step| {
        let corner =
            move || ((-6..=6_i64), (-6..=6_i64)).prop_map(move |(a, b)| [a * step, b * step]);
        (prop::collection::vec(corner(), 3..9), corner())
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn points_are_where_a_ray_to_the_north_says((corners, place) in grid(), turn in prop::sample::select(vec![0, 17_900, 18_000, -17_950, 9_000])) {
        let degrees = |[lat, lon]: [i64; 2]| {
            let lon = (lon + turn + 18_000).rem_euclid(36_000) - 18_000;
            [lat as f64 / 100.0, lon as f64 / 100.0]
        };
        let moved: Vec<[f64; 2]> = corners.iter().copied().map(degrees).collect();
        let mut different = corners.clone();
        different.sort_unstable();
        different.dedup();
        match Area::of_polygon(&moved) {
            Err(AreaError::FewPoints { .. }) => prop_assert!(different.len() < 3),
            Err(error) => prop_assert!(false, "{error}"),
            Ok(area) => {
                let [lat, lon] = degrees(place);
                let place_there = point(lat, lon);
                prop_assert_eq!(area.contains(place_there), holds(&corners, place));
                prop_assert!(area.bounds().contains(place_there) || !holds(&corners, place));
            }
        }
    }

    #[test]
    fn a_polygon_of_a_box_is_the_box(
        south in -90.0..0.0_f64, height in 0.1..90.0_f64, west in -180.0..180.0_f64, width in 0.1..170.0_f64,
        lat in -90.0..=90.0_f64, lon in -180.0..180.0_f64,
    ) {
        let (north, east) = (south + height, (west + width + 180.0).rem_euclid(360.0) - 180.0);
        let corners = [[south, west], [south, east], [north, east], [north, west]];
        let polygon = Area::of_polygon(&corners).unwrap();
        let area = Area::of_corners(south, west, north, east).unwrap();
        prop_assert_eq!(polygon.contains(point(lat, lon)), area.contains(point(lat, lon)));
    }
}

#[test]
fn edges_and_corners_belong_to_a_polygon() {
    let triangle = Area::of_polygon(&[[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]).unwrap();
    for (lat, lon, is_within) in [
        (0.0, 0.0, true),
        (0.0, 2.0, true),
        (2.0, 2.0, true),
        (2.0, 2.000_000_1, false),
        (-0.000_000_1, 2.0, false),
        (1.0, 1.0, true),
        (4.0, 0.0, true),
        (4.000_000_1, 0.0, false),
    ] {
        assert_eq!(triangle.contains(point(lat, lon)), is_within, "{lat} {lon}");
    }
}

#[test]
fn a_polygon_that_crosses_itself_is_inside_where_a_ray_crosses_it_an_odd_number_of_times() {
    let bow = Area::of_polygon(&[[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]]).unwrap();
    for (lat, lon, is_within) in [
        (1.0, 2.0, true),
        (3.0, 2.0, true),
        (2.0, 1.0, false),
        (2.0, 3.0, false),
    ] {
        assert_eq!(bow.contains(point(lat, lon)), is_within, "{lat} {lon}");
    }
}

#[test]
fn points_that_make_no_polygon_are_refused() {
    let error = |points: &[[f64; 2]]| Area::of_polygon(points).unwrap_err();
    assert_eq!(
        error(&[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        AreaError::FewPoints { received: 2 }
    );
    assert_eq!(
        error(&[[0.0, 0.0], [0.0, 180.0], [1.0, 1.0]]),
        AreaError::EitherWay { from: 1 }
    );
    let around = [[60.0, 0.0], [60.0, 120.0], [60.0, -120.0]];
    assert_eq!(error(&around), AreaError::AroundPole);
    let many = vec![[0.0, 0.0]; POLYGON_POINTS_MAX + 2];
    assert!(matches!(error(&many), AreaError::ManyPoints { .. }));
    assert!(matches!(
        error(&[[0.0, 0.0], [0.0, 1.0], [99.0, 1.0]]),
        AreaError::Latitude { .. }
    ));
    let spiral: Vec<[f64; 2]> = (0..=5)
        .map(|at| [f64::from(at), f64::from((at * 100 + 180) % 360 - 180)])
        .collect();
    let back: Vec<[f64; 2]> = spiral
        .iter()
        .rev()
        .map(|[lat, lon]| [lat + 10.0, *lon])
        .collect();
    assert_eq!(error(&[spiral, back].concat()), AreaError::WiderThanEarth);
}
