use std::collections::BTreeSet;

use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use crate::ColumnError;
use crate::columns::Columns;
use crate::evaluate::Callbacks;
use crate::marks::BLOCK;

/// Words of the bits of one block.
const BLOCK_WORDS: usize = BLOCK as usize / 64;

/// The documents that pass a filter, and how many they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterMatches {
    documents: BitSet,
    count: usize,
    /// Ordinals below this were looked at.
    end: u32,
}

impl FilterMatches {
    /// Documents found to pass, all ordinals below `end` having been looked at.
    pub fn of(documents: BitSet, end: u32) -> Self {
        FilterMatches {
            count: documents.len(),
            documents,
            end,
        }
    }

    pub fn documents(&self) -> &BitSet {
        &self.documents
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.documents.words())
    }
}

impl Columns {
    /// As [`Columns::evaluate`], with the number of documents. All ordinals of `alive` are below
    /// `end`.
    ///
    /// # Errors
    /// Those of [`Columns::evaluate`].
    pub fn matches<E: From<ColumnError>>(
        &self,
        filter: &Filter,
        alive: &BitSet,
        end: u32,
        callbacks: &Callbacks<'_, E>,
    ) -> Result<FilterMatches, E> {
        Ok(FilterMatches::of(
            self.evaluate(filter, alive, callbacks)?,
            end,
        ))
    }

    /// Returns the result of [`Columns::matches`] from the one for the same filter before: only the
    /// blocks of 1,024 ordinals that have new or `changed` documents are looked at.
    ///
    /// Right as long as `changed` has every ordinal in `alive` that was taken in again since, and
    /// `alive` holds no ordinal below the former `end` that it did not hold then. A filter with a
    /// `CONTAINS` asks `contains` about all documents again.
    ///
    /// # Errors
    /// Those of [`Columns::evaluate`].
    pub fn matches_since<E: From<ColumnError>>(
        &self,
        before: &FilterMatches,
        filter: &Filter,
        alive: &BitSet,
        end: u32,
        changed: &[u32],
        callbacks: &Callbacks<'_, E>,
    ) -> Result<FilterMatches, E> {
        let first = before.end / BLOCK * BLOCK;
        let (old, new) = alive
            .words()
            .split_at_checked(first as usize / 64)
            .unwrap_or((alive.words(), &[]));
        let known = before.documents.words().iter();
        let mut words = Vec::with_capacity(alive.words().len());
        words.extend(known.zip(old).map(|(known, alive)| known & alive));
        words.resize(old.len(), 0);
        let blocks: BTreeSet<u32> = changed.iter().map(|doc| doc / BLOCK).collect();
        for &block in blocks.range(..first / BLOCK) {
            let from = block as usize * BLOCK_WORDS;
            let to = old.len().min(from + BLOCK_WORDS);
            let Some(alive) = old.get(from..to) else {
                continue;
            };
            let alive = BitSet::from_words(alive.to_vec());
            let found = self.evaluate_from(block * BLOCK, filter, &alive, callbacks)?;
            let found = found.words().iter().copied().chain(std::iter::repeat(0));
            words[from..to]
                .iter_mut()
                .zip(found)
                .for_each(|(word, found)| *word = found);
        }
        if new.iter().any(|&word| word != 0) {
            let new = BitSet::from_words(new.to_vec());
            let found = self.evaluate_from(first, filter, &new, callbacks)?;
            words.extend_from_slice(found.words());
        }
        Ok(FilterMatches::of(BitSet::from_words(words), end))
    }
}
