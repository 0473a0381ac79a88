//! A search that was begun: its plan is checked, its vector made, its view taken.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use super::context::{self, WeightedRows};
use super::nearest::{Depth, Nearest};
use super::{check, query_vector};
use crate::error::Result;
use crate::filtered_view::FilteredView;
use crate::generated::SearchPlan;
use crate::index::Index;

pub(super) struct Query {
    pub plan: Arc<SearchPlan>,
    pub view: FilteredView,
    pub cancellation: Cancellation,
    /// Documents that are no hits, whatever the filter lets pass.
    excluded: Vec<u32>,
    /// `[dimensions]`; none where the plan has no tensor leg.
    vector: Option<Vec<f32>>,
}

impl Query {
    pub fn begin(
        index: &Index,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let plan = SearchPlan::parse(plan)?;
        check::check(index, &plan)?;
        let filter = index.limits.filter(plan.filter.as_deref())?;
        let mut view = index.filtered_view(filter.as_ref(), cancellation)?;
        let (mut rows, mut excluded) = (WeightedRows::default(), Vec::new());
        if let Some(context) = &plan.context {
            rows = context::weighted_rows(index, view.snapshot(), context, cancellation)?;
            excluded = context::excluded(view.snapshot(), context)?;
            view.leave_out(&excluded);
        }
        let vector = match &plan.tensor {
            Some(leg) => Some(query_vector::combine(index, leg, vectors, &rows)?),
            None => None,
        };
        Ok(Self {
            plan: Arc::new(plan),
            view,
            cancellation: cancellation.clone(),
            excluded,
            vector,
        })
    }

    /// The same search in the same view, with another filter in place of the plan's.
    pub fn with_filter(&self, index: &Index, filter: Option<&Filter>) -> Result<Self> {
        let mut view = index.filtered_view_in(self.view.view(), filter, &self.cancellation)?;
        view.leave_out(&self.excluded);
        Ok(Self {
            plan: self.plan.clone(),
            view,
            cancellation: self.cancellation.clone(),
            excluded: self.excluded.clone(),
            vector: self.vector.clone(),
        })
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
            cancellation: &self.cancellation,
        })
    }

    /// The exact ranking of `count` documents by their distance; none without a tensor leg.
    pub fn exact_ranking<'a>(&'a self, accept: &'a BitSet, count: usize) -> Option<Nearest<'a>> {
        Some(Nearest {
            exact: true,
            accept,
            count,
            ..self.tensor_leg(Depth::once(count))?
        })
    }
}
