//! The first hits of a ranking by MaxSim over the many vectors of each ([`MaxSim`]).
//!
//! The candidates are the first of the ranking, as many for every page, so that pages are cut from one order. Documents
//! without vectors of the query's dimensions stand behind those that have some, in the order in which they came, and keep
//! their scores, as the hits behind the candidates do.

use pelorus_columns::{MaxSim, MultiVector};
use pelorus_excerpt::joined_truncated;

use super::explanation::Explanation;
use super::hits::{Hit, sort_by_score};
use super::legs::Legs;
use crate::error::{EngineError, SearchError};
use crate::generated::{LateInteraction, SearchPlan};
use crate::index::Index;

/// Checks that documents of an unstructured index have vectors of the dimensions of the query's. A field without any is
/// only empty so far, and a caller that is bound to a filter is told nothing about the documents that others see.
pub(super) fn check_dimensions_had(index: &Index, plan: &SearchPlan) -> Result<(), SearchError> {
    let Some(late) = &plan.late_interaction else {
        return Ok(());
    };
    let columns = index.columns.read();
    match columns.multi_vectors(&late.field) {
        Some(vectors) if plan.within.is_none() => check_dimensions(late, vectors.dimensions()),
        _ => Ok(()),
    }
}

/// Checks that the vectors of a query are some, and have dimensions that are known, where any are.
pub(super) fn check_dimensions(
    late: &LateInteraction,
    known: impl Iterator<Item = usize>,
) -> Result<(), SearchError> {
    let received = vectors_of(late)?.dimensions();
    let known: Vec<usize> = known.collect();
    if known.is_empty() || known.contains(&received) {
        return Ok(());
    }
    let expected: Vec<String> = known.iter().map(usize::to_string).collect();
    Err(SearchError::LateDimensions {
        field: late.field.clone(),
        expected: joined_truncated(expected.iter().map(String::as_str)),
        received,
    })
}

fn vectors_of(late: &LateInteraction) -> Result<MultiVector, SearchError> {
    let numbers = |vector: &Vec<f64>| vector.iter().map(|&number| number as f32).collect();
    let vectors: Vec<Vec<f32>> = late.vectors.iter().map(numbers).collect();
    MultiVector::new(&vectors).map_err(SearchError::LateInteraction)
}

/// Ranks hits by the vectors of a query.
pub(super) struct LateRanking<'a> {
    legs: &'a Legs<'a>,
    late: &'a LateInteraction,
    query: MaxSim,
}

impl<'a> LateRanking<'a> {
    pub fn of(legs: &'a Legs<'a>, late: &'a LateInteraction) -> Result<Self, EngineError> {
        let query = MaxSim::new(&vectors_of(late)?);
        Ok(Self { legs, late, query })
    }

    /// Gives the first `candidates` of a ranking their scores, and ranks them by these: equal ones as they were.
    pub fn rank(&self, hits: &mut [Hit]) -> Result<(), EngineError> {
        let count = self.late.candidates.min(hits.len());
        let candidates = &mut hits[..count];
        let docs: Vec<u32> = candidates.iter().map(|hit| hit.doc).collect();
        let vectors = self.legs.documents.multi_vectors(&self.late.field, &docs)?;
        debug_assert_eq!(vectors.len(), count, "each document has vectors or none");
        for (hit, vectors) in candidates.iter_mut().zip(&vectors) {
            self.legs.query.cancellation.check()?;
            if let Some(score) = vectors
                .as_ref()
                .and_then(|vectors| self.query.score(vectors))
            {
                hit.score = score;
                hit.stages.is_late = true;
            }
        }
        // Stable: those without a score stay in their order.
        candidates.sort_by_key(|hit| !hit.stages.is_late);
        let scored = candidates.partition_point(|hit| hit.stages.is_late);
        sort_by_score(&mut candidates[..scored]);
        Ok(())
    }

    /// Explains the scores of hits that were ranked, in place of those before.
    pub fn explain(
        &self,
        hits: &[Hit],
        before: Vec<Explanation>,
    ) -> Result<Vec<Explanation>, EngineError> {
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        let vectors = self.legs.documents.multi_vectors(&self.late.field, &docs)?;
        let hits = hits.iter().zip(&vectors).zip(before);
        let explained = hits.map(|((hit, vectors), before)| {
            let parts = vectors.as_ref().and_then(|vectors| self.query.parts(vectors));
            match parts.filter(|_| hit.stages.is_late) {
                None => before,
                Some(parts) => {
                    let products = parts.iter().enumerate().map(|(place, part)| {
                        let description = format!(
                            "greatest inner product of vector {place} of the query: with vector {} of the document",
                            part.vector
                        );
                        Explanation::value(part.product, description)
                    });
                    let description = "late interaction: sum of the greatest inner products, of vectors of length 1";
                    Explanation::sum(description, products.collect()).of_field(&self.late.field)
                }
            }
        });
        Ok(explained.collect())
    }
}
