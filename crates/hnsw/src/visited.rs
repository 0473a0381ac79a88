//! Which nodes a search has met.

/// One bit a node, so that the marks of a whole search stay in the nearest cache. What was marked
/// is remembered and taken back one by one: starting anew costs what the last search touched, not
/// the size of the index.
#[derive(Default)]
pub(crate) struct Visited {
    words: Vec<u64>,
    marked: Vec<u32>,
}

impl Visited {
    /// Forgets all marks and makes room for nodes below `limit`.
    pub fn reset(&mut self, limit: usize) {
        for node in self.marked.drain(..) {
            self.words[node as usize / 64] = 0;
        }
        let words = limit.div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    /// Marks a node below the limit and tells whether it is new.
    #[inline(always)]
    pub fn insert(&mut self, node: u32) -> bool {
        let word = &mut self.words[node as usize / 64];
        let bit = 1 << (node % 64);
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        true
    }

    /// Takes note of the nodes that were marked, which the caller must do for each before the next
    /// reset.
    #[inline(always)]
    pub fn remember(&mut self, nodes: &[u32]) {
        self.marked.extend_from_slice(nodes);
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
            for node in [0, 9, limit as u32 - 1] {
                let repeated = node == 9 && limit == 10 && node == limit as u32 - 1;
                assert!(visited.insert(node) || repeated);
                assert!(!visited.insert(node));
                visited.remember(&[node]);
            }
        }
    }
}
