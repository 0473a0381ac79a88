//! Taking a node into the graph (Malkov and Yashunin, 2018, algorithm 1).
//!
//! Several threads link different nodes at once. Each node first gathers all its links and writes
//! its own rows; only then are others linked to it, from the lowest level up. So whoever comes to a node
//! finds links on from it.

use crate::distance::{Estimator, PairDistance};
use crate::graph::duplicates::Duplicates;
use crate::graph::links::{Links, RowEdit};
use crate::graph::tail::Turn;
use crate::search::beam::{Beam, total_order};
use crate::search::walk::{WalkScratch, descend_from, descend_to, explore};
use crate::storage::node_table::NodeTable;

/// Writes links: of nodes that no other thread is linking, or of any while it is the only one.
pub(crate) struct Linker<'a, P> {
    pub pairs: &'a P,
    pub links: &'a Links,
    pub nodes: &'a NodeTable,
    pub duplicates: &'a Duplicates,
    pub m: usize,
    pub ef_construction: usize,
    /// Links nodes by a beam that does not widen: a third of the work, and somewhat worse links.
    pub in_haste: bool,
    pub work: Workspace,
}

/// The memory for linking a node, which the next one can use again.
#[derive(Default)]
pub(crate) struct Workspace {
    pub scratch: WalkScratch,
    /// The nodes that a walk found, nearest first.
    pub found: Vec<(f32, u32)>,
    /// Nodes that others are linking at the same time.
    pub peers: Vec<u32>,
    pub selection: Selection,
    /// The node that was linked again last: those near it need much of the memory that it needed.
    pub relinked: Option<u32>,
    /// The links that a beam half as wide gave, or those there are of a node that is linked again.
    narrower: Vec<u32>,
    /// The links chosen for a new node, by level.
    chosen: Vec<Vec<u32>>,
    row: Vec<u32>,
    keyed: Vec<(f32, u32)>,
    keys: Vec<f32>,
}

impl Workspace {
    pub fn memory_bytes(&self) -> usize {
        self.scratch.memory_bytes() + self.found.capacity() * size_of::<(f32, u32)>()
    }
}

