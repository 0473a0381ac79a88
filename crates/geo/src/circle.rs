//! All places within a distance.

use crate::bounds::Bounds;
use crate::point::{EARTH_RADIUS_M, HALF, QUARTER, RADIANS_PER_UNIT};
use crate::{GeoPoint, point};

/// The part that rounding may add to the haversine of a place at just the radius: some units in its last place, by whichever
/// library of sines.
const ROUNDING: f64 = 4e-15;

/// The places within a distance of a centre, those at just that distance included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    center: GeoPoint,
    radius_m: f64,
    cosine: f64,
    /// The haversine of the radius; above 1 for the whole earth.
    haversine_max: f64,
    bounds: Bounds,
}

impl Circle {
    /// The circle around a centre; the radius is at least 0.
    pub fn new(center: GeoPoint, radius_m: f64) -> Self {
        debug_assert!(radius_m >= 0.0, "{radius_m}");
        let angle = radius_m / EARTH_RADIUS_M;
        let haversine_max = match angle < std::f64::consts::PI {
            true => (angle / 2.0).sin().powi(2) * (1.0 + ROUNDING),
            false => f64::INFINITY,
        };
        Self {
            center,
            radius_m,
            cosine: center.lat_radians().cos(),
            haversine_max,
            bounds: bounds(center, angle),
        }
    }

    pub fn center(&self) -> GeoPoint {
        self.center
    }

    pub fn radius_m(&self) -> f64 {
        self.radius_m
    }

    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The cosine of the latitude of the centre.
    pub fn cosine(&self) -> f64 {
        self.cosine
    }

    /// The greatest haversine of the angle between the centre and a place within; above 1 for the whole earth.
    pub fn haversine_max(&self) -> f64 {
        self.haversine_max
    }

    /// Tells whether a point is within the radius.
    pub fn contains(&self, point: GeoPoint) -> bool {
        let cosines = self.cosine * point.lat_radians().cos();
        self.center.haversine(point, cosines) <= self.haversine_max
    }
}

/// Bounds of a circle of so many radians, wider by a few units than it is, for rounding.
///
/// The circle touches its extreme meridians at the longitude difference asin(sin(angle) / cos(latitude)) [Bronstein,
/// spherical trigonometry]; one with a pole in it has every longitude.
fn bounds(center: GeoPoint, angle: f64) -> Bounds {
    const MARGIN: f64 = 4.0;
    let reach = angle / RADIANS_PER_UNIT + MARGIN;
    let (south, north) = (
        f64::from(center.lat()) - reach,
        f64::from(center.lat()) + reach,
    );
    let quarter = f64::from(QUARTER);
    let of_every_longitude = Bounds {
        south: south.max(-quarter) as i32,
        north: north.min(quarter) as i32,
        ..Bounds::EARTH
    };
    if south <= -quarter || north >= quarter {
        return of_every_longitude;
    }
    let sine = angle.sin() / center.lat_radians().cos();
    let reach = sine.min(1.0).asin() / RADIANS_PER_UNIT;
    // Near 90 degrees the arcsine is steep: a thousandth more is ample.
    let reach = reach * 1.001 + MARGIN;
    if reach >= f64::from(HALF) {
        return of_every_longitude;
    }
    let (west, east) = (
        f64::from(center.lon()) - reach,
        f64::from(center.lon()) + reach,
    );
    Bounds {
        west: wrapped(west),
        east: wrapped(east),
        ..of_every_longitude
    }
}

/// A longitude in units, brought to where points have it.
fn wrapped(lon: f64) -> i32 {
    let whole = point::WHOLE as f64;
    let half = f64::from(HALF);
    let lon = if lon < -half {
        lon + whole
    } else if lon >= half {
        lon - whole
    } else {
        lon
    };
    lon as i32
}
