//! Choosing a node's links from candidates (Malkov and Yashunin, 2018, algorithm 4).

use crate::space::Space;

/// Chosen links with which a candidate is compared at a time: most candidates stand behind one of
/// the nearest, so all at once would be mostly in vain.
const BATCH: usize = 4;

/// Chooses links, and keeps the memory for the next choice.
#[derive(Default)]
pub(crate) struct Selection {
    /// What was chosen last.
    pub chosen: Vec<u32>,
    behind: Vec<u32>,
}

impl Selection {
    /// Of `candidates` (nearest to `node` first) at most `count` that point in different directions:
    /// one that is nearer to a chosen one than to the node itself is reached through that one. Where
    /// these are fewer than `least`, the nearest others follow: a node that is nearer to all than they
    /// are to each other would be everyone's only neighbour, and could not lead to everyone.
    ///
    /// Of nodes that coincide with `node`, one is enough to reach the rest through.
    pub fn choose<S: Space>(
        &mut self,
        space: &S,
        node: u32,
        candidates: &[(f32, u32)],
        count: usize,
        least: usize,
    ) {
        let Self { chosen, behind } = self;
        chosen.clear();
        behind.clear();
        let coincident = space.pair(node, node);
        for &(key, candidate) in candidates {
            if chosen.len() == count {
                break;
            }
            let shadows = |apart: f32| apart < key || apart == key && key <= coincident;
            let mut apart = [0.0; BATCH];
            let shadowed = chosen.chunks(BATCH).any(|others| {
                let apart = &mut apart[..others.len()];
                space.pairs(candidate, others, apart);
                apart.iter().any(|&apart| shadows(apart))
            });
            if !shadowed {
                chosen.push(candidate);
            } else if behind.len() < least {
                behind.push(candidate);
            }
        }
        let wanting = least.min(count).saturating_sub(chosen.len());
        chosen.extend(behind.iter().take(wanting));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line.
    struct Line(Vec<f32>);

    impl Space for Line {
        fn limit(&self) -> usize {
            self.0.len()
        }

        fn pair(&self, a: u32, b: u32) -> f32 {
            (self.0[a as usize] - self.0[b as usize]).abs()
        }

        fn prefetch(&self, _node: u32) {}
    }

    #[test]
    fn a_neighbour_behind_a_nearer_one_is_not_chosen() {
        let line = Line(vec![1.0, 2.0, -3.0, 9.0, 0.0]);
        let candidates = [(1.0, 0), (2.0, 1), (3.0, 2), (9.0, 3)];
        let mut selection = Selection::default();
        let mut chosen = |count, least| {
            selection.choose(&line, 4, &candidates, count, least);
            selection.chosen.clone()
        };
        assert_eq!(chosen(4, 0), [0, 2], "seen from the origin");
        assert_eq!(chosen(1, 0), [0]);
        assert_eq!(chosen(4, 3), [0, 2, 1]);
    }
}
