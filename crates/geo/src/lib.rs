//! Points on the earth, the distance between them, and areas that hold them.
//!
//! The earth is a sphere of [`EARTH_RADIUS_M`]; distances go along its great circles. A [`GeoPoint`] is two integers of
//! 1e-7 degrees, about a centimetre, so that boxes, polygons and their edges are decided exactly. An [`Area`] has
//! [`Bounds`], by which many points are passed over before one is looked at closely.
//!
//! ```
//! use pelorus_geo::{Area, GeoPoint};
//!
//! let munich = GeoPoint::of_degrees(48.137, 11.575).expect("a place on the earth");
//! let augsburg = GeoPoint::of_degrees(48.370, 10.898).expect("a place on the earth");
//! assert_eq!(munich.distance_m(augsburg).round(), 56_423.0);
//! assert!(Area::circle(munich, 60_000.0).contains(augsburg));
//! ```
#![forbid(unsafe_code)]

mod area;
mod bounds;
mod circle;
mod point;
mod polygon;

pub use area::{Area, AreaError};
pub use bounds::Bounds;
pub use circle::Circle;
pub use point::{EARTH_RADIUS_M, GeoPoint, RADIANS_PER_UNIT, UNITS_PER_DEGREE};
pub use polygon::{Edge, POLYGON_POINTS_MAX, Polygon};
