//! Taking a node into the graph (Malkov and Yashunin, 2018, algorithms 1 and 4).

use crate::frontier::Frontier;
use crate::links::Links;
use crate::space::{FromNode, Space};
use crate::traverse::{Guide, Scratch, descend_to, explore};
use crate::twins::{Places, Twins};
use crate::vectors::Vectors;

/// Writes links. There is one at a time.
pub(crate) struct Linker<'a, S> {
    pub space: &'a S,
    pub links: &'a Links,
    pub vectors: &'a Vectors,
    pub twins: &'a Twins,
    pub places: &'a mut Places,
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
    /// Whether the graph can do without a node: it is dead, and so is every twin of it.
    pub fn is_gone(&self, node: u32) -> bool {
        self.vectors.is_dead(node) && self.twins.of(node).all(|twin| self.vectors.is_dead(twin))
    }

    /// Links a node to its neighbourhood on every level it reaches, or hangs it on the node that
    /// has the same vector. Nodes that are gone are passed through but not linked to.
    pub fn link(&mut self, node: u32) {
        if self.twins.representative(node).is_some() || self.found_its_place(node) {
            return;
        }
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
            let neighbors = select(self.space, node, &found, self.m, self.least());
            self.links.set(node, level, &neighbors);
            neighbors
                .iter()
                .for_each(|&neighbor| self.connect(neighbor, node, level));
        }
        if level > top || self.is_gone(entry) {
            self.links.set_entry(node);
        }
    }

    /// Links a node is given even where a few would show all directions.
    pub fn least(&self) -> usize {
        self.m / 2
    }

    /// Hangs a node on the one that has its vector, if the graph holds one, and tells so.
    fn found_its_place(&mut self, node: u32) -> bool {
        let vector = self.vectors.vector(node);
        if let Some(there) = self.places.get(vector)
            && there != node
            && !self.is_gone(there)
            && self.vectors.vector(there) == vector
        {
            self.twins.attach(there, node);
            return true;
        }
        self.places.set(vector, node);
        false
    }

    /// The nodes nearest to `node` on a level that are not gone, nearest first.
    pub fn nearest(&mut self, node: u32, from: u32, level: usize) -> Vec<(f32, u32)> {
        let found = self.within(node, from, level, self.ef_construction.max(self.m));
        let others = found.into_iter().filter(|&(_, near)| near != node);
        others.filter(|&(_, near)| !self.is_gone(near)).collect()
    }

    /// What a walk of a given width on a level holds at its end, nearest first.
    pub fn within(&mut self, node: u32, from: u32, level: usize, width: usize) -> Vec<(f32, u32)> {
        let keys = FromNode {
            space: self.space,
            node,
        };
        self.scratch.frontier.reset(width);
        let mut guide = UntilEnoughLive {
            vectors: self.vectors,
            wanted: self.m,
        };
        explore(self.links, &keys, from, level, self.scratch, &mut guide);
        self.scratch.frontier.iter().collect()
    }

    /// Adds the link `from` → `to`, at the cost of the least useful one where there is no room.
    pub fn connect(&self, from: u32, to: u32, level: usize) {
        let mut neighbors: Vec<u32> = self.links.neighbors(from, level).collect();
        if neighbors.contains(&to) || self.links.append(from, level, to) {
            return;
        }
        neighbors.push(to);
        neighbors.retain(|&node| !self.is_gone(node));
        let candidates = self.sorted_from(from, &neighbors);
        let capacity = self.links.capacity(level);
        let mut chosen = select(self.space, from, &candidates, capacity, self.least());
        if level == 0 {
            self.spare_orphans(&mut chosen, from, &neighbors);
        }
        self.links.set(from, level, &chosen);
    }

    /// Puts those of `neighbors` that no other node leads to among the `chosen` links of `from`,
    /// in place of ones that others lead to.
    pub fn spare_orphans(&self, chosen: &mut Vec<u32>, from: u32, neighbors: &[u32]) {
        let linked: Vec<u32> = self.links.neighbors(from, 0).collect();
        let others = |node: u32| self.links.incoming(node) - u32::from(linked.contains(&node));
        let dropped = neighbors.iter().filter(|node| !chosen.contains(node));
        let orphans: Vec<u32> = dropped.copied().filter(|&node| others(node) == 0).collect();
        for orphan in orphans {
            if chosen.len() < self.links.capacity(0) {
                chosen.push(orphan);
            } else if let Some(at) = chosen.iter().rposition(|&node| others(node) > 0) {
                chosen[at] = orphan;
            }
        }
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

/// Of `candidates` (nearest to `node` first) at most `count` that point in different directions:
/// one that is nearer to a chosen one than to the node itself is reached through that one. Where
/// these are fewer than `least`, the nearest others follow: a node that is nearer to all than they
/// are to each other would be everyone's only neighbour, and could not lead to everyone.
///
/// Of nodes that coincide with `node`, one is enough to reach the rest through.
pub(crate) fn select<S: Space>(
    space: &S,
    node: u32,
    candidates: &[(f32, u32)],
    count: usize,
    least: usize,
) -> Vec<u32> {
    let coincident = space.pair(node, node);
    let mut chosen: Vec<u32> = Vec::with_capacity(count);
    let mut behind: Vec<u32> = Vec::new();
    for &(key, candidate) in candidates {
        if chosen.len() == count {
            break;
        }
        let shadowed = |&other: &u32| {
            let apart = space.pair(other, candidate);
            apart < key || apart == key && key <= coincident
        };
        if !chosen.iter().any(shadowed) {
            chosen.push(candidate);
        } else if behind.len() < least {
            behind.push(candidate);
        }
    }
    let wanting = least.min(count).saturating_sub(chosen.len());
    chosen.extend(behind.into_iter().take(wanting));
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
        let line = Line(vec![1.0, 2.0, -3.0, 9.0, 0.0]);
        let candidates = [(1.0, 0), (2.0, 1), (3.0, 2), (9.0, 3)];
        assert_eq!(
            select(&line, 4, &candidates, 4, 0),
            [0, 2],
            "seen from the origin"
        );
        assert_eq!(select(&line, 4, &candidates, 1, 0), [0]);
        assert_eq!(select(&line, 4, &candidates, 4, 3), [0, 2, 1]);
    }
}
