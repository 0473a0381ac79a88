use pelorus_kernels::BitSet;

/// Documents of one part that were removed but are still in its postings.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeadSet {
    members: BitSet,
    /// The members in the order of their removal. A later state of the same set begins with the
    /// whole log of an earlier one, so counts taken earlier can be continued.
    log: Vec<u32>,
}

impl DeadSet {
    /// Marks a document of the part by its local number; false if it was dead already.
    pub(crate) fn insert(&mut self, local: u32) -> bool {
        let fresh = self.members.insert(local);
        if fresh {
            self.log.push(local);
        }
        fresh
    }

    #[inline]
    pub(crate) fn contains(&self, local: u32) -> bool {
        self.members.contains(local)
    }

    pub(crate) fn log(&self) -> &[u32] {
        &self.log
    }

    pub(crate) fn len(&self) -> usize {
        self.log.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.log.capacity() * 4 + self.members.words().len() * 8
    }
}
