//! Polygons whose edges are straight in latitude and longitude.

use crate::GeoPoint;
use crate::area::AreaError;
use crate::bounds::Bounds;
use crate::point::{HALF, WHOLE};

/// Most points of a polygon.
pub const POLYGON_POINTS_MAX: usize = 1_000;

/// Bands of latitude by which edges are found.
const BANDS: usize = 256;

/// A polygon whose edges are straight lines of a map with latitude and longitude as its axes. Each edge goes the shorter
/// way round the earth, and so maybe over the antimeridian. A point is inside where a ray from it crosses the edges an
/// odd number of times, and on an edge or corner too.
///
/// Longitudes are unrolled: each corner follows the one before by less than half a turn, without a jump at the
/// antimeridian. A point is looked for at its own longitude and whole turns beside.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    points: Vec<GeoPoint>,
    edges: Vec<Edge>,
    /// The edges that reach into each band, from the southern one on.
    bands: Vec<Vec<u32>>,
    /// The latitude that the first band begins with.
    south: i64,
    band_height: i64,
    west: i64,
    east: i64,
    bounds: Bounds,
}

/// An edge between two corners, each a latitude and an unrolled longitude, in units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    from: [i64; 2],
    to: [i64; 2],
}

/// An edge as a ray to the east from a point sees it.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// The point is on it.
    On,
    /// The ray crosses it.
    Crossed,
    Elsewhere,
}

impl Edge {
    /// Its ends, the southern one first.
    pub fn ends(&self) -> [[i64; 2]; 2] {
        match self.from[0] <= self.to[0] {
            true => [self.from, self.to],
            false => [self.to, self.from],
        }
    }

    fn lats(&self) -> (i64, i64) {
        (self.from[0].min(self.to[0]), self.from[0].max(self.to[0]))
    }

    /// Products are below 2^63: no edge is longer than half a turn either way, and no point further than one turn from
    /// the ends of one.
    fn seen_from(&self, lat: i64, lon: i64) -> Seen {
        let [[low, low_lon], [high, high_lon]] = self.ends();
        if lat < low || high < lat {
            return Seen::Elsewhere;
        }
        if low == high {
            let is_on = low_lon.min(high_lon) <= lon && lon <= low_lon.max(high_lon);
            return if is_on { Seen::On } else { Seen::Elsewhere };
        }
        // The longitude of the edge at this latitude and that of the point, both times the height of the edge.
        let of_edge = (high_lon - low_lon) * (lat - low);
        let of_point = (lon - low_lon) * (high - low);
        if of_edge == of_point {
            Seen::On
        } else if of_edge > of_point && lat < high {
            // A corner belongs to the edges above it, so that a ray through it crosses none or two, or one of them.
            Seen::Crossed
        } else {
            Seen::Elsewhere
        }
    }
}

impl Polygon {
    /// The polygon with these corners in their order; a last one that repeats the first is dropped.
    ///
    /// # Errors
    /// An [`AreaError`] for points that make no polygon with one inside.
    pub fn new(mut points: Vec<GeoPoint>) -> Result<Self, AreaError> {
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        let received = points.len();
        if received > POLYGON_POINTS_MAX {
            return Err(AreaError::ManyPoints { received });
        }
        let mut different = Vec::new();
        for point in &points {
            if !different.contains(point) && different.len() < 3 {
                different.push(*point);
            }
        }
        if different.len() < 3 {
            let received = different.len();
            return Err(AreaError::FewPoints { received });
        }
        let corners = unrolled(&points)?;
        let edges: Vec<Edge> = (0..corners.len())
            .map(|at| Edge {
                from: corners[at],
                to: corners[(at + 1) % corners.len()],
            })
            .collect();
        Self::of_edges(points, &corners, edges)
    }

