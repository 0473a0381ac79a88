//! The inputs of changed scores, read from every document and remembered by ordinal: one input a match in place of a
//! column for each modifier, and for each run of documents an upper bound of its inputs.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lru::LruCache;
use parking_lot::Mutex;
use pelorus_rank::{Modification, Recency};

/// Most memory of one index for what modifiers make of documents, about 17 bytes a version for each set of them.
pub(crate) const MODIFICATIONS_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Most memory of one index for times of documents, about 9 bytes a version for each field.
pub(crate) const TIMES_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Documents that share a bound.
const RUN_LEN: usize = 64;
/// Documents whose inputs are copied together when one of them changes.
const BLOCK_LEN: usize = 1_024;
const RUNS: usize = BLOCK_LEN / RUN_LEN;

/// The remembered values of a document.
pub(crate) trait ScoreInput: Copy + Debug {
    /// The common bounds of some inputs.
    type Bounds: Copy + Debug;

    /// The input of a document that has none of the numbers.
    const NONE: Self;

    fn bounds(inputs: &[Self]) -> Self::Bounds;

    /// The bounds of the inputs of both.
    fn join(one: Self::Bounds, other: Self::Bounds) -> Self::Bounds;
}

impl ScoreInput for Modification {
    type Bounds = Self;

    const NONE: Self = Modification::NONE;

    fn bounds(inputs: &[Self]) -> Self {
        Modification::highest(inputs)
    }

    #[inline]
    fn join(one: Self, other: Self) -> Self {
        Self {
            factor: one.factor.max(other.factor),
            sum: one.sum.max(other.sum),
        }
    }
}

/// The time of a document, in seconds of Unix time; NaN where it is not known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time(pub f64);

impl Time {
    /// The time for a number that a document has.
    pub fn of(recency: &Recency, seconds: f64) -> Self {
        match recency.is_none(seconds) {
            true => Self::NONE,
            false => Self(seconds),
        }
    }
}

impl ScoreInput for Time {
    /// The earliest and the latest time, in this order unless there is none.
    type Bounds = [f64; 2];

    const NONE: Self = Time(f64::NAN);

    fn bounds(inputs: &[Self]) -> [f64; 2] {
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        // The least and the greatest of a number and NaN are the number.
        let widened =
            |[earliest, latest]: [f64; 2], time: &Self| [earliest.min(time.0), latest.max(time.0)];
        inputs.iter().fold(none, widened)
    }

    fn join(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
        [one[0].min(other[0]), one[1].max(other[1])]
    }
}

/// The inputs of all document versions, as of one view.
#[derive(Debug, Clone)]
pub(crate) struct ScoreInputs<R: ScoreInput> {
    /// The last one may end with inputs of no document.
    blocks: Vec<Arc<Block<R>>>,
    /// The ordinals of the view are below.
    end: u32,
    /// The sequence of the view.
    pub sequence: u64,
}

#[derive(Debug, Clone)]
struct Block<R: ScoreInput> {
    inputs: [R; BLOCK_LEN],
    bounds: [R::Bounds; RUNS],
}

impl<R: ScoreInput> Block<R> {
    fn of(inputs: [R; BLOCK_LEN]) -> Self {
        let (runs, _) = inputs.as_chunks::<RUN_LEN>();
        let bounds = std::array::from_fn(|run| R::bounds(&runs[run]));
        Self { inputs, bounds }
    }
}

impl<R: ScoreInput> ScoreInputs<R> {
    /// One input for each ordinal of a view.
    pub fn new(inputs: &[R], sequence: u64) -> Self {
        let block = |some: &[R]| {
            let mut inputs = [R::NONE; BLOCK_LEN];
            inputs[..some.len()].copy_from_slice(some);
            Arc::new(Block::of(inputs))
        };
        Self {
            blocks: inputs.chunks(BLOCK_LEN).map(block).collect(),
            end: inputs.len() as u32,
            sequence,
        }
    }

