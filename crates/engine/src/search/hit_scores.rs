//! Scores of a hit in the legs, as modifiers of fused scores name them. `named_scores` computes them.
//!
//! `marqo__score_bm25_field_title` is the BM25 of a hit in its title, `marqo__score_closeness_retrieval_vector_field_v`
//! its closeness by the vectors of `v`; `sum`, `max` and `avg` in place of the field join those of all fields. Each is
//! divided by the highest among the hits that are changed together.

use rustc_hash::FxHashMap;

/// The beginning of names that stand for scores instead of fields.
pub(super) const NAME_START: &str = "marqo__score_";

/// Scores of hits, by the place of their name among the fields that a stage reads of a document.
#[derive(Debug, Clone, Default)]
pub(super) struct HitScores(FxHashMap<usize, FxHashMap<u32, f64>>);

impl HitScores {
    /// The score of a document that a name stands for; the outer one is none where it stands for no score.
    #[inline]
    pub fn get(&self, place: usize, doc: u32) -> Option<Option<f64>> {
        if self.0.is_empty() {
            return None;
        }
        Some(self.0.get(&place)?.get(&doc).copied())
    }

    /// Scores by the place of their name and their document.
    pub fn of(scores: FxHashMap<usize, FxHashMap<u32, f64>>) -> Self {
        Self(scores)
    }

    /// Adds the scores of other hits.
    pub fn extend(&mut self, other: Self) {
        for (place, scores) in other.0 {
            self.0.entry(place).or_default().extend(scores);
        }
    }

    /// Tells whether one of the names stands for a score.
    pub fn are_named(names: &[String]) -> bool {
        names.iter().any(|name| name.starts_with(NAME_START))
    }
}
