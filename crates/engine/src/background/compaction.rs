//! Giving the free pages of a store back to the disk.
//!
//! Vectors come into the store and leave it again once rows are referred to in their place, documents are replaced and
//! deleted, and the pages left free are used again but stay in the file. When an index is at rest the background copies
//! the store without ([`CompactCopy`]), and the writer, between two commits, puts the copy in its place. A write that
//! comes meanwhile ends that: it never waits for longer than a rename, and the copy is made another time.

use std::sync::Arc;
use std::time::Instant;

use pelorus_store::CompactCopy;

use crate::error::{EngineError, Result};
use crate::index::{Index, STORE_CACHE_BYTES};
use crate::write::commit::refresh;
use crate::write::disk_reserve::bytes_on_disk;

/// Files below this are left alone.
const FILE_MIN: u64 = 4 << 20;

/// Makes a copy of the store of an index at rest where that is due and saves a fifth of the file, and asks the writer
/// to put it in the store's place. A failure is logged, and the copy tried again after a while.
pub(crate) fn compact_if_due(index: &Index, now: Instant) {
    let documents = index.views.load().live;
    // Only here a file that is open can be replaced.
    if !cfg!(unix) || !index.background.compaction.is_due(documents, now) {
        return;
    }
    // Whoever reads on would hold all of the old file.
    if index.readings.any() {
        put_off(index);
        return;
    }
    index.background.compaction.begin();
    if let Err(error) = compact_if_worth(index) {
        failed(index, &error);
    }
}

fn compact_if_worth(index: &Index) -> Result<()> {
    let file = bytes_on_disk(&index.files.store_path());
    let file = file.map_err(|error| EngineError::io("reading its size", error))?;
    let is_worth = |held: u64| file >= FILE_MIN && held < file - file / 5;
    // A small file is not read.
    if !is_worth(0) || !compact(index, is_worth)? {
        index.background.compaction.succeeded();
    }
    Ok(())
}

/// Makes a copy of the store of an index, and asks the writer to put it in the store's place; puts it off where the index is
/// written to meanwhile. False where that is not worth it for the bytes that the store holds: their pages are all read.
///
/// # Errors
/// Errors of the disk.
pub(crate) fn compact(index: &Index, is_worth: impl Fn(u64) -> bool) -> Result<bool> {
    let path = index.files.store_path();
    let view = index.views.load();
    let held = view.snapshot.page_bytes()?;
    if !is_worth(held) {
        return Ok(false);
    }
    index.files.disk.for_derived(held as usize)?;
    let is_at_rest = || {
        // A copy of an older state would lack the writes since.
        let is_current = Arc::ptr_eq(&view, &index.views.load());
        is_current && index.takes_writes() && !index.is_retired()
    };
    match CompactCopy::make(&view.snapshot, &path, STORE_CACHE_BYTES, is_at_rest)? {
        Some(copy) => index.writes()?.compact(Box::new(copy)),
        None => _ = put_off(index),
    }
    Ok(true)
}

/// Puts a copy in the place of the store, or puts that off while writing is suspended; called where nothing else is
/// written.
///
/// # Errors
/// When the new store cannot be read. It is that of the index then.
pub(crate) fn put_in_place(index: &Index, copy: CompactCopy) -> Result<()> {
    if !index.takes_writes() {
        put_off(index);
        return Ok(());
    }
    let original = index.files.store();
    match copy.replace(&original, &index.files.store_path()) {
        Ok(Some(store)) => {
            let store = Arc::new(store);
            index.files.exchange_store(Arc::clone(&store));
            refresh(index, &store)?;
            index.background.compaction.note_done();
        }
        Ok(None) => _ = put_off(index),
        Err(error) => failed(index, &error.into()),
    }
    Ok(())
}

/// Seconds until it is tried again at the earliest.
fn put_off(index: &Index) -> u64 {
    let pause = index.background.compaction.put_off(Instant::now());
    // It knows when the pause ends.
    index.context.waker.wake();
    pause.as_secs()
}

fn failed(index: &Index, error: &EngineError) {
    let pause = put_off(index);
    log::warn!(
        "the store of index {} keeps its free pages: {error}; tried again after {pause} s at the earliest",
        index.name()
    );
}
