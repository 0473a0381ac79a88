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
    render::render(index, &plan, scope.truth(), &page(&legs)?)
}

/// The hits of the page, ranked.
fn page(legs: &Legs<'_>) -> Result<Vec<Hit>> {
    use plan::{Ranking, Retrieval};
    let depth = legs.plan.depth();
    let ranked = match legs.plan.method {
        Method::Tensor => legs.tensor(depth)?,
        Method::Lexical => legs.lexical(depth)?,
        Method::Hybrid => {
            let hybrid = legs.plan.hybrid()?;
            match (hybrid.retrieval_method, hybrid.ranking_method) {
                (_, Ranking::Rrf) => return legs.fused_page(hybrid),
                (Retrieval::Tensor, Ranking::Lexical) => return legs.tensor_page_by_words(),
                (Retrieval::Lexical, Ranking::Tensor) => return legs.lexical_page_by_closeness(),
                (_, Ranking::Lexical) => legs.lexical(depth)?,
                (_, Ranking::Tensor) => legs.tensor(depth)?,
            }
        }
    };
    Ok(legs.cut(&ranked))
}
