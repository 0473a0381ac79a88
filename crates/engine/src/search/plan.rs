//! What the engine reads off a search plan.

use pelorus_rank::Interpolation as Combination;

use super::hits::Hit;
use crate::error::{EngineError, Result};
use crate::generated::{Interpolation, SearchPlan};

impl SearchPlan {
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(|error| EngineError::request("search plan", error))
    }

    /// How many ranked hits the page needs.
    pub fn depth(&self) -> usize {
        self.limit + self.offset
    }

    /// The page of a ranking.
    pub fn page(&self, ranked: &[Hit]) -> Vec<Hit> {
        pelorus_rank::page(ranked, self.offset, self.limit).to_vec()
    }

    /// How many documents of each leg a fused page takes: none for an empty page.
    pub fn fused_depth(&self) -> usize {
        match self.limit {
            0 => 0,
            _ => pelorus_rank::rrf_depth(self.depth()),
        }
    }
}

impl From<Interpolation> for Combination {
    fn from(method: Interpolation) -> Self {
        match method {
            Interpolation::Lerp => Combination::Lerp,
            Interpolation::Nlerp => Combination::Nlerp,
            Interpolation::Slerp => Combination::Slerp,
        }
    }
}
