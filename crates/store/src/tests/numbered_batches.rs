//! Batches whose content follows from their number, so that a store's number of commits tells
//! everything that must be in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::simulated_disk::SimulatedDisk;
use crate::session::{Purpose, SharedDisk};
use crate::store_file::prepare_disk;
use crate::{ReadView, Result, Store, StoreError, WriteBatch, WriteOp};

pub(super) const CACHE_BYTES: usize = 1 << 18;
const IDS: u64 = 30;

/// Batch `s` writes eight ids, of sizes that make the file grow and shrink, deletes one and revises
/// another that was written before, if it is alive.
fn batch(sequence: u64, next_doc: u32, mut living: BTreeMap<u64, u32>) -> WriteBatch {
    let ids = (0..8).map(|i| (sequence * 8 + i) % IDS);
    let put = |(doc, id): (u32, u64)| WriteOp::Put {
        doc,
        replaces: living.insert(id, doc),
        document: document(id, sequence),
        tensors: vec![
            sequence as u8;
            if sequence.is_multiple_of(7) {
                60_000
            } else {
                700
            }
        ],
    };
    let mut ops: Vec<_> = (next_doc..).zip(ids).map(put).collect();
    let deleted = living.remove(&(sequence * 8 % IDS));
    ops.extend(deleted.map(|doc| WriteOp::Delete { doc }));
    let revised = revised_by(sequence);
    ops.extend(living.get(&revised).map(|&doc| WriteOp::Revise {
        doc,
        document: document(revised, sequence),
    }));
    WriteBatch { ops }
}

/// A document tells its id and the batch that wrote it.
fn document(id: u64, sequence: u64) -> Vec<u8> {
    [id, sequence].map(u64::to_le_bytes).concat()
}

/// The ordinals of the living documents, by id.
fn living(view: &ReadView) -> Result<BTreeMap<u64, u32>> {
    let mut living = BTreeMap::new();
    view.scan(0, u32::MAX, |doc, document, _| {
        let id = u64::from_le_bytes(document[..8].try_into().unwrap());
        assert_eq!(living.insert(id, doc), None, "two versions of {id}");
        Ok::<_, StoreError>(())
    })?;
    Ok(living)
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
    Ok(batch(
        view.sequence()? + 1,
        view.next_doc()?,
        living(&view)?,
    ))
}

/// Reads everything and returns the number of the last batch. Panics when anything is not as that
/// number says.
pub(super) fn check_view(view: &ReadView) -> Result<u64> {
    let sequence = view.sequence()?;
    let mut living = living(view)?;
    for id in 0..IDS {
        let doc = living.remove(&id);
        let written = writer_of(id, sequence);
        assert_eq!(doc.is_some(), written.is_some(), "id {id} at {sequence}");
        if let (Some(doc), Some(written)) = (doc, written) {
            let expected = document(id, reviser_of(id, written, sequence));
            let found = view.document(doc)?.unwrap();
            assert_eq!(found, expected, "id {id} at {sequence}");
            let tensors = view.tensors(doc)?.unwrap();
            assert!(tensors.iter().all(|&byte| byte == written as u8));
        }
    }
    assert!(living.is_empty(), "{living:?} at {sequence}");
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

/// A disk after some commits, closed.
pub(super) fn filled_disk(commits: u64) -> SimulatedDisk {
    let disk = new_disk(1);
    let store = open(&disk).unwrap();
    for _ in 0..commits {
        store.commit(&next_batch(&store).unwrap()).unwrap();
    }
    drop(store);
    disk
}

pub(super) fn open(disk: &SimulatedDisk) -> Result<Store> {
    open_with_cache(disk, CACHE_BYTES)
}

pub(super) fn open_with_cache(disk: &SimulatedDisk, cache_bytes: usize) -> Result<Store> {
    let shared: Arc<SharedDisk> = SharedDisk::new(disk.clone());
    Store::open_on(&shared, Purpose::Writing, cache_bytes)
}
