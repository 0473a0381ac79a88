use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::BitSet;

use super::collectors::Collector;
use super::pruning::Survivors;
use super::term_scan::TermScan;
use super::window::{Window, WindowKind};
use crate::posting_list::PostingCursor;
use crate::view::Part;

/// The terms of a query in one part.
#[derive(Clone)]
pub(super) struct PartScan<'a> {
    pub(super) part: Part<'a>,
    pub(super) required: Vec<TermScan<'a>>,
    pub(super) optional: Vec<TermScan<'a>>,
    pub(super) cancellation: &'a Cancellation,
}

/// Windows between two looks at whether the search is cancelled.
const WINDOWS_PER_CHECK: usize = 4;

/// The documents that may be found.
#[derive(Clone, Copy)]
pub(super) struct Accepted<'s> {
    pub(super) set: &'s BitSet,
    /// The share of all documents, about.
    pub(super) share: f64,
}

/// The documents of the rarest required term and how many there are at most.
struct Lead<'a> {
    count: usize,
    cursors: Vec<PostingCursor<'a>>,
}

/// A set of documents decides which postings are scored if these are this many times as many: less
/// and looking the documents up costs more than passing the others.
const SELECTIVE_FACTOR: usize = 8;

impl<'a> PartScan<'a> {
    /// Shows `collector` every match among the accepted documents, or among all, by ascending number,
    /// but for those that are not among the survivors; gives their number.
    pub(super) fn run(
        &mut self,
        accepted: Option<Accepted<'_>>,
        survivors: Option<&Survivors<'_>>,
        collector: &mut impl Collector,
    ) -> Result<u64, Cancelled> {
        if survivors.is_none() && (self.is_one_list() || self.is_scattered()) {
            return self.run_by_match(accepted.map(|all| all.set), collector);
        }
        if survivors.is_none() && self.is_sparse() {
            return self.run_by_document(accepted.map(|all| all.set), collector);
        }
        let documents = self.part.end() as usize;
        let postings = self.postings();
        let lead = self.lead(postings);
        let drivers = lead.as_ref().map_or(postings, |lead| lead.count);
        let share = accepted.map_or(1.0, |accepted| accepted.share);
        let accepted_count = (documents as f64 * share) as usize;
        let is_selective = accepted_count.saturating_mul(SELECTIVE_FACTOR) < postings;
        let matches = match is_selective {
            true => drivers.min(accepted_count),
            false => drivers,
        };
        let is_filtered = is_selective || lead.is_some();
        let mut limits = Limits {
            filter: accepted.filter(|_| is_filtered).map(|all| all.set),
            lead,
            survivors,
        };
        let rest = accepted.filter(|_| !is_filtered).map(|all| all.set);
        let kind = match survivors {
            Some(survivors) if survivors.are_few => WindowKind::Narrow,
            _ => WindowKind::of(documents, matches),
        };
        Window::with(kind, |window| {
            self.scan(window, &mut limits, rest, collector)
        })
    }

    /// [`PartScan::run`] in a window: of the documents that are scored those in `rest` count.
    fn scan(
        &mut self,
        window: &mut Window,
        limits: &mut Limits<'_, '_>,
        rest: Option<&BitSet>,
        collector: &mut impl Collector,
    ) -> Result<u64, Cancelled> {
        let part = self.part;
        let mut total = 0;
        let mut from = 0;
        for windows in 1_usize.. {
            if windows.is_multiple_of(WINDOWS_PER_CHECK) {
                self.cancellation.check()?;
            }
            let start = match limits.survivors {
                None => self.next_start(from, limits.lead.as_ref()),
                Some(survivors) => survivors.next(from, part, collector.worst()),
            };
            let Some(start) = start else { break };
            window.begin(start);
            from = window.end();
            if !limits.apply(window, part, collector) {
                continue;
            }
            let matched = self.score_window(window, limits.survivors, collector.worst());
            window.drain_words(|start, word, scores| {
                if !matched {
                    return;
                }
                let word = rest.map_or(word, |rest| part.retain_accepted(word, start, rest));
                total += u64::from(word.count_ones());
                collector.collect(&part, start, word, scores);
            });
        }
        Ok(total)
    }

    pub(super) fn postings(&self) -> usize {
        self.terms().map(TermScan::postings).sum()
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = &TermScan<'a>> {
        self.required.iter().chain(&self.optional)
    }

    /// Tells whether the rarest required term alone decides which documents are scored.
    pub(super) fn leads_alone(&self) -> bool {
        self.is_sparse() || self.lead(self.postings()).is_some()
    }

    fn lead(&self, postings: usize) -> Option<Lead<'a>> {
        let rarest = self.required.iter().min_by_key(|term| term.postings())?;
        let count = rarest.postings();
        let is_rare = count.saturating_mul(SELECTIVE_FACTOR) < postings - count;
        is_rare.then(|| Lead {
            count,
            cursors: rarest.cursors(),
        })
    }

    /// No document from `from` on and below it can match any more; `None` when none can match at all.
    fn next_start(&self, from: u32, lead: Option<&Lead<'_>>) -> Option<u32> {
        let mut start = from;
        if let Some(lead) = lead {
            start = start.max(lead.doc()?);
        }
        for term in &self.required {
            start = start.max(term.doc()?);
        }
        if self.required.is_empty() {
            start = start.max(self.optional.iter().filter_map(TermScan::doc).min()?);
        }
        (start < self.part.end()).then_some(start)
    }

    /// False if the window holds no match.
    fn score_window(
        &mut self,
        window: &mut Window,
        survivors: Option<&Survivors<'_>>,
        worst: Option<(f32, u32)>,
    ) -> bool {
        let documents = self.part.end() as usize;
        for term in &mut self.required {
            term.score_into(window, documents);
            if !window.end_required() {
                return false;
            }
        }
        let tail = survivors.and_then(|survivors| survivors.tail(worst));
        for (at, term) in self.optional.iter_mut().enumerate() {
            if let Some((_, least)) = tail.as_ref().filter(|(from, _)| *from == at)
                && !window.keep_from(least)
            {
                return false;
            }
            term.score_into(window, documents);
        }
        true
    }
}

/// The limits that leave documents of a window out before they are scored.
struct Limits<'s, 'a> {
    survivors: Option<&'s Survivors<'s>>,
    lead: Option<Lead<'a>>,
    filter: Option<&'s BitSet>,
}

impl Limits<'_, '_> {
    /// False if no document of the window is left.
    fn apply(&mut self, window: &mut Window, part: Part<'_>, collector: &impl Collector) -> bool {
        let end = window.end();
        let is_left = if let Some(survivors) = self.survivors {
            window.limit(|start, set| survivors.mark(start, part, collector, set))
        } else if let Some(lead) = &mut self.lead {
            window.limit(|start, set| lead.mark(start, end, set))
        } else {
            true
        };
        is_left
            && self
                .filter
                .is_none_or(|accept| window.limit_to_accepted(&part, accept))
    }
}

impl Lead<'_> {
    fn doc(&self) -> Option<u32> {
        self.cursors.iter().filter_map(PostingCursor::doc).min()
    }

    /// Adds the documents of `start..end` to `set`, which begins at `start`.
    fn mark(&mut self, start: u32, end: u32, set: &mut [u64]) {
        for cursor in &mut self.cursors {
            cursor.advance_to(start);
            cursor.drain_docs_below(end, |docs| {
                for &doc in docs {
                    let at = (doc - start) as usize;
                    set[at / 64] |= 1 << (at % 64);
                }
            });
        }
    }
}
