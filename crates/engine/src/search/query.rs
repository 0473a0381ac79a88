//! A search that was begun: its plan is checked, its vector made, its view taken.

use pelorus_kernels::BitSet;

use super::nearest::{Depth, Nearest};
use super::plan::Plan;
use super::{check, query_vector};
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::scope::Scope;

pub(super) struct Query {
    pub plan: Plan,
    pub scope: Scope,
    /// `[dimensions]`; none where the plan has no use for vectors.
    vector: Option<Vec<f32>>,
    /// Documents that the plan takes from the tensor leg.
    tensor_depth: Depth,
}

impl Query {
    pub fn begin(index: &Index, plan: &[u8], vectors: &[f32]) -> Result<Self> {
        let plan = Plan::parse(plan)?;
        check::check(index, &plan)?;
        let filter = match &plan.filter {
            Some(text) => Some(
                pelorus_filter::parse_within(text, index.limits.in_filter_values_max)
                    .map_err(|e| EngineError::invalid_argument(e.to_string()))?,
            ),
            None => None,
        };
        let vector = query_vector::combine(index, &plan, vectors)?;
        Ok(Self {
            scope: index.scope(filter.as_ref())?,
            tensor_depth: plan.tensor_depth()?,
            vector,
            plan,
        })
    }

    /// The tensor leg.
    pub fn tensor_leg(&self) -> Nearest<'_> {
        let tensor = self.plan.tensor.as_ref();
        Nearest {
            query: self.vector.as_deref().unwrap_or_default(),
            tensor,
            ef: self.plan.ef(),
            exact: tensor.is_some_and(|tensor| !tensor.approximate),
            depth: self.tensor_depth,
            accept: self.scope.accept(),
            count: self.scope.count(),
            live: self.scope.live(),
        }
    }

    /// Ranks `count` documents by their true closeness.
    pub fn ranking<'a>(&'a self, accept: &'a BitSet, count: usize) -> Nearest<'a> {
        Nearest {
            exact: true,
            depth: Depth::Ranked(count),
            accept,
            count,
            ..self.tensor_leg()
        }
    }
}