impl<P: PairDistance> Linker<'_, P> {
    /// Tells whether the graph can do without a node: it is dead, and so is every duplicate of it.
    pub fn is_gone(&self, node: u32) -> bool {
        self.duplicates.is_gone(node, self.nodes)
    }

    /// Links a node to its neighbourhood on every level it reaches. Nodes that are gone are passed
    /// through but not linked to. A node that is linked again keeps those of its links that are as good.
    pub fn link(&mut self, node: u32, turn: Turn) {
        let entry = self.links.entry_or_first(node);
        // The first node finds nothing to link to: those that follow link to it.
        if entry == node && turn == Turn::New {
            return;
        }
        let pairs = self.pairs;
        match pairs.estimates_with(node) {
            Some(estimates) => self.link_by(&estimates, node, entry, turn),
            None => self.link_by(&pairs.of_node(node), node, entry, turn),
        }
    }

    /// The same, the neighbourhood being looked for by `distance`.
    fn link_by<D: Estimator>(&mut self, distance: &D, node: u32, entry: u32, turn: Turn) {
        let (level, top) = (self.links.level_of(node), self.links.level_of(entry));
        let mut from = descend_to(self.links, distance, entry, level);
        let shared = level.min(top);
        let mut chosen = std::mem::take(&mut self.work.chosen);
        chosen.resize_with(chosen.len().max(shared + 1), Vec::new);
        for level in (0..=shared).rev() {
            self.find_links(distance, node, from, level, turn);
            // The nearest here is where the search on the level below begins.
            let nearest = self.work.found.first();
            from = nearest.map_or(from, |&(_, near)| [near; 2]);
            if level == 0 && self.add_peers(node) {
                let links_min = self.links_min();
                let Workspace {
                    selection, found, ..
                } = &mut self.work;
                selection.choose(self.pairs, node, found, self.m, links_min);
            }
            std::mem::swap(&mut self.work.selection.chosen, &mut chosen[level]);
        }
        for (level, chosen) in chosen.iter().enumerate().take(shared + 1) {
            match turn {
                Turn::New => self.write_own(node, level, chosen),
                Turn::Again => self.improve_own(node, level, chosen),
            }
        }
        for (level, chosen) in chosen.iter().enumerate().take(shared + 1) {
            for &neighbor in chosen {
                self.links.prefetch(neighbor);
            }
            for &neighbor in chosen {
                self.connect(neighbor, node, level);
            }
        }
        // Searches go on from an entry that died, along its links, down from its level: one of a lower level would
        // begin them anywhere, and nodes of higher levels would not be linked there. Only where nothing living was
        // found does any node serve.
        let is_alone = chosen[0].is_empty();
        self.work.chosen = chosen;
        self.links.replace_entry(node, |entry| {
            let top = self.links.level_of(entry);
            top < level || (top == level || is_alone) && self.is_gone(entry)
        });
        if turn == Turn::New {
            self.links.offer_landmark(node, self.pairs);
            self.lead_to(node);
        }
    }

    /// Gives a node of an upper level a link from where the descent from the entry ends, unless it ends there: links are
    /// chosen among near nodes, and of a clump that lies apart none may be known to those outside. Tells whether that
    /// took a descent.
    pub fn lead_to(&mut self, node: u32) -> bool {
        let level = self.links.level_of(node);
        let Some(entry) = self.links.entry().filter(|_| level > 0) else {
            return false;
        };
        let distance = self.pairs.of_node(node);
        let end = descend_from(self.links, &distance, entry, level - 1);
        let nearest = self.pairs.key(node, node);
        if self.links.level_of(end) < level || self.pairs.key(node, end) <= nearest {
            return true;
        }
        let living = self
            .links
            .neighbors(end, level)
            .find(|&near| near != node && !self.is_gone(near));
        let from = match self.is_gone(end) {
            true => living.unwrap_or(end),
            false => end,
        };
        let edit = self.links.edit(from);
        let mut row = std::mem::take(&mut self.work.row);
        edit.read(level, &mut row);
        if !edit.append(level, node, &mut row) {
            row.pop();
            row.push(node);
            edit.replace(level, &row);
        }
        self.work.row = row;
        true
    }

    /// Links that a node gets even where fewer would do for the heuristic of [`Selection::choose`].
    pub fn links_min(&self) -> usize {
        self.m / 2
    }

    /// Writes the links of a node itself. Links that a new node has already were put there by peers.
    fn write_own(&mut self, node: u32, level: usize, chosen: &[u32]) {
        let edit = self.links.edit(node);
        let row = &mut self.work.row;
        edit.read(level, row);
        for &neighbor in chosen {
            edit.append(level, neighbor, row);
        }
    }

    /// Adds links to those a node has. Where there are more than it may have, all of them are chosen among: later nodes
    /// put there the links by which they are found.
    fn improve_own(&mut self, node: u32, level: usize, links: &[u32]) {
        let edit = self.links.edit(node);
        let mut row = std::mem::take(&mut self.work.row);
        edit.read(level, &mut row);
        for &link in links {
            if !row.contains(&link) {
                row.push(link);
            }
        }
        match row.len() > self.links.capacity(level) {
            true => self.choose_own(&edit, node, level, &mut row),
            false => edit.replace(level, &row),
        }
        self.work.row = row;
    }

    /// Adds to the found nodes those that were being linked when this one's turn came: no walk need have visited them,
    /// yet they may be the nearest of all. When two are linked at the same time, the one that began later so knows the
    /// other. Answers whether there were any.
    fn add_peers(&mut self, node: u32) -> bool {
        let Workspace { found, peers, .. } = &mut self.work;
        let before = found.len();
        for &peer in peers.iter() {
            let is_found = found.iter().any(|&(_, near)| near == peer);
            if !is_found && !self.duplicates.is_gone(peer, self.nodes) {
                found.push((self.pairs.key(node, peer), peer));
            }
        }
        let has_more = found.len() > before;
        if has_more {
            sort(found);
        }
        has_more
    }

    /// Finds the nodes nearest to `node` on a level that are not gone, [`Workspace::found`], and chooses its links
    /// among them, [`Selection::chosen`]. Where `distance` only estimates, the nodes of the beam are ranked by keys
    /// whenever some are chosen among them.
    ///
    /// [`width`](Self::width) is a ceiling: most nodes have found all their links long before. The beam
    /// begins at `4m`, where it stays in haste, and doubles as long as that changes enough of the `m` links,
    /// which the wider it is make the less of a difference:
    ///
    /// ```text
    /// stop at width w  ⇔  |links(w) \ links(w/2)| ≤ m/8, or m/4 from w = 8m on
    /// ```
    ///
    /// When a node is linked again, its links take the place of `links(w/2)`. So one beam is enough, and of that the
    /// farther half is chosen among without being expanded: most nodes there were visited on the way.
    ///
    /// Fitted on the sets `glosses`, `clustered` and `cone` of `npm run bench -- vector`, and on the vectors of
    /// `-- growth`, with `efConstruction` 512: a quarter to a third of the work, and recalls that differ by
    /// less than their noise, but for `cone` (0.895 in place of 0.900). Estimates by sign bits in place of keys
    /// cost no recall either: a quarter to a half of the rest was waiting for the memory of codes.
    pub fn find_links<D: Estimator>(
        &mut self,
        distance: &D,
        node: u32,
        from: [u32; 2],
        level: usize,
        turn: Turn,
    ) {
        let (pairs, nodes, m) = (self.pairs, self.nodes, self.m);
        let (width, links_min) = (self.width(), self.links_min());
        let is_other =
            |&(_, near): &(f32, u32)| near != node && !self.duplicates.is_gone(near, nodes);
        let Workspace {
            scratch,
            found,
            selection,
            narrower,
            row,
            keys,
            ..
        } = &mut self.work;
        let is_again = turn == Turn::Again;
        narrower.clear();
        if is_again {
            narrower.extend(self.links.neighbors(node, level));
        }
        let widen = |beam: &mut Beam| {
            if is_again && beam.capacity() < width {
                beam.grow((2 * beam.capacity()).min(width));
            }
            found.clear();
            if D::EXACT {
                found.extend(beam.iter().filter(is_other));
            } else {
                row.clear();
                row.extend(beam.iter().filter(is_other).map(|(_, near)| near));
                extend_sorted(found, pairs, node, row, keys);
            }
            selection.choose(pairs, node, found, m, links_min);
            let is_new = |link: &&u32| !narrower.contains(link);
            let changes_max = match beam.capacity() < WIDE * m {
                true => m / 8,
                false => m / 4,
            };
            let settled = selection.chosen.iter().filter(is_new).count() <= changes_max;
            narrower.clone_from(&selection.chosen);
            if !settled && !is_again && beam.capacity() < width {
                beam.grow((2 * beam.capacity()).min(width));
            } else if is_mostly_dead(beam, nodes, m) {
                beam.grow(2 * beam.capacity());
            } else if settled {
                return false;
            }
            beam.peek().is_some()
        };
        let first = (NARROW * m).min(width);
        explore(self.links, distance, (from, level), first, scratch, widen);
    }

    /// Tells whether `efConstruction` allows for more than the width with which a search for links
    /// begins.
    pub fn is_faster_in_haste(&self) -> bool {
        self.ef_construction > NARROW * self.m
    }

    /// Candidates gathered for the links of a node at most.
    pub fn width(&self) -> usize {
        let width = self.ef_construction.max(self.m);
        match self.in_haste {
            true => width.min(NARROW * self.m),
            false => width,
        }
    }

    /// Finds the nodes nearest to `node` on a level that are not gone: [`Workspace::found`].
    pub fn find_nearest(&mut self, node: u32, from: [u32; 2], level: usize, width: usize) {
        self.walk(node, from, level, width);
        let Workspace { scratch, found, .. } = &mut self.work;
        let is_other =
            |&(_, near): &(f32, u32)| near != node && !self.duplicates.is_gone(near, self.nodes);
        found.clear();
        found.extend(scratch.beam.iter().filter(is_other));
    }

    /// Walks towards `node` on a level; the beam, of the given width, holds the visited nodes.
    pub fn walk(&mut self, node: u32, from: [u32; 2], level: usize, width: usize) {
        let distance = self.pairs.of_node(node);
        let widen = |beam: &mut Beam| {
            if is_mostly_dead(beam, self.nodes, self.m) {
                beam.grow(2 * beam.capacity());
            }
            beam.peek().is_some()
        };
        let scratch = &mut self.work.scratch;
        explore(self.links, &distance, (from, level), width, scratch, widen);
    }

    /// Adds the link `from` → `to`, at the cost of the least useful one where there is no room.
    pub fn connect(&mut self, from: u32, to: u32, level: usize) {
        let edit = self.links.edit(from);
        let mut row = std::mem::take(&mut self.work.row);
        edit.read(level, &mut row);
        if !edit.append(level, to, &mut row) {
            row.push(to);
            self.choose_own(&edit, from, level, &mut row);
        }
        self.work.row = row;
    }

    /// Replaces the links of a node by the best of `row`, which has more than it may have.
    fn choose_own(&mut self, edit: &RowEdit<'_>, node: u32, level: usize, row: &mut Vec<u32>) {
        row.retain(|&node| !self.is_gone(node));
        let capacity = self.links.capacity(level);
        self.choose_among(node, row, capacity);
        let Workspace {
            selection, keyed, ..
        } = &mut self.work;
        let chosen = &mut selection.chosen;
        if level == 0 {
            return edit.replace_sparing(chosen, row);
        }
        keep_farthest(chosen, keyed, |_| true, capacity);
        edit.replace(level, chosen);
    }

    /// Chooses at most `count` links of a node among `nodes`: [`Selection::chosen`].
    pub fn choose_among(&mut self, node: u32, nodes: &[u32], count: usize) {
        let mut keyed = std::mem::take(&mut self.work.keyed);
        keyed.clear();
        self.add_sorted(node, nodes, &mut keyed);
        let selection = &mut self.work.selection;
        selection.choose(self.pairs, node, &keyed, count, self.m / 2);
        self.work.keyed = keyed;
    }

    /// Adds `nodes` with their keys from `node` to `keyed`, which is put in order, nearest first.
    pub fn add_sorted(&mut self, node: u32, nodes: &[u32], keyed: &mut Vec<(f32, u32)>) {
        extend_sorted(keyed, self.pairs, node, nodes, &mut self.work.keys);
    }
}

