//! What the engine reads off a search plan.

use pelorus_rank::Interpolation as Combination;

use crate::error::{EngineError, Result};
use crate::generated::{Interpolation, SearchPlan};

impl SearchPlan {
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(|error| EngineError::request("search plan", error))
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
