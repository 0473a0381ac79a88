//! The changes to scores of one stage of a search: by fields of the documents, and by their age.

mod explained;

use pelorus_columns::{DatePart, distance_of};
use pelorus_rank::{Falloff, Modification, Recency, ScoreModifier, ScoreModifiers, Slope};

use super::documents::{Documents, with_numbers};
use super::hit_scores::HitScores;
use super::hits::Hit;
use super::numbers::Numbers;
use super::query::Query;
use crate::error::Result;
use crate::generated::{self, RecencySlope, SearchPlan};

/// Changes the scores of one stage: modifiers first, then recency.
pub(super) struct Rescoring {
    /// The fields that it reads of a document.
    pub fields: Vec<String>,
    /// Fields named by their place.
    pub modifiers: Option<ScoreModifiers<usize>>,
    pub recency: Option<StageRecency>,
    /// Scores of hits, for names that stand for these in place of fields.
    pub hit_scores: HitScores,
}

pub(super) struct StageRecency {
    /// Place of the field.
    pub place: usize,
    pub curve: Recency,
    pub add_to_score_weight: Option<f64>,
}

impl Rescoring {
    /// None where the stage changes nothing.
    pub fn new(
        modifiers: Option<&generated::ScoreModifiers>,
        recency: Option<&generated::Recency>,
    ) -> Option<Self> {
        if modifiers.is_none() && recency.is_none() {
            return None;
        }
        let mut fields = Vec::new();
        let modifiers = modifiers.map(|modifiers| {
            let modifiers = named(modifiers);
            fields = modifiers.fields().cloned().collect();
            let mut places = 0..;
            modifiers.map_fields(|_| places.next())
        });
        let recency = recency.map(|recency| {
            fields.push(read_name(recency));
            StageRecency {
                place: fields.len() - 1,
                curve: curve(recency),
                add_to_score_weight: recency.add_to_score_weight,
            }
        });
        Some(Self {
            hit_scores: HitScores::default(),
            fields,
            modifiers,
            recency,
        })
    }

    /// Changes the scores of hits, and leaves their order.
    pub fn apply(&self, documents: &dyn Documents, query: &Query, hits: &mut [Hit]) -> Result<()> {
        self.with_scores(documents, query, |score| {
            for hit in hits {
                hit.score = score(hit.doc, hit.score);
            }
            Ok(())
        })
    }

    /// Runs `work` with the changes to the score of a document.
    pub fn with_scores<T>(
        &self,
        documents: &dyn Documents,
        query: &Query,
        work: impl FnOnce(&dyn Fn(u32, f64) -> f64) -> Result<T>,
    ) -> Result<T> {
        with_numbers(documents, query, &self.fields, |numbers| {
            work(&|doc, score| self.score(numbers, doc, score))
        })
    }

    pub fn modification(
        &self,
        modifiers: &ScoreModifiers<usize>,
        numbers: &Numbers<'_>,
        doc: u32,
    ) -> Modification {
        modifiers.modification(|&place| self.number(numbers, place, doc))
    }

    /// Returns what modifiers read at a place: the number of a field, or a score.
    #[inline]
    fn number(&self, numbers: &Numbers<'_>, place: usize, doc: u32) -> Option<f64> {
        match self.hit_scores.get(place, doc) {
            Some(score) => score,
            None => Some(numbers.get(place, doc)?.as_f64()),
        }
    }

    fn score(&self, numbers: &Numbers<'_>, doc: u32, score: f64) -> f64 {
        let modified = match &self.modifiers {
            Some(modifiers) => self.modification(modifiers, numbers, doc).apply(score),
            None => score,
        };
        match &self.recency {
            Some(recency) => recency.apply(numbers, doc, modified),
            None => modified,
        }
    }
}

impl StageRecency {
    fn apply(&self, numbers: &Numbers<'_>, doc: u32, score: f64) -> f64 {
        let timestamp = numbers.get(self.place, doc);
        self.joined(
            score,
            self.curve.at(timestamp.map(|number| number.as_f64())),
        )
    }

    /// The recency that a document needs for a score that is not above `score` to end at `least` or above: no less than
    /// this, and sometimes more.
    pub fn needed(&self, score: f64, least: f64) -> f64 {
        // More than what rounding takes from the scores.
        let slack = 1e-9 * (score + least.abs());
        match self.add_to_score_weight {
            Some(weight) if weight > 0.0 => (least - score - slack) / weight,
            Some(_) => 0.0,
            // Too close to zero for slack.
            None if score < 1e-200 => 0.0,
            None => (least - slack) / score,
        }
    }

    /// A score and how recent its document is.
    pub fn joined(&self, score: f64, recency: f64) -> f64 {
        match self.add_to_score_weight {
            Some(weight) => (score + recency * weight).clamp(f64::MIN, f64::MAX),
            None => score * recency,
        }
    }
}

/// The changes to the scores that the legs end in.
pub(super) fn last_rescoring(plan: &SearchPlan) -> Option<Rescoring> {
    let modifiers = plan.rescoring.as_ref();
    let recency = plan.recency.as_ref().filter(|recency| recency.fused);
    Rescoring::new(
        modifiers.map(|rescoring| &rescoring.score_modifiers),
        recency,
    )
}

/// Puts the recency of hits beside their scores.
pub(super) fn note_recency(
    documents: &dyn Documents,
    query: &Query,
    recency: &generated::Recency,
    hits: &mut [Hit],
) -> Result<()> {
    let curve = curve(recency);
    let fields = [read_name(recency)];
    with_numbers(documents, query, &fields, |numbers| {
        for hit in hits {
            let timestamp = numbers.get(0, hit.doc).map(|number| number.as_f64());
            hit.recency_score = Some(curve.at(timestamp));
        }
        Ok(())
    })
}

fn named(modifiers: &generated::ScoreModifiers) -> ScoreModifiers {
    let list = |modifiers: &[generated::ScoreModifier]| {
        let modifiers = modifiers.iter().map(|modifier| ScoreModifier {
            field: modifier.field.clone(),
            weight: modifier.weight,
        });
        modifiers.collect()
    };
    ScoreModifiers::new(list(&modifiers.multiply), list(&modifiers.add))
}

/// The name by which times, or distances, are read.
fn read_name(recency: &generated::Recency) -> String {
    match distance_of(&recency.field) {
        Some(_) => recency.field.clone(),
        None => DatePart::Time.name(&recency.field),
    }
}

fn curve(recency: &generated::Recency) -> Recency {
    Recency {
        center_seconds: recency.center_seconds,
        decay: slope(&recency.decay),
        growth: recency.growth.as_ref().map(slope),
        // A document may be at the very place that distances are from.
        zero_is_none: distance_of(&recency.field).is_none(),
    }
}

fn slope(slope: &RecencySlope) -> Slope {
    Slope {
        falloff: match slope.falloff {
            generated::Falloff::Exponential => Falloff::Exponential,
            generated::Falloff::Linear => Falloff::Linear,
            generated::Falloff::Gaussian => Falloff::Gaussian,
            generated::Falloff::Binary => Falloff::Binary,
        },
        scale_seconds: slope.scale_seconds,
        offset_seconds: slope.offset_seconds,
        floor: slope.floor,
    }
}
