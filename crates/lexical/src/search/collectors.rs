use pelorus_kernels::{TopK, bits_of};

use crate::query::MatchProbe;
use crate::rescore::{RESCORED_TOGETHER, Rescore};
use crate::view::Part;

/// Takes in matches.
pub(super) trait Collector {
    /// Up to 64 consecutive documents of a part from `start` on, those in `accepted`. The others'
    /// scores mean nothing.
    fn collect(&mut self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]);

    /// Score and ordinal of the last of as many as are wanted, once there are so many; the score may be
    /// rounded down.
    fn worst(&self) -> Option<(f32, u32)> {
        None
    }

    /// The documents that may be among the best, of the 64 of a part from `start` on, if their BM25 is not above
    /// `score`: one bit for each.
    fn promising(&self, _part: &Part<'_>, _start: u32, _score: f32) -> u64 {
        u64::MAX
    }
}

/// Keeps the best matches.
pub(super) trait Ranking: Collector {
    /// Forgets all matches so far.
    fn clear(&mut self);
}

/// Documents whose scores are looked at one by one more quickly than at once.
const SINGLY_UP_TO: u32 = 8;

/// The best by BM25, of equal ones those with the smaller ordinals.
pub(super) struct Best {
    k: usize,
    top: TopK<()>,
    worst: Option<(f32, u32)>,
}

impl Best {
    pub(super) fn new(k: usize) -> Best {
        Best {
            k,
            top: TopK::new(k),
            worst: None,
        }
    }

    /// Tells whether a document with this score may be among the best.
    #[inline]
    pub(super) fn is_enough(&self, score: f32) -> bool {
        self.worst.is_none_or(|(worst, _)| score >= worst)
    }

    /// Takes in a match.
    #[inline]
    pub(super) fn offer(&mut self, ordinal: u32, score: f32) {
        if self.top.push(score, ordinal, ()) {
            self.worst = self.top.worst();
        }
    }

    pub(super) fn into_hits(self) -> Vec<(u32, f32)> {
        let hits = self.top.into_sorted().into_iter();
        hits.map(|hit| (hit.id, hit.score)).collect()
    }
}

impl Collector for Best {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, mut accepted: u64, scores: &[f32; 64]) {
        let are_many = accepted.count_ones() > SINGLY_UP_TO;
        if let (true, Some((worst, ordinal))) = (are_many, self.worst) {
            let best = highest(scores);
            if best < worst || best == worst && part.ordinal(start) > ordinal {
                return;
            }
        }
        while accepted != 0 {
            let at = accepted.trailing_zeros();
            let (score, doc) = (scores[at as usize], part.ordinal(start + at));
            if self.is_enough(score) {
                self.offer(doc, score);
            }
            accepted &= accepted - 1;
        }
    }

    fn worst(&self) -> Option<(f32, u32)> {
        self.worst
    }
}

impl Ranking for Best {
    fn clear(&mut self) {
        *self = Best::new(self.k);
    }
}

/// The highest of some scores, none of them NaN, in a way that runs on vectors: halves are compared with each other until
/// one score is left.
#[inline]
fn highest(scores: &[f32; 64]) -> f32 {
    let higher = |a: f32, b: f32| if b > a { b } else { a };
    let mut highest = *scores;
    let mut left = highest.len();
    while left > 1 {
        left /= 2;
        for at in 0..left {
            highest[at] = higher(highest[at], highest[at + left]);
        }
    }
    highest[0]
}

/// The highest score in each run of 64 documents of a part that holds a match, by ascending number of the run.
#[derive(Default)]
pub(super) struct BestOfRuns {
    pub(super) scores: Vec<(u32, f32)>,
}

impl Collector for BestOfRuns {
    #[inline]
    fn collect(&mut self, _: &Part<'_>, start: u32, _: u64, scores: &[f32; 64]) {
        self.scores.push((start / 64, highest(scores)));
    }
}

/// The best by another score than BM25. Where nothing is known of it every match is looked at.
pub(super) struct BestRescored<'r, R> {
    rescore: &'r mut R,
    k: usize,
    top: TopK<(), f64>,
    /// The score to reach to be one of the best, and the ordinal of the document that has it; none below `k` matches.
    worst: Option<(f64, u32)>,
    /// Matches that are not looked at yet.
    docs: [u32; RESCORED_TOGETHER],
    scores: [f64; RESCORED_TOGETHER],
    waiting: usize,
}

