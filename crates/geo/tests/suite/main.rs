//! Tests of the crate in one binary: what is linked once is built sooner.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod areas;
mod polygons;

use pelorus_geo::GeoPoint;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn point(lat: f64, lon: f64) -> GeoPoint {
    GeoPoint::of_degrees(lat, lon).unwrap()
}

/// Places everywhere, with poles, antimeridian and whole degrees more often than they come.
fn degrees() -> impl Strategy<Value = [f64; 2]> {
    let lat = prop_oneof![
        4 => -90.0..=90.0_f64,
        1 => prop::sample::select(vec![-90.0, -89.999_999_9, 0.0, 89.999_999_9, 90.0]),
        1 => (-9..=9_i32).prop_map(|tens| f64::from(tens * 10)),
    ];
    let lon = prop_oneof![
        4 => -180.0..=180.0_f64,
        1 => prop::sample::select(vec![-180.0, -179.999_999_9, 0.0, 179.999_999_9, 180.0]),
        1 => (-18..=18_i32).prop_map(|tens| f64::from(tens * 10)),
    ];
    (lat, lon).prop_map(|(lat, lon)| [lat, lon])
}

fn place() -> impl Strategy<Value = GeoPoint> {
    degrees().prop_map(|[lat, lon]| point(lat, lon))
}
