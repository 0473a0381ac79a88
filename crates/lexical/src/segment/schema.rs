use tantivy::index::IndexSettings;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::Compressor;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager, WhitespaceTokenizer};

use crate::field_table::Slot;
use crate::packed_tokens::{PackedTokensIter, unpack};

/// Text of one field with its slot: see [`pack_field`]. Terms are [`field_term`]s.
pub(super) const TEXT: Field = Field::from_field_id(0);
/// The distinct tokens of all fields, separated by spaces. Documents only.
pub(super) const ANY: Field = Field::from_field_id(1);
/// The document's ordinal.
pub(super) const ORDINAL: Field = Field::from_field_id(2);
/// One [`pack_length`] per field that has tokens.
pub(super) const LENGTHS: Field = Field::from_field_id(3);

pub(super) const ORDINAL_NAME: &str = "ordinal";
pub(super) const LENGTHS_NAME: &str = "lengths";

const SLOT_TOKENIZER: &str = "slot";
const SPACE_TOKENIZER: &str = "space";

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

pub(super) fn tokenizers() -> TokenizerManager {
    // Numeric fields, too, are asked for a tokenizer: the default one.
    let manager = TokenizerManager::default();
    manager.register(SLOT_TOKENIZER, SlotTokenizer::default());
    manager.register(SPACE_TOKENIZER, WhitespaceTokenizer::default());
    manager
}

pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        ..IndexSettings::default()
    }
}

/// The term of `token` in the field at `slot`.
pub(super) fn field_term(token: &str, slot: Slot) -> String {
    format!("{token}\0{}", slot_char(slot))
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

/// The packed tokens of a field with its slot: what [`SlotTokenizer`] reads.
pub(super) fn pack_field(slot: Slot, tokens: &str) -> String {
    format!("{}{tokens}", slot_char(slot))
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

#[derive(Clone, Default)]
struct SlotTokenizer {
    token: Token,
}

struct SlotStream<'a> {
    slot: char,
    tokens: PackedTokensIter<'a>,
    token: &'a mut Token,
}

impl Tokenizer for SlotTokenizer {
    type TokenStream<'a> = SlotStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SlotStream<'a> {
        self.token.reset();
        let mut chars = text.chars();
        let slot = chars.next().unwrap_or('\u{1}');
        SlotStream {
            slot,
            tokens: unpack(chars.as_str()),
            token: &mut self.token,
        }
    }
}

impl TokenStream for SlotStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((position, text)) = self.tokens.next() else {
            return false;
        };
        self.token.position = position;
        self.token.text.clear();
        self.token.text.push_str(text);
        self.token.text.push('\0');
        self.token.text.push(self.slot);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_field_gives_terms_that_name_their_slot() {
        for slot in [0, 31, 127, 5_000] {
            let packed = pack_field(slot, "red dog");
            let mut tokenizer = SlotTokenizer::default();
            let mut stream = tokenizer.token_stream(&packed);
            assert!(stream.advance());
            assert_eq!(stream.token().text, field_term("red", slot));
            assert_eq!(slot_of_term(stream.token().text.as_bytes()), Some(slot));
            assert!(stream.advance());
            assert_eq!(stream.token().position, 1);
            assert!(!stream.advance());
            let (from, to) = field_term_range("red");
            assert!((from..to).contains(&field_term("red", slot)));
        }
    }

    #[test]
    fn a_packed_length_comes_back() {
        assert_eq!(unpack_length(pack_length(700, u16::MAX)), (700, u16::MAX));
    }
}
