//! Parts of a search plan, as the engine reads them.

use pelorus_rank::Interpolation as Combination;

use crate::error::{EngineError, Result};
use crate::generated::{Interpolation, RankingMethod, SearchPlan};

impl SearchPlan {
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(|error| EngineError::request("search plan", error))
    }

    /// Tells whether hits show how many documents of their groups were found.
    pub fn counts_groups(&self) -> bool {
        self.collapse
            .as_ref()
            .is_some_and(|collapse| collapse.counts)
    }

    /// A score as hits show it: one that modifiers bring below 0 is shown as 0, and ranks by its real value.
    pub fn shown_score(&self, score: f64) -> f64 {
        let leg = match self.ranking_method {
            RankingMethod::Tensor => self.tensor.as_ref().map(|leg| &leg.score_modifiers),
            RankingMethod::Lexical => self.lexical.as_ref().map(|leg| &leg.score_modifiers),
            RankingMethod::Rrf => None,
        };
        let is_modified = leg.is_some_and(Option::is_some) || self.rescoring.is_some();
        match is_modified {
            true => score.max(0.0),
            false => score,
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
