use std::collections::HashMap;

/// Reciprocal rank fusion of a tensor and a lexical ranking (Cormack, Clarke and Büttcher, 2009),
/// weighted by `alpha`:
///
/// `score(d) = alpha / (k + rank_tensor(d)) + (1 - alpha) / (k + rank_lexical(d))`
///
/// Rankings are best first and without duplicates; ranks count from 1, and a ranking that lacks
/// the document adds nothing. `alpha` is the share of the tensor ranking, 0 to 1: at 0 that ranking
/// is ignored entirely, at 1 the lexical one, so that documents found only there are no hits. `k`,
/// which is not negative, says how slowly the share of a rank falls off.
///
/// Returns documents and scores, best first. Equal scores keep the order in which documents enter:
/// the tensor ranking, then what only the lexical one found.
pub fn rrf(tensor: &[u32], lexical: &[u32], alpha: f64, k: f64) -> Vec<(u32, f64)> {
    let tensor = if alpha > 0.0 { tensor } else { &[] };
    let lexical = if alpha < 1.0 { lexical } else { &[] };
    let mut fused = Vec::with_capacity(tensor.len() + lexical.len());
    let mut places = HashMap::with_capacity(tensor.len());
    for (&doc, rank) in tensor.iter().zip(1_u32..) {
        places.insert(doc, fused.len());
        fused.push((doc, alpha / (k + f64::from(rank))));
    }
    for (&doc, rank) in lexical.iter().zip(1_u32..) {
        let score = (1.0 - alpha) / (k + f64::from(rank));
        match places.get(&doc) {
            Some(&place) => fused[place].1 += score,
            None => fused.push((doc, score)),
        }
    }
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}

#[cfg(test)]
mod tests {
    use super::rrf;

    /// The score of document 0 when it stands at the given ranks among strangers.
    fn score(alpha: f64, tensor_rank: Option<usize>, lexical_rank: Option<usize>) -> f64 {
        let leg = |rank: Option<usize>, stranger: u32| {
            let mut leg: Vec<u32> = (stranger..stranger + 12).collect();
            if let Some(rank) = rank {
                leg[rank - 1] = 0;
            }
            leg
        };
        let fused = rrf(&leg(tensor_rank, 100), &leg(lexical_rank, 200), alpha, 60.0);
        fused.iter().find(|(doc, _)| *doc == 0).expect("in a leg").1
    }

    fn docs(fused: &[(u32, f64)]) -> Vec<u32> {
        fused.iter().map(|&(doc, _)| doc).collect()
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
            let received = score(alpha, tensor, lexical);
            assert!(
                (received - expected).abs() < 5e-10,
                "{tensor:?} {lexical:?} {received}"
            );
        }
    }

    #[test]
    fn equal_scores_put_the_tensor_ranking_first() {
        assert_eq!(docs(&rrf(&[1, 2], &[3, 4], 0.5, 60.0)), [1, 3, 2, 4]);
        assert_eq!(docs(&rrf(&[1, 2], &[2, 1], 0.5, 60.0)), [1, 2]);
    }

    #[test]
    fn a_ranking_without_weight_is_ignored() {
        assert_eq!(docs(&rrf(&[1, 2], &[2, 3], 0.0, 60.0)), [2, 3]);
        assert_eq!(
            rrf(&[1, 2], &[2, 3], 1.0, 60.0),
            [(1, 1.0 / 61.0), (2, 1.0 / 62.0)]
        );
    }

    #[test]
    fn k_may_be_zero_and_rankings_empty() {
        assert_eq!(rrf(&[1], &[1], 0.5, 0.0), [(1, 1.0)]);
        assert!(rrf(&[], &[], 0.5, 60.0).is_empty());
    }
}
