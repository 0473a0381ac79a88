use std::collections::HashSet;

use tantivy::{Index, TantivyDocument};

use super::schema::{
    ANY, LENGTHS, ORDINAL, TEXT, pack_field, pack_length, schema, settings, tokenizers,
};
use super::unsynced_directory::UnsyncedDirectory;
use crate::error::Result;
use crate::field_table::Slot;
use crate::packed_tokens::unpack;
use crate::statistics::FieldLength;

/// A document after analysis.
#[derive(Debug)]
pub(crate) struct TextDocument {
    pub(crate) ordinal: u32,
    /// Only fields with at least one token.
    pub(crate) fields: Vec<TextField>,
}

/// One field of a [`TextDocument`].
#[derive(Debug)]
pub(crate) struct TextField {
    pub(crate) slot: Slot,
    /// The tokens in order; see [`crate::packed_tokens`].
    pub(crate) tokens: Box<str>,
    pub(crate) length: FieldLength,
}

impl TextDocument {
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (Slot, FieldLength)> + '_ {
        self.fields.iter().map(|field| (field.slot, field.length))
    }
}

/// Size of the writer's arenas at the start; they grow with the documents.
const WRITER_BYTES: usize = 16 * 1024 * 1024;

/// Writes `documents`, ascending by ordinal, as a segment into the empty directory `dir`.
pub(crate) fn write_segment<'d>(
    dir: UnsyncedDirectory,
    documents: impl Iterator<Item = &'d TextDocument>,
) -> Result<()> {
    let mut writer = Index::builder()
        .schema(schema())
        .settings(settings())
        .tokenizers(tokenizers())
        .single_segment_index_writer(dir, WRITER_BYTES)?;
    for document in documents {
        writer.add_document(tantivy_document(document))?;
    }
    writer.finalize()?;
    Ok(())
}

fn tantivy_document(document: &TextDocument) -> TantivyDocument {
    let mut out = TantivyDocument::new();
    out.add_u64(ORDINAL, u64::from(document.ordinal));
    let mut distinct = HashSet::new();
    let mut any = String::new();
    for field in &document.fields {
        out.add_text(TEXT, pack_field(field.slot, &field.tokens));
        out.add_u64(LENGTHS, pack_length(field.slot, field.length));
        for (_, token) in unpack(&field.tokens) {
            if distinct.insert(token) {
                any.push_str(token);
                any.push(' ');
            }
        }
    }
    if !any.is_empty() {
        out.add_text(ANY, any);
    }
    out
}
