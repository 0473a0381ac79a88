//! The stored form of a document: its id, then name and JSON text of each field.
//!
//! Fragments are kept as text, so that an answer is a join of bytes and never a re-encoding.
//! Layout (little endian): version `u8`, id length `u32`, id, then per field name length `u32`,
//! name, JSON length `u32`, JSON.

use crate::error::{DocumentsError, Result};
use crate::length_prefixed::{Reader, push_text};
use crate::values::Field;

const VERSION: u8 = 1;

/// A stored document, borrowed from its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument<'a> {
    pub id: &'a str,
    /// Field name and JSON text.
    pub fields: Vec<(&'a str, &'a str)>,
}

/// Writes a document.
pub(crate) fn encode_document(id: &str, fields: &[Field]) -> Vec<u8> {
    let size: usize = fields
        .iter()
        .map(|field| field.name.len() + field.json.len() + 8)
        .sum();
    let mut bytes = Vec::with_capacity(size + id.len() + 5);
    bytes.push(VERSION);
    push_text(&mut bytes, id);
    for field in fields {
        push_text(&mut bytes, &field.name);
        push_text(&mut bytes, &field.json);
    }
    debug_assert_eq!(bytes.len(), size + id.len() + 5, "nothing else is written");
    bytes
}

impl<'a> StoredDocument<'a> {
    /// Reads a document.
    ///
    /// # Errors
    /// [`DocumentsError::Stored`] when the bytes are not a document as it is written.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let damaged = || DocumentsError::Stored { what: "document" };
        let mut reader = Reader::new(bytes);
        if reader.byte() != Some(VERSION) {
            return Err(damaged());
        }
        let id = reader.text().ok_or_else(damaged)?;
        let mut fields = Vec::new();
        while !reader.rest().is_empty() {
            let name = reader.text().ok_or_else(damaged)?;
            let json = reader.text().ok_or_else(damaged)?;
            fields.push((name, json));
        }
        Ok(Self { id, fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_reads_back_as_written_and_a_cut_one_is_refused() {
        let fields = [
            Field::read("a", "1").unwrap(),
            Field::text("b.x", "é".to_owned()),
        ];
        let bytes = encode_document("id/1", &fields);
        let expected =
            "\u{1}\u{4}\0\0\0id/1\u{1}\0\0\0a\u{1}\0\0\x001\u{3}\0\0\0b.x\u{4}\0\0\0\"é\"";
        assert_eq!(bytes, expected.as_bytes(), "what is stored keeps its form");
        let stored = StoredDocument::decode(&bytes).unwrap();
        assert_eq!((stored.id, stored.fields[1]), ("id/1", ("b.x", "\"é\"")));
        for cut in 1..bytes.len() {
            let shorter = StoredDocument::decode(&bytes[..cut]);
            assert!(shorter.is_err() || shorter.unwrap().fields.len() < 2);
        }
    }
}
