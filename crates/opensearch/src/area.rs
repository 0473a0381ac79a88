//! Areas of filters in OpenSearch's query DSL.
//!
//! The bounds of an area are two ranges of terms. A script decides which points within these are in a circle or polygon, from
//! their units and by the calculations of `crates/geo`: in whole numbers for polygons, and in doubles for circles.

use std::sync::LazyLock;

use pelorus_geo::{Area, Bounds, Circle, Polygon, RADIANS_PER_UNIT};
use serde_json::{Value, json};

use crate::layout::VALUES;
use crate::packed::{READING, start_parameter};
use crate::value_terms::{lat_term, lon_term};

/// Passes the points no further from the centre than the haversine of the radius allows.
static IN_CIRCLE: LazyLock<String> = LazyLock::new(|| {
    let passes = "
double lat = number(value, at);
double lon = number(value, at + 4);
double lat_sine = Math.sin((lat - (double) params.lat) * (double) params.half_unit);
double lon_sine = Math.sin((lon - (double) params.lon) * (double) params.half_unit);
double cosines = (double) params.cosine * Math.cos(lat * (double) params.unit);
return lat_sine * lat_sine + cosines * lon_sine * lon_sine <= (double) params.haversine_max;";
    of_point(passes)
});

/// Passes the points on an edge, and those from which a ray to the east crosses the edges an odd number of times.
static IN_POLYGON: LazyLock<String> = LazyLock::new(|| {
    let passes = "
long lat = number(value, at);
long turn = params.turn;
long west = params.west;
long east = params.east;
long band = (lat - (long) params.south) / (long) params.band_height;
if (lat < (long) params.south || band >= params.bands.size()) { return false; }
List numbers = (List) params.bands.get((int) band);
List edges = (List) params.edges;
long lon = number(value, at + 4) - west;
for (lon = west + (lon % turn + turn) % turn; lon <= east; lon += turn) {
  boolean is_inside = false;
  for (int i = 0; i < numbers.size(); ++i) {
    List edge = (List) edges.get((int) numbers.get(i));
    long low = edge.get(0);
    long low_lon = edge.get(1);
    long high = edge.get(2);
    long high_lon = edge.get(3);
    if (lat < low || high < lat) { continue; }
    if (low == high) {
      if (Math.min(low_lon, high_lon) <= lon && lon <= Math.max(low_lon, high_lon)) { return true; }
      continue;
    }
    long of_edge = (high_lon - low_lon) * (lat - low);
    long of_point = (lon - low_lon) * (high - low);
    if (of_edge == of_point) { return true; }
    if (of_edge > of_point && lat < high) { is_inside = !is_inside; }
  }
  if (is_inside) { return true; }
}
return false;";
    of_point(passes)
});

/// A script that passes documents by the point of a column, which begins at `at` of `value`.
fn of_point(passes: &str) -> String {
    format!(
        "{READING}
for (BytesRef value : doc['points']) {{
int at = place(value, params.start);
if (at < 0) {{ continue; }}{passes}
}}
return false;"
    )
}

/// Writes the query of the documents whose point in a field is within an area.
pub(crate) fn area_query(field: &str, area: &Area) -> Value {
    let mut filters = bounds_queries(field, area.bounds());
    let (source, mut params) = match area {
        Area::Box(_) => return json!({"bool": {"filter": filters}}),
        // Every point of the earth is within its bounds.
        Area::Circle(circle) if circle.haversine_max() >= 1.0 => {
            return json!({"bool": {"filter": filters}});
        }
        Area::Circle(circle) => (&*IN_CIRCLE, circle_params(circle)),
        Area::Polygon(polygon) => (&*IN_POLYGON, polygon_params(polygon)),
    };
    params["start"] = json!(start_parameter(field));
    let script = json!({"lang": "painless", "source": source, "params": params});
    filters.push(json!({"script": {"script": script}}));
    json!({"bool": {"filter": filters}})
}

fn bounds_queries(field: &str, bounds: Bounds) -> Vec<Value> {
    let range =
        |least: String, most: String| json!({"range": {VALUES: {"gte": least, "lte": most}}});
    let lats = range(lat_term(field, bounds.south), lat_term(field, bounds.north));
    let lons = |west: i32, east: i32| range(lon_term(field, west), lon_term(field, east));
    if bounds.west <= bounds.east {
        return match bounds.west == Bounds::EARTH.west && bounds.east == Bounds::EARTH.east {
            true => vec![lats],
            false => vec![lats, lons(bounds.west, bounds.east)],
        };
    }
    let either = [
        lons(bounds.west, Bounds::EARTH.east),
        lons(Bounds::EARTH.west, bounds.east),
    ];
    vec![
        lats,
        json!({"bool": {"should": either, "minimum_should_match": 1}}),
    ]
}

fn circle_params(circle: &Circle) -> Value {
    let center = circle.center();
    json!({
        "lat": f64::from(center.lat()),
        "lon": f64::from(center.lon()),
        "cosine": circle.cosine(),
        "haversine_max": circle.haversine_max(),
        "unit": RADIANS_PER_UNIT,
        "half_unit": RADIANS_PER_UNIT / 2.0,
    })
}

fn polygon_params(polygon: &Polygon) -> Value {
    let edges = polygon.edges().iter().map(|edge| edge.ends().concat());
    let [west, east] = polygon.longitudes();
    json!({
        "edges": edges.collect::<Vec<_>>(),
        "bands": polygon.bands(),
        "south": polygon.south(),
        "band_height": polygon.band_height(),
        "west": west,
        "east": east,
        "turn": i64::from(Bounds::EARTH.east) * 2,
    })
}
