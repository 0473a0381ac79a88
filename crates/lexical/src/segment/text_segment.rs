use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::index::InvertedIndexReader;
use tantivy::{Index, Segment, SegmentReader};

use super::dead_counts::DeadCounts;
use super::lengths::Lengths;
use super::schema::{ANY, LENGTHS_NAME, ORDINAL_NAME, TEXT, unpack_length};
use super::token_ends::TokenEnds;
use super::unsynced_directory::UnsyncedDirectory;
use super::words::SegmentWords;
use crate::error::{LexicalError, Result};
use crate::expansion::{CommonWords, SharesCache};
use crate::field_table::Slot;
use crate::statistics::FieldLength;
use crate::term_bounds::TermBoundsCache;

/// A segment that is open for searching. Postings stay on disk, mapped; ordinals and lengths are
/// in memory.
pub(crate) struct TextSegment {
    dir: PathBuf,
    segment: Segment,
    pub(super) text: Arc<InvertedIndexReader>,
    pub(super) any: Arc<InvertedIndexReader>,
    ordinals: Ordinals,
    /// By slot; `None` where no document has the field.
    lengths: Vec<Option<Lengths>>,
    pub(crate) words: SegmentWords,
    pub(crate) common_words: CommonWords,
    pub(super) dead_counts: DeadCounts,
    pub(crate) term_bounds: TermBoundsCache,
    pub(crate) shares: SharesCache,
    pub(super) token_ends: TokenEnds,
}

impl TextSegment {
    /// Opens the segment in `dir`, whose fields have slots below `slot_count`. Its files must have
    /// been compared with the written ones: tantivy trusts its files.
    ///
    /// # Errors
    /// When files are missing or do not fit together.
    pub(crate) fn open(dir: &Path, slot_count: usize) -> Result<TextSegment> {
        let directory = UnsyncedDirectory::open(dir)?;
        let words = SegmentWords::open(&directory)?;
        let index = Index::open(directory)?;
        let mut segments = index.searchable_segments()?;
        let segment = segments
            .pop()
            .ok_or_else(|| corrupt("expected one tantivy segment"))?;
        let reader = SegmentReader::open(&segment)?;
        let ordinals = read_ordinals(&reader)?;
        let lengths = read_lengths(&reader, slot_count)?;
        Ok(TextSegment {
            dir: dir.to_owned(),
            text: reader.inverted_index(TEXT)?,
            any: reader.inverted_index(ANY)?,
            segment,
            ordinals,
            lengths,
            words,
            common_words: CommonWords::default(),
            dead_counts: DeadCounts::default(),
            term_bounds: TermBoundsCache::default(),
            shares: SharesCache::default(),
            token_ends: TokenEnds::default(),
        })
    }

    /// Documents in the postings, dead ones included.
    pub(crate) fn doc_count(&self) -> u32 {
        self.ordinals.count
    }

    #[inline]
    pub(crate) fn ordinal(&self, local: u32) -> u32 {
        match self.ordinals.listed.get(local as usize) {
            Some(&ordinal) => ordinal,
            None => self.ordinals.first + local,
        }
    }

    /// The local number of an ordinal.
    pub(crate) fn local(&self, ordinal: u32) -> Option<u32> {
        let Ordinals {
            first,
            count,
            listed,
        } = &self.ordinals;
        match listed.is_empty() {
            true => ordinal.checked_sub(*first).filter(|local| local < count),
            false => listed
                .binary_search(&ordinal)
                .ok()
                .map(|local| local as u32),
        }
    }

    /// The number of documents with an ordinal below this one.
    pub(crate) fn lower_bound(&self, ordinal: u32) -> u32 {
        let Ordinals {
            first,
            count,
            listed,
        } = &self.ordinals;
        match listed.is_empty() {
            true => ordinal.saturating_sub(*first).min(*count),
            false => listed.partition_point(|&listed| listed < ordinal) as u32,
        }
    }

    /// Lengths of all fields of a document.
    pub(crate) fn document_lengths(
        &self,
        local: u32,
    ) -> impl Iterator<Item = (Slot, FieldLength)> + '_ {
        self.lengths
            .iter()
            .enumerate()
            .filter_map(move |(slot, lengths)| {
                let length = lengths.as_ref()?.get(local);
                (length > 0).then_some((slot as Slot, length))
            })
    }

    pub(super) fn field_lengths(&self, slot: Slot) -> Option<&Lengths> {
        self.lengths.get(usize::from(slot))?.as_ref()
    }

    pub(super) fn tantivy_segment(&self) -> &Segment {
        &self.segment
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lengths = self.lengths.iter().flatten().map(Lengths::memory_bytes);
        self.ordinals.listed.capacity() * 4
            + lengths.sum::<usize>()
            + self.term_bounds.memory_bytes()
            + self.words.memory_bytes()
            + self.common_words.memory_bytes()
            + self.shares.memory_bytes()
            + self.token_ends.memory_bytes()
    }
}

pub(super) fn corrupt(what: &str) -> LexicalError {
    LexicalError::Segment(tantivy::TantivyError::DataCorruption(
        tantivy::error::DataCorruption::comment_only(what),
    ))
}

/// The ordinals of the local documents, ascending.
struct Ordinals {
    first: u32,
    count: u32,
    /// Empty where none is left out between them.
    listed: Vec<u32>,
}

fn read_ordinals(reader: &SegmentReader) -> Result<Ordinals> {
    let column = reader.fast_fields().u64(ORDINAL_NAME)?;
    let mut ordinals = Vec::with_capacity(reader.max_doc() as usize);
    for local in 0..reader.max_doc() {
        let ordinal = column
            .first(local)
            .and_then(|ordinal| u32::try_from(ordinal).ok());
        ordinals.push(ordinal.ok_or_else(|| corrupt("a document lacks its ordinal"))?);
    }
    if !ordinals.is_sorted_by(|a, b| a < b) {
        return Err(corrupt("ordinals do not ascend"));
    }
    let first = ordinals.first().copied().unwrap_or(0);
    let last = ordinals.last().copied().unwrap_or(0);
    let count = reader.max_doc();
    if count == 0 || last - first == count - 1 {
        ordinals = Vec::new();
    }
    Ok(Ordinals {
        first,
        count,
        listed: ordinals,
    })
}

fn read_lengths(reader: &SegmentReader, slot_count: usize) -> Result<Vec<Option<Lengths>>> {
    let mut by_slot = vec![(Vec::new(), Vec::new()); slot_count];
    if let Some(column) = reader.fast_fields().column_opt::<u64>(LENGTHS_NAME)? {
        for local in 0..reader.max_doc() {
            for packed in column.values_for_doc(local) {
                let (slot, length) = unpack_length(packed);
                let (docs, lengths) = by_slot
                    .get_mut(usize::from(slot))
                    .ok_or_else(|| corrupt("a document has a field the manifest lacks"))?;
                docs.push(local);
                lengths.push(length);
            }
        }
    }
    let build = |(docs, lengths): (Vec<u32>, Vec<FieldLength>)| {
        (!docs.is_empty()).then(|| Lengths::new(docs, lengths, reader.max_doc()))
    };
    Ok(by_slot.into_iter().map(build).collect())
}
