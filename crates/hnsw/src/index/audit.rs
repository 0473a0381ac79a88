//! Looks at what an index holds, for whoever compares it with the documents.

use super::VectorIndex;
use crate::graph::Graph;

impl VectorIndex {
    /// Tells whether the vectors of a document are just `bytes`, as they are stored: components in little-endian order,
    /// one chunk behind the other.
    pub fn holds(&self, doc: u32, bytes: &[u8]) -> bool {
        match bytes.is_empty() {
            true => self.count_of(doc) == 0,
            false => self.rows_of(doc, bytes).is_some(),
        }
    }

    /// Looks for vectors that no links lead to from where searches begin, answers how many there are, and has
    /// [`maintain`](Self::maintain) link them. Looks for none while vectors wait to be linked.
    ///
    /// About a microsecond for each vector, during which nothing is linked.
    pub fn reconnect(&self) -> usize {
        let graph = self.graph.load_full();
        if graph.unlinked() > 0 {
            return 0;
        }
        graph.reconnect()
    }
}

impl Graph {
    /// Counts nodes that cannot be reached and has the next check link them.
    fn reconnect(&self) -> usize {
        let lost = self.find_unreachable().len();
        if lost > 0 {
            self.maintenance.write().check_connectivity_again();
        }
        lost
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use crate::{HnswParams, Metric, NumericType};

    fn index(count: u32) -> VectorIndex {
        let index = VectorIndex::new(HnswParams {
            dim: 2,
            metric: Metric::Euclidean,
            numeric: NumericType::Float,
            m: 4,
            ef_construction: 20,
            seed: 1,
        });
        for doc in 0..count {
            index
                .push(&[(doc % 64) as f32, (doc / 64) as f32], doc, 0)
                .unwrap();
        }
        while index.maintain(usize::MAX) > 0 {}
        index
    }

    fn bytes(vector: [f32; 2]) -> Vec<u8> {
        vector.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn a_document_is_held_with_just_its_vectors() {
        let index = index(130);
        assert!(index.holds(65, &bytes([1.0, 1.0])) && index.holds(500, &[]));
        assert!(!index.holds(65, &bytes([1.0, 2.0])) && !index.holds(65, &[]));
        assert!(!index.holds(500, &bytes([1.0, 1.0])));
        index.push(&[9.0, 9.0], 65, 1).unwrap();
        assert!(!index.holds(65, &bytes([1.0, 1.0])));
    }

    #[test]
    fn nodes_that_nothing_leads_to_are_counted_and_linked_again() {
        let index = index(4_096);
        assert_eq!((index.reconnect(), index.unreachable()), (0, vec![]));
        let graph = index.graph.load_full();
        // Not the entry, which needs no link.
        let lost: Vec<u32> = (1_000..1_050)
            .filter(|&node| graph.links.level_of(node) == 0)
            .collect();
        for node in 0..4_096 {
            let edit = graph.links.edit(node);
            let mut row = Vec::new();
            edit.read(0, &mut row);
            row.retain(|near| !lost.contains(near));
            edit.replace(0, &row);
        }
        assert_eq!(index.unreachable(), lost);
        assert_eq!(index.reconnect(), lost.len());
        while index.maintain(usize::MAX) > 0 {}
        assert_eq!((index.reconnect(), index.unreachable()), (0, vec![]));
    }
}
