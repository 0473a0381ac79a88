//! A place on the earth.

/// The mean radius of the earth, in metres (IUGG).
pub const EARTH_RADIUS_M: f64 = 6_371_008.8;

/// Units of a coordinate in one degree.
pub const UNITS_PER_DEGREE: i32 = 10_000_000;

/// 90 degrees, the latitude of the north pole.
pub(crate) const QUARTER: i32 = 90 * UNITS_PER_DEGREE;
/// 180 degrees, the longitude of the antimeridian.
pub(crate) const HALF: i32 = 180 * UNITS_PER_DEGREE;
/// 360 degrees.
pub(crate) const WHOLE: i64 = 360 * UNITS_PER_DEGREE as i64;

/// A place on the earth, in units of 1e-7 degrees.
///
/// The antimeridian has one longitude, -180 degrees: 180 degrees become it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GeoPoint {
    lat: i32,
    lon: i32,
}

impl GeoPoint {
    /// The point at a latitude of -90 to 90 degrees and a longitude of -180 to 180 degrees, rounded to units; `None`
    /// beyond these.
    pub fn of_degrees(lat: f64, lon: f64) -> Option<Self> {
        let is_there = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        is_there.then(|| Self::of_units(units(lat), units(lon)))
    }

    /// The point at coordinates in units, both within their range.
    pub(crate) fn of_units(lat: i32, lon: i32) -> Self {
        debug_assert!((-QUARTER..=QUARTER).contains(&lat), "latitude {lat}");
        debug_assert!((-HALF..=HALF).contains(&lon), "longitude {lon}");
        let lon = if lon == HALF { -HALF } else { lon };
        Self { lat, lon }
    }

    /// The latitude, in units.
    pub fn lat(self) -> i32 {
        self.lat
    }

    /// The longitude, in units: at least -180 degrees, and less than 180.
    pub fn lon(self) -> i32 {
        self.lon
    }

    /// Latitude and longitude in degrees.
    pub fn degrees(self) -> [f64; 2] {
        [self.lat, self.lon].map(|units| f64::from(units) / f64::from(UNITS_PER_DEGREE))
    }

    /// The distance along the great circle, in metres.
    pub fn distance_m(self, other: GeoPoint) -> f64 {
        let cosines = self.lat_radians().cos() * other.lat_radians().cos();
        2.0 * EARTH_RADIUS_M * self.haversine(other, cosines).min(1.0).sqrt().asin()
    }

    /// The haversine of the angle between two points, 0 to 1; `cosines` is the product of the cosines of their latitudes.
    pub(crate) fn haversine(self, other: GeoPoint, cosines: f64) -> f64 {
        let half_sine = |from: i32, to: i32| {
            let difference = f64::from(to) - f64::from(from);
            (difference * (RADIANS_PER_UNIT / 2.0)).sin()
        };
        let (lat, lon) = (
            half_sine(self.lat, other.lat),
            half_sine(self.lon, other.lon),
        );
        lat * lat + cosines * lon * lon
    }

    pub(crate) fn lat_radians(self) -> f64 {
        f64::from(self.lat) * RADIANS_PER_UNIT
    }
}

/// One unit in radians.
pub const RADIANS_PER_UNIT: f64 = std::f64::consts::PI / HALF as f64;

/// Degrees in units, the nearest.
pub(crate) fn units(degrees: f64) -> i32 {
    (degrees * f64::from(UNITS_PER_DEGREE)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> GeoPoint {
        GeoPoint::of_degrees(lat, lon).expect("a place on the earth")
    }

    #[test]
    fn distances_are_those_of_a_sphere() {
        let quarter = EARTH_RADIUS_M * std::f64::consts::FRAC_PI_2;
        for (one, other, expected) in [
            (point(0.0, 0.0), point(0.0, 90.0), quarter),
            (point(0.0, 0.0), point(90.0, 17.0), quarter),
            (point(90.0, 0.0), point(90.0, 120.0), 0.0),
            (point(-90.0, 5.0), point(90.0, -5.0), 2.0 * quarter),
            (point(0.0, -90.0), point(0.0, 90.0), 2.0 * quarter),
            (point(12.0, 180.0), point(12.0, -180.0), 0.0),
            (point(0.0, 179.0), point(0.0, -179.0), quarter / 45.0),
            // Paris and New York, by an independent calculation.
            (point(48.8566, 2.3522), point(40.7128, -74.006), 5_837_248.9),
        ] {
            for received in [one.distance_m(other), other.distance_m(one)] {
                assert!((received - expected).abs() < 50.0, "{received} {expected}");
            }
        }
    }

    #[test]
    fn coordinates_beyond_the_earth_are_no_point() {
        for (lat, lon) in [
            (90.000_000_1, 0.0),
            (-91.0, 0.0),
            (0.0, 180.5),
            (0.0, -181.0),
            (f64::NAN, 0.0),
            (0.0, f64::INFINITY),
        ] {
            assert_eq!(GeoPoint::of_degrees(lat, lon), None, "{lat} {lon}");
        }
    }

    #[test]
    fn the_antimeridian_has_one_longitude() {
        assert_eq!(point(1.0, 180.0), point(1.0, -180.0));
        assert_eq!(point(1.0, 179.999_999_99).lon(), -HALF);
    }
}
