//! The nodes that the end of a descent is compared with.
//!
//! A descent goes to the nearest neighbour until none is nearer, and so ends in the wrong clump where clumps lie far
//! apart and the links between them were lost with nodes that died. A new node that is linked there finds none of its
//! own clump: with those that follow it founds a colony, and walks that end in the same place see nothing else. So the
//! end is compared with some nodes, mostly of the upper levels, and a second descent begins at the nearest of them where
//! that is nearer. A walk needs one in its clump: any node there leads on. They are the same for all queries, so their
//! codes stay in the cache.
//!
//! A quarter of them is drawn at random, so that no crowd of outliers takes the place of all. Each of the others is the
//! node farthest from those before it (Gonzalez, 1985): clumps that the draw missed come first. New nodes are taken in
//! between as centres are in a stream (Charikar, Chekuri, Feder and Motwani, 1997), one at a time: one that is farther
//! from every landmark than the two closest are from each other takes the place of one of these.

use arc_swap::ArcSwap;

use crate::distance::PairDistance;
use crate::graph::Graph;
use crate::graph::links::{Links, mix};

/// Landmarks of a graph at most. Comparing a query with all takes about a microsecond.
const COUNT: usize = 128;
/// Those that are drawn at random.
const DRAWN: usize = COUNT / 4;
/// Nodes among which the others are chosen at most.
const SAMPLE_MAX: usize = 2048;

#[derive(Default)]
pub(crate) struct Landmarks(ArcSwap<List>);

#[derive(Clone, Default)]
struct List {
    /// Those drawn, the highest rank first, and then the others.
    nodes: Vec<u32>,
    /// The key of each with the nearest of the others.
    gaps: Vec<f32>,
}

/// Nodes of higher levels have higher ranks; among those of a level, chance decides.
fn rank(links: &Links, node: u32) -> (usize, u64) {
    (links.level_of(node), mix(!u64::from(node)))
}

impl List {
    /// Chooses among nodes in the order of their rank, the highest first.
    fn choose<P: PairDistance>(mut nodes: Vec<u32>, pairs: &P) -> Self {
        let mut others = nodes.split_off(nodes.len().min(DRAWN));
        let mut nearest = vec![f32::INFINITY; others.len()];
        let mut keys = vec![0.0; others.len()];
        let mut compared = 0;
        while nodes.len() < COUNT && !others.is_empty() {
            for &node in &nodes[compared..] {
                keys.truncate(others.len());
                pairs.keys(node, &others, &mut keys);
                for (nearest, &key) in nearest.iter_mut().zip(&keys) {
                    *nearest = nearest.min(key);
                }
            }
            compared = nodes.len();
            let farthest = (0..others.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
            let Some(farthest) = farthest else { break };
            nearest.swap_remove(farthest);
            nodes.push(others.swap_remove(farthest));
        }
        let gaps = vec![f32::INFINITY; nodes.len()];
        let mut list = Self { nodes, gaps };
        (0..list.nodes.len()).for_each(|at| list.measure_gap(at, pairs));
        list
    }

    /// The list with a new node. None where it stays as it is.
    fn with<P: PairDistance>(&self, node: u32, links: &Links, pairs: &P) -> Option<Self> {
        let drawn = &self.nodes[..self.nodes.len().min(DRAWN)];
        let place = drawn.partition_point(|&other| rank(links, other) > rank(links, node));
        let mut keys = vec![0.0; self.nodes.len()];
        pairs.keys(node, &self.nodes, &mut keys);
        let gap = keys.iter().copied().fold(f32::INFINITY, f32::min);
        let is_full = self.nodes.len() >= COUNT;
        if is_full && place == DRAWN && gap <= self.gaps[self.closest()] {
            return None;
        }
        let mut list = self.clone();
        for (gap, key) in list.gaps.iter_mut().zip(keys) {
            *gap = gap.min(key);
        }
        let place = match place {
            DRAWN => list.nodes.len(),
            _ => place,
        };
        list.nodes.insert(place, node);
        list.gaps.insert(place, gap);
        if is_full {
            list.remove(list.closest(), pairs);
        }
        Some(list)
    }

    /// The place of the landmark nearest to another, of those that were not drawn.
    fn closest(&self) -> usize {
        let places = DRAWN..self.nodes.len();
        let closest = places.min_by(|&a, &b| self.gaps[a].total_cmp(&self.gaps[b]));
        closest.unwrap_or(DRAWN)
    }

    fn remove<P: PairDistance>(&mut self, place: usize, pairs: &P) {
        let node = self.nodes.remove(place);
        self.gaps.remove(place);
        let mut keys = vec![0.0; self.nodes.len()];
        pairs.keys(node, &self.nodes, &mut keys);
        for (at, key) in keys.into_iter().enumerate() {
            if key <= self.gaps[at] {
                self.measure_gap(at, pairs);
            }
        }
    }

    fn measure_gap<P: PairDistance>(&mut self, at: usize, pairs: &P) {
        let mut keys = vec![0.0; self.nodes.len()];
        pairs.keys(self.nodes[at], &self.nodes, &mut keys);
        keys.swap_remove(at);
        self.gaps[at] = keys.into_iter().fold(f32::INFINITY, f32::min);
    }
}

impl Links {
    /// Adds a new node to the landmarks if it belongs there. One of the lowest level is not compared with them:
    /// there are many.
    pub fn offer_landmark<P: PairDistance>(&self, node: u32, pairs: &P) {
        if self.level_of(node) > 0 {
            let landmarks = &self.landmarks.0;
            landmarks.rcu(|list| {
                list.with(node, self, pairs)
                    .map_or_else(|| list.clone(), Into::into)
            });
        }
    }

