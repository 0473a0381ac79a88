use tantivy::index::IndexSettings;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::Compressor;

use crate::field_table::Slot;

/// Tokens with their fields: terms are [`field_term`]s.
pub(super) const TEXT: Field = Field::from_field_id(0);
/// The distinct tokens of all fields. Documents only.
pub(super) const ANY: Field = Field::from_field_id(1);
/// The document's ordinal.
pub(super) const ORDINAL: Field = Field::from_field_id(2);
/// One [`pack_length`] per field that has tokens.
pub(super) const LENGTHS: Field = Field::from_field_id(3);

pub(super) const ORDINAL_NAME: &str = "ordinal";
pub(super) const LENGTHS_NAME: &str = "lengths";

/// Nothing is tokenized by tantivy; the names are part of the files.
pub(super) const SLOT_TOKENIZER: &str = "slot";
pub(super) const SPACE_TOKENIZER: &str = "space";

pub(super) fn schema() -> Schema {
    let mut builder = Schema::builder();
    let fields = [
        builder.add_text_field(
            "text",
            indexed(SLOT_TOKENIZER, IndexRecordOption::WithFreqsAndPositions),
        ),
        builder.add_text_field("any", indexed(SPACE_TOKENIZER, IndexRecordOption::Basic)),
        builder.add_u64_field(ORDINAL_NAME, FAST),
        builder.add_u64_field(LENGTHS_NAME, FAST),
    ];
    debug_assert_eq!(fields, [TEXT, ANY, ORDINAL, LENGTHS]);
    builder.build()
}

fn indexed(tokenizer: &str, record: IndexRecordOption) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(record)
            .set_fieldnorms(false),
    )
}

pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        ..IndexSettings::default()
    }
}

/// The term of `token` in the field at `slot`.
pub(super) fn field_term(token: &str, slot: Slot) -> String {
    let mut term = String::with_capacity(token.len() + 4);
    field_term_into(&mut term, token, slot);
    term
}

/// Makes `term` the [`field_term`].
pub(super) fn field_term_into(term: &mut String, token: &str, slot: Slot) {
    term.clear();
    term.push_str(token);
    term.push('\0');
    term.push(slot_char(slot));
}

/// The range of terms of `token` in all fields.
pub(super) fn field_term_range(token: &str) -> (String, String) {
    (format!("{token}\0"), format!("{token}\u{1}"))
}

/// The slot at the end of a [`field_term`].
pub(super) fn slot_of_term(term: &[u8]) -> Option<Slot> {
    let zero = term.iter().rposition(|&byte| byte == 0)?;
    let slot = std::str::from_utf8(&term[zero + 1..])
        .ok()?
        .chars()
        .next()?;
    Slot::try_from(u32::from(slot) - 1).ok()
}

/// Zero ends the token, so slots start at one.
fn slot_char(slot: Slot) -> char {
    char::from_u32(u32::from(slot) + 1).expect("slots stay below the surrogates")
}

pub(super) fn pack_length(slot: Slot, length: u16) -> u64 {
    u64::from(slot) << 16 | u64::from(length)
}

pub(super) fn unpack_length(packed: u64) -> (Slot, u16) {
    ((packed >> 16) as Slot, packed as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_names_its_slot_and_sorts_by_token_and_slot() {
        let slots = [0, 31, 127, 128, 5_000, 0xD000 - 2];
        for slot in slots {
            let term = field_term("red", slot);
            assert_eq!(slot_of_term(term.as_bytes()), Some(slot));
            let (from, to) = field_term_range("red");
            assert!((from..to).contains(&term));
            assert!(field_term("re", slot) < term && term < field_term("red9", 0));
        }
        assert!(slots.is_sorted_by_key(|&slot| field_term("red", slot)));
    }

    #[test]
    fn a_packed_length_comes_back() {
        assert_eq!(unpack_length(pack_length(700, u16::MAX)), (700, u16::MAX));
    }
}
