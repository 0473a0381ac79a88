//! A query's way: plan, filter, legs, fusion, page, finished bytes.

mod check;
mod hits;
mod legs;
mod nearest;
mod plan;
mod query;
mod query_vector;
mod render;

use crate::error::Result;
use crate::index::Index;
use hits::Hit;
use legs::Legs;
use nearest::{Nearest, nearest};
use plan::Method;
use query::Query;

/// One of several searches that are run together.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a> {
    /// JSON, see `search::plan`.
    pub plan: &'a [u8],
    /// The query vectors, one row after the other.
    pub vectors: &'a [f32],
}

/// Runs several searches; gives the response body of each, or why there is none. Their tensor legs
/// are run together; a panic is answered by the search that met it.
pub(crate) fn search_many(index: &Index, requests: &[SearchRequest<'_>]) -> Vec<Result<Vec<u8>>> {
    let begin = |request| index.contain(|| Query::begin(index, request));
    let begun: Vec<Result<Query>> = requests.iter().map(begin).collect();
    let legs: Vec<Nearest<'_>> = begun.iter().flatten().map(Query::tensor_leg).collect();
    let mut found = nearest(index, &legs).into_iter();
    let answer = |query: &Result<Query>| {
        let query = query.as_ref().map_err(Clone::clone)?;
        let tensor = found.next().unwrap_or_else(|| Ok(Vec::new()))?;
        index.contain(|| answer(index, query, tensor))
    };
    begun.iter().map(answer).collect()
}

/// Ranks, cuts the page and writes it.
fn answer(index: &Index, query: &Query, tensor: Vec<Hit>) -> Result<Vec<u8>> {
    let legs = Legs {
        index,
        query,
        tensor,
    };
    render::render(index, &query.plan, query.scope.truth(), &page(legs)?)
}

/// The hits of the page, ranked.
fn page(legs: Legs<'_>) -> Result<Vec<Hit>> {
    use plan::{Ranking, Retrieval};
    let plan = &legs.query.plan;
    let ranked = match plan.method {
        Method::Tensor => legs.tensor,
        Method::Lexical => legs.lexical(plan.depth())?,
        Method::Hybrid => {
            let hybrid = plan.hybrid()?;
            match (hybrid.retrieval_method, hybrid.ranking_method) {
                (_, Ranking::Rrf) => return legs.fused_page(hybrid),
                (Retrieval::Tensor, Ranking::Lexical) => return legs.tensor_page_by_words(),
                (Retrieval::Lexical, Ranking::Tensor) => return legs.lexical_page_by_closeness(),
                (_, Ranking::Lexical) => legs.lexical(plan.depth())?,
                (_, Ranking::Tensor) => legs.tensor,
            }
        }
    };
    Ok(plan.page(&ranked))
}
