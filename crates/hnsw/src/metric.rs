//! The distances a field may use, and the score each distance turns into.

use std::fmt;
use std::str::FromStr;

use pelorus_kernels::kernels;

/// Mean radius of the earth (IUGG), in kilometres.
const EARTH_RADIUS_KM: f64 = 6371.0088;

/// The measure of how near two vectors are. A distance shrinks with nearness, a score grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// `1 - q·x / |q|²`, its cosine part held within ±1: one minus the cosine of unit vectors.
    PrenormalizedAngular,
    /// The angle between the vectors, in radians.
    Angular,
    /// `|q - x|`.
    Euclidean,
    /// `-q·x`; the score is `q·x` itself.
    DotProduct,
    /// Kilometres along the great circle between `[latitude, longitude]` pairs in degrees.
    Geodegrees,
    /// The number of components that differ.
    Hamming,
    /// Sum of absolute differences.
    L1,
    /// Largest absolute difference.
    Linf,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 8] = [
        Self::PrenormalizedAngular,
        Self::Angular,
        Self::Euclidean,
        Self::DotProduct,
        Self::Geodegrees,
        Self::Hamming,
        Self::L1,
        Self::Linf,
    ];

    /// The distance of `x` from the query `q`.
    pub fn distance(self, q: &[f32], x: &[f32]) -> f32 {
        self.distance_given_norm(q, (kernels().dot_f32)(q, q), x)
    }

    /// [`distance`](Self::distance) where the squared length `qq` of `q` is known.
    pub(crate) fn distance_given_norm(self, q: &[f32], qq: f32, x: &[f32]) -> f32 {
        let table = kernels();
        match self {
            Self::PrenormalizedAngular | Self::DotProduct => {
                self.distance_of_product((table.dot_f32)(q, x), qq)
            }
            Self::Angular => {
                let xx = (table.dot_f32)(x, x);
                let lengths = f64::from(qq).sqrt() * f64::from(xx).sqrt();
                ratio((table.dot_f32)(q, x), lengths as f32).acos()
            }
            Self::Euclidean => (table.l2sq_f32)(q, x).sqrt(),
            Self::Geodegrees => great_circle_km(q, x),
            Self::Hamming => (table.hamming_f32)(q, x),
            Self::L1 => (table.l1_f32)(q, x),
            Self::Linf => (table.linf_f32)(q, x),
        }
    }

    /// The distance of a vector from a query of squared length `qq`, given their inner product, by a metric that
    /// [needs no more](Self::is_inner_product).
    #[inline]
    pub(crate) fn distance_of_product(self, product: f32, qq: f32) -> f32 {
        match self {
            Self::PrenormalizedAngular => 1.0 - ratio(product, qq),
            Self::DotProduct => -product,
            _ => unreachable!("{} is no inner product", self.name()),
        }
    }

    /// Tells whether the metric ranks by inner product alone, so that longer vectors are nearer.
    pub(crate) fn is_inner_product(self) -> bool {
        matches!(self, Self::PrenormalizedAngular | Self::DotProduct)
    }

    /// The closeness a distance stands for: the dot product itself, else `1 / (1 + distance)`.
    pub fn score(self, distance: f32) -> f32 {
        match self {
            Self::DotProduct => -distance,
            _ => 1.0 / (1.0 + distance),
        }
    }

    /// The name in index settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrenormalizedAngular => "prenormalized-angular",
            Self::Angular => "angular",
            Self::Euclidean => "euclidean",
            Self::DotProduct => "dotproduct",
            Self::Geodegrees => "geodegrees",
            Self::Hamming => "hamming",
            Self::L1 => "l1",
            Self::Linf => "linf",
        }
    }
}

/// A cosine: `dot / lengths` within ±1, and none at all (0) for a vector without direction.
fn ratio(dot: f32, lengths: f32) -> f32 {
    if lengths > 0.0 {
        (dot / lengths).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// The haversine formula, which stays exact for points close together.
fn great_circle_km(q: &[f32], x: &[f32]) -> f32 {
    let [lat_q, lon_q, lat_x, lon_x] = [q[0], q[1], x[0], x[1]].map(|d| f64::from(d).to_radians());
    let (lat, lon) = (((lat_q - lat_x) / 2.0).sin(), ((lon_q - lon_x) / 2.0).sin());
    let half_chord = (lat * lat + lat_q.cos() * lat_x.cos() * lon * lon).sqrt();
    (2.0 * EARTH_RADIUS_KM * half_chord.min(1.0).asin()) as f32
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    /// Reads the name in index settings; `l2` and `cosinesimil` are older names of `euclidean`
    /// and `angular`, and clients know `prenormalized-anglar` as it was once misspelt.
    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let current = match name {
            "prenormalized-anglar" => Self::PrenormalizedAngular.name(),
            "cosinesimil" => Self::Angular.name(),
            "l2" => Self::Euclidean.name(),
            current => current,
        };
        let mut all = Self::ALL.into_iter();
        let found = all.find(|metric| metric.name() == current);
        found.ok_or_else(|| UnknownMetric {
            received: name.to_owned(),
        })
    }
}

/// A name that stands for no metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMetric {
    /// The name as it came.
    pub received: String,
}

