/// The number of a list's scores that are those of relevant documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RelevanceCutoff {
    /// Those of at least the best score times this factor, 0 to 1.
    RelativeMaxScore(f64),
    /// Those above the widest gap between neighbours; of equal gaps, above the first.
    GapDetection,
    /// Those of at least the mean plus this factor times the sample standard deviation.
    MeanStdDev(f64),
}

impl RelevanceCutoff {
    /// The number of `scores`, which descend, that are kept: they are the first.
    pub fn count(self, scores: &[f64]) -> usize {
        let Some(&best) = scores.first() else {
            return 0;
        };
        match self {
            RelevanceCutoff::RelativeMaxScore(factor) => {
                let least = best * factor;
                scores.partition_point(|&score| score >= least)
            }
            RelevanceCutoff::GapDetection => {
                let mut widest = (0.0, 1);
                for (i, pair) in scores.windows(2).enumerate() {
                    let gap = pair[0] - pair[1];
                    if gap > widest.0 {
                        widest = (gap, i + 1);
                    }
                }
                widest.1
            }
            RelevanceCutoff::MeanStdDev(factor) => {
                let least = mean(scores) + factor * sample_deviation(scores);
                scores.partition_point(|&score| score >= least)
            }
        }
    }
}

fn mean(scores: &[f64]) -> f64 {
    // From the first on, so that the mean of equal scores is exactly these.
    let sum: f64 = scores.iter().map(|score| score - scores[0]).sum();
    scores[0] + sum / scores.len() as f64
}

/// With n - 1 in the denominator; 0 of a single score.
fn sample_deviation(scores: &[f64]) -> f64 {
    let mean = mean(scores);
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    (squares / scores.len().saturating_sub(1).max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::RelevanceCutoff::{self, GapDetection, MeanStdDev, RelativeMaxScore};

    const EXAMPLE: [f64; 6] = [10.0, 9.5, 9.0, 4.0, 3.8, 3.5];

    fn check(cutoff: RelevanceCutoff, scores: &[f64], expected: usize) {
        assert_eq!(cutoff.count(scores), expected, "{cutoff:?} {scores:?}");
    }

    #[test]
    fn counts_are_those_of_the_reference_example() {
        for (factor, expected) in [(-1.0, 6), (0.0, 3), (0.5, 3), (1.0, 1)] {
            check(MeanStdDev(factor), &EXAMPLE, expected);
        }
        for (factor, expected) in [(0.3, 6), (0.38, 5), (0.4, 4), (0.9, 3), (1.0, 1)] {
            check(RelativeMaxScore(factor), &EXAMPLE, expected);
        }
        check(GapDetection, &EXAMPLE, 3);
    }

    #[test]
    fn without_scores_nothing_is_relevant() {
        for cutoff in [RelativeMaxScore(0.0), GapDetection, MeanStdDev(-9.0)] {
            check(cutoff, &[], 0);
        }
    }

    #[test]
    fn a_single_score_is_relevant() {
        for cutoff in [RelativeMaxScore(1.0), GapDetection, MeanStdDev(3.0)] {
            check(cutoff, &[0.7], 1);
        }
    }

    #[test]
    fn equal_scores_have_no_gap_and_no_deviation() {
        let scores = [0.1; 7];
        check(GapDetection, &scores, 1);
        check(MeanStdDev(5.0), &scores, 7);
        check(RelativeMaxScore(1.0), &scores, 7);
    }

    #[test]
    fn the_first_of_equal_gaps_counts() {
        check(GapDetection, &[9.0, 6.0, 5.0, 2.0], 1);
    }
}
