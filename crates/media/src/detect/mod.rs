//! The inputs of the detectors of patch methods, and the boxes made of their outputs.
//!
//! All of them look at the picture resized to 240 x 240, and all boxes are in its pixels. [`select`] is their common
//! part; `yolox.rs` and `attention.rs` have the parts of single ones, `detector.rs` puts it together.

mod attention;
mod detector;
mod yolox;

pub use attention::{AttentionMaps, attention_detections};
pub use detector::{Detector, GraphOutput};
pub use yolox::{yolox_detections, yolox_tensor};

/// A part of a picture that a detector found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// Left, top, right and bottom.
    pub bounds: [f32; 4],
    pub score: f32,
}

/// Detections that are looked at, the best ones.
const CANDIDATES_MAX: usize = 100;
/// Pixels of a part that is too small to be embedded.
const TOO_SMALL_AREA: f32 = 60.0 * 60.0;
/// Ratio of the longer side to the shorter one from which a part is too narrow to be embedded.
const TOO_NARROW_RATIO: f32 = 4.0;
/// The better one of two parts that share more of their union than this counts.
const OVERLAP_MAX: f32 = 0.6;

/// The detections that become patches, best first: of the best hundred those that are neither too small nor too narrow, and
/// that hardly overlap a better one. The reference has a cut to ten as well, which never takes place.
pub fn select(mut detections: Vec<Detection>) -> Vec<Detection> {
    detections.retain(|one| one.score.is_finite() && one.bounds.iter().all(|at| at.is_finite()));
    // Stable, so that equal ones stay in the order of the detector.
    detections.sort_by(|a, b| b.score.total_cmp(&a.score));
    detections.truncate(CANDIDATES_MAX);
    let mut selected: Vec<Detection> = Vec::new();
    for candidate in detections.into_iter().filter(Detection::is_large_enough) {
        if selected
            .iter()
            .all(|better| better.overlap(&candidate) <= OVERLAP_MAX)
        {
            selected.push(candidate);
        }
    }
    selected
}

impl Detection {
    fn sides(&self) -> [f32; 2] {
        let [left, top, right, bottom] = self.bounds;
        [right - left, bottom - top]
    }

    fn is_large_enough(&self) -> bool {
        let [width, height] = self.sides();
        width > 0.0
            && height > 0.0
            && width * height > TOO_SMALL_AREA
            && width.max(height) / width.min(height) < TOO_NARROW_RATIO
    }

    /// The area that both have, of the area that either has.
    fn overlap(&self, other: &Detection) -> f32 {
        let shared = |low: usize, high: usize| {
            let start = self.bounds[low].max(other.bounds[low]);
            let end = self.bounds[high].min(other.bounds[high]);
            (end - start).max(0.0)
        };
        let both = shared(0, 2) * shared(1, 3);
        let area = |one: &Detection| one.sides().into_iter().product::<f32>();
        both / (area(self) + area(other) - both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detection(bounds: [f32; 4], score: f32) -> Detection {
        Detection { bounds, score }
    }

    #[test]
    fn the_better_one_of_parts_that_overlap_counts() {
        let small_shift = detection([10.0, 0.0, 110.0, 100.0], 0.9);
        let best = detection([0.0, 0.0, 100.0, 100.0], 0.95);
        let aside = detection([60.0, 0.0, 160.0, 100.0], 0.1);
        assert_eq!(select(vec![small_shift, aside, best]), [best, aside]);
    }

    #[test]
    fn small_narrow_and_impossible_parts_are_none() {
        let bounds = [
            [0.0, 0.0, 60.0, 60.0],
            [0.0, 0.0, 240.0, 60.0],
            [100.0, 100.0, 0.0, 0.0],
            [f32::NAN, 0.0, 100.0, 100.0],
            [0.0, 0.0, f32::INFINITY, 100.0],
        ];
        assert_eq!(
            select(bounds.map(|bounds| detection(bounds, 1.0)).to_vec()),
            []
        );
        assert_eq!(
            select(vec![detection([0.0, 0.0, 60.1, 60.0], 1.0)]).len(),
            1
        );
        assert_eq!(
            select(vec![detection([0.0, 0.0, 239.0, 60.0], 1.0)]).len(),
            1
        );
    }

    #[test]
    fn only_the_best_hundred_are_looked_at() {
        let small = |at: usize| detection([0.0, 0.0, 10.0, 10.0], 1.0 + at as f32);
        let large = detection([0.0, 0.0, 100.0, 100.0], 0.5);
        let with = |count: usize| select((0..count).map(small).chain([large]).collect());
        assert_eq!(with(99), [large]);
        assert_eq!(with(100), []);
    }
}
