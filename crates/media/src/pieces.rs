//! Pieces of films and sounds that get vectors of their own.

use crate::error::{Error, Result};
use crate::part_label::part_label;

/// The lengths by which a film or sound is taken apart, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceLengths {
    /// Length of each piece.
    pub length: f64,
    /// The part that a piece shares with the one before it; at least 0 and less than `length`.
    pub overlap: f64,
}

/// A part of a film or sound, in seconds from its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    pub start: f64,
    pub end: f64,
}

impl Piece {
    /// Start and end to a tenth of a second, `[0.0, 20.0]`.
    pub fn label(&self) -> String {
        part_label(&[tenths(self.start), tenths(self.end)])
    }
}

/// Rounded to one decimal as Python does it: by the exact value of the number, not by its shown form.
fn tenths(seconds: f64) -> f64 {
    let text = format!("{seconds:.1}");
    text.parse().expect("it is written as a number")
}

/// The pieces of `duration` seconds, of which there are `ceil((duration - overlap) / (length - overlap))`. Piece `i` starts
/// at `i * (length - overlap)`; but for the last, which ends with the whole and is as long as the others where that can be.
///
/// # Errors
/// - [`Error::NoPiece`] when the whole is no longer than the overlap
/// - [`Error::TooManyPieces`] when there are more than `count_max`
///
/// # Panics
/// When the overlap is negative or not less than the length, or a number is not finite.
pub fn pieces(duration: f64, lengths: PieceLengths, count_max: usize) -> Result<Vec<Piece>> {
    let PieceLengths { length, overlap } = lengths;
    assert!(
        0.0 <= overlap && overlap < length && length.is_finite() && duration.is_finite(),
        "{duration} s in {lengths:?}"
    );
    let step = length - overlap;
    let count = ((duration - overlap) / step).ceil();
    if count < 1.0 {
        return Err(Error::NoPiece {
            seconds: duration,
            overlap,
        });
    }
    if count > count_max as f64 {
        return Err(Error::TooManyPieces {
            received: count,
            maximum: count_max,
        });
    }
    let last = count as usize - 1;
    let regular = (0..last).map(|at| {
        let start = at as f64 * step;
        Piece {
            start,
            end: (start + length).min(duration),
        }
    });
    let final_one = Piece {
        start: (duration - length).max(0.0),
        end: duration,
    };
    Ok(regular.chain(std::iter::once(final_one)).collect())
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    fn labels(duration: f64, length: f64, overlap: f64) -> Vec<String> {
        let lengths = PieceLengths { length, overlap };
        let pieces = pieces(duration, lengths, 1000).unwrap();
        pieces.iter().map(Piece::label).collect()
    }

    #[test]
    fn the_last_piece_ends_with_the_whole() {
        assert_eq!(
            labels(45.4, 20.0, 3.0),
            ["[0.0, 20.0]", "[17.0, 37.0]", "[25.4, 45.4]"]
        );
        assert_eq!(labels(37.0, 20.0, 3.0), ["[0.0, 20.0]", "[17.0, 37.0]"]);
        assert_eq!(labels(20.0, 20.0, 3.0), ["[0.0, 20.0]"]);
        assert_eq!(labels(20.004, 20.0, 3.0), ["[0.0, 20.0]", "[0.0, 20.0]"]);
        assert_eq!(labels(3.5, 20.0, 3.0), ["[0.0, 3.5]"]);
    }

    #[test]
    fn labels_are_rounded_by_the_exact_value() {
        // 0.25 is exact and goes to the even digit; 0.35 is less than it seems, 0.15 too; 2.55 and 0.45 stay as they
        // seem.
        let rounded = [0.25, 0.35, 0.15, 0.75, 2.55, 0.45, 1e6 / 3.0].map(tenths);
        assert_eq!(rounded, [0.2, 0.3, 0.1, 0.8, 2.5, 0.5, 333_333.3]);
    }

    #[test]
    fn a_rest_no_longer_than_the_overlap_has_no_piece() {
        let lengths = PieceLengths {
            length: 20.0,
            overlap: 3.0,
        };
        for seconds in [0.0, 2.0, 3.0] {
            let error = pieces(seconds, lengths, 1000).unwrap_err();
            assert_eq!(
                error,
                Error::NoPiece {
                    seconds,
                    overlap: 3.0
                }
            );
        }
    }

    #[test]
    fn pieces_are_counted_before_they_are_made() {
        let lengths = PieceLengths {
            length: 1.0,
            overlap: 0.0,
        };
        assert_eq!(pieces(1000.0, lengths, 1000).unwrap().len(), 1000);
        assert_eq!(
            pieces(1e300, lengths, 1000).unwrap_err(),
            Error::TooManyPieces {
                received: 1e300,
                maximum: 1000
            }
        );
    }

    #[test]
    fn pieces_cover_the_whole_and_none_is_longer_than_asked() {
        let mut random = SplitMix64(13);
        let mut below = |max: usize| random.below(max) as f64;
        for _ in 0..20_000 {
            let length = (1.0 + below(300)) / 10.0;
            let overlap = (below((length * 10.0) as usize) / 10.0).min(length / 2.0);
            let duration = overlap + (1.0 + below(100_000)) / 1000.0;
            let lengths = PieceLengths { length, overlap };
            let pieces = pieces(duration, lengths, 10_000).unwrap();
            let context = format!("{duration} s in {lengths:?}");
            assert_eq!(pieces[0].start, 0.0, "{context}");
            assert_eq!(pieces[pieces.len() - 1].end, duration, "{context}");
            for piece in &pieces {
                assert!(piece.start < piece.end, "{context}: {piece:?}");
                assert!(
                    piece.end - piece.start <= length + 1e-9,
                    "{context}: {piece:?}"
                );
            }
            for pair in pieces.windows(2) {
                assert!(
                    pair[1].start <= pair[0].end - overlap + 1e-9,
                    "{context}: {pair:?}"
                );
            }
        }
    }
}
