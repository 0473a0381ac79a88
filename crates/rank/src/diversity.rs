//! Maximal marginal relevance: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering
//! Documents and Producing Summaries", SIGIR 1998.
//!
//! ```text
//! while hits are left:
//!     take the one of the highest  lambda * relevance - (1 - lambda) * likeness
//!     likeness of each that is left = the greater of it and its similarity to the one taken
//! ```
//!
//! Only the similarities to a hit that was taken are computed: n for each of the page, not n².

/// Hits in an order that weighs how relevant each is against how like it is to those before it. Hits are named by their
/// places in the ranking.
#[derive(Debug, Clone)]
pub struct MarginalRelevance {
    /// The share of relevance, 0 to 1.
    lambda: f64,
    /// By place, 0 to 1.
    relevance: Vec<f64>,
    /// By place, the highest similarity to those taken; empty as long as none is.
    likeness: Vec<f64>,
    /// Places that were not taken, ascending.
    left: Vec<usize>,
}

impl MarginalRelevance {
    /// Begins with the scores of a ranking, the best hit first. Scores are brought to 0 to 1, so that their scale and that
    /// of similarities are one; a hit is no more relevant than those ranked before it, whatever their scores.
    pub fn new(scores: &[f64], lambda: f64) -> Self {
        debug_assert!((0.0..=1.0).contains(&lambda), "lambda is a share");
        let mut least_so_far = f64::INFINITY;
        let falling = scores.iter().map(|&score| {
            least_so_far = score.min(least_so_far);
            // Halves of the widest range still have a difference.
            least_so_far / 2.0
        });
        let falling: Vec<f64> = falling.collect();
        let best = falling.first().copied().unwrap_or(0.0);
        let worst = falling.last().copied().unwrap_or(0.0);
        let relevance = falling.iter().map(|&score| match best > worst {
            true => (score - worst) / (best - worst),
            false => 1.0,
        });
        Self {
            lambda,
            relevance: relevance.collect(),
            likeness: Vec::new(),
            left: (0..scores.len()).collect(),
        }
    }

    /// Takes the next hit; of equal ones the first of the ranking. `similarity` tells how alike two hits are.
    pub fn take(&mut self, similarity: impl Fn(usize, usize) -> f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (at, &place) in self.left.iter().enumerate() {
            let value = self.value(place);
            if best.is_none_or(|(_, known)| value > known) {
                best = Some((at, value));
            }
        }
        let taken = self.left.remove(best?.0);
        let is_first = self.likeness.is_empty();
        if is_first {
            self.likeness = vec![f64::NEG_INFINITY; self.relevance.len()];
        }
        for &place in &self.left {
            let likeness = &mut self.likeness[place];
            *likeness = likeness.max(similarity(taken, place));
        }
        Some(taken)
    }

    /// Places of those that were not taken, in the order of the ranking.
    pub fn left(&self) -> &[usize] {
        &self.left
    }

    fn value(&self, place: usize) -> f64 {
        let likeness = self.likeness.get(place).copied().unwrap_or(0.0);
        self.lambda * self.relevance[place] - (1.0 - self.lambda) * likeness
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn order(scores: &[f64], lambda: f64, similarity: impl Fn(usize, usize) -> f64) -> Vec<usize> {
        let mut ranking = MarginalRelevance::new(scores, lambda);
        std::iter::from_fn(|| ranking.take(&similarity)).collect()
    }

    /// The formula of the paper, over all pairs each time.
    fn by_the_formula(
        scores: &[f64],
        lambda: f64,
        similarity: impl Fn(usize, usize) -> f64,
    ) -> Vec<usize> {
        let (best, worst) = (scores[0], scores[scores.len() - 1]);
        let mut taken: Vec<usize> = Vec::new();
        while taken.len() < scores.len() {
            let value = |place: usize| {
                let relevance = match best > worst {
                    true => (scores[place] - worst) / (best - worst),
                    false => 1.0,
                };
                let alike = taken.iter().map(|&other| similarity(other, place));
                let likeness = alike.reduce(f64::max).unwrap_or(0.0);
                lambda * relevance - (1.0 - lambda) * likeness
            };
            let left = (0..scores.len()).filter(|place| !taken.contains(place));
            let best = left.reduce(|a, b| if value(b) > value(a) { b } else { a });
            taken.push(best.unwrap());
        }
        taken
    }

    const HITS_MAX: usize = 12;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), ..ProptestConfig::with_cases(400) })]

        /// Few values, so that many are equal; all are exact.
        #[test]
        fn orders_are_those_of_the_formula(
            scores in vec(0..5_u8, 1..=HITS_MAX),
            alike in vec(-4..5_i8, HITS_MAX * HITS_MAX),
            quarters in 0..=4_u8,
        ) {
            let mut scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            let pair = |a: usize, b: usize| f64::from(alike[a.min(b) * HITS_MAX + a.max(b)]) / 4.0;
            let lambda = f64::from(quarters) / 4.0;
            let expected = by_the_formula(&scores, lambda, pair);
            prop_assert_eq!(order(&scores, lambda, pair), expected);
        }
    }

    #[test]
    fn relevance_alone_keeps_the_ranking_whatever_its_scores() {
        let alike = |_, _| 1.0;
        assert_eq!(order(&[3.0, 2.0, 1.0], 1.0, alike), [0, 1, 2]);
        assert_eq!(order(&[1.0, 5.0, 2.0, 2.0], 1.0, alike), [0, 1, 2, 3]);
        assert_eq!(order(&[f64::MAX, 0.0, f64::MIN], 1.0, alike), [0, 1, 2]);
        assert!(order(&[], 0.5, alike).is_empty());
    }

    #[test]
    fn a_hit_that_is_like_the_first_makes_way_for_one_that_is_not() {
        let pair = |a: usize, b: usize| if a + b == 1 { 1.0 } else { 0.0 };
        assert_eq!(order(&[1.0, 0.9, 0.5, 0.4], 0.5, pair), [0, 2, 3, 1]);
        assert_eq!(order(&[1.0, 0.9, 0.5, 0.4], 0.9, pair), [0, 1, 2, 3]);
    }

    #[test]
    fn those_left_keep_the_order_of_the_ranking() {
        let mut ranking = MarginalRelevance::new(&[3.0, 2.0, 1.0], 0.0);
        let likes_next = |a: usize, b: usize| if b == a + 1 { 1.0 } else { 0.0 };
        assert_eq!(ranking.take(likes_next), Some(0));
        assert_eq!(ranking.take(likes_next), Some(2));
        assert_eq!(ranking.left(), [1]);
    }
}
