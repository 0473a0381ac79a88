//! A sparse vector in place of the words of a search: the lexical leg of the documents that have an index of it.

use pelorus_columns::{Columns, SparseVector};
use pelorus_kernels::{BitSet, TopK};
use pelorus_lexical::MatchProbe;

use super::explanation::Explanation;
use super::hits::Hit;
use super::index_documents::IndexDocuments;
use super::query::Query;
use super::rescoring::Rescoring;
use super::words::note_changed;
use crate::error::{EngineError, Result, SearchError};
use crate::generated::SparseQuery;

/// Matches between two questions whether the search goes on.
const MATCHES_PER_STEP: usize = 4_096;

/// A part of an inner product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SparseProduct {
    pub index: u32,
    /// The weight of the query.
    pub query: f32,
    /// The weight of the document.
    pub document: f32,
}

/// Finds the best `count` matches among `accept`; with a probe also tells how many documents match.
///
/// No revision changes the sparse vectors of a document, so that the columns show those of every view.
pub(super) fn search(
    documents: &IndexDocuments<'_>,
    query: &Query,
    sparse: &SparseQuery,
    count: usize,
    accept: &BitSet,
    probe: Option<&mut MatchProbe<'_>>,
    rescoring: Option<&Rescoring>,
) -> Result<(Vec<Hit>, u64)> {
    let vector = sparse_vector(sparse)?;
    let go_on = || query.cancellation.check().map_err(EngineError::from);
    let columns = documents.index.columns.read();
    let Some(vectors) = columns.sparse_vectors(&sparse.field) else {
        return Ok((Vec::new(), 0));
    };
    if probe.is_none() && rescoring.is_none() {
        let best = vectors.search(&vector, count, accept, &go_on)?;
        let hits = best.into_iter().map(|(doc, score)| Hit::new(doc, score));
        return Ok((hits.collect(), 0));
    }
    let matches = vectors.matches(&vector, accept, &go_on)?;
    // Changes of scores read columns as well, and whoever waits to write comes before a second reader.
    drop(columns);
    if let Some(probe) = probe {
        let found = matches.iter().map(|(doc, _)| *doc);
        let found = found.filter(|doc| probe.within.contains(*doc));
        probe.matching.extend(found);
    }
    let total = matches.len() as u64;
    let Some(rescoring) = rescoring else {
        return Ok((best_of(&matches, count, go_on, |_, score| score)?, total));
    };
    let mut hits = rescoring.with_scores(documents, query, |changed| {
        best_of(&matches, count, go_on, changed)
    })?;
    note_changed(&mut hits);
    Ok((hits, total))
}

/// The parts of the scores of documents, in the order in which they are added up.
pub(super) fn products(
    columns: &Columns,
    sparse: &SparseQuery,
    docs: &[u32],
) -> Result<Vec<Vec<SparseProduct>>> {
    let vector = sparse_vector(sparse)?;
    let vectors = columns.sparse_vectors(&sparse.field);
    let of_document = |&doc: &u32| {
        let entries = vector.entries().iter();
        let common = entries.filter_map(|&(index, query)| {
            let document = vectors?.weight(index, doc)?;
            Some(SparseProduct {
                index,
                query,
                document,
            })
        });
        common.collect()
    };
    Ok(docs.iter().map(of_document).collect())
}

/// Explains the score of a document by the parts of it.
pub(super) fn explanation(sparse: &SparseQuery, products: Vec<SparseProduct>) -> Explanation {
    let products = products.into_iter().map(|product| {
        let details = vec![
            Explanation::value(f64::from(product.query), "weight of the query"),
            Explanation::value(f64::from(product.document), "weight of the document"),
        ];
        let description = "weight of the query · weight of the document, at an index of both";
        let product_of = Explanation::product(description, details).of_field(&sparse.field);
        Explanation {
            term: Some(product.index.to_string()),
            ..product_of
        }
    });
    let description = "inner product of the sparse vectors of query and document";
    Explanation::sum(description, products.collect())
}

/// The vector of a query.
///
/// # Errors
/// `invalid_argument` for entries that make none.
pub fn sparse_vector(sparse: &SparseQuery) -> Result<SparseVector> {
    let SparseQuery {
        indices, weights, ..
    } = sparse;
    if indices.len() != weights.len() {
        return Err(SearchError::SparseLengths {
            indices: indices.len(),
            values: weights.len(),
        }
        .into());
    }
    let entries = indices.iter().zip(weights).map(|(&index, &weight)| {
        let index =
            u32::try_from(index).map_err(|_| SearchError::SparseIndex { received: index })?;
        Ok::<_, SearchError>((index, weight as f32))
    });
    let vector = SparseVector::new(entries.collect::<std::result::Result<_, _>>()?);
    vector.map_err(|error| SearchError::SparseQuery(error).into())
}

/// The best `count` of all matches by their changed scores, equal ones by document.
fn best_of(
    matches: &[(u32, f64)],
    count: usize,
    go_on: impl Fn() -> Result<()>,
    changed: impl Fn(u32, f64) -> f64,
) -> Result<Vec<Hit>> {
    let mut best: TopK<(), f64> = TopK::new(count);
    for some in matches.chunks(MATCHES_PER_STEP) {
        go_on()?;
        for &(doc, score) in some {
            best.push(changed(doc, score), doc, ());
        }
    }
    let hits = best.into_sorted().into_iter();
    Ok(hits.map(|hit| Hit::new(hit.id, hit.score)).collect())
}
