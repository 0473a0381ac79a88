//! A query's way: plan, filter, legs, the stages that follow them, page, finished bytes.

mod check;
mod context;
mod error;
mod hits;
mod legs;
mod nearest;
mod numbers;
mod plan;
mod query;
mod query_vector;
mod render;
mod rescoring;
mod sorting;
mod stages;

use crate::error::Result;
use crate::index::Index;
use legs::Legs;
use query::Query;

pub use error::SearchError;

/// Runs a search; gives the response body. `plan` is a [`SearchPlan`](crate::generated::SearchPlan) as
/// JSON, `vectors` the query vectors as rows. A panic becomes an error.
pub(crate) fn search(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Vec<u8>> {
    index.contain(|| {
        let query = Query::begin(index, plan, vectors)?;
        let page = stages::page(&Legs {
            index,
            query: &query,
        })?;
        render::render(index, &query.plan, query.view.snapshot(), &page)
    })
}