/// Puts the farthest neighbour there was among the chosen: it may be the only way to a clump that lies apart.
/// `candidates` stand nearest first, with nodes that were no neighbours.
pub(crate) fn keep_farthest(
    chosen: &mut Vec<u32>,
    candidates: &[(f32, u32)],
    was_neighbor: impl Fn(u32) -> bool,
    capacity: usize,
) {
    let mut farthest = candidates.iter().rev().map(|&(_, node)| node);
    let farthest = farthest.find(|&node| was_neighbor(node));
    if let Some(farthest) = farthest.filter(|farthest| !chosen.contains(farthest)) {
        chosen.truncate(capacity - 1);
        chosen.push(farthest);
    }
}

/// A search for links begins with a beam of so many candidates for each.
const NARROW: usize = 4;
/// A beam of so many candidates for each link has mostly found the links that matter.
const WIDE: usize = 8;

/// Adds `nodes` with their keys from `node` to `keyed`, which is put in order, nearest first.
fn extend_sorted(
    keyed: &mut Vec<(f32, u32)>,
    pairs: &impl PairDistance,
    node: u32,
    nodes: &[u32],
    keys: &mut Vec<f32>,
) {
    nodes.iter().for_each(|&other| pairs.prefetch(other));
    keys.resize(nodes.len(), 0.0);
    pairs.keys(node, nodes, keys);
    keyed.extend(keys.iter().copied().zip(nodes.iter().copied()));
    sort(keyed);
}

