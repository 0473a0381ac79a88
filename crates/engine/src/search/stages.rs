//! The stages behind the legs: cut-off, changed scores of the fused ranking, sorting, late interaction, unlikeness, the page.
//!
//! The legs hand on a pool of scored candidates ([`Legs::pool`]), which is the same for every page as
//! long as its caps are. Where pages lie deeper than a pool, the next and larger one adds those that
//! it has besides to the end: so pages of any size are cut from one list. Only the first is sorted by fields:
//! a list that began anew with the next would be in no order. Words alone need no pool: all that matches them is
//! sorted. A search that is after all its pages makes the
//! whole list at once.

use std::cell::Cell;

use pelorus_rank::RelevanceCutoff;
use rustc_hash::FxHashSet;

use super::diversity::diversify;
use super::hit_scores::HitScores;
use super::hits::{Hit, sort_by_score};
use super::late_interaction::LateRanking;
use super::legs::{CANDIDATES, Caps, Legs, sorted_together};
use super::named_scores::scores_of;
use super::nearest::steps;
use super::rescoring::{Rescoring, last_rescoring, note_recency};
use super::sorting::sort_by_fields;
use crate::error::Result;
use crate::generated::{self, CutoffLegs, RelevanceCutoffMethod, Sort};

/// The hits of a page, or of all pages, and the other members of the answer.
#[derive(Clone)]
pub(super) struct Page {
    pub hits: Vec<Hit>,
    /// The number of hits that a sort puts in order, with one.
    pub sort_candidates: Option<usize>,
    pub probe: Option<Probe>,
    /// The number of hits that a cut-off leaves, with one.
    pub left: Option<usize>,
}

impl Page {
    /// A page of which no more is told than its hits.
    pub fn of(hits: Vec<Hit>) -> Self {
        Self {
            hits,
            sort_candidates: None,
            probe: None,
            left: None,
        }
    }
}

/// The result of a cut-off's probe.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    /// Documents that it found.
    pub candidates: usize,
    /// The number of relevant ones of these.
    pub relevant: usize,
}

/// The page of a search, or all its pages joined.
pub(super) fn page(legs: &Legs<'_>) -> Result<Page> {
    let plan = &legs.query.plan;
    let probe = match &plan.relevance_cutoff {
        Some(cutoff) => Some(run_probe(legs, cutoff)?),
        None => None,
    };
    let cut = plan.relevance_cutoff.as_ref().zip(probe);
    let mut sort_candidates = None;
    let mut hits = match &plan.sort {
        Some(sort) => {
            let (sorted, candidates) = sorted(legs, sort, cut)?;
            sort_candidates = Some(candidates);
            legs.query.cut(&sorted)
        }
        None => rescored_page(legs, cut)?,
    };
    debug_assert!(
        hits.len() <= legs.query.depth(),
        "a page is no longer than asked"
    );
    if legs.query.cuts_later() {
        if let Some(late) = &plan.late_interaction {
            LateRanking::of(legs, late)?.rank(&mut hits)?;
        }
        if let Some(diversity) = &plan.diversity {
            diversify(legs, diversity, &mut hits)?;
        }
        hits = legs.query.page_of(&legs.pins.put_among(hits));
    }
    if let Some(recency) = &plan.recency {
        note_recency(legs.documents, legs.query, recency, &mut hits)?;
    }
    Ok(Page {
        hits,
        sort_candidates,
        left: probe.map(|_| legs.left()),
        probe,
    })
}

/// The page where hits are in the order of their scores.
fn rescored_page(
    legs: &Legs<'_>,
    cut: Option<(&generated::RelevanceCutoff, Probe)>,
) -> Result<Vec<Hit>> {
    let plan = &legs.query.plan;
    let modifiers = plan.rescoring.as_ref();
    let stage = Stage {
        legs,
        is_rescored: last_rescoring(plan).is_some(),
        is_modified: modifiers.is_some(),
    };
    let depth = modifiers.and_then(|rescoring| rescoring.depth);
    if let Some((cutoff, probe)) = cut {
        let mut hits = legs.pool(caps_of(cutoff, probe.relevant))?;
        legs.note_left(&hits);
        stage.apply(&mut hits, depth)?;
        return Ok(legs.query.cut(&hits));
    }
    if !legs.query.shows_hits() && !legs.are_counted() {
        return Ok(Vec::new());
    }
    let cross_count = legs.cross_count();
    if !stage.is_rescored && cross_count.is_none() {
        return legs.page();
    }
    if let Some(mut hits) = legs.cross_page()? {
        for page in hits.chunks_mut(plan.limit.max(1)) {
            stage.apply(page, None)?;
        }
        return Ok(hits);
    }
    match depth {
        // Those behind keep their scores, of which the first of the page's depth are known.
        Some(depth) => {
            let known = depth.saturating_add(legs.query.depth());
            let mut hits = legs.pool(Caps::both(pelorus_rank::rrf_depth(known)))?;
            hits.truncate(known);
            stage.apply(&mut hits, Some(depth))?;
            Ok(legs.query.cut(&hits))
        }
        None => {
            let first = cross_count.unwrap_or(CANDIDATES);
            let hits = joined(legs, first, |hits, _| stage.apply(hits, None))?;
            Ok(legs.query.cut(&hits))
        }
    }
}

