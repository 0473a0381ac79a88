//! The best of many candidates, without keeping them all.

use std::cmp::Ordering;

/// The values that decide the place of a candidate, before its key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rank {
    /// The exactness, or the score where relevance may outweigh it.
    first: f64,
    relevance: f64,
    score: f64,
}

impl Rank {
    /// Ranks by the exactness and by the relevance, of whose weights none is beyond 1. The fraction of the relevance
    /// counts `scale` times, at least once; only where it counts more often does it outweigh a step of the exactness.
    pub fn new(exactness: u32, relevance: f64, scale: f64) -> Self {
        let exactness = f64::from(exactness);
        // Beyond this a step of the relevance changes nothing, and infinities would be no number.
        let bounded = relevance.clamp(-1e300, 1e300);
        let score = exactness + scale * ((1.0 + bounded / (1.0 + bounded.abs())) / 2.0);
        Self {
            first: if scale > 1.0 { score } else { exactness },
            relevance,
            score,
        }
    }

    /// The better one first.
    pub fn order(&self, other: &Self) -> Ordering {
        let by_relevance = || other.relevance.total_cmp(&self.relevance);
        other.first.total_cmp(&self.first).then_with(by_relevance)
    }

    /// A number of the same order.
    pub fn score(&self) -> f64 {
        self.score
    }
}

/// The first of the pushed items, by rank and then by `tie`.
pub(crate) struct Best<T, Tie: Fn(&T, &T) -> Ordering> {
    limit: usize,
    kept: Vec<(Rank, T)>,
    /// No worse one is kept any more.
    worst: Option<Rank>,
    tie: Tie,
}

impl<T, Tie: Fn(&T, &T) -> Ordering> Best<T, Tie> {
    /// `limit` is at least 1.
    pub fn new(limit: usize, tie: Tie) -> Self {
        Self {
            limit,
            kept: Vec::new(),
            worst: None,
            tie,
        }
    }

    pub fn push(&mut self, rank: Rank, item: T) {
        if self
            .worst
            .is_some_and(|worst| rank.order(&worst) == Ordering::Greater)
        {
            return;
        }
        self.kept.push((rank, item));
        if self.kept.len() > 4 * self.limit {
            let tie = &self.tie;
            let (_, (worst, _), _) = self.kept.select_nth_unstable_by(self.limit - 1, |a, b| {
                a.0.order(&b.0).then_with(|| tie(&a.1, &b.1))
            });
            self.worst = Some(*worst);
            self.kept.truncate(self.limit);
        }
    }

    /// The best first.
    pub fn into_sorted(mut self) -> Vec<(Rank, T)> {
        let tie = &self.tie;
        self.kept
            .sort_unstable_by(|a, b| a.0.order(&b.0).then_with(|| tie(&a.1, &b.1)));
        self.kept.truncate(self.limit);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    #[test]
    fn the_best_are_those_of_a_sort() {
        let mut random = SplitMix64(3);
        for limit in [1, 2, 10, 300] {
            let all: Vec<(Rank, usize)> = (0..500)
                .map(|item| {
                    let exactness = random.below(3) as u32;
                    let relevance = random.below(5) as f64 - 2.0;
                    (Rank::new(exactness, relevance, 1.0), item)
                })
                .collect();
            let mut best = Best::new(limit, usize::cmp);
            all.iter().for_each(|(rank, item)| best.push(*rank, *item));
            let mut expected = all;
            expected.sort_by(|a, b| a.0.order(&b.0));
            expected.truncate(limit);
            assert_eq!(best.into_sorted(), expected);
        }
    }

    #[test]
    fn scores_have_the_order_of_the_ranks() {
        let rank = |exactness, relevance| Rank::new(exactness, relevance, 1.0);
        let ascending = [
            rank(0, f64::NEG_INFINITY),
            rank(0, -3.0),
            rank(0, 0.0),
            rank(0, 25.0),
            rank(0, f64::INFINITY),
            rank(1, -1e9),
            rank(1, 0.5),
        ];
        for pair in ascending.windows(2) {
            assert_eq!(pair[1].order(&pair[0]), Ordering::Less);
            assert!(pair[1].score() >= pair[0].score(), "{pair:?}");
        }
        assert!(ascending.iter().all(|rank| rank.score().is_finite()));
    }

    #[test]
    fn a_relevance_that_counts_more_often_outweighs_exactness() {
        let order = |scale| Rank::new(0, 3.0, scale).order(&Rank::new(4, 1.0, scale));
        assert_eq!(order(1.0), Ordering::Greater);
        assert_eq!(order(1_000.0), Ordering::Less);
        assert!(Rank::new(8, f64::INFINITY, f64::MAX).score().is_finite());
    }
}
