//! Giving the free pages of a store back to the disk.
//!
//! Vectors come into the store and leave it again once rows are referred to in their place, documents are replaced and
//! deleted, and what that leaves free is used again but stays in the file. When an index is at rest the background
//! copies the store without ([`CompactCopy`]), and the applier, between two commits, puts the copy in its place. A write
//! that comes meanwhile ends that: it never waits for longer than a rename, and the copy is made another time.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use pelorus_store::CompactCopy;

use crate::background::backoff::Backoff;
use crate::error::{EngineError, Result};
use crate::index::{Index, STORE_CACHE_BYTES};
use crate::write::commit::refresh;

/// Files below this are left alone.
const FILE_MIN: u64 = 4 << 20;
/// The pages of a store are looked at, all of them, after at least so many changes ...
const CHANGES_MIN: u64 = 4_096;
/// ... and one for so many documents, as the work grows with these.
const DOCUMENTS_PER_CHANGE: u64 = 4;

/// More changes than there are.
const UNKNOWN: u64 = u64::MAX / 2;

/// When the store of an index is to be compacted.
pub(crate) struct Compaction {
    /// Changes committed since the pages were last looked at.
    changes: AtomicU64,
    /// When it may be tried again after it failed or was interrupted.
    retry: Mutex<Backoff>,
}

impl Compaction {
    /// Of an index that was just opened: what earlier processes left is not known.
    pub fn new() -> Self {
        Self {
            changes: AtomicU64::new(UNKNOWN),
            retry: Mutex::new(Backoff::SLOW),
        }
    }

    /// Notes that so many changes were committed.
    pub fn note(&self, changes: usize) {
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
    }

    fn is_due(&self, documents: usize, now: Instant) -> bool {
        let changes_min = CHANGES_MIN.max(documents as u64 / DOCUMENTS_PER_CHANGE);
        self.changes.load(Ordering::Relaxed) >= changes_min && self.retry.lock().may_try(now)
    }

    /// Until when it is put off. None where it is not, or no longer.
    pub fn until(&self, now: Instant) -> Option<Instant> {
        let until = self.retry.lock().until();
        until.filter(|&until| until > now)
    }

    /// Whether it was put off and that is over.
    pub fn is_overdue(&self, now: Instant) -> bool {
        let until = self.retry.lock().until();
        until.is_some_and(|until| until <= now)
    }
}

/// Makes a copy of the store of an index at rest where that is due and saves a fifth of the file, and has the applier put
/// it in the store's place. What fails is logged and tried again after a while.
pub(crate) fn compact_if_due(index: &Index, now: Instant) {
    let documents = index.views.load().live;
    // Only here a file that is open can be replaced.
    if !cfg!(unix) || !index.compaction.is_due(documents, now) {
        return;
    }
    // Whoever reads on would hold all of the old file.
    if index.readings.any() {
        put_off(index);
        return;
    }
    index.compaction.changes.store(0, Ordering::Relaxed);
    if let Err(error) = compact_if_worth(index) {
        failed(index, &error);
    }
}

fn compact_if_worth(index: &Index) -> Result<()> {
    let file = bytes_on_disk(&index.store_path());
    let file = file.map_err(|error| EngineError::io("reading its size", error))?;
    let is_worth = |held: u64| file >= FILE_MIN && held < file - file / 5;
    // A small file is not read.
    if !is_worth(0) || !compact(index, is_worth)? {
        index.compaction.retry.lock().succeeded();
    }
    Ok(())
}

/// Makes a copy of the store of an index, and has the applier put it in the store's place; puts it off where the index is
/// written to meanwhile. False where that is not worth it for the bytes that the store holds: their pages are all read.
///
/// # Errors
/// What the disk refuses.
pub(crate) fn compact(index: &Index, is_worth: impl Fn(u64) -> bool) -> Result<bool> {
    let path = index.store_path();
    let view = index.views.load();
    let held = view.snapshot.page_bytes()?;
    if !is_worth(held) {
        return Ok(false);
    }
    index.room.for_derived(held as usize)?;
    let is_at_rest = || {
        let is_current = Arc::ptr_eq(&view, &index.views.load());
        is_current && index.takes_writes() && !index.is_retired()
    };
    match CompactCopy::make(&view.snapshot, &path, STORE_CACHE_BYTES, is_at_rest)? {
        Some(copy) => index.applier()?.compact(Box::new(copy)),
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
    let original = index.store();
    match copy.replace(&original, &index.store_path()) {
        Ok(Some(store)) => {
            let store = Arc::new(store);
            index.exchange_store(Arc::clone(&store));
            refresh(index, &store)?;
            index.compaction.retry.lock().succeeded();
        }
        Ok(None) => _ = put_off(index),
        Err(error) => failed(index, &error.into()),
    }
    Ok(())
}

/// Seconds until it is tried again at the earliest.
fn put_off(index: &Index) -> u64 {
    let compaction = &index.compaction;
    let pause = compaction.retry.lock().failed(Instant::now());
    compaction.changes.store(UNKNOWN, Ordering::Relaxed);
    // It knows when the pause ends.
    index.context.waker.wake();
    pause.as_secs()
}

fn failed(index: &Index, error: &EngineError) {
    let pause = put_off(index);
    log::warn!(
        "the store of index {} keeps its free pages: {error}; tried again after {pause} s at the earliest",
        index.name
    );
}

/// Bytes that a file takes: less than its length where it has holes.
#[cfg(unix)]
pub(crate) fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    /// Of what a system counts, whatever the blocks of the disk.
    const BLOCK: u64 = 512;
    let metadata = fs::metadata(path)?;
    Ok(metadata.len().min(metadata.blocks() * BLOCK))
}

#[cfg(not(unix))]
pub(crate) fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    Ok(fs::metadata(path)?.len())
}
