//! A search that was begun: its plan is checked, its vector made, its view taken.

use pelorus_kernels::BitSet;

use super::context::{self, WeightedRows};
use super::nearest::{Depth, Nearest};
use super::{check, query_vector};
use crate::error::Result;
use crate::filtered_view::FilteredView;
use crate::generated::SearchPlan;
use crate::index::Index;

pub(super) struct Query {
    pub plan: SearchPlan,
    pub view: FilteredView,
    /// `[dimensions]`; none where the plan has no tensor leg.
    vector: Option<Vec<f32>>,
}

impl Query {
    pub fn begin(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Self> {
        let plan = SearchPlan::parse(plan)?;
        check::check(index, &plan)?;
        let filter = index.limits.filter(plan.filter.as_deref())?;
        let mut view = index.filtered_view(filter.as_ref())?;
        let mut rows = WeightedRows::default();
        if let Some(context) = &plan.context {
            rows = context::weighted_rows(index, view.snapshot(), context)?;
            let excluded = context::excluded(view.snapshot(), context)?;
            view.leave_out(&excluded);
        }
        let vector = match &plan.tensor {
            Some(leg) => Some(query_vector::combine(index, leg, vectors, &rows)?),
            None => None,
        };
        Ok(Self { view, vector, plan })
    }

    /// The search of the tensor leg; none where the plan has none.
    pub fn tensor_leg(&self, depth: Depth) -> Option<Nearest<'_>> {
        let leg = self.plan.tensor.as_ref()?;
        Some(Nearest {
            query: self.vector.as_deref()?,
            leg,
            exact: !leg.approximate,
            depth,
            accept: self.view.accept(),
            count: self.view.count(),
            live: self.view.live(),
        })
    }

    /// The exact ranking of `count` documents by their distance; none without a tensor leg.
    pub fn exact_ranking<'a>(&'a self, accept: &'a BitSet, count: usize) -> Option<Nearest<'a>> {
        Some(Nearest {
            exact: true,
            accept,
            count,
            ..self.tensor_leg(Depth::Ranked(count))?
        })
    }
}
