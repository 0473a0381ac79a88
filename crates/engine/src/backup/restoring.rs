//! From pieces to an index.

use std::collections::VecDeque;
use std::sync::Arc;

use pelorus_store::{Store, WriteBatch, WriteOp};

use super::{Counts, Kind, MAGIC, VERSION};
use crate::error::{EngineError, RestoreError, Result};
use crate::index::Index;
use crate::registry::{NewHome, Registry};
use crate::write::disk_reserve::DiskReserve;

/// Bytes of documents and tensors that are committed together.
const COMMIT_BYTES: usize = 16 << 20;

/// An index that is made of pieces, in their order. Nobody sees it before it is whole; dropped before, it leaves nothing.
pub struct IndexRestore {
    /// Closed before its folder is removed or renamed.
    store: Option<Store>,
    home: NewHome,
    counts: Counts,
    /// Documents and suggestions so far.
    restored: (u64, u64),
    /// Documents whose tensors are still to come.
    waiting: VecDeque<(u32, Vec<u8>)>,
    ops: Vec<WriteOp>,
    bytes: usize,
}

impl IndexRestore {
    pub(crate) fn begin(registry: &Arc<Registry>, name: &str) -> Result<Self> {
        Ok(Self {
            store: None,
            home: NewHome::reserve(registry, name)?,
            counts: Counts::default(),
            restored: (0, 0),
            waiting: VecDeque::new(),
            ops: Vec::new(),
            bytes: 0,
        })
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// `backup_damaged` for what is no piece, or not the next one, `newer_format` for one of a later version, and errors
    /// of the disk. The index cannot be finished then.
    pub fn add(&mut self, piece: &[u8]) -> Result<()> {
        let (kind, rows) = opened(piece)?;
        match (kind, self.store.is_some()) {
            (Kind::Settings, false) => self.create(rows),
            (Kind::Settings, true) | (_, false) => Err(RestoreError::Order.into()),
            (Kind::Documents, true) => self.documents(rows),
            (Kind::Tensors, true) => self.tensors(rows),
            (Kind::Suggestions, true) => self.suggestions(rows),
        }
    }

    /// Makes the index one that is served, durably.
    ///
    /// # Errors
    /// `backup_damaged` where pieces are missing, and as the creation of an index. There is none of that name then.
    pub fn finish(mut self) -> Result<()> {
        self.commit()?;
        let expected = (self.counts.documents, self.counts.suggestions);
        let is_whole = self.waiting.is_empty() && expected == self.restored;
        if self.store.take().is_none() || !is_whole {
            return Err(RestoreError::Incomplete {
                expected: expected.0,
                received: self.restored.0,
            }
            .into());
        }
        self.home.adopt()
    }

    fn create(&mut self, settings: &[u8]) -> Result<()> {
        let end = settings.iter().position(|&byte| byte == 0);
        let (counts, record) = settings.split_at(end.ok_or(RestoreError::Unreadable)?);
        let record = &record[1..];
        self.counts = serde_json::from_slice(counts).map_err(|_| RestoreError::Unreadable)?;
        if record.len() != self.counts.record_bytes {
            return Err(RestoreError::Unreadable.into());
        }
        let (name, path) = (self.home.name(), self.home.path());
        self.store = Some(Index::create_of_record(path, name, record)?);
        Ok(())
    }

    fn documents(&mut self, mut rows: &[u8]) -> Result<()> {
        while !rows.is_empty() {
            let doc = number(&mut rows)?;
            let document = bytes(&mut rows)?.to_vec();
            self.waiting.push_back((doc, document));
        }
        Ok(())
    }

    fn tensors(&mut self, mut rows: &[u8]) -> Result<()> {
        while !rows.is_empty() {
            let doc = number(&mut rows)?;
            let tensors = bytes(&mut rows)?.to_vec();
            let document = self.waiting.pop_front().filter(|(of, _)| *of == doc);
            let (_, document) = document.ok_or(RestoreError::Order)?;
            self.restored.0 += 1;
            self.push(
                document.len() + tensors.len(),
                WriteOp::Put {
                    doc,
                    replaces: None,
                    document,
                    tensors,
                },
            )?;
        }
        Ok(())
    }

    fn suggestions(&mut self, mut rows: &[u8]) -> Result<()> {
        while !rows.is_empty() {
            let key = std::str::from_utf8(bytes(&mut rows)?);
            let key = key.map_err(|_| RestoreError::Unreadable)?.to_owned();
            let query = bytes(&mut rows)?.to_vec();
            self.restored.1 += 1;
            self.push(key.len() + query.len(), WriteOp::Suggest { key, query })?;
        }
        Ok(())
    }

    fn push(&mut self, bytes: usize, op: WriteOp) -> Result<()> {
        self.ops.push(op);
        self.bytes += bytes;
        match self.bytes >= COMMIT_BYTES {
            true => self.commit(),
            false => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<()> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let ops = std::mem::take(&mut self.ops);
        let bytes = std::mem::take(&mut self.bytes);
        if ops.is_empty() {
            return Ok(());
        }
        DiskReserve::of(self.home.path()).for_adding(1, bytes)?;
        Ok(store.commit(&WriteBatch { ops })?)
    }
}

/// The rows of a piece.
fn opened(piece: &[u8]) -> Result<(Kind, &[u8])> {
    let (head, rows) = piece
        .split_first_chunk::<5>()
        .filter(|(head, _)| head.starts_with(MAGIC))
        .ok_or(RestoreError::Unreadable)?;
    let [.., version, kind] = *head;
    if version > VERSION {
        let received = version;
        return Err(EngineError::from(RestoreError::Newer { received }));
    }
    let kinds = [
        Kind::Settings,
        Kind::Documents,
        Kind::Tensors,
        Kind::Suggestions,
    ];
    let kind = kinds.into_iter().find(|known| *known as u8 == kind);
    Ok((kind.ok_or(RestoreError::Unreadable)?, rows))
}

fn number(rows: &mut &[u8]) -> Result<u32> {
    let (number, rest) = rows.split_first_chunk().ok_or(RestoreError::Unreadable)?;
    *rows = rest;
    Ok(u32::from_le_bytes(*number))
}

fn bytes<'r>(rows: &mut &'r [u8]) -> Result<&'r [u8]> {
    let length = number(rows)? as usize;
    let taken = rows.split_at_checked(length);
    let (taken, rest) = taken.ok_or(RestoreError::Unreadable)?;
    *rows = rest;
    Ok(taken)
}
