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
use nearest::nearest;
use plan::Method;
use query::Query;

/// Runs a search; gives the response body. `plan` is JSON (see [`plan`]), `vectors` the query vectors
/// as rows. A panic becomes an error.
pub(crate) fn search(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
    index.contain(|| {
        let query = Query::begin(index, plan, vectors)?;
        let legs = Legs {
            index,
            query: &query,
            tensor: nearest(index, &query.tensor_leg()),
        };
        render::render(index, &query.plan, query.scope.truth(), &page(legs)?)
    })
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
