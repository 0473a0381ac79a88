//! From lists in memory to the files of a tantivy segment.
//!
//! Tantivy would invert the documents once more; here its serializers get the lists that are there.
//! They write the same files as its own writer, which the tests compare.

use std::io;
use std::path::Path;

use tantivy::columnar::{ColumnType, ColumnarWriter};
use tantivy::directory::TerminatingWrite;
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::{IndexMeta, SegmentComponent};
use tantivy::postings::{FieldSerializer, InvertedIndexSerializer};
use tantivy::store::StoreWriter;
use tantivy::{Directory, Index, Segment, TantivyDocument};

use super::schema::{
    ANY, LENGTHS_NAME, ORDINAL_NAME, TEXT, field_term_into, pack_length, schema, settings,
};
use super::unsynced_directory::UnsyncedDirectory;
use super::words::write_words;
use crate::delta::Delta;
use crate::field_table::Slot;
use crate::inverted::{Inverted, TermMerge};

/// Tantivy's name for the list of segments.
const META: &str = "meta.json";

/// Writes the living documents of `delta` as a segment into the empty directory `dir`.
pub(crate) fn write_segment(dir: UnsyncedDirectory, delta: &Delta) -> tantivy::Result<()> {
    match delta.dead.is_empty() {
        true => write_all(dir, delta, delta.parts().iter().map(|part| &**part)),
        false => {
            let alive = |local: u32| (!delta.dead.contains(local)).then_some(local);
            let parts = delta.parts().iter();
            let parts = parts.map(|part| part.renumbered(alive, |slot| slot));
            let parts: Vec<Inverted> = parts.collect();
            write_all(dir, delta, parts.iter())
        }
    }
}

fn write_all<'p>(
    dir: UnsyncedDirectory,
    delta: &Delta,
    parts: impl Iterator<Item = &'p Inverted> + Clone,
) -> tantivy::Result<()> {
    write_words(&dir, parts.clone().map(Inverted::words))?;
    let index = Index::create(dir, schema(), settings())?;
    let segment = index.new_segment();
    let documents = Documents::number(parts.clone());
    write_postings(&segment, &documents, parts.clone())?;
    write_columns(&segment, &documents, delta, parts)?;
    FieldNormsSerializer::from_write(segment.open_write(SegmentComponent::FieldNorms)?)?.close()?;
    write_store(&segment, documents.count)?;

    let meta = IndexMeta {
        index_settings: settings(),
        persisted_custom_extensions: Vec::new(),
        segments: vec![segment.with_max_doc(documents.count).meta().clone()],
        schema: schema(),
        opstamp: 0,
        payload: None,
    };
    let meta = serde_json::to_vec_pretty(&meta).map_err(io::Error::from)?;
    index.directory().atomic_write(Path::new(META), &meta)?;
    Ok(())
}

/// The numbers of the documents in the segment: without gaps.
struct Documents {
    count: u32,
    /// By local number in the delta.
    numbers: Vec<u32>,
}

impl Documents {
    fn number<'p>(parts: impl Iterator<Item = &'p Inverted>) -> Documents {
        let mut numbers = Vec::new();
        let mut count = 0;
        for &local in parts.flat_map(Inverted::documents) {
            debug_assert!(local as usize >= numbers.len(), "documents ascend");
            numbers.resize(local as usize + 1, count);
            count += 1;
        }
        Documents { count, numbers }
    }

    fn number_of(&self, local: u32) -> u32 {
        self.numbers[local as usize]
    }
}

