//! Areas of the earth.

use thiserror::Error;

use crate::bounds::Bounds;
use crate::point::{HALF, QUARTER, UNITS_PER_DEGREE, units};
use crate::{Circle, GeoPoint, POLYGON_POINTS_MAX, Polygon};

/// A part of the earth, its edge included.
#[derive(Debug, Clone, PartialEq)]
pub enum Area {
    Circle(Circle),
    /// All points between two latitudes and two longitudes.
    Box(Bounds),
    Polygon(Polygon),
}

/// The reason that coordinates are no area. The client is shown the text.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum AreaError {
    #[error("a latitude is -90 to 90 degrees, but received {received}")]
    Latitude { received: f64 },
    #[error("a longitude is -180 to 180 degrees, but received {received}")]
    Longitude { received: f64 },
    #[error(
        "the first corner of a box is the southern one, but its latitude {south} is above {north} of the second"
    )]
    BoxOrder { south: f64, north: f64 },
    #[error("a polygon has at least 3 different points, but received {received}")]
    FewPoints { received: usize },
    #[error("a polygon has at most {POLYGON_POINTS_MAX} points, but received {received}")]
    ManyPoints { received: usize },
    #[error(
        "points {from} and {} of the polygon are 180 degrees of longitude apart, which go round the earth either way: put a \
         point between them",
        from + 1
    )]
    EitherWay { from: usize },
    #[error(
        "the polygon goes round a pole, and so has two insides. Expected a circle around the pole, or a box of every \
         longitude such as BOX (60, -180, 90, 180)"
    )]
    AroundPole,
    #[error("the polygon is wider than 360 degrees of longitude")]
    WiderThanEarth,
}

impl Area {
    /// The circle around a centre; the radius is at least 0.
    pub fn circle(center: GeoPoint, radius_m: f64) -> Self {
        Self::Circle(Circle::new(center, radius_m))
    }

    /// The box between two corners in degrees, over the antimeridian where the western longitude is the greater one.
    ///
    /// # Errors
    /// An [`AreaError`] for coordinates that are none, and for a southern latitude above the northern one.
    pub fn of_corners(south: f64, west: f64, north: f64, east: f64) -> Result<Self, AreaError> {
        for (lat, lon) in [(south, west), (north, east)] {
            check(lat, lon)?;
        }
        if south > north {
            return Err(AreaError::BoxOrder { south, north });
        }
        let bounds = Bounds {
            south: units(south),
            west: units(west),
            north: units(north),
            east: units(east),
        };
        Ok(Self::Box(bounds.normalised()))
    }

    /// The polygon of some points, as latitude and longitude in degrees.
    ///
    /// # Errors
    /// An [`AreaError`] for coordinates that are none, or make none.
    pub fn of_polygon(points: &[[f64; 2]]) -> Result<Self, AreaError> {
        let points = points.iter().map(|&[lat, lon]| point(lat, lon));
        let points: Vec<GeoPoint> = points.collect::<Result<_, _>>()?;
        Polygon::new(points).map(Self::Polygon)
    }

    /// Bounds that hold all of the area, and maybe a little more.
    pub fn bounds(&self) -> Bounds {
        match self {
            Area::Circle(circle) => circle.bounds(),
            Area::Box(bounds) => *bounds,
            Area::Polygon(polygon) => polygon.bounds(),
        }
    }

    /// Tells whether a point within the bounds is within the area, on its edge too.
    pub fn contains(&self, point: GeoPoint) -> bool {
        match self {
            Area::Circle(circle) => circle.contains(point),
            Area::Box(bounds) => bounds.contains(point),
            Area::Polygon(polygon) => polygon.contains(point),
        }
    }

    /// Latitude and longitude of each corner of a box or polygon in degrees; of a circle those of its centre.
    pub fn corners(&self) -> Vec<[f64; 2]> {
        match self {
            Area::Circle(circle) => vec![circle.center().degrees()],
            Area::Box(bounds) => vec![
                [degrees(bounds.south), degrees(bounds.west)],
                [degrees(bounds.north), degrees(bounds.east)],
            ],
            Area::Polygon(polygon) => polygon.points().iter().map(|p| p.degrees()).collect(),
        }
    }
}

/// The point at coordinates in degrees.
///
/// # Errors
/// The [`AreaError`] of the coordinate that is beyond its range.
pub(crate) fn point(lat: f64, lon: f64) -> Result<GeoPoint, AreaError> {
    check(lat, lon)?;
    Ok(GeoPoint::of_units(units(lat), units(lon)))
}

fn check(lat: f64, lon: f64) -> Result<(), AreaError> {
    if !(-90.0..=90.0).contains(&lat) {
        return Err(AreaError::Latitude { received: lat });
    }
    if !(-180.0..=180.0).contains(&lon) {
        return Err(AreaError::Longitude { received: lon });
    }
    Ok(())
}

fn degrees(units: i32) -> f64 {
    debug_assert!((-HALF..=HALF).contains(&units) && QUARTER < HALF, "{units}");
    f64::from(units) / f64::from(UNITS_PER_DEGREE)
}
