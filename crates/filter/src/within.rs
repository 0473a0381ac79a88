//! Areas of the earth, as terms ask for them: an extension of the language.
//!
//! ```text
//! (48.1, 11.5, 10km)                     a circle: latitude, longitude, radius
//! BOX (48.0, 11.3, 48.3, 11.8)           a box: its south-western corner, then its north-eastern one
//! POLYGON (48.0, 11.3, 48.3, 11.5, …)    a polygon: latitude and longitude of each corner
//! ```

use std::fmt::{self, Formatter};

use pelorus_geo::{Area, GeoPoint, POLYGON_POINTS_MAX};

use crate::Number;
use crate::error::AreaFault;
use pelorus_excerpt::truncated;

/// The kind of area that the word before the parenthesis names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Box,
    Polygon,
}

impl Shape {
    /// The shapes that a word names.
    pub(crate) const NAMED: [(&'static str, Shape); 2] =
        [("BOX", Shape::Box), ("POLYGON", Shape::Polygon)];

    /// Reads the text between the parentheses.
    pub(crate) fn area(self, text: &str) -> Result<Area, AreaFault> {
        match self {
            Shape::Circle => circle(text),
            Shape::Box => {
                let numbers = numbers(text)?;
                let received = numbers.len();
                let [south, west, north, east] =
                    <[f64; 4]>::try_from(numbers).map_err(|_| AreaFault::Count {
                        expected: "4 numbers, latitude and longitude of two corners",
                        received,
                    })?;
                Ok(Area::of_corners(south, west, north, east)?)
            }
            Shape::Polygon => {
                let numbers = numbers(text)?;
                let (points, rest) = numbers.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(AreaFault::Count {
                        expected: "two numbers for each point, its latitude and its longitude",
                        received: numbers.len(),
                    });
                }
                Ok(Area::of_polygon(points)?)
            }
        }
    }
}

fn circle(text: &str) -> Result<Area, AreaFault> {
    let parts: Vec<&str> = text.splitn(4, ',').collect();
    let [lat, lon, radius] = <[&str; 3]>::try_from(parts).map_err(|parts| AreaFault::Count {
        expected: "latitude, longitude and radius",
        received: parts.len(),
    })?;
    let (lat, lon, radius) = (number(lat)?, number(lon)?, metres(radius)?);
    // One point is a box as well, which says what is wrong with it.
    Area::of_corners(lat, lon, lat, lon)?;
    let center = GeoPoint::of_degrees(lat, lon).expect("the coordinates were checked");
    Ok(Area::circle(center, radius))
}

/// Numbers parted by commas, no more than those of the largest polygon and one point besides.
fn numbers(text: &str) -> Result<Vec<f64>, AreaFault> {
    let parts = text.split(',').take(2 * (POLYGON_POINTS_MAX + 2));
    parts.map(number).collect()
}

fn number(text: &str) -> Result<f64, AreaFault> {
    let text = text.trim_matches(' ');
    let number = Number::parse(text).ok_or_else(|| AreaFault::NoNumber {
        received: truncated(text).into_owned(),
    })?;
    Ok(number.as_f64())
}

/// Units of a radius, in metres; each before those that it ends with.
const UNITS: [(&str, f64); 3] = [("km", 1_000.0), ("mi", 1_609.344), ("m", 1.0)];

fn metres(text: &str) -> Result<f64, AreaFault> {
    let text = text.trim_matches(' ');
    let fault = || AreaFault::NoRadius {
        received: truncated(text).into_owned(),
    };
    let ends_with = |unit: &str| {
        let at = text.len().checked_sub(unit.len())?;
        let (number, end) = text.split_at_checked(at)?;
        end.eq_ignore_ascii_case(unit).then_some(number)
    };
    let (number, metres) = UNITS
        .into_iter()
        .find_map(|(unit, metres)| Some((ends_with(unit)?, metres)))
        .ok_or_else(fault)?;
    let number = Number::parse(number.trim_end_matches(' ')).ok_or_else(fault)?;
    let radius = number.as_f64() * metres;
    // The sum of an infinite radius is none.
    (radius >= 0.0 && radius.is_finite())
        .then_some(radius + 0.0)
        .ok_or_else(fault)
}

/// Writes an area as it is read.
pub(crate) fn write(f: &mut Formatter<'_>, area: &Area) -> fmt::Result {
    let shape = match area {
        Area::Circle(_) => "",
        Area::Box(_) => "BOX ",
        Area::Polygon(_) => "POLYGON ",
    };
    write!(f, "{shape}(")?;
    for (at, [lat, lon]) in area.corners().into_iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        write!(f, "{comma}{lat}, {lon}")?;
    }
    if let Area::Circle(circle) = area {
        write!(f, ", {}m", circle.radius_m())?;
    }
    f.write_str(")")
}
