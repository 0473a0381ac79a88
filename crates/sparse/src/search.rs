use std::cmp::Ordering;

use pelorus_kernels::{BitSet, TopK};

use crate::cursor::Cursor;
use crate::index::SparseIndex;
use crate::postings::BLOCK;
use crate::vector::SparseVector;

/// Blocks that are looked at first, those of the highest bounds; then four times as many each time.
const FIRST_BLOCKS: usize = 32;
const ROUND_GROWTH: usize = 4;
/// Blocks between two questions whether the search goes on.
const BLOCKS_PER_STEP: usize = 256;

/// A block, and the most that a document of it may score.
#[derive(Clone, Copy)]
struct Candidate {
    bound: f64,
    number: u32,
}

impl Candidate {
    /// The highest bounds first, equal ones in the order of documents.
    fn order(&self, other: &Self) -> Ordering {
        other
            .bound
            .total_cmp(&self.bound)
            .then(self.number.cmp(&other.number))
    }

    /// Tells whether one of its documents may come before `worst`, the last of as many as are wanted.
    fn may_have_better(&self, worst: Option<(f64, u32)>) -> bool {
        worst.is_none_or(|(score, doc)| {
            self.bound > score || self.bound == score && self.number * BLOCK < doc
        })
    }
}

impl SparseIndex {
    /// The `k` documents among `accept` with the greatest inner products with the query, greatest first, equal ones by
    /// document. Documents without a common index are no matches. `go_on` is asked now and then; its error ends the
    /// search.
    ///
    /// # Errors
    /// The error of `go_on`.
    pub fn search<E>(
        &self,
        query: &SparseVector,
        k: usize,
        accept: &BitSet,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Vec<(u32, f64)>, E> {
        // Block-max pruning: Mallia, Suel, Tonellotto, "Faster Learned Sparse Retrieval with Block-Max Pruning", SIGIR
        // 2024. Here weights keep their 32 bits, so that no bound is too low and nothing is missed.
        let mut cursors = self.cursors(query);
        let mut candidates = self.candidates(&cursors, accept);
        let mut best: TopK<(), f64> = TopK::new(k);
        let mut left = match k {
            0 => &mut [][..],
            _ => &mut candidates[..],
        };
        let mut wanted = FIRST_BLOCKS.max(k / BLOCK as usize);
        while !left.is_empty() {
            go_on()?;
            let count = wanted.min(left.len());
            if count < left.len() {
                left.select_nth_unstable_by(count, Candidate::order);
            }
            let (round, rest) = left.split_at_mut(count);
            round.sort_unstable_by_key(|candidate| candidate.number);
            cursors.iter_mut().for_each(Cursor::rewind);
            for some in round.chunks(BLOCKS_PER_STEP) {
                go_on()?;
                for candidate in some {
                    if candidate.may_have_better(best.worst()) {
                        self.score_block(candidate.number, accept, &mut cursors, |doc, score| {
                            best.push(score, doc, ());
                        });
                    }
                }
            }
            let worst = best.worst();
            left = keep(rest, |candidate| candidate.may_have_better(worst));
            wanted *= ROUND_GROWTH;
        }
        let hits = best.into_sorted().into_iter();
        Ok(hits.map(|hit| (hit.id, hit.score)).collect())
    }

    /// All documents among `accept` with an index of the query, ascending, with their inner products.
    ///
    /// # Errors
    /// The error of `go_on`, which is asked now and then.
    pub fn matches<E>(
        &self,
        query: &SparseVector,
        accept: &BitSet,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Vec<(u32, f64)>, E> {
        let mut cursors = self.cursors(query);
        let mut found = Vec::new();
        for some in self.candidates(&cursors, accept).chunks(BLOCKS_PER_STEP) {
            go_on()?;
            for candidate in some {
                self.score_block(candidate.number, accept, &mut cursors, |doc, score| {
                    found.push((doc, score));
                });
            }
        }
        Ok(found)
    }

    /// In the order of the indices, in which scores are added up.
    fn cursors(&self, query: &SparseVector) -> Vec<Cursor<'_>> {
        let entries = query.entries().iter();
        let cursors =
            entries.filter_map(|&(index, weight)| Some(Cursor::new(weight, self.postings(index)?)));
        cursors.collect()
    }

    /// The blocks with accepted documents and an index of the query, ascending. A bound is a sum in the order of the
    /// sums that it bounds, of which no part is greater: so rounding makes none of them greater either.
    fn candidates(&self, cursors: &[Cursor<'_>], accept: &BitSet) -> Vec<Candidate> {
        let lists = cursors.iter().map(|cursor| &cursor.postings.blocks);
        let last = lists.filter_map(|blocks| Some(blocks.last()?.number)).max();
        let mut bounds = vec![0.0; last.map_or(0, |last| last as usize + 1)];
        for cursor in cursors {
            for block in &cursor.postings.blocks {
                bounds[block.number as usize] += cursor.weight * f64::from(block.greatest);
            }
        }
        let bounds = bounds.into_iter().zip(accept.words()).enumerate();
        let candidates = bounds.filter_map(|(number, (bound, accepted))| {
            let is_wanted = bound > 0.0 && accepted & !self.dead_of(number) != 0;
            let number = number as u32;
            is_wanted.then_some(Candidate { bound, number })
        });
        candidates.collect()
    }

    /// Gives each accepted document of a block that has an index of the query to `take`, with its score.
    fn score_block(
        &self,
        number: u32,
        accept: &BitSet,
        cursors: &mut [Cursor<'_>],
        mut take: impl FnMut(u32, f64),
    ) {
        let (mut scores, mut found) = ([0.0; BLOCK as usize], 0);
        for cursor in cursors {
            cursor.add_block(number, &mut scores, &mut found);
        }
        let at = number as usize;
        found &= accept.words().get(at).copied().unwrap_or(0) & !self.dead_of(at);
        while found != 0 {
            let place = found.trailing_zeros();
            take(number * BLOCK + place, scores[place as usize]);
            found &= found - 1;
        }
    }
}

/// Moves what is kept to the front, in its order.
fn keep<T: Copy>(list: &mut [T], is_kept: impl Fn(&T) -> bool) -> &mut [T] {
    let mut kept = 0;
    for at in 0..list.len() {
        if is_kept(&list[at]) {
            list[kept] = list[at];
            kept += 1;
        }
    }
    &mut list[..kept]
}