/// Tells whether a beam that is expanded has fewer living nodes than links are wanted, so that it should be wider.
fn is_mostly_dead(beam: &Beam, nodes: &NodeTable, m: usize) -> bool {
    let wanted = (NARROW * m / 2).min(beam.capacity() / 2).max(m);
    let living = beam.iter().filter(|&(_, node)| !nodes.is_dead(node));
    living.take(wanted).count() < wanted
}

/// Puts the nearest first.
pub(crate) fn sort(keyed: &mut [(f32, u32)]) {
    keyed.sort_unstable_by_key(|&(key, node)| u64::from(total_order(key)) << 32 | u64::from(node));
}

/// Candidates that a chosen link is compared with at a time, a bit of a word each. Links are often found
/// among the first of hundreds, so that the rest need no look.
const BLOCK: usize = u64::BITS as usize;

/// Selects links, and keeps the memory for the next selection.
#[derive(Default)]
pub(crate) struct Selection {
    /// The nodes selected last.
    pub chosen: Vec<u32>,
    pruned: Vec<u32>,
}

impl Selection {
    /// Selects at most `count` links of `node` by the heuristic of Malkov and Yashunin (2018, algorithm 4). For
    /// `candidates` c, nearest first, with d the key of a pair:
    ///
    /// ```text
    /// c is chosen  ⇔  d(c, e) ≥ d(node, c) for every e chosen before it
    /// ```
    ///
    /// Otherwise c is pruned: it is reached through e. Two differences from the paper:
    /// - Pruned candidates are kept, nearest first, up to `links_min` links and not up to `count`. Without them, a node
    ///   that is nearer to all than they are to each other would be everyone's only neighbour, and could not link to
    ///   everyone; with all of them, rows would be full of near nodes in one direction.
    /// - The first of candidates equal to `node` prunes the others, though d(c, e) = d(node, c).
    ///
    /// A chosen candidate prunes those behind it at once: most of them are pruned by the first few, and keys with one
    /// node are computed for many at a time.
    pub fn choose<P: PairDistance>(
        &mut self,
        pairs: &P,
        node: u32,
        candidates: &[(f32, u32)],
        count: usize,
        links_min: usize,
    ) {
        let Self { chosen, pruned } = self;
        chosen.clear();
        pruned.clear();
        let equal = pairs.key(node, node);
        for block in candidates.chunks(BLOCK) {
            let mut left = u64::MAX >> (BLOCK - block.len());
            for &link in chosen.iter() {
                left &= !pruned_by(pairs, link, block, left, equal);
            }
            let mut kept = 0;
            while left != 0 && chosen.len() < count {
                let (bit, link) = (
                    left & left.wrapping_neg(),
                    block[left.trailing_zeros() as usize].1,
                );
                chosen.push(link);
                kept |= bit;
                left ^= bit;
                left &= !pruned_by(pairs, link, block, left, equal);
            }
            if chosen.len() == count {
                return;
            }
            let others = (0..block.len()).filter(|at| kept >> at & 1 == 0);
            pruned.extend(others.map(|at| block[at].1).take(links_min - pruned.len()));
        }
        let missing = links_min.min(count).saturating_sub(chosen.len());
        chosen.extend(pruned.iter().take(missing));
    }
}