    fn of_edges(
        points: Vec<GeoPoint>,
        corners: &[[i64; 2]],
        edges: Vec<Edge>,
    ) -> Result<Self, AreaError> {
        let range = |axis: usize| {
            let values = corners.iter().map(|corner| corner[axis]);
            values.fold((i64::MAX, i64::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let ((south, north), (west, east)) = (range(0), range(1));
        if east - west > WHOLE {
            return Err(AreaError::WiderThanEarth);
        }
        let band_height = (north - south) / BANDS as i64 + 1;
        let mut bands = vec![Vec::new(); ((north - south) / band_height) as usize + 1];
        for (number, edge) in (0..).zip(&edges) {
            let (low, high) = edge.lats();
            let band = |lat: i64| ((lat - south) / band_height) as usize;
            for band in &mut bands[band(low)..=band(high)] {
                band.push(number);
            }
        }
        Ok(Self {
            bounds: bounds([south, north], [west, east]),
            points,
            edges,
            bands,
            south,
            band_height,
            west,
            east,
        })
    }

    /// The corners as they were given, without a last one that repeats the first.
    pub fn points(&self) -> &[GeoPoint] {
        &self.points
    }

    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The numbers of the edges that reach into each band of latitudes, from the southern one on.
    pub fn bands(&self) -> &[Vec<u32>] {
        &self.bands
    }

    /// The latitude that the first band begins with, in units.
    pub fn south(&self) -> i64 {
        self.south
    }

    /// The height of a band, in units.
    pub fn band_height(&self) -> i64 {
        self.band_height
    }

    /// The least and the greatest unrolled longitude of its corners.
    pub fn longitudes(&self) -> [i64; 2] {
        [self.west, self.east]
    }

    /// Tells whether a point is inside, on an edge or on a corner.
    pub fn contains(&self, point: GeoPoint) -> bool {
        let lat = i64::from(point.lat());
        // The copy of the point that is first from the west on, and those a turn behind it.
        let lon = self.west + (i64::from(point.lon()) - self.west).rem_euclid(WHOLE);
        let mut copies = [lon, lon + WHOLE].into_iter();
        copies.any(|lon| lon <= self.east && self.holds(lat, lon))
    }

    /// Tells whether a place of unrolled longitude is inside. The edges of the band of its latitude are all that matter.
    fn holds(&self, lat: i64, lon: i64) -> bool {
        let above = lat - self.south;
        let band = usize::try_from(above / self.band_height).ok();
        let Some(band) = band
            .filter(|_| above >= 0)
            .and_then(|at| self.bands.get(at))
        else {
            return false;
        };
        let mut is_inside = false;
        for &number in band {
            match self.edges[number as usize].seen_from(lat, lon) {
                Seen::On => return true,
                Seen::Crossed => is_inside = !is_inside,
                Seen::Elsewhere => {}
            }
        }
        is_inside
    }
}

/// Corners with their longitudes unrolled.
fn unrolled(points: &[GeoPoint]) -> Result<Vec<[i64; 2]>, AreaError> {
    let half = i64::from(HALF);
    let mut lon = i64::from(points[0].lon());
    let mut corners = Vec::with_capacity(points.len());
    for (at, point) in points.iter().enumerate() {
        corners.push([i64::from(point.lat()), lon]);
        let next = points[(at + 1) % points.len()];
        let step = (i64::from(next.lon()) - i64::from(point.lon()) + half).rem_euclid(WHOLE) - half;
        if step == -half {
            return Err(AreaError::EitherWay { from: at + 1 });
        }
        lon += step;
    }
    match lon == i64::from(points[0].lon()) {
        true => Ok(corners),
        false => Err(AreaError::AroundPole),
    }
}

fn bounds([south, north]: [i64; 2], [west, east]: [i64; 2]) -> Bounds {
    let half = i64::from(HALF);
    let turned = |lon: i64| (lon + half).rem_euclid(WHOLE) - half;
    let lons = match east - west < WHOLE {
        true => (turned(west) as i32, turned(east) as i32),
        false => (-HALF, HALF),
    };
    Bounds {
        south: south as i32,
        north: north as i32,
        west: lons.0,
        east: lons.1,
    }
}
