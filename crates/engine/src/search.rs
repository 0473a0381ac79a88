//! A query's way: plan, filter, legs, fusion, page, finished bytes.

mod check;
mod context;
mod error;
mod hits;
mod legs;
mod nearest;
mod plan;
mod query;
mod query_vector;
mod render;

use crate::error::Result;
use crate::generated::{RankingMethod, RetrievalMethod};
use crate::index::Index;
use hits::Hit;
use legs::Legs;
use query::Query;

pub use error::SearchError;

/// Runs a search; gives the response body. `plan` is a [`SearchPlan`](crate::generated::SearchPlan) as
/// JSON, `vectors` the query vectors as rows. A panic becomes an error.
pub(crate) fn search(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
    index.contain(|| {
        let query = Query::begin(index, plan, vectors)?;
        let page = page(&Legs {
            index,
            query: &query,
        })?;
        render::render(index, &query.plan, query.view.snapshot(), &page)
    })
}

/// The hits of the page, ranked. The one place that decides which leg is asked for what; a leg that
/// the plan does not have finds nothing.
fn page(legs: &Legs<'_>) -> Result<Vec<Hit>> {
    use {RankingMethod as Ranking, RetrievalMethod as Retrieval};
    let plan = &legs.query.plan;
    match (plan.retrieval_method, plan.ranking_method) {
        (Retrieval::Tensor, Ranking::Tensor) => Ok(plan.page(&legs.tensor(plan.depth()))),
        (Retrieval::Lexical, Ranking::Lexical) => Ok(plan.page(&legs.lexical(plan.depth())?)),
        (Retrieval::Tensor, Ranking::Lexical) => legs.tensor_page_by_bm25(),
        (Retrieval::Lexical, Ranking::Tensor) => legs.lexical_page_by_distance(),
        (Retrieval::Disjunction, Ranking::Rrf) => legs.fused_page(),
        (retrieval, ranking) => Err(SearchError::Ranking { retrieval, ranking }.into()),
    }
}