impl<'r, R: Rescore> BestRescored<'r, R> {
    pub(super) fn new(k: usize, rescore: &'r mut R) -> Self {
        BestRescored {
            rescore,
            k,
            top: TopK::new(k),
            worst: None,
            docs: [0; RESCORED_TOGETHER],
            scores: [0.0; RESCORED_TOGETHER],
            waiting: 0,
        }
    }

    pub(super) fn rescore(&self) -> &R {
        self.rescore
    }

    #[inline]
    pub(super) fn push(&mut self, doc: u32, score: f32) {
        self.docs[self.waiting] = doc;
        self.scores[self.waiting] = f64::from(score);
        self.waiting += 1;
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting == RESCORED_TOGETHER
    }

    pub(super) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let (docs, scores) = (&self.docs[..waiting], &mut self.scores[..waiting]);
        // Equal ones may come first by their ordinal, so that their scores must be exact too.
        let least = self.worst.map(|(worst, _)| worst.next_down());
        self.rescore.rescore(docs, scores, least);
        for (&doc, &score) in docs.iter().zip(&*scores) {
            if self.worst.is_none_or(|(worst, _)| score >= worst) && self.top.push(score, doc, ()) {
                self.worst = self.top.worst();
            }
        }
    }

    /// The documents that may be among the best, of up to 64 from `start` on, those in `accepted`.
    #[inline]
    fn left(&self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]) -> u64 {
        let Some((worst, _)) = self.worst.filter(|_| accepted != 0) else {
            return accepted;
        };
        let last = start + 63 - accepted.leading_zeros();
        let ordinals = part.ordinal(start)..=part.ordinal(last);
        match self.rescore.ceiling(ordinals) {
            Some(ceiling) => accepted & above(scores, ceiling.too_low_for(worst)),
            None => accepted,
        }
    }

    pub(super) fn into_hits(self) -> Vec<(u32, f64)> {
        let hits = self.top.into_sorted().into_iter();
        hits.map(|hit| (hit.id, hit.score)).collect()
    }
}

impl<R: Rescore> Collector for BestRescored<'_, R> {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]) {
        let mut left = self.left(part, start, accepted, scores);
        while left != 0 {
            let at = left.trailing_zeros();
            self.push(part.ordinal(start + at), scores[at as usize]);
            left &= left - 1;
        }
        if self.waiting > 0 {
            self.flush();
        }
    }

    fn worst(&self) -> Option<(f32, u32)> {
        let (worst, ordinal) = self.worst?;
        let near = worst as f32;
        match f64::from(near) > worst {
            true => Some((near.next_down(), ordinal)),
            false => Some((near, ordinal)),
        }
    }

    fn promising(&self, part: &Part<'_>, start: u32, score: f32) -> u64 {
        let last = start + 63;
        match self.worst {
            Some((worst, _)) if last < part.end() => {
                let first = part.ordinal(start);
                match part.ordinal(last) - first {
                    63 => self.rescore.promising(first, score, worst),
                    _ => u64::MAX,
                }
            }
            _ => u64::MAX,
        }
    }
}

impl<R: Rescore> Ranking for BestRescored<'_, R> {
    fn clear(&mut self) {
        self.top = TopK::new(self.k);
        self.worst = None;
    }
}

/// Tells which scores are above another, one bit for each.
#[inline]
fn above(scores: &[f32; 64], least: f32) -> u64 {
    bits_of(&std::array::from_fn(|i| u8::from(scores[i] > least)))
}

/// Notes which documents match on their way to another collector.
pub(super) struct Probing<'a, 'p, C> {
    pub(super) probe: &'a mut MatchProbe<'p>,
    pub(super) collector: &'a mut C,
}

impl<C: Collector> Collector for Probing<'_, '_, C> {
    #[inline]
    fn collect(&mut self, part: &Part<'_>, start: u32, accepted: u64, scores: &[f32; 64]) {
        if accepted == 0 {
            return;
        }
        self.probe.add(part, start, accepted);
        self.collector.collect(part, start, accepted, scores);
    }
}
