use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Reciprocal rank fusion of a tensor and a lexical ranking (Cormack, Clarke and Büttcher, 2009),
/// weighted by `alpha`:
///
/// `score(d) = alpha / (k + rank_tensor(d)) + (1 - alpha) / (k + rank_lexical(d))`
///
/// Ranks count from 1. A leg that lacks the document adds nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rrf {
    /// Share of the tensor leg, 0 to 1. At 0 the tensor leg is ignored entirely, at 1 the lexical
    /// one: documents found only there are no hits.
    pub alpha: f64,
    /// How slowly the share of a rank falls off; not negative.
    pub k: f64,
}

impl Default for Rrf {
    /// `alpha` 0.5, `k` 60.
    fn default() -> Self {
        Rrf {
            alpha: 0.5,
            k: 60.0,
        }
    }
}

/// A document of the fused ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusedHit {
    pub doc: u32,
    pub score: f64,
    /// Rank in the tensor leg, from 1; `None` when it was not found there or the leg is ignored.
    pub tensor_rank: Option<usize>,
    /// Rank in the lexical leg, likewise.
    pub lexical_rank: Option<usize>,
}

impl Rrf {
    /// Fuses two rankings, each best first and without duplicates.
    ///
    /// Scores descend. Equal scores keep the order in which documents enter: the tensor leg in
    /// rank order, then what only the lexical leg found.
    pub fn fuse(&self, tensor: &[u32], lexical: &[u32]) -> Vec<FusedHit> {
        let tensor = if self.alpha > 0.0 { tensor } else { &[] };
        let lexical = if self.alpha < 1.0 { lexical } else { &[] };
        let mut hits = Vec::with_capacity(tensor.len() + lexical.len());
        let mut places = HashMap::with_capacity(tensor.len());
        for (at, &doc) in tensor.iter().enumerate() {
            let score = self.alpha * self.reciprocal(at + 1);
            places.insert(doc, hits.len());
            hits.push(FusedHit {
                doc,
                score,
                tensor_rank: Some(at + 1),
                lexical_rank: None,
            });
        }
        for (at, &doc) in lexical.iter().enumerate() {
            let score = (1.0 - self.alpha) * self.reciprocal(at + 1);
            let lexical_rank = Some(at + 1);
            match places.entry(doc) {
                Entry::Occupied(place) => {
                    let hit = &mut hits[*place.get()];
                    hit.score += score;
                    hit.lexical_rank = lexical_rank;
                }
                Entry::Vacant(place) => {
                    place.insert(hits.len());
                    hits.push(FusedHit {
                        doc,
                        score,
                        tensor_rank: None,
                        lexical_rank,
                    });
                }
            }
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }

    fn reciprocal(&self, rank: usize) -> f64 {
        1.0 / (self.k + rank as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score of document 0 when it stands at the given ranks among strangers.
    fn score(rrf: Rrf, tensor_rank: Option<u32>, lexical_rank: Option<u32>) -> f64 {
        let leg = |rank: Option<u32>, stranger: u32| {
            let mut leg: Vec<u32> = (stranger..stranger + 12).collect();
            if let Some(rank) = rank {
                leg[rank as usize - 1] = 0;
            }
            leg
        };
        let hits = rrf.fuse(&leg(tensor_rank, 100), &leg(lexical_rank, 200));
        hits.iter()
            .find(|hit| hit.doc == 0)
            .expect("in a leg")
            .score
    }

    #[test]
    fn scores_are_those_of_the_reference_table() {
        for (tensor, lexical, alpha, expected) in [
            (Some(1), Some(1), 0.5, 0.016393443),
            (Some(2), Some(1), 0.5, 0.016261237),
            (Some(3), Some(10), 0.5, 0.015079365),
            (Some(1), None, 0.5, 0.008196721),
            (None, Some(1), 0.5, 0.008196721),
            (Some(1), None, 0.7, 0.011475410),
            (None, Some(1), 0.7, 0.004918033),
        ] {
            let received = score(Rrf { alpha, k: 60.0 }, tensor, lexical);
            assert!(
                (received - expected).abs() < 5e-10,
                "{tensor:?} {lexical:?} {received}"
            );
        }
    }

    #[test]
    fn equal_scores_put_the_tensor_leg_first() {
        let docs: Vec<u32> = Rrf::default()
            .fuse(&[1, 2], &[3, 4])
            .iter()
            .map(|hit| hit.doc)
            .collect();
        assert_eq!(docs, [1, 3, 2, 4]);
    }

    #[test]
    fn a_leg_without_weight_is_ignored() {
        let lexical_only = Rrf {
            alpha: 0.0,
            k: 60.0,
        }
        .fuse(&[1, 2], &[2, 3]);
        assert_eq!(
            lexical_only.iter().map(|hit| hit.doc).collect::<Vec<_>>(),
            [2, 3]
        );
        assert!(lexical_only.iter().all(|hit| hit.tensor_rank.is_none()));
        let tensor_only = Rrf {
            alpha: 1.0,
            k: 60.0,
        }
        .fuse(&[1, 2], &[2, 3]);
        assert_eq!(
            tensor_only.iter().map(|hit| hit.doc).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(tensor_only[0].score, 1.0 / 61.0);
    }

    #[test]
    fn ranks_of_both_legs_are_told() {
        let hits = Rrf::default().fuse(&[7, 8], &[8]);
        let both = FusedHit {
            doc: 8,
            score: 0.5 / 62.0 + 0.5 / 61.0,
            tensor_rank: Some(2),
            lexical_rank: Some(1),
        };
        assert_eq!(hits[0], both);
        assert_eq!((hits[1].tensor_rank, hits[1].lexical_rank), (Some(1), None));
    }

    #[test]
    fn k_may_be_zero_and_legs_empty() {
        assert_eq!(Rrf { alpha: 0.5, k: 0.0 }.fuse(&[1], &[1])[0].score, 1.0);
        assert!(Rrf::default().fuse(&[], &[]).is_empty());
    }
}
