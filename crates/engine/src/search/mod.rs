//! A query's way: plan, filter, legs, fusion, page, finished bytes.

mod check;
mod hits;
mod legs;
mod plan;
mod query_vector;
mod render;

use crate::error::{EngineError, Result};
use crate::index::Index;
use hits::Hit;
use legs::Legs;
use plan::{Method, Plan};

/// Runs a search plan; gives the response body.
pub(crate) fn search(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
    let plan = Plan::parse(plan)?;
    check::check(index, &plan)?;
    let filter = match &plan.filter {
        Some(text) => Some(
            pelorus_filter::parse(text)
                .map_err(|e| EngineError::invalid_argument(e.to_string()))?,
        ),
        None => None,
    };
    let query = query_vector::combine(index, &plan, vectors)?;
    let scope = index.scope(filter.as_ref())?;
    let legs = Legs {
        index,
        plan: &plan,
        scope: &scope,
        query: query.as_deref(),
    };
    let hits = rank(&legs)?;
    let page = pelorus_rank::page(&hits, plan.offset, plan.limit);
    render::render(index, &plan, scope.truth(), page)
}

/// Every ranked hit down to the page's end.
fn rank(legs: &Legs<'_>) -> Result<Vec<Hit>> {
    use plan::Ranking::{Lexical, Rrf, Tensor};
    let depth = legs.plan.depth();
    match legs.plan.method {
        Method::Tensor => legs.tensor(depth),
        Method::Lexical => legs.lexical(depth),
        Method::Hybrid => {
            let hybrid = legs.plan.hybrid()?;
            match (hybrid.retrieval_method, hybrid.ranking_method) {
                (_, Rrf) => legs.fused(hybrid, depth),
                (plan::Retrieval::Tensor, Tensor) => legs.tensor(depth),
                (plan::Retrieval::Tensor, Lexical) => legs.tensor_ranked_lexically(depth),
                (plan::Retrieval::Lexical, Tensor) => legs.lexical_ranked_by_tensor(depth),
                (_, Lexical) => legs.lexical(depth),
                (_, Tensor) => legs.tensor(depth),
            }
        }
    }
}
