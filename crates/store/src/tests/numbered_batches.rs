//! Batches whose content follows from their number, so that a store's number of commits tells
//! everything that must be in it.

use std::sync::Arc;

use super::simulated_disk::SimulatedDisk;
use crate::session::{Purpose, SharedDisk};
use crate::store_file::prepare_disk;
use crate::{ReadView, Result, Store, StoreError, WriteBatch, WriteOp};

pub(super) const CACHE_BYTES: usize = 1 << 18;
const IDS: u64 = 30;

/// Batch `s` writes eight ids, of sizes that make the file grow and shrink, deletes one and revises
/// another that was written before, if it is alive.
fn batch(sequence: u64, next_doc: u32) -> WriteBatch {
    let put = |i: u64| WriteOp::Put {
        id: format!("id-{}", (sequence * 8 + i) % IDS),
        doc: next_doc + i as u32,
        document: sequence.to_le_bytes().to_vec(),
        tensors: vec![
            sequence as u8;
            if sequence.is_multiple_of(7) {
                60_000
            } else {
                700
            }
        ],
    };
    let mut ops: Vec<_> = (0..8).map(put).collect();
    ops.push(WriteOp::Delete {
        id: format!("id-{}", sequence * 8 % IDS),
    });
    ops.push(WriteOp::Revise {
        id: format!("id-{}", revised_by(sequence)),
        document: sequence.to_le_bytes().to_vec(),
    });
    WriteBatch { ops }
}

fn revised_by(sequence: u64) -> u64 {
    (sequence * 8 + 20) % IDS
}

/// The batch that last wrote `id` at or before `sequence`, if it left it alive.
fn writer_of(id: u64, sequence: u64) -> Option<u64> {
    let last = (1..=sequence)
        .rev()
        .find(|s| (0..8).any(|i| (s * 8 + i) % IDS == id))?;
    (last * 8 % IDS != id).then_some(last)
}

/// The batch that last wrote or revised `id`, which batch `written` wrote last.
fn reviser_of(id: u64, written: u64, sequence: u64) -> u64 {
    let mut later = (written + 1..=sequence).rev();
    later.find(|s| revised_by(*s) == id).unwrap_or(written)
}

/// The batch that comes next.
pub(super) fn next_batch(store: &Store) -> Result<WriteBatch> {
    let view = store.read()?;
    Ok(batch(view.sequence()? + 1, view.next_doc()?))
}

/// Reads everything and returns the number of the last batch. Panics when anything is not as that
/// number says.
pub(super) fn check_view(view: &ReadView) -> Result<u64> {
    let sequence = view.sequence()?;
    for id in 0..IDS {
        let doc = view.doc_of(&format!("id-{id}"))?;
        let written = writer_of(id, sequence);
        assert_eq!(doc.is_some(), written.is_some(), "id-{id} at {sequence}");
        if let (Some(doc), Some(written)) = (doc, written) {
            let document = view.document(doc)?.unwrap();
            let batch = u64::from_le_bytes(document.try_into().unwrap());
            let expected = reviser_of(id, written, sequence);
            assert_eq!(batch, expected, "id-{id} at {sequence}");
            let tensors = view.tensors(doc)?.unwrap();
            assert!(tensors.iter().all(|&byte| byte == written as u8));
        }
    }
    view.scan(0, 0, |_, _, _| Ok::<_, StoreError>(()))?;
    Ok(sequence)
}

pub(super) fn check(store: &Store) -> u64 {
    store.read().and_then(|view| check_view(&view)).unwrap()
}

/// A disk with a store without documents.
pub(super) fn new_disk(seed: u8) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    prepare_disk(&disk).unwrap();
    Store::make_on(&SharedDisk::new(disk.clone()), b"definition", CACHE_BYTES).unwrap();
    disk
}

pub(super) fn open(disk: &SimulatedDisk) -> Result<Store> {
    open_with_cache(disk, CACHE_BYTES)
}

pub(super) fn open_with_cache(disk: &SimulatedDisk, cache_bytes: usize) -> Result<Store> {
    let shared: Arc<SharedDisk> = SharedDisk::new(disk.clone());
    Store::open_on(&shared, Purpose::Writing, cache_bytes)
}
