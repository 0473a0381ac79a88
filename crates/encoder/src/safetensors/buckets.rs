//! The rows of a table of biases by the distance of two tokens, as T5 and MPNet number them: Raffel et al., 2020, "Exploring
//! the limits of transfer learning", section 2.1. Half of the rows are for tokens after, half for those before; of each half,
//! half for a distance each, the others for ever wider ones up to the farthest.

use crate::model::REACH;

/// The distance from which on all have the last row.
const FARTHEST: f32 = 128.0;

/// The row for each distance from a token to another, from `1 - REACH` to `REACH - 1`, of `count` rows.
pub(super) fn rows(count: usize) -> Vec<i64> {
    let half = (count / 2) as i64;
    let near = half / 2;
    let reach = REACH as i64;
    let row = |distance: i64| {
        let side = if distance > 0 { half } else { 0 };
        let far = distance.abs();
        if far < near {
            return side + far;
        }
        // In floats of 32 bits, as the weights were trained: at some distances the others would give another row.
        let share = (far as f32 / near as f32).ln() / (FARTHEST / near as f32).ln();
        let within = near + (share * (half - near) as f32) as i64;
        side + within.min(half - 1)
    };
    (1 - reach..reach).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_those_of_the_known_distances() {
        let rows = rows(32);
        for (distance, row) in [
            (0, 0),
            (-1, 1),
            (1, 17),
            (-7, 7),
            (7, 23),
            (-8, 8),
            (8, 24),
            (-11, 8),
            (-12, 9),
            (15, 25),
            (16, 26),
            (31, 27),
            (32, 28),
            (-63, 13),
            (-64, 14),
            (90, 30),
            (91, 31),
            (-127, 15),
            (-2000, 15),
            (2000, 31),
        ] {
            assert_eq!(
                rows[(distance + REACH as i64 - 1) as usize],
                row,
                "{distance}"
            );
        }
    }
}
