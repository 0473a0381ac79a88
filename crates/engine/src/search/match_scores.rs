//! Changed scores of the matches of a search that asks about any number of documents.

use std::ops::RangeInclusive;
use std::sync::Arc;

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::bits_of;
use pelorus_lexical::{Ceiling, RESCORED_TOGETHER, Rescore};
use pelorus_rank::{Modification, RecencySteps, ScoreModifier, ScoreModifiers};

use super::index_documents::IndexDocuments;
use super::numbers::{Numbers, with_index_numbers};
use super::query::Query;
use super::rescoring::{Rescoring, StageRecency};
use crate::error::Result;
use crate::index::Index;
use crate::search::score_inputs::{ScoreInput, ScoreInputCache, ScoreInputs, Time};

/// Runs `work` with the changed scores of a search.
pub(super) fn with_match_scores<T>(
    rescoring: &Rescoring,
    documents: &IndexDocuments<'_>,
    query: &Query,
    work: impl FnOnce(&mut MatchScores<'_>) -> Result<T>,
) -> Result<T> {
    let index = documents.index;
    with_index_numbers(
        documents,
        &rescoring.fields,
        &query.cancellation,
        |numbers| {
            let view = index.views.load();
            let mut scores = MatchScores {
                rescoring,
                index,
                numbers,
                cancellation: &query.cancellation,
                modifications: None,
                times: None,
                singly_left: documents.view.live() / SCAN_SHARE,
                sequence: view.snapshot.sequence()?,
                end: view.snapshot.next_doc()?,
            };
            scores.remember();
            work(&mut scores)
        },
    )
}

/// One in so many live documents may have its numbers read one by one before those of all are read
/// column by column.
const SCAN_SHARE: usize = 16;

/// Changed scores of matches. Their inputs are looked up where they are known, and made known once many documents are
/// asked about.
pub(super) struct MatchScores<'a> {
    rescoring: &'a Rescoring,
    index: &'a Index,
    numbers: &'a Numbers<'a>,
    cancellation: &'a Cancellation,
    modifications: Option<Arc<ScoreInputs<Modification>>>,
    times: Option<KnownTimes>,
    /// Documents that may still be read one by one.
    singly_left: usize,
    /// The sequence of the view whose documents the columns show, as long as they are locked.
    sequence: u64,
    /// The ordinals of that view are below.
    end: u32,
}

/// The times of documents, and their recency.
struct KnownTimes {
    inputs: Arc<ScoreInputs<Time>>,
    steps: RecencySteps,
}

impl KnownTimes {
    fn new(inputs: Arc<ScoreInputs<Time>>, recency: &StageRecency) -> Self {
        let steps = RecencySteps::new(recency.curve);
        Self { inputs, steps }
    }
}

