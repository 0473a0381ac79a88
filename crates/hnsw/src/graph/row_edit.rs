//! Changing the links of one node.

use crate::graph::links::Links;
use crate::sync::{AtomicU32, MutexGuard, Ordering};

/// The rows of a node while no other thread changes them.
pub(crate) struct RowEdit<'a> {
    links: &'a Links,
    node: u32,
    _lock: MutexGuard<'a, ()>,
}

impl Links {
    /// Begins to change the rows of a node. A thread edits one node at a time: the lock of another
    /// may be the same.
    pub fn edit(&self, node: u32) -> RowEdit<'_> {
        RowEdit {
            links: self,
            node,
            _lock: self.lock(node),
        }
    }
}

impl RowEdit<'_> {
    /// The neighbours, into `row`.
    pub fn read(&self, level: usize, row: &mut Vec<u32>) {
        row.clear();
        row.extend(self.links.neighbors(self.node, level));
    }

    /// Appends a neighbour unless it is there or the row is full, and tells whether it is there now.
    /// `row` is what [`read`](Self::read) read and no other change has followed; it is kept up.
    pub fn append(&self, level: usize, neighbor: u32, row: &mut Vec<u32>) -> bool {
        if row.contains(&neighbor) {
            return true;
        }
        if row.len() == self.links.capacity(level) {
            return false;
        }
        if level == 0 {
            self.links.count(neighbor);
        }
        self.cells(level)[row.len()].store(neighbor + 1, Ordering::Release);
        row.push(neighbor);
        true
    }

    /// Replaces the neighbours.
    pub fn replace(&self, level: usize, neighbors: &[u32]) {
        if level == 0 {
            self.replace_counts(neighbors);
        }
        self.write(level, neighbors);
    }

    /// Replaces the neighbours on level 0 by `chosen`. Those of `rivals` that were not chosen and
    /// that no other node leads to are put among the chosen, in place of ones that others lead to.
    pub fn replace_sparing(&self, chosen: &mut Vec<u32>, rivals: &[u32]) {
        let links = self.links;
        self.replace_counts(chosen);
        // Counts are those of the row to come: of two rows that drop the last links to a node at
        // the same time, at least one finds none left here.
        for &rival in rivals.iter().filter(|&&rival| links.incoming(rival) == 0) {
            if chosen.len() < links.capacity(0) {
                chosen.push(rival);
            } else if let Some(at) = chosen.iter().rposition(|&node| self.can_drop(node)) {
                chosen[at] = rival;
            } else {
                continue;
            }
            links.count(rival);
        }
        self.write(0, chosen);
    }

    /// Counts `neighbors` in place of the neighbours on level 0. They are counted first, so that no
    /// count is ever short.
    fn replace_counts(&self, neighbors: &[u32]) {
        let links = self.links;
        neighbors.iter().for_each(|&new| links.count(new));
        links.neighbors(self.node, 0).for_each(|old| {
            links.discount(old);
        });
    }

    /// Takes back the count of one link unless it is the only one to `node`; tells whether it did.
    fn can_drop(&self, node: u32) -> bool {
        let others = self.links.discount(node) > 0;
        if !others {
            self.links.count(node);
        }
        others
    }

    fn cells(&self, level: usize) -> &[AtomicU32] {
        let row = self.links.row(self.node, level);
        row.expect("only nodes that were added are linked")
    }

    fn write(&self, level: usize, neighbors: &[u32]) {
        let row = self.cells(level);
        assert!(
            neighbors.len() <= row.len(),
            "{} links of {}",
            neighbors.len(),
            row.len()
        );
        let links = neighbors
            .iter()
            .map(|&neighbor| neighbor + 1)
            .chain(std::iter::repeat(0));
        row.iter()
            .zip(links)
            .for_each(|(cell, link)| cell.store(link, Ordering::Release));
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn links(m: usize, nodes: u32) -> Links {
        let links = Links::new(m, 0);
        (0..nodes).for_each(|node| links.add_node(node));
        links
    }

    fn neighbors(links: &Links, node: u32) -> Vec<u32> {
        links.neighbors(node, 0).collect()
    }

    #[test]
    fn a_row_fills_up_and_can_be_replaced_by_a_shorter_one() {
        let links = links(2, 10);
        assert_eq!(neighbors(&links, 9), []);
        let mut row = Vec::new();
        for neighbor in [0, 5, 6, 5, 7] {
            assert!(links.edit(9).append(0, neighbor, &mut row));
        }
        assert!(!links.edit(9).append(0, 8, &mut row));
        assert_eq!(neighbors(&links, 9), [0, 5, 6, 7]);
        links.edit(9).replace(0, &[3, 5]);
        assert_eq!(neighbors(&links, 9), [3, 5]);
        let counts: Vec<u32> = (0..10).map(|node| links.incoming(node)).collect();
        assert_eq!(counts, [0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn a_rival_that_nothing_else_leads_to_takes_the_place_of_one_that_others_lead_to() {
        let links = links(2, 10);
        links.edit(9).replace(0, &[1, 2, 3, 4]);
        links.edit(8).replace(0, &[3, 4, 6]);
        let mut chosen = vec![5, 6, 3, 7];
        links
            .edit(9)
            .replace_sparing(&mut chosen, &[1, 4, 5, 6, 3, 7]);
        assert_eq!(
            neighbors(&links, 9),
            [5, 6, 1, 7],
            "3 gave way, 4 has another"
        );
        let counts: Vec<u32> = (0..10).map(|node| links.incoming(node)).collect();
        assert_eq!(counts, [0, 1, 0, 1, 1, 1, 2, 1, 0, 0]);
    }

    #[test]
    fn rows_that_drop_a_node_at_the_same_time_leave_it_a_link() {
        let links = links(2, 8);
        for _ in 0..200 {
            for row in [0, 1] {
                links.edit(row).replace(0, &[2, 3, 4, 5]);
            }
            thread::scope(|scope| {
                for row in [0, 1] {
                    let links = &links;
                    scope.spawn(move || {
                        links.edit(row).replace_sparing(&mut vec![3, 4, 5, 6], &[2]);
                    });
                }
            });
            assert!(links.incoming(2) > 0);
            assert!((0..2).any(|row| neighbors(&links, row).contains(&2)));
        }
    }
}
