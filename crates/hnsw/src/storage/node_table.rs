//! The nodes of an index: their vectors in full precision, and the document and chunk of each.

use std::io;

use pelorus_kernels::prefetch;

use crate::storage::blocks::Cells;
use crate::storage::full_vectors::FullVectors;
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering};

/// In place of a document: the node was removed. No document may have this id.
pub(crate) const DEAD: u32 = u32::MAX;

/// Full vectors by node, each with its document and chunk, and a linked list of the nodes of each
/// document.
pub(crate) struct NodeTable {
    full: FullVectors,
    /// Document of a node, [`DEAD`] once removed, and the chunk of it.
    owners: Cells,
    /// The newest node of a document, plus one.
    heads: Cells,
    /// The node pushed before this one for the same document, plus one.
    previous: Cells,
    /// Tells whether any document has had several nodes.
    several: AtomicBool,
    dead: AtomicUsize,
    push: Mutex<()>,
}

impl NodeTable {
    /// None of those in `full` belongs to a document yet: each is to be [`own`](Self::own)ed.
    pub fn new(full: FullVectors) -> Self {
        Self {
            full,
            owners: Cells::new(2),
            heads: Cells::new(1),
            previous: Cells::new(1),
            several: AtomicBool::new(false),
            dead: AtomicUsize::new(0),
            push: Mutex::new(()),
        }
    }

    /// Appends a vector. The row of the vector itself is written last, so every node below
    /// [`len`](Self::len) is complete.
    ///
    /// # Errors
    /// Errors of the system while it wrote the vector; nothing was appended then.
    pub fn push(&self, vector: &[f32], doc: u32, chunk: u32) -> io::Result<u32> {
        let guard = self.push.lock();
        let node = self.full.len() as u32;
        // A vector that could not be appended leaves a node that is in no list of a document.
        let previous = self.heads.get(doc as usize);
        self.set_owner(node, doc, chunk);
        let appended = self.full.append(vector);
        if appended.is_err() {
            self.heads.set(doc as usize, previous);
        }
        drop(guard);
        appended.map(|node| node as u32)
    }

    /// Says whose a node is whose full vector is there already; `DEAD` where it was removed. All
    /// nodes in order, before any other use.
    pub fn own(&self, node: u32, doc: u32, chunk: u32) {
        if doc == DEAD {
            self.owners.row_to_write(node as usize)[0].store(DEAD, Ordering::Release);
            self.dead.fetch_add(1, Ordering::Relaxed);
        } else {
            self.set_owner(node, doc, chunk);
        }
    }

    fn set_owner(&self, node: u32, doc: u32, chunk: u32) {
        assert_ne!(doc, DEAD, "the largest document id is reserved");
        let owner = self.owners.row_to_write(node as usize);
        owner[1].store(chunk, Ordering::Relaxed);
        owner[0].store(doc, Ordering::Release);
        let previous = self.heads.get(doc as usize);
        if previous != 0 {
            self.several.store(true, Ordering::Release);
        }
        // Where documents have one node each, none of this takes memory.
        if self.previous.get(node as usize) != previous {
            self.previous.set(node as usize, previous);
        }
        self.heads.set(doc as usize, node + 1);
    }

    /// Marks a node as removed and tells whether it was alive.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn remove(&self, node: u32) -> bool {
        assert!(
            (node as usize) < self.len(),
            "node {node} of {}",
            self.len()
        );
        let before = self.owners.row_to_write(node as usize)[0].swap(DEAD, Ordering::AcqRel);
        if before != DEAD {
            self.dead.fetch_add(1, Ordering::Relaxed);
        }
        before != DEAD
    }

    /// The number of nodes, dead ones included.
    #[inline]
    pub fn len(&self) -> usize {
        self.full.len()
    }

    /// The number of removed nodes.
    pub fn dead(&self) -> usize {
        self.dead.load(Ordering::Relaxed)
    }

    /// Hands the vector of a node, `[dim]`, to `f`.
    #[inline]
    pub fn with<R>(&self, node: u32, f: impl FnOnce(&[f32]) -> R) -> R {
        self.full.with_row(node as usize, f)
    }

    /// The inner product with the vector of a node.
    #[inline]
    pub fn dot(&self, query: &[f32], node: u32) -> f32 {
        self.full.dot(query, node as usize)
    }

    /// Tells whether two nodes have the same vector.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.with(a, |x| self.with(b, |y| x == y))
    }

    /// Hints that the vector of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        self.full.prefetch(node as usize);
    }

    /// The vectors themselves.
    pub fn full(&self) -> &FullVectors {
        &self.full
    }

    /// Tells whether a document may have several nodes.
    #[inline]
    pub fn has_several(&self) -> bool {
        self.several.load(Ordering::Acquire)
    }

    /// The document of a node, [`DEAD`] if the node was removed.
    #[inline]
    pub fn doc(&self, node: u32) -> u32 {
        self.owners.get(node as usize)
    }

    /// Hints that the document of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch_doc(&self, node: u32) {
        prefetch(self.owners.row(node as usize).unwrap_or_default());
    }

    #[inline]
    pub fn is_dead(&self, node: u32) -> bool {
        self.doc(node) == DEAD
    }

    /// The chunk of its document that a node is.
    pub fn chunk(&self, node: u32) -> u32 {
        let owner = self.owners.row(node as usize);
        owner.map_or(0, |owner| owner[1].load(Ordering::Relaxed))
    }

    /// The living nodes of a document below `limit`, newest first.
    pub fn nodes_of(&self, doc: u32, limit: usize) -> impl Iterator<Item = u32> {
        self.nodes_ever_of(doc)
            .filter(move |&node| (node as usize) < limit && self.doc(node) == doc)
    }

    /// The nodes a document has had, removed ones included, newest first.
    #[inline]
    pub fn nodes_ever_of(&self, doc: u32) -> impl Iterator<Item = u32> {
        let mut next = self.heads.get(doc as usize);
        std::iter::from_fn(move || {
            let node = next.checked_sub(1)?;
            next = match self.has_several() {
                true => self.previous.get(node as usize),
                false => 0,
            };
            Some(node)
        })
    }

    pub fn memory_bytes(&self) -> usize {
        let cells = [&self.owners, &self.heads, &self.previous];
        self.full.resident_bytes()
            + cells
                .iter()
                .map(|cells| cells.memory_bytes())
                .sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumericType;

    #[test]
    fn the_chunks_of_a_document_are_found_without_its_neighbours_or_the_dead() {
        let table = NodeTable::new(FullVectors::in_memory(2, NumericType::Float));
        for (doc, chunk) in [(3, 0), (3, 1), (900_000, 0), (3, 2)] {
            let vector = [doc as f32, chunk as f32];
            table.push(&vector, doc, chunk).unwrap();
        }
        let nodes = |doc, limit| table.nodes_of(doc, limit).collect::<Vec<_>>();
        assert_eq!(nodes(3, 4), [3, 1, 0]);
        assert_eq!(nodes(3, 3), [1, 0], "a node past the limit is not in view");
        assert!(table.remove(1) && !table.remove(1));
        assert_eq!(
            (nodes(3, 4), nodes(900_000, 4), nodes(4, 4)),
            (vec![3, 0], vec![2], vec![])
        );
        assert_eq!((table.len(), table.dead(), table.chunk(3)), (4, 1, 2));
        table.with(2, |x| assert_eq!(x, [900_000.0, 0.0]));
        assert!(table.has_several());
    }
}