fn write_postings<'p>(
    segment: &Segment,
    documents: &Documents,
    parts: impl Iterator<Item = &'p Inverted> + Clone,
) -> tantivy::Result<()> {
    let mut serializer = InvertedIndexSerializer::open(segment)?;
    if parts.clone().all(|part| part.term_count() == 0) {
        serializer.close()?;
        return Ok(());
    }
    let occurrences = parts.clone().map(Inverted::occurrence_count).sum::<usize>();
    let mut text = serializer.new_field(TEXT, occurrences as u64, None)?;
    let mut terms = TermMerge::new(parts.clone());
    let mut slots = Vec::new();
    let mut deltas = Vec::new();
    let mut term = String::new();
    while let Some((token, found)) = terms.next_term() {
        slots.clear();
        let lists = found.iter().flat_map(|(part, term)| part.lists(*term));
        slots.extend(lists.map(|list| list.field));
        slots.sort_unstable();
        slots.dedup();
        for &slot in &slots {
            let lists = found
                .iter()
                .filter_map(|(part, term)| part.lists(*term).find(|list| list.field == slot));
            let count: usize = lists.clone().map(|list| list.postings.docs.len()).sum();
            field_term_into(&mut term, token, slot as Slot);
            text.new_term(term.as_bytes(), count as u32, true)?;
            for list in lists {
                list.for_each(|local, _, positions| {
                    deltas.clear();
                    let mut before = 0;
                    deltas.extend(
                        positions
                            .iter()
                            .map(|&position| position - std::mem::replace(&mut before, position)),
                    );
                    let doc = documents.number_of(local);
                    text.write_doc(doc, positions.len() as u32, &deltas);
                });
            }
            text.close_term()?;
        }
    }
    text.close()?;
    let matching = parts
        .clone()
        .flat_map(|part| (0..part.term_count()).map(|term| u64::from(part.documents_with(term))));
    let any = serializer.new_field(ANY, matching.sum(), None)?;
    write_any(any, documents, parts)?;
    serializer.close()?;
    Ok(())
}

/// Lists for each token the documents that hold it in any field.
fn write_any<'p>(
    mut any: FieldSerializer<'_>,
    documents: &Documents,
    parts: impl Iterator<Item = &'p Inverted>,
) -> tantivy::Result<()> {
    let mut terms = TermMerge::new(parts);
    let mut union = Vec::new();
    while let Some((token, found)) = terms.next_term() {
        any.new_term_without_freq(token.as_bytes())?;
        for (part, term) in found {
            union.clear();
            for list in part.lists(*term) {
                union.extend_from_slice(list.postings.docs);
            }
            // Each list ascends already, which a stable sort makes use of.
            union.sort();
            union.dedup();
            for &local in &union {
                any.write_doc(documents.number_of(local), 0, &[]);
            }
        }
        any.close_term()?;
    }
    any.close()?;
    Ok(())
}

/// Ordinals and lengths.
fn write_columns<'p>(
    segment: &Segment,
    documents: &Documents,
    delta: &Delta,
    parts: impl Iterator<Item = &'p Inverted>,
) -> tantivy::Result<()> {
    let mut columns = ColumnarWriter::default();
    for name in [ORDINAL_NAME, LENGTHS_NAME] {
        columns.record_column_type(name, ColumnType::U64, false);
    }
    for part in parts {
        for (row, &local) in part.documents().iter().enumerate() {
            let doc = documents.number_of(local);
            columns.record_numerical(doc, ORDINAL_NAME, u64::from(delta.ordinal(local)));
            for (slot, length) in part.field_lengths(row) {
                columns.record_numerical(doc, LENGTHS_NAME, pack_length(slot, length));
            }
        }
    }
    let mut file = segment.open_write(SegmentComponent::FastFields)?;
    columns.serialize(documents.count, None, &mut file)?;
    file.terminate()?;
    Ok(())
}

/// Nothing is stored, which takes a record for each document.
fn write_store(segment: &Segment, count: u32) -> tantivy::Result<()> {
    let settings = settings();
    let mut store = StoreWriter::new(
        segment.open_write(SegmentComponent::Store)?,
        settings.docstore_compression,
        settings.docstore_blocksize,
        settings.docstore_compress_dedicated_thread,
    )?;
    let nothing = TantivyDocument::new();
    for _ in 0..count {
        store.store(&nothing, &segment.schema())?;
    }
    store.close()?;
    Ok(())
}

#[cfg(test)]
mod tests;