impl MatchScores<'_> {
    /// Takes the inputs of scores that are known from earlier searches.
    fn remember(&mut self) {
        let (rescoring, numbers) = (self.rescoring, self.numbers);
        if let Some(modifiers) = &rescoring.modifiers {
            let number = |&place: &usize, doc| Some(numbers.column(place)?.get(doc)?.as_f64());
            let read = |doc| modifiers.modification(|place| number(place, doc));
            self.modifications = self.caught_up(
                &self.index.caches.modifications,
                &self.modifiers_name(modifiers),
                read,
            );
        }
        if let Some(recency) = &rescoring.recency {
            let read = |doc| {
                let column = numbers.column(recency.place);
                let number = column.and_then(|column| column.get(doc));
                number.map_or(Time::NONE, |number| {
                    Time::of(&recency.curve, number.as_f64())
                })
            };
            let inputs = self.caught_up(&self.index.caches.times, self.time_field(recency), read);
            self.times = inputs.map(|inputs| KnownTimes::new(inputs, recency));
        }
    }

    /// The remembered inputs of documents, brought up to date with the columns; none where there were none, or where
    /// too much was revised since. The columns are locked: changes in place are made under that lock.
    fn caught_up<R: ScoreInput>(
        &self,
        cache: &ScoreInputCache<R>,
        name: &str,
        read: impl Fn(u32) -> R,
    ) -> Option<Arc<ScoreInputs<R>>> {
        let known = cache.get(name)?;
        if known.sequence >= self.sequence {
            return Some(known);
        }
        let revised = self.index.columns.revisions.lock().since(known.sequence)?;
        let inputs = Arc::new(known.updated(self.sequence, self.end, &revised, read));
        cache.keep(name, &inputs);
        Some(inputs)
    }

    /// Takes note that so many documents are asked about, and reads the numbers of all once they are many.
    fn note_asked(&mut self, count: usize) {
        let before = self.singly_left;
        self.singly_left = before.saturating_sub(count);
        if before > 0 && self.singly_left == 0 {
            // A search that is cancelled meanwhile goes on without, to where it can end.
            let _ends_soon = self.learn();
        }
    }

    fn learn(&mut self) -> std::result::Result<(), Cancelled> {
        let rescoring = self.rescoring;
        if let (Some(modifiers), None) = (&rescoring.modifiers, &self.modifications)
            && self.index.caches.modifications.has_room_for(self.end)
        {
            let inputs = self.modifications_of_all(modifiers)?;
            let inputs = Arc::new(ScoreInputs::new(&inputs, self.sequence));
            self.index
                .caches
                .modifications
                .keep(&self.modifiers_name(modifiers), &inputs);
            self.modifications = Some(inputs);
        }
        if let (Some(recency), None) = (&rescoring.recency, &self.times)
            && self.index.caches.times.has_room_for(self.end)
        {
            self.cancellation.check()?;
            let mut inputs = vec![Time::NONE; self.end as usize];
            self.fill(&mut inputs, recency.place, |input, number| {
                *input = Time::of(&recency.curve, number)
            });
            let inputs = Arc::new(ScoreInputs::new(&inputs, self.sequence));
            self.index
                .caches
                .times
                .keep(self.time_field(recency), &inputs);
            self.times = Some(KnownTimes::new(inputs, recency));
        }
        Ok(())
    }

    /// The effects of modifiers on every document, column by column.
    fn modifications_of_all(
        &self,
        modifiers: &ScoreModifiers<usize>,
    ) -> std::result::Result<Vec<Modification>, Cancelled> {
        let mut inputs = vec![Modification::NONE; self.end as usize];
        let mut visit = |modifier: &ScoreModifier<usize>, change: fn(&mut Modification, f64)| {
            self.cancellation.check()?;
            self.fill(&mut inputs, modifier.field, |input, number| {
                change(input, modifier.weight * number);
            });
            Ok(())
        };
        for modifier in modifiers.multiply() {
            visit(modifier, |input, value| input.factor *= value)?;
        }
        for modifier in modifiers.add() {
            visit(modifier, |input, value| input.sum += value)?;
        }
        Ok(inputs)
    }

    /// Changes the inputs of all documents that have a number in the field at `place`.
    fn fill<R>(&self, inputs: &mut [R], place: usize, change: impl Fn(&mut R, f64)) {
        if let Some(column) = self.numbers.column(place) {
            column.for_each(|doc, number| {
                if let Some(input) = inputs.get_mut(doc as usize) {
                    change(input, number.as_f64());
                }
            });
        }
    }

    /// The name by which modifiers are remembered.
    fn modifiers_name(&self, modifiers: &ScoreModifiers<usize>) -> String {
        let named = modifiers.map_fields(|&place| self.rescoring.fields.get(place));
        format!("{named:?}")
    }

    /// The name by which times are remembered.
    fn time_field(&self, recency: &StageRecency) -> &str {
        &self.rescoring.fields[recency.place]
    }

    /// Changes scores by modifiers.
    fn modify(&self, modifiers: &ScoreModifiers<usize>, docs: &[u32], scores: &mut [f64]) {
        debug_assert_eq!(docs.len(), scores.len(), "a score for each document");
        let known = self.modifications.as_deref();
        for (&doc, score) in docs.iter().zip(scores) {
            let modification = match known.and_then(|inputs| inputs.get(doc)) {
                Some(input) if !self.numbers.is_revised(doc) => input,
                _ => self.rescoring.modification(modifiers, self.numbers, doc),
            };
            *score = modification.apply(*score);
        }
    }

    /// Changes scores of documents, which ascend, by recency; a score that would not end above `least` however recent
    /// its document is becomes one that is not above it either.
    fn age(&self, recency: &StageRecency, docs: &[u32], scores: &mut [f64], least: Option<f64>) {
        debug_assert_eq!(docs.len(), scores.len(), "a score for each document");
        debug_assert!(
            docs.len() <= RESCORED_TOGETHER,
            "no more than are asked for together"
        );
        let mut near = [0; RESCORED_TOGETHER];
        let mut places = [0; RESCORED_TOGETHER];
        let mut count = 0;
        for (place, (&doc, score)) in docs.iter().zip(&mut *scores).enumerate() {
            // Recency is above 0 and at most 1; a score below 0 stays there.
            let best = match recency.add_to_score_weight {
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
        let mut times = [f64::NAN; RESCORED_TOGETHER];
        let (near, times) = (&near[..count], &mut times[..count]);
        self.times_of(recency, near, times);
        for (&place, &time) in places.iter().zip(&*times) {
            let time = Some(time).filter(|time| !time.is_nan());
            scores[place] = recency.joined(scores[place], recency.curve.at(time));
        }
    }

    /// The times of documents, which ascend; NaN where one is not known.
    fn times_of(&self, recency: &StageRecency, docs: &[u32], times: &mut [f64]) {
        debug_assert_eq!(docs.len(), times.len(), "room for the time of each");
        let are_known = self.times.is_some() && !self.numbers.has_revised();
        match self.times.as_ref().filter(|_| are_known) {
            Some(KnownTimes { inputs, .. })
                if docs.last().is_none_or(|&last| inputs.get(last).is_some()) =>
            {
                for (&doc, time) in docs.iter().zip(times) {
                    *time = inputs.get(doc).map_or(f64::NAN, |input| input.0);
                }
            }
            _ => self.numbers.gather(recency.place, docs, times),
        }
    }
}

impl Rescore for MatchScores<'_> {
    fn rescore(&mut self, docs: &[u32], scores: &mut [f64], least: Option<f64>) {
        self.note_asked(docs.len());
        let rescoring = self.rescoring;
        if let Some(modifiers) = &rescoring.modifiers {
            self.modify(modifiers, docs, scores);
        }
        if let Some(recency) = &rescoring.recency {
            self.age(recency, docs, scores, least);
        }
    }

    fn has_ceilings(&self) -> bool {
        let rescoring = self.rescoring;
        !self.numbers.has_revised()
            && (rescoring.modifiers.is_none() || self.modifications.is_some())
            && (rescoring.recency.is_none() || self.times.is_some())
    }

    #[inline]
    fn ceiling(&self, docs: RangeInclusive<u32>) -> Option<Ceiling> {
        // The inputs of these show what the columns have now, not the view of the search.
        if self.numbers.has_revised() {
            return None;
        }
        let mut ceiling = Ceiling::SAME;
        if self.rescoring.modifiers.is_some() {
            let highest = self.modifications.as_ref()?.bounds(docs.clone())?;
            (ceiling.factor, ceiling.sum) = (highest.factor, highest.sum);
        }
        if let Some(recency) = &self.rescoring.recency {
            let KnownTimes { inputs, steps } = self.times.as_ref()?;
            let [earliest, latest] = inputs.bounds(docs)?;
            let highest = steps.highest(earliest..=latest);
            match recency.add_to_score_weight {
                Some(weight) => ceiling.addend = (highest * weight).max(0.0),
                None => (ceiling.scale, ceiling.scale_below) = (highest, steps.least()),
            }
        }
        Some(ceiling)
    }

    fn promising(&self, first: u32, score: f32, least: f64) -> u64 {
        let Some(ceiling) = self.ceiling(first..=first + 63) else {
            return u64::MAX;
        };
        let score = f64::from(score);
        let mut promising = u64::MAX;
        if let Some(inputs) = self
            .modifications
            .as_ref()
            .and_then(|inputs| inputs.run(first))
        {
            let may_reach = |input: &Modification| {
                let highest = input.at_most(score) * ceiling.scale + ceiling.addend;
                u8::from(highest >= least)
            };
            promising &= bits_of(&std::array::from_fn(|at| may_reach(&inputs[at])));
        }
        if let Some(recency) = &self.rescoring.recency
            && let Some(KnownTimes { inputs, steps }) = &self.times
            && let Some(inputs) = inputs.run(first)
        {
            let modified = (score * ceiling.factor + ceiling.sum).max(0.0);
            if let Some(times) = steps.reaching(recency.needed(modified, least)) {
                let may_reach = |time: &Time| u8::from(times.contains(&time.0));
                promising &= bits_of(&std::array::from_fn(|at| may_reach(&inputs[at])));
            }
        }
        promising
    }
}
