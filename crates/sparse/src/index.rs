use pelorus_kernels::BitSet;
use rustc_hash::FxHashMap;

use crate::postings::Postings;
use crate::vector::SparseVector;

/// Entries of removed documents that are left where they are, for each entry in all: one in four.
const DEAD_SHARE: usize = 4;
/// So many of them are left in any case.
const DEAD_MIN: usize = 4096;
/// Entries that a call looks through at least while removed ones are taken out: as many as take some microseconds.
const SWEEP_STEP: usize = 4096;

/// The sparse vectors of documents, which are ordinals, by index.
///
/// Removed documents stay in the postings until they are a share of all entries: then each change takes them out of some
/// postings, so that none waits for long. They are in no answer meanwhile. Ordinals that grow, as those of versions do,
/// are added quickly; any other order works.
#[derive(Debug, Default)]
pub struct SparseIndex {
    postings: FxHashMap<u32, Postings>,
    /// Entries in the postings, dead ones among them.
    entries: usize,
    /// Documents that were removed and are in the postings.
    dead: BitSet,
    dead_entries: usize,
    sweep: Option<Sweep>,
}

/// The removal of documents from the postings, as far as it has come.
#[derive(Debug)]
struct Sweep {
    dead: BitSet,
    /// The entries of these.
    entries: usize,
    /// Indices whose postings still have them.
    left: Vec<u32>,
}

impl SparseIndex {
    /// Adds a document, which must not be there.
    pub fn insert(&mut self, doc: u32, vector: &SparseVector) {
        if self.dead.contains(doc) {
            self.purge();
        }
        debug_assert!(!self.has_any(doc, vector), "{doc} is added once");
        for &(index, weight) in vector.entries() {
            self.postings.entry(index).or_default().insert(doc, weight);
        }
        self.entries += vector.entries().len();
        self.go_on_sweeping();
    }

    /// Removes a document with so many entries, which must be there.
    pub fn remove(&mut self, doc: u32, entries: usize) {
        if entries == 0 {
            return;
        }
        let is_new = self.dead.insert(doc);
        debug_assert!(is_new, "{doc} is removed once");
        self.dead_entries += entries;
        if self.sweep.is_none() && self.dead_entries > DEAD_MIN.max(self.entries / DEAD_SHARE) {
            self.begin_sweep();
        }
        self.go_on_sweeping();
    }

    /// Tells whether a document has the entries of a vector, and others perhaps.
    pub fn holds(&self, doc: u32, vector: &SparseVector) -> bool {
        let has = |&(index, weight): &(u32, f32)| self.weight(index, doc) == Some(weight);
        (!self.dead.contains(doc) || vector.entries().is_empty())
            && vector.entries().iter().all(has)
    }

    /// The weight of a document at an index.
    pub fn weight(&self, index: u32, doc: u32) -> Option<f32> {
        let weight = self.postings.get(&index)?.weight(doc)?;
        (!self.dead.contains(doc)).then_some(weight)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let postings: usize = self.postings.values().map(Postings::memory_bytes).sum();
        let slots = self.postings.capacity() * (size_of::<(u32, Postings)>() + 1);
        let sweep = self.sweep.iter();
        let sweep = sweep.map(|sweep| sweep.left.capacity() * 4 + sweep.dead.words().len() * 8);
        postings + slots + self.dead.words().len() * 8 + sweep.sum::<usize>()
    }

    pub(crate) fn postings(&self, index: u32) -> Option<&Postings> {
        self.postings.get(&index)
    }

    /// Those of a block that were removed, one bit each.
    pub(crate) fn dead_of(&self, block: usize) -> u64 {
        self.dead.words().get(block).copied().unwrap_or(0)
    }

    fn has_any(&self, doc: u32, vector: &SparseVector) -> bool {
        let mut indices = vector.entries().iter().map(|(index, _)| index);
        indices.any(|index| {
            self.postings
                .get(index)
                .is_some_and(|one| one.weight(doc).is_some())
        })
    }

    fn begin_sweep(&mut self) {
        self.sweep = Some(Sweep {
            dead: self.dead.clone(),
            entries: self.dead_entries,
            left: self.postings.keys().copied().collect(),
        });
    }

    /// Takes removed documents out of some more postings.
    fn go_on_sweeping(&mut self) {
        let Some(mut sweep) = self.sweep.take() else {
            return;
        };
        let mut looked_at = 0;
        while looked_at < SWEEP_STEP
            && let Some(index) = sweep.left.pop()
        {
            let Some(postings) = self.postings.get_mut(&index) else {
                continue;
            };
            looked_at += postings.weights.len() + 1;
            postings.sweep(&sweep.dead);
            if postings.is_empty() {
                self.postings.remove(&index);
            }
        }
        if !sweep.left.is_empty() {
            self.sweep = Some(sweep);
            return;
        }
        self.dead.subtract(&sweep.dead);
        self.entries -= sweep.entries;
        self.dead_entries -= sweep.entries;
        if self.postings.capacity() > 4 * self.postings.len() {
            self.postings.shrink_to_fit();
        }
    }

    /// Takes all removed documents out of the postings at once.
    fn purge(&mut self) {
        while self.sweep.is_some() {
            self.go_on_sweeping();
        }
        self.begin_sweep();
        while self.sweep.is_some() {
            self.go_on_sweeping();
        }
    }
}
