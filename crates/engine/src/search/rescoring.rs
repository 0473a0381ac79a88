//! What changes the scores of one stage of a search: fields of the documents, and their age.

mod explained;

use std::sync::Arc;

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_lexical::{RESCORED_TOGETHER, Rescore};
use pelorus_rank::{
    Falloff, Modification, Recency, ScoreFloor, ScoreModifier, ScoreModifiers, Slope,
};

use super::hits::Hit;
use super::numbers::{Numbers, with_numbers};
use super::query::Query;
use crate::error::Result;
use crate::generated::{self, RecencySlope};
use crate::index::Index;
use crate::modifications::Modifications;

/// Changes the scores of one stage: modifiers first, then recency.
pub(super) struct Rescoring {
    /// What it reads of a document.
    fields: Vec<String>,
    /// Fields named by their place.
    modifiers: Option<ScoreModifiers<usize>>,
    recency: Option<StageRecency>,
    floor: ScoreFloor,
}

struct StageRecency {
    /// Place of the field.
    place: usize,
    curve: Recency,
    add_to_score_weight: Option<f64>,
}

impl Rescoring {
    /// None where the stage changes nothing. Modified scores end at `floor`, which is zero only where
    /// they are the last: clamped ones would tie before the next stage.
    pub fn new(
        modifiers: Option<&generated::ScoreModifiers>,
        recency: Option<&generated::Recency>,
        floor: ScoreFloor,
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
            fields.push(recency.field.clone());
            StageRecency {
                place: fields.len() - 1,
                curve: curve(recency),
                add_to_score_weight: recency.add_to_score_weight,
            }
        });
        Some(Self {
            floor: match modifiers {
                Some(_) => floor,
                None => ScoreFloor::Unbounded,
            },
            fields,
            modifiers,
            recency,
        })
    }

    /// Changes the scores of hits, and leaves their order.
    pub fn apply(&self, index: &Index, query: &Query, hits: &mut [Hit]) -> Result<()> {
        self.with_scores(index, query, |score| {
            for hit in hits {
                hit.score = score(hit.doc, hit.score);
            }
            Ok(())
        })
    }

    /// Runs `work` with what changes the score of a document.
    pub fn with_scores<T>(
        &self,
        index: &Index,
        query: &Query,
        work: impl FnOnce(&dyn Fn(u32, f64) -> f64) -> Result<T>,
    ) -> Result<T> {
        with_numbers(index, query, &self.fields, |numbers| {
            work(&|doc, score| self.score(numbers, doc, score))
        })
    }

    /// Runs `work` with the scores of a search that asks about any number of documents.
    pub fn with_matches<T>(
        &self,
        index: &Index,
        query: &Query,
        work: impl FnOnce(&mut MatchScores<'_>) -> Result<T>,
    ) -> Result<T> {
        with_numbers(index, query, &self.fields, |numbers| {
            let known = match &self.modifiers {
                Some(modifiers) => known_modifications(index, &self.fields, modifiers, numbers)?,
                None => None,
            };
            let view = index.views.load();
            work(&mut MatchScores {
                rescoring: self,
                index,
                numbers,
                cancellation: &query.cancellation,
                known,
                singly_left: query.view.live() / SCAN_SHARE,
                sequence: view.snapshot.sequence()?,
                end: view.snapshot.next_doc()?,
            })
        })
    }

    fn modification(
        &self,
        modifiers: &ScoreModifiers<usize>,
        numbers: &Numbers<'_>,
        doc: u32,
    ) -> Modification {
        modifiers.modification(|&place| Some(numbers.get(place, doc)?.as_f64()))
    }

    fn score(&self, numbers: &Numbers<'_>, doc: u32, score: f64) -> f64 {
        let modified = match &self.modifiers {
            Some(modifiers) => self.modification(modifiers, numbers, doc).apply(score),
            None => score,
        };
        self.floor.apply(match &self.recency {
            Some(recency) => recency.apply(numbers, doc, modified),
            None => modified,
        })
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

    /// A score and how recent its document is.
    fn joined(&self, score: f64, recency: f64) -> f64 {
        match self.add_to_score_weight {
            Some(weight) => (score + recency * weight).clamp(f64::MIN, f64::MAX),
            None => score * recency,
        }
    }

    /// Changes the scores of documents, which ascend; of those that would not end above `least` however
    /// recent they are to something that is not above it either.
    fn apply_to_some(
        &self,
        numbers: &Numbers<'_>,
        docs: &[u32],
        scores: &mut [f64],
        least: Option<f64>,
    ) {
        let mut near = [0; RESCORED_TOGETHER];
        let mut places = [0; RESCORED_TOGETHER];
        let mut count = 0;
        for (place, (&doc, score)) in docs.iter().zip(&mut *scores).enumerate() {
            // Recency is above 0 and at most 1.
            let best = match self.add_to_score_weight {
                Some(weight) => *score + weight.max(0.0),
                None => score.max(0.0),
            };
            if least.is_some_and(|least| best <= least) {
                *score = best;
                continue;
            }
            (near[count], places[count]) = (doc, place);
            count += 1;
        }
        let mut timestamps = [f64::NAN; RESCORED_TOGETHER];
        let timestamps = &mut timestamps[..count];
        numbers.gather(self.place, &near[..count], timestamps);
        for (&place, &timestamp) in places.iter().zip(&*timestamps) {
            let timestamp = Some(timestamp).filter(|timestamp| !timestamp.is_nan());
            scores[place] = self.joined(scores[place], self.curve.at(timestamp));
        }
    }
}

/// Changed scores of matches. What modifiers make of a document is looked up where that is known, and
/// made known once many documents are asked about.
pub(super) struct MatchScores<'a> {
    rescoring: &'a Rescoring,
    index: &'a Index,
    numbers: &'a Numbers<'a>,
    cancellation: &'a Cancellation,
    known: Option<Arc<Modifications>>,
    /// Documents that may still be read one by one.
    singly_left: usize,
    /// Of the view that the columns are those of now, as long as they are locked.
    sequence: u64,
    /// The ordinals of that view are below.
    end: u32,
}

