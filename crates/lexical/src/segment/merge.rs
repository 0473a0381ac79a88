use tantivy::directory::OwnedBytes;
use tantivy::fastfield::{AliveBitSet, write_alive_bitset};
use tantivy::indexer::merge_filtered_segments;
use tantivy::{BitSet as TantivyBitSet, SegmentReader};

use super::schema::{ANY, settings};
use super::text_segment::TextSegment;
use super::unsynced_directory::UnsyncedDirectory;
use super::words::merge_words;
use crate::dead_set::DeadSet;
use crate::error::Result;

/// A segment to merge and its documents to leave out.
pub(crate) struct MergeSource<'a> {
    pub(crate) segment: &'a TextSegment,
    pub(crate) dead: &'a DeadSet,
}

/// Writes the live documents of neighbouring segments, in order, as one segment into the empty
/// directory `dir`.
pub(crate) fn merge_segments(dir: UnsyncedDirectory, sources: &[MergeSource<'_>]) -> Result<()> {
    let segments: Vec<_> = sources
        .iter()
        .map(|s| s.segment.tantivy_segment().clone())
        .collect();
    let alive = sources.iter().map(alive_bits).collect();
    let merged = merge_filtered_segments(&segments, settings(), alive, dir.clone())?;
    let words: Vec<_> = sources.iter().map(|source| &source.segment.words).collect();
    match sources.iter().all(|source| source.dead.is_empty()) {
        true => merge_words(&dir, &words, |_| Ok(true)),
        false => {
            let segment = merged.searchable_segments()?.pop();
            let reader = segment.as_ref().map(SegmentReader::open).transpose()?;
            let any = reader
                .map(|reader| reader.inverted_index(ANY))
                .transpose()?;
            // The words of dead documents go with their postings.
            merge_words(&dir, &words, |token| match &any {
                Some(any) => {
                    let info = any.terms().get(token);
                    Ok(info.map_err(tantivy::TantivyError::from)?.is_some())
                }
                None => Ok(false),
            })
        }
    }
}

fn alive_bits(source: &MergeSource<'_>) -> Option<AliveBitSet> {
    if source.dead.is_empty() {
        return None;
    }
    let mut alive = TantivyBitSet::with_max_value_and_full(source.segment.doc_count());
    for &local in source.dead.log() {
        alive.remove(local);
    }
    let mut bytes = Vec::new();
    write_alive_bitset(&alive, &mut bytes).expect("writing into memory does not fail");
    Some(AliveBitSet::open(OwnedBytes::new(bytes)))
}
