//! Hits that are alike, apart from each other: the first of a ranking by maximal marginal relevance over their stored
//! vectors ([`MarginalRelevance`]).
//!
//! The candidates are the first of the ranking, as many for every page, so that pages are cut from one order. A
//! document is compared by the mean of its vectors; one that has none is like no other.

use pelorus_documents::FieldTensors;
use pelorus_embed::normalize;
use pelorus_hnsw::Metric;
use pelorus_rank::MarginalRelevance;

use super::hits::Hit;
use super::legs::Legs;
use crate::error::Result;
use crate::generated::Diversity;

/// Puts the first `candidates` of a ranking in an order in which each is relevant and unlike those before it, as far as
/// pages are to be cut from it. Scores stay as they were.
pub(super) fn diversify(legs: &Legs<'_>, diversity: &Diversity, hits: &mut [Hit]) -> Result<()> {
    let count = diversity.candidates.min(hits.len());
    let candidates = &mut hits[..count];
    let vectors = vectors_of(legs, candidates)?;
    let scores: Vec<f64> = candidates.iter().map(|hit| hit.score).collect();
    let metric = legs.documents.definition().metric;
    let similarity = |a: usize, b: usize| match (&vectors[a], &vectors[b]) {
        (Some(a), Some(b)) => f64::from(metric.score(metric.distance(a, b))),
        _ => 0.0,
    };
    let mut ranking = MarginalRelevance::new(&scores, diversity.lambda);
    let mut order = Vec::with_capacity(count);
    while order.len() < legs.query.page_end() {
        legs.query.cancellation.check()?;
        let Some(place) = ranking.take(similarity) else {
            break;
        };
        order.push(place);
    }
    // Those behind the page are on none.
    order.extend_from_slice(ranking.left());
    let ordered: Vec<Hit> = order
        .iter()
        .map(|&place| candidates[place].clone())
        .collect();
    candidates.clone_from_slice(&ordered);
    Ok(())
}

/// The vector that each hit is compared by: the mean of those in the fields that the search looks at by vectors, in all
/// where it goes by words.
fn vectors_of(legs: &Legs<'_>, hits: &[Hit]) -> Result<Vec<Option<Vec<f32>>>> {
    let Legs {
        documents, query, ..
    } = legs;
    let fields = query
        .plan
        .tensor
        .as_ref()
        .and_then(|leg| leg.fields.as_ref());
    let is_searched =
        |tensor: &FieldTensors| fields.is_none_or(|fields| fields.contains(&tensor.field));
    let definition = documents.definition();
    let dimensions = definition.documents.dimensions;
    let mut vectors = Vec::with_capacity(hits.len());
    for hit in hits {
        query.cancellation.check()?;
        let tensors = documents.tensors(hit.doc)?;
        let rows = tensors.iter().filter(|tensor| is_searched(tensor));
        let rows = rows.flat_map(|tensor| tensor.vectors.chunks_exact(dimensions));
        let mut mean = mean(rows);
        if let Some(mean) = &mut mean
            && compares_directions(definition.metric)
        {
            normalize(mean, dimensions);
        }
        vectors.push(mean);
    }
    Ok(vectors)
}

fn mean<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Option<Vec<f32>> {
    let mut sums: Vec<f64> = Vec::new();
    let mut count = 0;
    for row in rows {
        sums.resize(row.len(), 0.0);
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, x)| *sum += f64::from(*x));
        count += 1;
    }
    let mean = sums.iter().map(|sum| (sum / f64::from(count)) as f32);
    (count > 0).then(|| mean.collect())
}

/// Tells whether vectors are compared as those of length 1. A product of others has no bound that relevance could be
/// weighed against.
fn compares_directions(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::PrenormalizedAngular | Metric::Angular | Metric::DotProduct
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_compared_by_the_mean_of_its_vectors() {
        let rows: [&[f32]; 3] = [&[1.0, 0.0], &[0.0, 1.0], &[2.0, 2.0]];
        assert_eq!(mean(rows.into_iter()), Some(vec![1.0, 1.0]));
        assert_eq!(mean(rows.into_iter().take(1)), Some(vec![1.0, 0.0]));
        assert_eq!(mean([].into_iter()), None);
    }
}
