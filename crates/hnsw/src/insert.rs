//! Taking a node into the graph (Malkov and Yashunin, 2018, algorithms 1 and 4).

use crate::frontier::Frontier;
use crate::links::Links;
use crate::space::{FromNode, Space};
use crate::traverse::{Guide, Scratch, descend_to, explore};
use crate::vectors::Vectors;

/// Writes links. There is one at a time.
pub(crate) struct Linker<'a, S> {
    pub space: &'a S,
    pub links: &'a Links,
    pub vectors: &'a Vectors,
    pub m: usize,
    pub ef_construction: usize,
    pub scratch: &'a mut Scratch,
}

/// A walk of fixed width, or wider where most of what it meets is dead.
struct UntilEnoughLive<'a> {
    vectors: &'a Vectors,
    wanted: usize,
}

impl Guide for UntilEnoughLive<'_> {
    #[inline(always)]
    fn met(&mut self, _node: u32, _key: f32) {}

    #[inline(always)]
    fn expanded(&mut self) -> bool {
        true
    }

    fn exhausted(&mut self, frontier: &mut Frontier) -> bool {
        let living = frontier
            .iter()
            .filter(|&(_, node)| !self.vectors.is_dead(node));
        if living.take(self.wanted).count() == self.wanted {
            return false;
        }
        frontier.grow(2 * frontier.capacity());
        frontier.peek().is_some()
    }
}

impl<S: Space> Linker<'_, S> {
    /// Links a node to its neighbourhood on every level it reaches. Dead nodes are passed through
    /// but not linked to.
    pub fn link(&mut self, node: u32) {
        self.links.add_node(node);
        let Some(entry) = self.links.entry() else {
            self.links.set_entry(node);
            return;
        };
        let (level, top) = (self.links.level_of(node), self.links.level_of(entry));
        let keys = FromNode {
            space: self.space,
            node,
        };
        let mut from = descend_to(self.links, &keys, entry, level);
        for level in (0..=level.min(top)).rev() {
            let found = self.nearest(node, from, level);
            from = found.first().map_or(from, |&(_, nearest)| nearest);
            let neighbors = select(self.space, &found, self.m);
            self.links.set(node, level, &neighbors);
            neighbors
                .iter()
                .for_each(|&neighbor| self.connect(neighbor, node, level));
        }
        if level > top || self.vectors.is_dead(entry) {
            self.links.set_entry(node);
        }
    }

    /// The living nodes nearest to `node` on a level, nearest first.
    pub fn nearest(&mut self, node: u32, from: u32, level: usize) -> Vec<(f32, u32)> {
        let keys = FromNode {
            space: self.space,
            node,
        };
        let width = self.ef_construction.max(self.m);
        self.scratch.frontier.reset(width);
        let mut guide = UntilEnoughLive {
            vectors: self.vectors,
            wanted: self.m,
        };
        explore(self.links, &keys, from, level, self.scratch, &mut guide);
        let found = self.scratch.frontier.iter();
        found
            .filter(|&(_, near)| near != node && !self.vectors.is_dead(near))
            .collect()
    }

    /// Adds the link `from` → `to`, at the cost of the least useful one where there is no room.
    pub fn connect(&self, from: u32, to: u32, level: usize) {
        let mut neighbors: Vec<u32> = self.links.neighbors(from, level).collect();
        if neighbors.contains(&to) || self.links.append(from, level, to) {
            return;
        }
        neighbors.push(to);
        neighbors.retain(|&node| !self.vectors.is_dead(node));
        let candidates = self.sorted_from(from, &neighbors);
        self.links.set(
            from,
            level,
            &select(self.space, &candidates, self.links.capacity(level)),
        );
    }

    /// `nodes` with their keys from `node`, nearest first.
    pub fn sorted_from(&self, node: u32, nodes: &[u32]) -> Vec<(f32, u32)> {
        nodes.iter().for_each(|&other| self.space.prefetch(other));
        let mut keyed: Vec<(f32, u32)> = nodes
            .iter()
            .map(|&other| (self.space.pair(node, other), other))
            .collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed
    }
}

/// Of `candidates` (nearest first) at most `count` that point in different directions: one that is
/// nearer to a chosen one than to the node itself is reached through that one.
pub(crate) fn select<S: Space>(space: &S, candidates: &[(f32, u32)], count: usize) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::with_capacity(count);
    for &(key, candidate) in candidates {
        if chosen.len() == count {
            break;
        }
        if chosen
            .iter()
            .all(|&other| space.pair(other, candidate) >= key)
        {
            chosen.push(candidate);
        }
    }
    chosen
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
        let line = Line(vec![1.0, 2.0, -3.0, 9.0]);
        let candidates = [(1.0, 0), (2.0, 1), (3.0, 2), (9.0, 3)];
        assert_eq!(
            select(&line, &candidates, 4),
            [0, 2],
            "seen from the origin"
        );
        assert_eq!(select(&line, &candidates, 1), [0]);
    }
}