/// The ones of those `left` in a block of candidates that a chosen link prunes.
fn pruned_by<P: PairDistance>(
    pairs: &P,
    link: u32,
    block: &[(f32, u32)],
    left: u64,
    equal: f32,
) -> u64 {
    let (mut places, mut nodes, mut apart) = ([0; BLOCK], [0; BLOCK], [0.0; BLOCK]);
    let (mut rest, mut count) = (left, 0);
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        (places[count], nodes[count]) = (at, block[at].1);
        count += 1;
        rest &= rest - 1;
    }
    pairs.keys(link, &nodes[..count], &mut apart[..count]);
    let mut pruned = 0;
    for (&at, &apart) in places.iter().zip(&apart).take(count) {
        let key = block[at].0;
        pruned |= u64::from(apart < key || apart == key && key <= equal) << at;
    }
    pruned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line.
    struct Line(Vec<f32>);

    impl PairDistance for Line {
        fn limit(&self) -> usize {
            self.0.len()
        }

        fn key(&self, a: u32, b: u32) -> f32 {
            (self.0[a as usize] - self.0[b as usize]).abs()
        }

        fn prefetch(&self, _node: u32) {}
    }

    #[test]
    fn a_candidate_nearer_to_a_chosen_one_than_to_the_node_is_pruned() {
        let line = Line(vec![1.0, 2.0, -3.0, 9.0, 0.0]);
        let candidates = [(1.0, 0), (2.0, 1), (3.0, 2), (9.0, 3)];
        let mut selection = Selection::default();
        let mut chosen = |count, links_min| {
            selection.choose(&line, 4, &candidates, count, links_min);
            selection.chosen.clone()
        };
        assert_eq!(chosen(4, 0), [0, 2], "seen from the origin");
        assert_eq!(chosen(1, 0), [0]);
        assert_eq!(chosen(4, 3), [0, 2, 1]);
    }
}
