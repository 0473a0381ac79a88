use crate::postings::{BLOCK, Block, Postings};

/// The postings of one index of a query, as they are read block by block.
pub(crate) struct Cursor<'a> {
    /// The weight of the query.
    pub(crate) weight: f64,
    pub(crate) postings: &'a Postings,
    /// The first block that was not passed.
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(weight: f32, postings: &'a Postings) -> Self {
        let weight = f64::from(weight);
        Self {
            weight,
            postings,
            at: 0,
        }
    }

    /// Starts at the first block again.
    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }

    /// Adds the products of the documents of a block to their scores, and their bits to `found`. Blocks come in
    /// ascending order.
    #[inline]
    pub(crate) fn add_block(
        &mut self,
        number: u32,
        scores: &mut [f64; BLOCK as usize],
        found: &mut u64,
    ) {
        self.seek(number);
        let postings = self.postings;
        let Some(block) = postings.blocks.get(self.at) else {
            return;
        };
        if block.number != number {
            return;
        }
        let range = postings.start(self.at)..block.end as usize;
        let places = &postings.places[range.clone()];
        for (&place, &weight) in places.iter().zip(&postings.weights[range]) {
            scores[place as usize % BLOCK as usize] += self.weight * f64::from(weight);
            *found |= 1 << (place % BLOCK as u8);
        }
    }

    /// Goes to a block, or to the first behind it: by steps that double, and then by halves.
    #[inline]
    fn seek(&mut self, number: u32) {
        let left = &self.postings.blocks[self.at..];
        let is_before = |block: &Block| block.number < number;
        let mut step = 1;
        while left.get(step - 1).is_some_and(is_before) {
            step *= 2;
        }
        let (from, to) = (step / 2, (step - 1).min(left.len()));
        self.at += from + left[from..to].partition_point(is_before);
    }
}
