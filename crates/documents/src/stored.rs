//! How a document lies in the truth: its id, then name and JSON text of each field.
//!
//! Fragments are kept as text, so that an answer is a join of bytes and never a re-encoding.
//! Layout (little endian): version `u8`, id length `u32`, id, then per field name length `u32`,
//! name, JSON length `u32`, JSON.

use crate::error::{DocumentsError, Result};
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
    push(&mut bytes, id);
    for field in fields {
        push(&mut bytes, &field.name);
        push(&mut bytes, &field.json);
    }
    bytes
}

fn push(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

impl<'a> StoredDocument<'a> {
    /// Reads a document.
    ///
    /// # Errors
    /// [`DocumentsError::Stored`] when the bytes are not a document as it is written.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let damaged = || DocumentsError::Stored { what: "document" };
        let mut rest = match bytes.split_first() {
            Some((&VERSION, rest)) => rest,
            _ => return Err(damaged()),
        };
        let id = take(&mut rest).ok_or_else(damaged)?;
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let name = take(&mut rest).ok_or_else(damaged)?;
            let json = take(&mut rest).ok_or_else(damaged)?;
            fields.push((name, json));
        }
        Ok(Self { id, fields })
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let (length, tail) = rest.split_first_chunk::<4>()?;
    let (text, tail) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = tail;
    std::str::from_utf8(text).ok()
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
        let stored = StoredDocument::decode(&bytes).unwrap();
        assert_eq!((stored.id, stored.fields[1]), ("id/1", ("b.x", "\"é\"")));
        for cut in 1..bytes.len() {
            let shorter = StoredDocument::decode(&bytes[..cut]);
            assert!(shorter.is_err() || shorter.unwrap().fields.len() < 2);
        }
    }
}
