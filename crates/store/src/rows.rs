//! The tables, and the checksum that each value carries.
//!
//! | table | key | value |
//! |---|---|---|
//! | `index` | `definition` | the bytes given to `create`, or those that took their place |
//! | `index` | `state` | [`State`] |
//! | `documents` | ordinal | the document's bytes |
//! | `index` | `places` | where what references speak of is kept; there since the first was put |
//! | `tensors` | ordinal | the document's tensors |
//! | `references` | ordinal | in place of tensors, what refers to parts of them elsewhere |
//! | `suggestions` | key of the query | the query's bytes; there since the first was put |
//!
//! A value is followed by a crc32 over table, key and value. The pages below have checksums of
//! their own; this one also catches a value that ended up under another key, or that was damaged
//! in memory before it reached a page.
//!
//! Which documents have which ids is told by the documents. A table of them, as format 1 had, costs more than all
//! the rest of a commit: ids come in any order, so that each is a page of its own to read and to write.

use redb::{Key, ReadableTable, Table, TableDefinition};

use crate::{Result, StoreError};

pub(crate) const INDEX: TableDefinition<&str, &[u8]> = TableDefinition::new("index");
pub(crate) const DOCUMENTS: TableDefinition<u32, &[u8]> = TableDefinition::new("documents");
pub(crate) const TENSORS: TableDefinition<u32, &[u8]> = TableDefinition::new("tensors");

/// A table of their own, so that pages of tensors are free once references took their place. A file
/// that was made before there were any has no such table until it is written to.
pub(crate) const REFERENCES: TableDefinition<u32, &[u8]> = TableDefinition::new("references");

/// A file that was made before there were any has no such table, nor has one without any.
pub(crate) const SUGGESTIONS: TableDefinition<&str, &[u8]> = TableDefinition::new("suggestions");

pub(crate) const DEFINITION: &str = "definition";
pub(crate) const STATE: &str = "state";
pub(crate) const PLACES: &str = "places";

const SUM_LEN: usize = 4;

/// A key as it enters the checksum of its value.
pub(crate) trait RowKey: Copy + std::fmt::Debug {
    fn sum_into(self, hasher: &mut crc32fast::Hasher);
}

impl RowKey for &str {
    fn sum_into(self, hasher: &mut crc32fast::Hasher) {
        hasher.update(self.as_bytes());
    }
}

impl RowKey for u32 {
    fn sum_into(self, hasher: &mut crc32fast::Hasher) {
        hasher.update(&self.to_le_bytes());
    }
}

fn sum(table: &str, key: impl RowKey, value: &[u8]) -> [u8; SUM_LEN] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(table.as_bytes());
    hasher.update(&[0]);
    key.sum_into(&mut hasher);
    hasher.update(&[0]);
    hasher.update(value);
    hasher.finalize().to_le_bytes()
}

/// Bytes of a value as it was put, of those of its row.
pub(crate) fn value_len(row: &[u8]) -> usize {
    row.len().saturating_sub(SUM_LEN)
}

/// Writes a value with its checksum.
pub(crate) fn put<'k, K>(
    table: &mut Table<'_, K, &'static [u8]>,
    name: &str,
    key: K::SelfType<'k>,
    value: &[u8],
) -> Result<()>
where
    K: Key + 'static,
    K::SelfType<'k>: RowKey,
{
    let sum = sum(name, key, value);
    let mut row = table.insert_reserve(key, value.len() + SUM_LEN)?;
    let (head, tail) = row.as_mut().split_at_mut(value.len());
    head.copy_from_slice(value);
    tail.copy_from_slice(&sum);
    Ok(())
}

/// The value in a row, once its checksum holds.
///
/// # Errors
/// [`StoreError::Damaged`] naming table and key.
pub(crate) fn open<'r>(name: &str, key: impl RowKey, row: &'r [u8]) -> Result<&'r [u8]> {
    let damaged = |reason: &str| StoreError::damaged(format!("{name}[{key:?}]"), reason);
    let (value, stored) = row
        .split_last_chunk::<SUM_LEN>()
        .ok_or_else(|| damaged("too short to carry a checksum"))?;
    if *stored != sum(name, key, value) {
        return Err(damaged("its checksum does not hold"));
    }
    Ok(value)
}

/// Reads and checks a value and gives it to `take`; `None` where the key is absent.
pub(crate) fn get<'k, K, T>(
    table: &impl ReadableTable<K, &'static [u8]>,
    name: &str,
    key: K::SelfType<'k>,
    take: impl FnOnce(&[u8]) -> T,
) -> Result<Option<T>>
where
    K: Key + 'static,
    K::SelfType<'k>: RowKey,
{
    let row = table
        .get(key)
        .map_err(|e| StoreError::from(e).at(name, &key))?;
    row.map(|row| open(name, key, row.value()).map(take))
        .transpose()
}

/// Counters of the index, changed in the same transaction as the counted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct State {
    /// Number of commits so far.
    pub sequence: u64,
    /// Number of living documents.
    pub count: u64,
    /// The smallest ordinal no document version ever had.
    pub next_doc: u32,
}

impl State {
    pub(crate) fn encode(self) -> [u8; 20] {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..].copy_from_slice(&self.next_doc.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let cut = || {
            let (sequence, rest) = bytes.split_first_chunk::<8>()?;
            let (count, rest) = rest.split_first_chunk::<8>()?;
            Some(State {
                sequence: u64::from_le_bytes(*sequence),
                count: u64::from_le_bytes(*count),
                next_doc: u32::from_le_bytes(rest.try_into().ok()?),
            })
        };
        cut().ok_or_else(|| StoreError::damaged("index[\"state\"]", "20 bytes expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_survives_its_encoding() {
        let state = State {
            sequence: u64::MAX - 1,
            count: 7,
            next_doc: 3 << 20,
        };
        assert_eq!(State::decode(&state.encode()).unwrap(), state);
        assert!(State::decode(&[0; 19]).is_err());
    }

    #[test]
    fn a_value_under_another_key_or_table_is_damage() {
        let mut row = b"value".to_vec();
        row.extend(sum("documents", 5, b"value"));
        assert_eq!(open("documents", 5, &row).unwrap(), b"value");
        assert!(open("documents", 6, &row).is_err());
        assert!(open("tensors", 5, &row).is_err());
        assert!(open("documents", 5, &row[1..]).is_err());
        assert!(open("documents", 5, b"abc").is_err());
    }
}
