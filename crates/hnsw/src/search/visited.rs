//! The visited set of a search.

use crate::sync::{AtomicU32, Ordering};

/// One bit a node, so that the marks of a whole search stay in the nearest cache. Marks are
/// remembered and taken back one by one: starting anew costs as much as the last search touched,
/// not the size of the index.
#[derive(Default)]
pub(crate) struct Visited {
    marks: Vec<u32>,
    /// The nodes visited, in that order, in room for more.
    nodes: Vec<u32>,
    count: usize,
    limit: u32,
}

impl Visited {
    /// Forgets all marks and makes room for nodes below `limit`.
    pub fn reset(&mut self, limit: usize) {
        for &node in &self.nodes[..self.count] {
            self.marks[node as usize / 32] = 0;
        }
        self.count = 0;
        self.limit = u32::try_from(limit).expect("a node has a number of 32 bits");
        let words = limit.div_ceil(32);
        if self.marks.len() < words {
            self.marks.resize(words, 0);
        }
    }

    /// Visits those nodes of a row of links that are below the limit and new, and answers how many
    /// they are.
    #[inline(always)]
    pub fn visit(&mut self, links: &[AtomicU32]) -> usize {
        if self.nodes.len() - self.count < links.len() {
            self.make_room(links.len());
        }
        let room = &mut self.nodes[self.count..];
        let mut new = 0;
        for link in links {
            let Some(node) = link.load(Ordering::Acquire).checked_sub(1) else {
                break;
            };
            if node < self.limit {
                // Without a branch: whether a node is new cannot be predicted.
                let mark = &mut self.marks[node as usize / 32];
                room[new] = node;
                new += (!*mark >> (node % 32) & 1) as usize;
                *mark |= 1 << (node % 32);
            }
        }
        self.count += new;
        new
    }

    #[cold]
    fn make_room(&mut self, count: usize) {
        self.nodes.resize(2 * self.count + count, 0);
    }

    pub fn memory_bytes(&self) -> usize {
        (self.marks.capacity() + self.nodes.capacity()) * size_of::<u32>()
    }

    /// The nodes visited, in that order.
    #[inline(always)]
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_forgets_every_mark() {
        let mut visited = Visited::default();
        for limit in [10, 1000, 100] {
            visited.reset(limit);
            let last = limit as u32 - 1;
            let row = [1, 5, last + 1, last + 2, 1, 0, 4].map(AtomicU32::new);
            assert_eq!(visited.visit(&row), 3);
            assert_eq!(
                (visited.visit(&row), visited.nodes()),
                (0, &[0, 4, last][..])
            );
        }
    }

    #[test]
    fn as_many_can_be_visited_as_there_are() {
        let mut visited = Visited::default();
        visited.reset(1000);
        for start in (0..1000).step_by(50) {
            let row: Vec<AtomicU32> = (start..start + 50)
                .map(|node| AtomicU32::new(node + 1))
                .collect();
            visited.visit(&row);
        }
        assert!(visited.nodes().iter().copied().eq(0..1000));
    }
}
