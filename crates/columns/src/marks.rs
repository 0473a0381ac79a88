use pelorus_kernels::BitSet;

/// Ordinals in one block: the unit in which columns are packed, and in which marks begin.
pub(crate) const BLOCK: u32 = 1024;

/// Documents found to match, one bit each, from the first ordinal of a block on. Documents outside
/// are not marked, so that a few new documents are looked at without looking at all.
pub(crate) struct Marks {
    /// A multiple of [`BLOCK`].
    first: u32,
    words: Vec<u64>,
}

impl Marks {
    /// Room for `words` words of documents, from `first` on, none of them marked.
    pub(crate) fn new(first: u32, words: usize) -> Self {
        debug_assert!(first.is_multiple_of(BLOCK), "{first} begins no block");
        let words = vec![0; words];
        Marks { first, words }
    }

    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The ordinal behind the last that there is room for.
    pub(crate) fn end(&self) -> u32 {
        let bits = u32::try_from(self.words.len() * 64).unwrap_or(u32::MAX);
        self.first.saturating_add(bits)
    }

    /// Bit `i` of these stands for the ordinal `first + i`.
    pub(crate) fn words(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub(crate) fn set(&mut self, doc: u32) {
        let Some(bit) = doc.checked_sub(self.first) else {
            return;
        };
        if let Some(word) = self.words.get_mut(bit as usize / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// The marked documents, counted from the first ordinal.
    pub(crate) fn into_set(self) -> BitSet {
        BitSet::from_words(self.words)
    }
}
