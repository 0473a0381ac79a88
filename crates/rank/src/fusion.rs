use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Ranks of the two rankings that add up. Deeper ones count one by one: see [`rrf`].
///
/// The default of `k`, so that the last rank that adds to another is worth half of the first. Twice
/// as many would cost the common first page half as much again in the tensor ranking.
pub const RRF_WINDOW: usize = 60;

/// A document of two rankings, and what its score comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fused {
    pub doc: u32,
    pub score: f64,
    /// Its place in the tensor ranking, from 0, where that counts for the score.
    pub tensor: Option<usize>,
    /// Its place in the lexical ranking, from 0, where that counts for the score.
    pub lexical: Option<usize>,
}

/// The depth to which [`rrf`] must know both rankings for its first `hits` documents to be those of
/// the rankings as a whole.
pub fn rrf_depth(hits: usize) -> usize {
    hits.max(RRF_WINDOW)
}

/// Reciprocal rank fusion of a tensor and a lexical ranking (Cormack, Clarke and Büttcher, 2009),
/// weighted by `alpha`, in an order that does not depend on how deep the rankings are known:
///
/// `score(d) = alpha / (k + rank_tensor(d)) + (1 - alpha) / (k + rank_lexical(d))`
///
/// Rankings are best first and without duplicates; ranks count from 1, and a ranking that lacks
/// the document adds nothing. `alpha` is the share of the tensor ranking, 0 to 1: at 0 that ranking
/// is ignored entirely, at 1 the lexical one, so that documents found only there are no hits. `k`,
/// which is not negative, says how slowly the share of a rank falls off.
///
/// We differ from the paper where a rank is beyond [`RRF_WINDOW`]: it is not added to another, and
/// the document has the larger of the two scores. Otherwise each further rank that is looked at
/// could lift any document, those of the first page among them, and pages cut from rankings of
/// different depths would repeat some documents and skip others. Like this the first `n` of the
/// whole are known once both rankings are known to [`rrf_depth`]`(n)`: a document found deeper has
/// at most `a / (k + n + 1)`, `a` being the larger weight, and `n` documents have `a / (k + n)` or
/// more; where the ranking of that weight has ended, the same holds of the other.
///
/// Best first. Among equal scores those come first that count by the tensor ranking.
pub fn rrf(tensor: &[u32], lexical: &[u32], alpha: f64, k: f64) -> Vec<Fused> {
    rrf_of_groups(tensor, lexical, alpha, k, |doc| doc)
}