    /// The landmarks that reach `level`, into `nodes`, if codes below `limit` are there.
    pub fn landmarks_on(&self, level: usize, limit: usize, nodes: &mut Vec<u32>) {
        let list = self.landmarks.0.load();
        let reaches = |node| level == 0 || self.level_of(node) >= level;
        let is_there = |&node: &u32| (node as usize) < limit && reaches(node);
        nodes.extend(list.nodes.iter().copied().filter(is_there));
    }
}

impl Graph {
    /// Chooses the landmarks of a graph that has none.
    pub fn find_landmarks(&self) {
        let quantizer = self.quantizer.load_full();
        if let Some(pairs) = self.pairs(quantizer.as_deref()) {
            self.choose_landmarks(&pairs);
        }
    }

    /// Chooses the landmarks anew among living nodes: of the lowest level, too, where the sample has room for them. A
    /// small clump may have no other.
    pub fn choose_landmarks<P: PairDistance>(&self, pairs: &P) {
        let links = &self.links;
        let is_living =
            |&node: &u32| links.has(node) && !self.duplicates.is_gone(node, &self.nodes);
        let is_upper = |&node: &u32| links.level_of(node) > 0;
        let linked = self.linked().min(pairs.limit());
        let all = 0..linked as u32;
        let upper = all.clone().filter(|node| is_upper(node) && is_living(node));
        let mut nodes: Vec<u32> = upper.collect();
        if nodes.len() < SAMPLE_MAX {
            nodes.extend(all.filter(|node| !is_upper(node) && is_living(node)));
        }
        let highest_first = |&a: &u32, &b: &u32| rank(links, b).cmp(&rank(links, a));
        if nodes.len() > SAMPLE_MAX {
            nodes.select_nth_unstable_by(SAMPLE_MAX, highest_first);
            nodes.truncate(SAMPLE_MAX);
        }
        nodes.sort_unstable_by(highest_first);
        links.landmarks.0.store(List::choose(nodes, pairs).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes in clumps of equal size on a line, each as far from the next as a thousand of its nodes.
    struct Line {
        clumps: u32,
    }

    impl Line {
        fn at(&self, node: u32) -> f32 {
            1_000.0 * (node % self.clumps) as f32 + node as f32 / 16_384.0
        }
    }

    impl PairDistance for Line {
        fn limit(&self) -> usize {
            COUNT_OF_NODES as usize
        }

        fn key(&self, a: u32, b: u32) -> f32 {
            (self.at(a) - self.at(b)).abs()
        }

        fn prefetch(&self, _: u32) {}
    }

    const COUNT_OF_NODES: u32 = 12_000;

    fn links() -> Links {
        let links = Links::new(4, 5);
        (0..COUNT_OF_NODES).for_each(|node| links.add_node(node));
        links
    }

    fn landmarks(links: &Links) -> Vec<u32> {
        let mut nodes = Vec::new();
        links.landmarks_on(0, usize::MAX, &mut nodes);
        nodes
    }

    fn clumps_without(line: &Line, landmarks: &[u32]) -> usize {
        let is_missed = |&clump: &u32| landmarks.iter().all(|&node| node % line.clumps != clump);
        (0..line.clumps).filter(is_missed).count()
    }

    fn highest_first(links: &Links) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..COUNT_OF_NODES)
            .filter(|&node| links.level_of(node) > 0)
            .collect();
        nodes.sort_unstable_by_key(|&node| std::cmp::Reverse(rank(links, node)));
        nodes
    }