    /// The inputs of a later view, in which some documents were changed and ordinals from the end of this one up to `end`
    /// are new. Unchanged blocks are shared.
    pub fn updated(
        &self,
        sequence: u64,
        end: u32,
        changed: &[u32],
        read: impl Fn(u32) -> R,
    ) -> Self {
        debug_assert!(sequence >= self.sequence && end >= self.end, "views go on");
        debug_assert!(
            changed.iter().all(|&doc| doc < end),
            "a view has its documents"
        );
        let mut blocks = self.blocks.clone();
        let empty = || Arc::new(Block::of([R::NONE; BLOCK_LEN]));
        blocks.resize_with((end as usize).div_ceil(BLOCK_LEN), empty);
        let mut runs = Vec::new();
        for doc in changed.iter().copied().chain(self.end..end) {
            let at = doc as usize;
            if let Some(block) = blocks.get_mut(at / BLOCK_LEN) {
                Arc::make_mut(block).inputs[at % BLOCK_LEN] = read(doc);
                runs.push(at / RUN_LEN);
            }
        }
        runs.sort_unstable();
        runs.dedup();
        for run in runs {
            let block = Arc::make_mut(&mut blocks[run / RUNS]);
            let (inputs, _) = block.inputs.as_chunks::<RUN_LEN>();
            block.bounds[run % RUNS] = R::bounds(&inputs[run % RUNS]);
        }
        Self {
            blocks,
            end,
            sequence,
        }
    }

    /// The input of a document of the view.
    #[inline]
    pub fn get(&self, doc: u32) -> Option<R> {
        if doc >= self.end {
            return None;
        }
        let block = &self.blocks[doc as usize / BLOCK_LEN];
        Some(block.inputs[doc as usize % BLOCK_LEN])
    }

    /// Bounds of the inputs of some documents, maybe of their neighbours too; `None` where some are not of the view.
    #[inline]
    pub fn bounds(&self, docs: RangeInclusive<u32>) -> Option<R::Bounds> {
        if *docs.end() >= self.end {
            return None;
        }
        let bounds = |run: usize| self.blocks[run / RUNS].bounds[run % RUNS];
        let (first, last) = (
            *docs.start() as usize / RUN_LEN,
            *docs.end() as usize / RUN_LEN,
        );
        Some((first + 1..=last).fold(bounds(first), |all, run| R::join(all, bounds(run))))
    }

    /// The inputs of the 64 documents from `first` on; `None` where some are not of the view.
    #[inline]
    pub fn run(&self, first: u32) -> Option<[R; RUN_LEN]> {
        if first + RUN_LEN as u32 > self.end {
            return None;
        }
        let (block, at) = (first as usize / BLOCK_LEN, first as usize % BLOCK_LEN);
        let here = &self.blocks[block].inputs[at..BLOCK_LEN.min(at + RUN_LEN)];
        let mut inputs = [R::NONE; RUN_LEN];
        inputs[..here.len()].copy_from_slice(here);
        if here.len() < RUN_LEN {
            let rest = RUN_LEN - here.len();
            inputs[here.len()..].copy_from_slice(&self.blocks[block + 1].inputs[..rest]);
        }
        Some(inputs)
    }

    fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Block<R>>()
    }
}