/// [`rrf`] of rankings that show each group once, by its best document there.
///
/// A group has one document in the outcome. Where both rankings show it by the same, that has the
/// score of [`rrf`]; of two different ones it is the document with the larger share, of equal ones
/// that of the tensor ranking. The depth that [`rrf`] needs holds for groups.
pub fn rrf_of_groups<G: Hash + Eq>(
    tensor: &[u32],
    lexical: &[u32],
    alpha: f64,
    k: f64,
    group: impl Fn(u32) -> G,
) -> Vec<Fused> {
    let tensor = if alpha > 0.0 { tensor } else { &[] };
    let lexical = if alpha < 1.0 { lexical } else { &[] };
    let share = |weight: f64, place: usize| weight / (k + (place + 1) as f64);
    let mut fused: Vec<Fused> = Vec::with_capacity(tensor.len() + lexical.len());
    let mut entries = FxHashMap::with_capacity_and_hasher(tensor.len(), Default::default());
    for (place, &doc) in tensor.iter().enumerate() {
        entries.insert(group(doc), place);
        fused.push(Fused {
            doc,
            score: share(alpha, place),
            tensor: Some(place),
            lexical: None,
        });
    }
    for (place, &doc) in lexical.iter().enumerate() {
        let alone = Fused {
            doc,
            score: share(1.0 - alpha, place),
            tensor: None,
            lexical: Some(place),
        };
        match entries.get(&group(doc)).map(|&entry| &mut fused[entry]) {
            None => fused.push(alone),
            // Ranks of one document within the window add up. Beyond it, and of two documents of one group, the larger
            // share stands.
            Some(known) if known.doc == doc && known.tensor.max(Some(place)) < Some(RRF_WINDOW) => {
                known.score += alone.score;
                known.lexical = Some(place);
            }
            Some(known) if alone.score > known.score => *known = alone,
            Some(_) => {}
        }
    }
    let order = |hit: &Fused| (hit.tensor.is_none(), hit.tensor.or(hit.lexical));
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(order(a).cmp(&order(b))));
    fused
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Fused, RRF_WINDOW, rrf, rrf_depth, rrf_of_groups};

    /// The score of document 0 when it stands at the given ranks among strangers.
    fn score(alpha: f64, tensor_rank: Option<usize>, lexical_rank: Option<usize>) -> f64 {
        let leg = |rank: Option<usize>, stranger: u32| {
            let mut leg: Vec<u32> = (stranger..stranger + 100).collect();
            if let Some(rank) = rank {
                leg[rank - 1] = 0;
            }
            leg
        };
        let fused = rrf(&leg(tensor_rank, 100), &leg(lexical_rank, 200), alpha, 60.0);
        fused
            .iter()
            .find(|hit| hit.doc == 0)
            .expect("in a leg")
            .score
    }

    fn docs(fused: &[Fused]) -> Vec<u32> {
        fused.iter().map(|hit| hit.doc).collect()
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
    fn ranks_beyond_the_window_do_not_add_up() {
        for (tensor, lexical, alpha, expected) in [
            (60, 60, 0.5, 1.0 / 120.0),
            (60, 61, 0.5, 0.5 / 120.0),
            (61, 61, 0.5, 0.5 / 121.0),
            (70, 1, 0.9, 0.9 / 130.0),
        ] {
            let received = score(alpha, Some(tensor), Some(lexical));
            assert!((received - expected).abs() < 1e-15, "{tensor} {lexical}");
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
        let scores: Vec<(u32, f64)> = rrf(&[1, 2], &[2, 3], 1.0, 60.0)
            .iter()
            .map(|hit| (hit.doc, hit.score))
            .collect();
        assert_eq!(scores, [(1, 1.0 / 61.0), (2, 1.0 / 62.0)]);
    }

    #[test]
    fn a_group_has_the_document_with_the_larger_share() {
        let group = |doc: u32| doc / 10;
        let fused = |alpha, tensor: &[u32], lexical: &[u32]| {
            let fused = rrf_of_groups(tensor, lexical, alpha, 60.0, group);
            let scores = fused.iter().map(|hit| (hit.doc, hit.score));
            scores.collect::<Vec<_>>()
        };
        // Equal shares keep the document of the tensor ranking, larger ones take its place.
        assert_eq!(
            fused(0.5, &[10, 20], &[11, 30]),
            [(10, 0.5 / 61.0), (20, 0.5 / 62.0), (30, 0.5 / 62.0)]
        );
        assert_eq!(
            fused(0.5, &[20, 10], &[11, 30]),
            [(20, 0.5 / 61.0), (11, 0.5 / 61.0), (30, 0.5 / 62.0)]
        );
        assert_eq!(fused(0.5, &[10], &[10]), [(10, 0.5 / 61.0 + 0.5 / 61.0)]);
    }

    #[test]
    fn k_may_be_zero_and_rankings_empty() {
        assert_eq!(rrf(&[1], &[1], 0.5, 0.0)[0].score, 1.0);
        assert!(rrf(&[], &[], 0.5, 60.0).is_empty());
    }

    /// Rankings of up to 300 of the same 300 documents.
    fn ranking() -> impl Strategy<Value = Vec<u32>> {
        let all = Just((0..300).collect::<Vec<u32>>()).prop_shuffle();
        (all, 0..=300_usize).prop_map(|(mut docs, length)| {
            docs.truncate(length);
            docs
        })
    }

    fn alpha() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..=1.0_f64]
    }

    fn k() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(60.0), Just(1e9)]
    }

    /// The definition, document by document.
    fn naive(tensor: &[u32], lexical: &[u32], alpha: f64, k: f64, doc: u32) -> f64 {
        let rank = |ranking: &[u32]| ranking.iter().position(|&d| d == doc);
        let share = |weight: f64, rank: Option<usize>| {
            rank.map_or(0.0, |rank| weight / (k + rank as f64 + 1.0))
        };
        let (by_tensor, by_words) = (rank(tensor), rank(lexical));
        let (near, word) = (share(alpha, by_tensor), share(1.0 - alpha, by_words));
        let inside = |rank: Option<usize>| rank.is_some_and(|rank| rank < RRF_WINDOW);
        match inside(by_tensor) && inside(by_words) {
            true => near + word,
            false => near.max(word),
        }
    }

    proptest! {
        #[test]
        fn every_document_comes_once_by_its_score(
            tensor in ranking(), lexical in ranking(), alpha in alpha(), k in k(),
        ) {
            let fused = rrf(&tensor, &lexical, alpha, k);
            prop_assert!(fused.is_sorted_by(|a, b| a.score >= b.score));
            for hit in &fused {
                prop_assert_eq!(hit.score, naive(&tensor, &lexical, alpha, k, hit.doc));
            }
            let mut found = docs(&fused);
            found.sort_unstable();
            let mut expected: Vec<u32> = Vec::new();
            if alpha > 0.0 { expected.extend(&tensor); }
            if alpha < 1.0 { expected.extend(&lexical); }
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn pages_of_any_size_join_to_the_long_list(
            tensor in ranking(), lexical in ranking(), alpha in alpha(), k in k(),
            page in 1..130_usize, deeper in 0..50_usize,
        ) {
            let whole = rrf(&tensor, &lexical, alpha, k);
            let mut joined = Vec::new();
            for offset in (0..=whole.len()).step_by(page) {
                let depth = rrf_depth(offset + page) + deeper;
                let known = |ranking: &[u32]| ranking[..depth.min(ranking.len())].to_vec();
                let fused = rrf(&known(&tensor), &known(&lexical), alpha, k);
                joined.extend_from_slice(crate::page(&fused, offset, page));
            }
            prop_assert_eq!(joined, whole);
        }
    }
}
