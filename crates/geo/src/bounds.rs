//! Latitudes and longitudes between which something lies.

use crate::GeoPoint;
use crate::point::{HALF, QUARTER};

/// A range of latitudes and one of longitudes, in units and inclusive. With `west` beyond `east` the longitudes go over
/// the antimeridian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub south: i32,
    pub north: i32,
    pub west: i32,
    pub east: i32,
}

impl Bounds {
    /// The bounds of the whole earth.
    pub const EARTH: Bounds = Bounds {
        south: -QUARTER,
        north: QUARTER,
        west: -HALF,
        east: HALF,
    };

    /// Bounds of just one point.
    pub fn of(point: GeoPoint) -> Self {
        Self {
            south: point.lat(),
            north: point.lat(),
            west: point.lon(),
            east: point.lon(),
        }
    }

    /// Widens bounds that do not go over the antimeridian to hold a point, without going over it.
    pub fn widen(&mut self, point: GeoPoint) {
        debug_assert!(
            self.west <= self.east,
            "{self:?} goes over the antimeridian"
        );
        self.south = self.south.min(point.lat());
        self.north = self.north.max(point.lat());
        self.west = self.west.min(point.lon());
        self.east = self.east.max(point.lon());
    }

    /// Tells whether a point is within, its edges included.
    #[inline]
    pub fn contains(&self, point: GeoPoint) -> bool {
        let (from_west, to_east) = (self.west <= point.lon(), point.lon() <= self.east);
        // Without branches, so that a scan of many points vectorises.
        let is_lon = match self.west <= self.east {
            true => from_west & to_east,
            false => from_west | to_east,
        };
        (self.south <= point.lat()) & (point.lat() <= self.north) & is_lon
    }

    /// Tells whether some point may be within both; `other` does not go over the antimeridian.
    pub fn meets(&self, other: &Bounds) -> bool {
        debug_assert!(
            other.west <= other.east,
            "{other:?} goes over the antimeridian"
        );
        let (from_west, to_east) = (self.west <= other.east, other.west <= self.east);
        let is_lon = match self.west <= self.east {
            true => from_west && to_east,
            false => from_west || to_east,
        };
        self.south <= other.north && other.south <= self.north && is_lon
    }

    /// Longitudes of the antimeridian as points have them: 180 degrees are -180, but where the range ends with it and
    /// begins elsewhere.
    pub(crate) fn normalised(mut self) -> Self {
        if self.west == HALF {
            self.west = -HALF;
            if self.east == HALF {
                self.east = -HALF;
            }
        } else if self.east == HALF && self.west != -HALF {
            self.east = -HALF;
        }
        self
    }
}