/// The stage behind the legs.
struct Stage<'a> {
    legs: &'a Legs<'a>,
    is_rescored: bool,
    /// Tells whether modifiers are among it, and not age alone.
    is_modified: bool,
}

impl Stage<'_> {
    /// The rescoring that changes the scores of `hits`.
    fn rescoring(&self, hits: &[Hit]) -> Result<Option<Rescoring>> {
        if let Some(rescoring) = last_rescoring(&self.legs.query.plan)
            && HitScores::are_named(&rescoring.fields)
        {
            let scores = scores_of(self.legs, &rescoring.fields, hits)?;
            self.legs.note_hit_scores(scores);
        }
        Ok(self.legs.last_rescoring())
    }

    /// Changes the scores of the first `depth` hits, or of all, and ranks all of them anew. Where none is shown they stay
    /// as they are, and are as many.
    fn apply(&self, hits: &mut [Hit], depth: Option<usize>) -> Result<()> {
        if !self.is_rescored || !self.legs.query.shows_hits() {
            return Ok(());
        }
        if self.is_modified {
            for hit in &mut *hits {
                hit.pre_rerank_score = Some(hit.score);
            }
        }
        let count = depth.unwrap_or(usize::MAX).min(hits.len());
        let Some(rescoring) = self.rescoring(&hits[..count])? else {
            return Ok(());
        };
        rescoring.apply(self.legs.documents, self.legs.query, &mut hits[..count])?;
        for hit in &mut hits[..count] {
            hit.stages.is_changed = true;
        }
        sort_by_score(hits);
        Ok(())
    }
}

/// Fetches pools of growing caps from `first` on until they fill the page; `treat` gets only the new hits of each, and
/// the number of earlier ones.
fn joined(
    legs: &Legs<'_>,
    first: usize,
    treat: impl Fn(&mut [Hit], usize) -> Result<()>,
) -> Result<Vec<Hit>> {
    let wanted = legs.query.depth();
    let mut hits: Vec<Hit> = Vec::new();
    let mut known = FxHashSet::default();
    for cap in steps(first, usize::MAX) {
        legs.query.cancellation.check()?;
        let mut pool = legs.pool(Caps::both(cap))?;
        pool.retain(|hit| known.insert(legs.group(hit.doc)));
        treat(&mut pool, hits.len())?;
        // A larger pool with nothing new in it holds all there is.
        let is_last = pool.is_empty();
        hits.append(&mut pool);
        if is_last || hits.len() >= wanted {
            break;
        }
    }
    Ok(hits)
}

/// All that matches the words, or the hits of the first pool, in the order of the fields as far as they are to be
/// sorted; behind these, where the page lies deeper, others by their relevance. And how many hits there are to sort.
fn sorted(
    legs: &Legs<'_>,
    sort: &Sort,
    cut: Option<(&generated::RelevanceCutoff, Probe)>,
) -> Result<(Vec<Hit>, usize)> {
    let candidates = Cell::new(0);
    let by_fields = |hits: &mut [Hit], before: usize| {
        if before > 0 {
            return Ok(());
        }
        candidates.set(hits.len());
        let count = sort.depth.unwrap_or(usize::MAX).min(hits.len());
        sort_by_fields(legs.documents, legs.query, &sort.fields, &mut hits[..count])
    };
    let mut hits = match cut {
        Some((cutoff, probe)) => {
            let count = sort.candidates.unwrap_or(0).max(probe.relevant);
            let mut hits = legs.pool(caps_of(cutoff, count))?;
            if cutoff.sorts_relevant {
                hits.truncate(count);
            }
            legs.note_left(&hits);
            by_fields(&mut hits, 0)?;
            hits
        }
        None => match legs.sorted_leg(sort) {
            Some(leg) => {
                let (hits, count) = legs.sorted_matches(leg, sort)?;
                candidates.set(count);
                hits
            }
            None => joined(legs, sorted_together(sort), by_fields)?,
        },
    };
    for (place, hit) in hits.iter_mut().enumerate() {
        // Fields give no score, and answers have one that falls with the place.
        hit.score = 1.0 / (place + 1) as f64;
        hit.stages.sorted_place = Some(place);
    }
    Ok((hits, candidates.get()))
}

/// The number of documents that each leg gives where `count` are relevant.
fn caps_of(cutoff: &generated::RelevanceCutoff, count: usize) -> Caps {
    match cutoff.legs {
        CutoffLegs::Both => Caps::both(count),
        CutoffLegs::Tensor => Caps {
            tensor: count,
            lexical: cutoff.probe_depth,
        },
    }
}

/// A lexical search by BM25 alone, whose scores tell how many documents are relevant.
fn run_probe(legs: &Legs<'_>, cutoff: &generated::RelevanceCutoff) -> Result<Probe> {
    let found = legs.probed(&cutoff.probe, cutoff.probe_depth)?;
    let scores: Vec<f64> = found.iter().map(|hit| hit.score).collect();
    let method = match cutoff.method {
        RelevanceCutoffMethod::RelativeMaxScore => RelevanceCutoff::RelativeMaxScore(cutoff.factor),
        RelevanceCutoffMethod::GapDetection => RelevanceCutoff::GapDetection,
        RelevanceCutoffMethod::MeanStdDev => RelevanceCutoff::MeanStdDev(cutoff.factor),
    };
    Ok(Probe {
        candidates: scores.len(),
        relevant: method.count(&scores),
    })
}