impl MatchScores<'_> {
    /// What modifiers make of scores.
    fn modify(&mut self, modifiers: &ScoreModifiers<usize>, docs: &[u32], scores: &mut [f64]) {
        self.singly_left = self.singly_left.saturating_sub(docs.len());
        if self.known.is_none()
            && self.singly_left == 0
            && self.index.modifications.has_room_for(self.end)
        {
            match self.modifications_of_all(modifiers) {
                Ok(rows) => {
                    let all = Arc::new(Modifications {
                        rows,
                        sequence: self.sequence,
                    });
                    let text = text_of(&self.rescoring.fields, modifiers);
                    self.index.modifications.keep(&text, &all);
                    self.known = Some(all);
                }
                // Not again before the search ends.
                Err(_cancelled) => self.singly_left = usize::MAX,
            }
        }
        let known = self.known.as_ref();
        let rows = known.map_or(&[][..], |known| known.rows.as_slice());
        for (&doc, score) in docs.iter().zip(scores) {
            let modification = match rows.get(doc as usize) {
                Some(row) if !self.numbers.is_revised(doc) => *row,
                _ => self.rescoring.modification(modifiers, self.numbers, doc),
            };
            *score = modification.apply(*score);
        }
    }

    /// What modifiers make of every document, column by column. A search that is cancelled meanwhile
    /// goes on without, to where it can end.
    fn modifications_of_all(
        &self,
        modifiers: &ScoreModifiers<usize>,
    ) -> std::result::Result<Vec<Modification>, Cancelled> {
        self.cancellation.check()?;
        let mut rows = vec![Modification::NONE; self.end as usize];
        let mut visit = |modifier: &ScoreModifier<usize>, change: fn(&mut Modification, f64)| {
            self.cancellation.check()?;
            let Some(column) = self.numbers.column(modifier.field) else {
                return Ok(());
            };
            column.for_each(|doc, number| {
                if let Some(row) = rows.get_mut(doc as usize) {
                    change(row, modifier.weight * number.as_f64());
                }
            });
            Ok(())
        };
        for modifier in modifiers.multiply() {
            visit(modifier, |row, value| row.factor *= value)?;
        }
        for modifier in modifiers.add() {
            visit(modifier, |row, value| row.sum += value)?;
        }
        Ok(rows)
    }
}

impl Rescore for MatchScores<'_> {
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>) {
        let rescoring = self.rescoring;
        if let Some(modifiers) = &rescoring.modifiers {
            self.modify(modifiers, docs, scores);
        }
        if let Some(recency) = &rescoring.recency {
            recency.apply_to_some(self.numbers, docs, scores, least);
        }
        for score in scores {
            *score = rescoring.floor.apply(*score);
        }
    }
}

/// Of live documents, one in so many may have their numbers read one by one before those of all are
/// read column by column.
const SCAN_SHARE: usize = 16;

/// What modifiers are known by.
fn text_of(fields: &[String], modifiers: &ScoreModifiers<usize>) -> String {
    format!("{fields:?} {modifiers:?}")
}

/// What was known of modifiers, brought up to date with the columns; none where nothing was, or where
/// too much was revised since. The columns are locked: what changes in place does so under that lock.
fn known_modifications(
    index: &Index,
    fields: &[String],
    modifiers: &ScoreModifiers<usize>,
    numbers: &Numbers<'_>,
) -> Result<Option<Arc<Modifications>>> {
    let text = text_of(fields, modifiers);
    let Some(known) = index.modifications.get(&text) else {
        return Ok(None);
    };
    let view = index.views.load();
    let (sequence, end) = (view.snapshot.sequence()?, view.snapshot.next_doc()?);
    if known.sequence >= sequence {
        return Ok(Some(known));
    }
    let Some(revised) = index.revisions.lock().since(known.sequence) else {
        return Ok(None);
    };
    let mut rows = known.rows.clone();
    let fresh = rows.len() as u32..end;
    rows.resize(end as usize, Modification::NONE);
    for doc in revised.into_iter().chain(fresh) {
        let number = |&place: &usize| Some(numbers.column(place)?.get(doc)?.as_f64());
        if let Some(row) = rows.get_mut(doc as usize) {
            *row = modifiers.modification(number);
        }
    }
    let known = Arc::new(Modifications { rows, sequence });
    index.modifications.keep(&text, &known);
    Ok(Some(known))
}

/// Puts the recency of hits beside their scores.
pub(super) fn note_recency(
    index: &Index,
    query: &Query,
    recency: &generated::Recency,
    hits: &mut [Hit],
) -> Result<()> {
    let curve = curve(recency);
    let fields = [recency.field.clone()];
    with_numbers(index, query, &fields, |numbers| {
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

fn curve(recency: &generated::Recency) -> Recency {
    Recency {
        center_seconds: recency.center_seconds,
        decay: slope(&recency.decay),
        growth: recency.growth.as_ref().map(slope),
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
