//! Documents that come and go, and what an exact search over them would answer at any moment.

use crate::random::Random;
use crate::sample::to_unit_length;

/// Vectors of all documents there have been. A document's number is that of its row and is never
/// used again, as in the engine: a replaced document gets a new one.
pub struct Corpus {
    pub dim: usize,
    rows: Vec<f32>,
    alive: Vec<bool>,
    /// Every change so far, oldest first.
    events: Vec<Event>,
    random: Random,
}

#[derive(Clone, Copy)]
pub enum Event {
    Added(u32),
    Removed(u32),
}

impl Corpus {
    pub fn new(mut base: Vec<f32>, dim: usize) -> Self {
        base.reserve(base.len() / 4); // nobody should wait for a gigabyte to be moved
        let alive = vec![true; base.len() / dim];
        Corpus {
            dim,
            rows: base,
            alive,
            events: Vec::new(),
            random: Random::new(1, 6),
        }
    }

    /// Documents there have been.
    pub fn len(&self) -> usize {
        self.alive.len()
    }

    pub fn events(&self) -> usize {
        self.events.len()
    }

    pub fn row(&self, document: u32) -> &[f32] {
        &self.rows[document as usize * self.dim..][..self.dim]
    }

    pub fn living(&self) -> Vec<u32> {
        (0..self.len() as u32)
            .filter(|&document| self.alive[document as usize])
            .collect()
    }

    /// A new document between two others, nearer to the first: where the data is, but new.
    pub fn add(&mut self) -> u32 {
        let (near, far) = (self.any(), self.any());
        let mut vector: Vec<f32> = self.row(near).to_vec();
        let other = self.row(far).iter();
        vector
            .iter_mut()
            .zip(other)
            .for_each(|(x, y)| *x += 0.35 * y);
        to_unit_length(&mut vector);
        self.add_row(&vector)
    }

    /// A new document with the vector of one that may be gone.
    pub fn add_again(&mut self, document: u32) -> u32 {
        let vector = self.row(document).to_vec();
        self.add_row(&vector)
    }

    fn add_row(&mut self, vector: &[f32]) -> u32 {
        let document = self.len() as u32;
        self.rows.extend_from_slice(vector);
        self.alive.push(true);
        self.events.push(Event::Added(document));
        document
    }

    pub fn remove(&mut self, document: u32) {
        self.alive[document as usize] = false;
        self.events.push(Event::Removed(document));
    }

    /// Any document that lives.
    pub fn any_living(&mut self) -> u32 {
        loop {
            let document = self.any();
            if self.alive[document as usize] {
                return document;
            }
        }
    }

    fn any(&mut self) -> u32 {
        (self.random.uniform() * self.len() as f64) as u32
    }

    pub fn vectors(&self) -> &[f32] {
        &self.rows
    }

    /// The documents that lived when there had been `events` events, given those that live now.
    pub fn living_after(&self, events: usize) -> Vec<u32> {
        let mut alive = self.alive.clone();
        for event in self.events[events..].iter().rev() {
            match *event {
                Event::Added(document) => alive[document as usize] = false,
                Event::Removed(document) => alive[document as usize] = true,
            }
        }
        (0..alive.len() as u32)
            .filter(|&document| alive[document as usize])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lived_at_an_earlier_moment_are_known() {
        let mut corpus = Corpus::new(vec![1.0, 0.0, 0.0, 1.0], 2);
        corpus.remove(0);
        let added = corpus.add();
        let again = corpus.add_again(0);
        corpus.remove(added);
        assert_eq!((added, again, corpus.events()), (2, 3, 4));
        assert_eq!(corpus.living(), [1, 3]);
        assert_eq!(corpus.row(again), corpus.row(0));
        for (events, living) in [
            (0, vec![0, 1]),
            (1, vec![1]),
            (2, vec![1, 2]),
            (3, vec![1, 2, 3]),
        ] {
            assert_eq!(corpus.living_after(events), living);
        }
    }
}
