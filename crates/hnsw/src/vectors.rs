//! The truth of an index: vectors in full precision, and which document each belongs to.

use pelorus_kernels::prefetch;

use crate::blocks::{Cells, Rows};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering};

/// In place of a document: the node was removed. No document may have this id.
pub(crate) const DEAD: u32 = u32::MAX;

/// Full vectors by node, each with its document and chunk, and the nodes of each document.
pub(crate) struct Vectors {
    vectors: Rows<f32>,
    /// Document of a node, [`DEAD`] once removed, and the chunk of it.
    owners: Cells,
    /// The newest node of a document, plus one.
    heads: Cells,
    /// The node pushed before this one for the same document, plus one.
    previous: Cells,
    /// Whether any document has had several nodes.
    several: AtomicBool,
    dead: AtomicUsize,
    push: Mutex<()>,
}

impl Vectors {
    pub fn new(dim: usize) -> Self {
        Self {
            vectors: Rows::new(dim),
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
    pub fn push(&self, vector: &[f32], doc: u32, chunk: u32) -> u32 {
        assert_ne!(doc, DEAD, "the largest document id is reserved");
        let _guard = self.push.lock();
        let node = self.vectors.len();
        let owner = self.owners.row_to_write(node);
        owner[1].store(chunk, Ordering::Relaxed);
        owner[0].store(doc, Ordering::Release);
        let previous = self.heads.get(doc as usize);
        if previous != 0 {
            self.several.store(true, Ordering::Release);
        }
        self.previous.set(node, previous);
        self.heads.set(doc as usize, node as u32 + 1);
        self.vectors.append(|row| row.copy_from_slice(vector));
        node as u32
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
        self.vectors.len()
    }

    /// The number of removed nodes.
    pub fn dead(&self) -> usize {
        self.dead.load(Ordering::Relaxed)
    }

    /// The vector of a node, `[dim]`.
    #[inline]
    pub fn vector(&self, node: u32) -> &[f32] {
        self.vectors.row(node as usize)
    }

    /// Hints that the vector of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.vectors.row(node as usize));
    }

    /// Whether a document may have several nodes.
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

    /// Which chunk of its document a node is.
    pub fn chunk(&self, node: u32) -> u32 {
        let owner = self.owners.row(node as usize);
        owner.map_or(0, |owner| owner[1].load(Ordering::Relaxed))
    }

    /// The living nodes of a document below `limit`, newest first.
    pub fn nodes_of(&self, doc: u32, limit: usize) -> impl Iterator<Item = u32> {
        let mut next = self.heads.get(doc as usize);
        std::iter::from_fn(move || {
            let node = next.checked_sub(1)?;
            next = self.previous.get(node as usize);
            Some(node)
        })
        .filter(move |&node| (node as usize) < limit && self.doc(node) == doc)
    }

    pub fn memory_bytes(&self) -> usize {
        let cells = [&self.owners, &self.heads, &self.previous];
        self.vectors.memory_bytes()
            + cells
                .iter()
                .map(|cells| cells.memory_bytes())
                .sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chunks_of_a_document_are_found_without_its_neighbours_or_the_dead() {
        let vectors = Vectors::new(2);
        for (doc, chunk) in [(3, 0), (3, 1), (900_000, 0), (3, 2)] {
            vectors.push(&[doc as f32, chunk as f32], doc, chunk);
        }
        let nodes = |doc, limit| vectors.nodes_of(doc, limit).collect::<Vec<_>>();
        assert_eq!(nodes(3, 4), [3, 1, 0]);
        assert_eq!(nodes(3, 3), [1, 0], "a node past the limit is not in view");
        assert!(vectors.remove(1) && !vectors.remove(1));
        assert_eq!(
            (nodes(3, 4), nodes(900_000, 4), nodes(4, 4)),
            (vec![3, 0], vec![2], vec![])
        );
        assert_eq!((vectors.len(), vectors.dead(), vectors.chunk(3)), (4, 1, 2));
        assert_eq!(
            (vectors.vector(2), vectors.has_several()),
            (&[900_000.0, 0.0][..], true)
        );
    }
}