/// The inputs used most recently, by the fields that they are made of.
#[derive(Debug)]
pub(crate) struct ScoreInputCache<R: ScoreInput> {
    slots: Mutex<LruCache<String, Arc<ScoreInputs<R>>>>,
    bytes_max: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl<R: ScoreInput> ScoreInputCache<R> {
    /// Makes a cache of so many bytes at most.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            slots: Mutex::new(LruCache::unbounded()),
            bytes_max,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Times that inputs were known, and times that they were not.
    pub fn uses(&self) -> (u64, u64) {
        let uses = [&self.hits, &self.misses].map(|count| count.load(Ordering::Relaxed));
        (uses[0], uses[1])
    }

    /// Tells whether inputs of so many document versions can be kept.
    pub fn has_room_for(&self, versions: u32) -> bool {
        (versions as usize).div_ceil(BLOCK_LEN) * size_of::<Block<R>>() <= self.bytes_max
    }

    /// The inputs by a name; their `sequence` says of which view they are.
    pub fn get(&self, name: &str) -> Option<Arc<ScoreInputs<R>>> {
        let known = self.slots.lock().get(name).cloned();
        let count = if known.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        count.fetch_add(1, Ordering::Relaxed);
        known
    }

    /// Keeps inputs, unless a later view's are here already. Those that were used longest ago give way.
    pub fn keep(&self, name: &str, inputs: &Arc<ScoreInputs<R>>) {
        let mut slots = self.slots.lock();
        let is_later = |other: &Arc<ScoreInputs<R>>| other.sequence > inputs.sequence;
        if inputs.bytes() > self.bytes_max || slots.peek(name).is_some_and(is_later) {
            return;
        }
        slots.put(name.to_owned(), inputs.clone());
        let mut bytes: usize = slots.iter().map(|(_, inputs)| inputs.bytes()).sum();
        while bytes > self.bytes_max
            && let Some((_, oldest)) = slots.pop_lru()
        {
            bytes -= oldest.bytes();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let slots = self.slots.lock();
        slots.iter().map(|(_, inputs)| inputs.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    fn inputs(count: usize, sequence: u64) -> Arc<ScoreInputs<Time>> {
        Arc::new(ScoreInputs::new(&vec![Time(1.0); count], sequence))
    }

    #[test]
    fn memory_is_bounded_and_what_was_used_longest_ago_gives_way() {
        let cache = ScoreInputCache::new(5 * size_of::<Block<Time>>());
        cache.keep("a", &inputs(2_000, 1));
        cache.keep("b", &inputs(2_000, 1));
        assert!(cache.get("a").is_some());
        cache.keep("c", &inputs(2_000, 1));
        assert!(cache.get("b").is_none() && cache.get("a").is_some());
        assert_eq!(cache.memory_bytes(), 4 * size_of::<Block<Time>>());
        cache.keep("d", &inputs(5_121, 1));
        assert!(cache.get("d").is_none());
        assert!(cache.has_room_for(5_120) && !cache.has_room_for(5_121));
    }

    #[test]
    fn an_earlier_view_does_not_displace_a_later_one() {
        let cache = ScoreInputCache::new(1 << 20);
        cache.keep("a", &inputs(5, 7));
        cache.keep("a", &inputs(4, 6));
        assert_eq!(cache.get("a").map(|inputs| inputs.sequence), Some(7));
    }

    #[test]
    fn updated_inputs_are_those_of_the_later_view() {
        let mut random = SplitMix64(11);
        let mut time = || match random.below(5) {
            0 => f64::NAN,
            _ => f64::from(random.unit()),
        };
        let mut times: Vec<f64> = (0..3_000).map(|_| time()).collect();
        let all = |times: &[f64]| times.iter().copied().map(Time).collect::<Vec<_>>();
        let mut inputs = ScoreInputs::new(&all(&times), 0);
        for (sequence, changed, end) in [
            (1, vec![], 3_000),
            (2, vec![5, 2_999, 5], 3_001),
            (3, vec![1_024], 5_000),
        ] {
            let before = inputs.clone();
            changed
                .iter()
                .for_each(|&doc: &u32| times[doc as usize] = time());
            times.resize_with(end, &mut time);
            inputs = inputs.updated(sequence, end as u32, &changed, |doc| {
                Time(times[doc as usize])
            });
            let is_shared = |at: usize| Arc::ptr_eq(&before.blocks[at], &inputs.blocks[at]);
            assert_eq!(
                (0..2).map(is_shared).collect::<Vec<_>>(),
                [!changed.contains(&5), !changed.contains(&1_024)]
            );
            assert!(inputs.get(end as u32).is_none() && inputs.bounds(0..=end as u32).is_none());
            assert!(inputs.run(end as u32 - 63).is_none());
            for (doc, time) in times.iter().enumerate() {
                let input = inputs.get(doc as u32).map(|input| input.0.to_bits());
                assert_eq!(input, Some(time.to_bits()));
            }
            for first in (0..end - 70).step_by(37) {
                let run = inputs.run(first as u32).expect("they are of the view");
                let expected = times[first..first + 64].iter().map(|time| time.to_bits());
                assert!(run.iter().map(|input| input.0.to_bits()).eq(expected));
                let docs = first as u32..=first as u32 + 63;
                let [earliest, latest] = inputs.bounds(docs).expect("they are of the view");
                let here = times[first..first + 64]
                    .iter()
                    .filter(|time| !time.is_nan());
                assert!(here.clone().all(|time| (earliest..=latest).contains(time)));
                let near = &times[first / 64 * 64..(first / 64 * 64 + 128).min(end)];
                assert!(near.contains(&earliest) && near.contains(&latest));
            }
        }
    }
}