impl fmt::Display for UnknownMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [others @ .., last] = Metric::ALL.map(Metric::name);
        let others = others.join(", ");
        let received = &self.received;
        write!(
            f,
            "unknown metric {received:?}: expected {others} or {last}"
        )
    }
}

impl std::error::Error for UnknownMetric {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit vectors whose cosine is `cos`.
    fn pair(cos: f32) -> ([f32; 2], [f32; 2]) {
        ([1.0, 0.0], [cos, (1.0 - cos * cos).sqrt()])
    }

    #[test]
    fn scores_follow_the_published_table() {
        let rows = [
            (1.0, 1.0, 1.0, 1.0),
            (0.9, 0.909_091, 0.689_167, 0.690_983),
            (0.5, 0.666_667, 0.488_473, 0.5),
            (0.0, 0.5, 0.388_985, 0.414_214),
            (-1.0, 0.333_333, 0.241_453, 0.333_333),
        ];
        for (cos, prenormalized, angular, euclidean) in rows {
            let (q, x) = pair(cos);
            let score = |metric: Metric| metric.score(metric.distance(&q, &x));
            let near = |found: f32, expected: f32| {
                assert!(
                    (found - expected).abs() < 2e-6,
                    "cosine {cos}: {found}, not {expected}"
                );
            };
            near(score(Metric::PrenormalizedAngular), prenormalized);
            near(score(Metric::Angular), angular);
            near(score(Metric::Euclidean), euclidean);
            near(score(Metric::DotProduct), cos);
        }
    }

    #[test]
    fn prenormalized_distance_divides_by_the_query_and_clamps() {
        let metric = Metric::PrenormalizedAngular;
        assert_eq!(metric.distance(&[2.0, 0.0], &[1.0, 5.0]), 0.5);
        assert_eq!(metric.distance(&[1.0, 0.0], &[9.0, 0.0]), 0.0);
        assert_eq!(metric.distance(&[0.0, 0.0], &[9.0, 0.0]), 1.0);
    }

    #[test]
    fn angles_do_not_depend_on_length() {
        let found = Metric::Angular.distance(&[3.0, 0.0], &[0.0, 0.1]);
        assert!((found - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
        assert_eq!(
            Metric::Angular.distance(&[0.0, 0.0], &[1.0, 0.0]),
            std::f32::consts::FRAC_PI_2
        );
    }

    #[test]
    fn geodegrees_measures_the_great_circle() {
        let (berlin, paris) = ([52.52, 13.405], [48.8566, 2.3522]);
        let found = Metric::Geodegrees.distance(&berlin, &paris);
        assert!((found - 877.5).abs() < 1.0, "{found}");
        assert_eq!(Metric::Geodegrees.distance(&paris, &paris), 0.0);
        let half_way_round = Metric::Geodegrees.distance(&[0.0, 0.0], &[0.0, 180.0]);
        assert!((half_way_round - 20_015.11).abs() < 0.1, "{half_way_round}");
    }

    #[test]
    fn component_metrics_compute_their_definitions() {
        let (q, x) = ([1.0, 2.0, 3.0], [1.0, 4.0, 0.0]);
        assert_eq!(Metric::Hamming.distance(&q, &x), 2.0);
        assert_eq!(Metric::L1.distance(&q, &x), 5.0);
        assert_eq!(Metric::Linf.distance(&q, &x), 3.0);
    }

    #[test]
    fn a_metric_is_read_back_from_its_name() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse(), Ok(metric));
        }
        assert_eq!("l2".parse(), Ok(Metric::Euclidean));
        assert_eq!("cosinesimil".parse(), Ok(Metric::Angular));
        assert_eq!(
            "prenormalized-anglar".parse(),
            Ok(Metric::PrenormalizedAngular)
        );
        let error = "manhattan".parse::<Metric>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown metric \"manhattan\": expected prenormalized-angular, angular, euclidean, dotproduct, \
             geodegrees, hamming, l1 or linf"
        );
    }
}