    #[test]
    fn each_of_a_hundred_clumps_has_a_landmark() {
        let (line, links) = (Line { clumps: 100 }, links());
        let mut nodes = highest_first(&links);
        nodes.truncate(SAMPLE_MAX);
        let list = List::choose(nodes, &line);
        assert_eq!(list.nodes.len(), COUNT);
        assert_eq!(clumps_without(&line, &list.nodes), 0);
    }

    #[test]
    fn new_nodes_of_a_clump_without_a_landmark_become_one() {
        let (line, links) = (Line { clumps: 100 }, links());
        // Sorted by clump: the last come when there is no room.
        for clump in 0..line.clumps {
            let nodes = (clump..COUNT_OF_NODES).step_by(line.clumps as usize);
            nodes.for_each(|node| links.offer_landmark(node, &line));
        }
        let nodes = landmarks(&links);
        assert_eq!(nodes.len(), COUNT);
        assert_eq!(clumps_without(&line, &nodes), 0);
        assert!(nodes.iter().all(|&node| links.level_of(node) > 0));
        let list = links.landmarks.0.load();
        let mut measured = List::clone(&list);
        (0..COUNT).for_each(|at| measured.measure_gap(at, &line));
        assert_eq!(list.gaps, measured.gaps);
    }

    #[test]
    fn a_quarter_of_the_landmarks_are_the_highest_whatever_the_order_of_their_arrival() {
        let line = Line { clumps: 7 };
        let [upwards, downwards] = [false, true].map(|is_reversed| {
            let links = links();
            let offer = |node| links.offer_landmark(node, &line);
            match is_reversed {
                false => (0..COUNT_OF_NODES).for_each(offer),
                true => (0..COUNT_OF_NODES).rev().for_each(offer),
            }
            landmarks(&links)[..DRAWN].to_vec()
        });
        assert_eq!(upwards, highest_first(&links())[..DRAWN]);
        assert_eq!(upwards, downwards);
    }

    #[test]
    fn a_descent_to_an_upper_level_begins_at_a_node_of_it() {
        let (line, links) = (Line { clumps: 3 }, links());
        (0..500).for_each(|node| links.offer_landmark(node, &line));
        let mut nodes = Vec::new();
        links.landmarks_on(2, 300, &mut nodes);
        let reaching = |&node: &u32| links.level_of(node) >= 2 && node < 300;
        assert!(!nodes.is_empty() && nodes.iter().all(reaching));
        let all = landmarks(&links);
        assert_eq!(
            nodes.len(),
            all.iter().filter(|&node| reaching(node)).count()
        );
    }
}
