//! Readings page by page from one view, and how much of the disk each holds back.
//!
//! The store cannot use a page again that some view still shows, so its file grows with every write for as long as a
//! scan is read. The room that a reading holds back is estimated from how the file grew since it began and how much of
//! that is living documents. A reading that holds back too much is ended, at the commit that shows it: its next page is
//! refused.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::error::{EngineError, Result};
use crate::write::disk_reserve::{DiskReserve, bytes_on_disk};

/// Bytes on the disk that a living one may take: pages are half full on average.
const DISK_PER_LIVING: i64 = 2;
/// Part of the room that the disk has left above its reserve that readings may hold back.
const SPARE_ONE_IN: u64 = 2;
/// Less is written by a few commits in any case.
const HELD_MIN: u64 = 4 << 20;

/// The bytes that an index has at one time.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// Bytes of the disk that the file of the store takes.
    disk_bytes: u64,
    /// Bytes of documents and tensors, more or fewer than when the index was opened.
    living_bytes: i64,
}

impl Usage {
    /// Bytes that whoever reads since `began` may hold back.
    fn held_since(self, began: Self) -> u64 {
        let grown = self.disk_bytes.saturating_sub(began.disk_bytes);
        let living = self.living_bytes - began.living_bytes;
        grown.saturating_sub((living.max(0) * DISK_PER_LIVING) as u64)
    }
}

/// The readings of one index.
pub(crate) struct Readings {
    /// The name of the index, for the log.
    index: String,
    /// The file of the store, which readings make larger.
    store_path: PathBuf,
    disk: DiskReserve,
    /// Bytes that a reading may hold back whatever the disk has left.
    held_bytes_min: u64,
    open: Mutex<Vec<Weak<dyn Ending>>>,
    living_bytes: AtomicI64,
}

/// A reading of a view, until it is ended.
pub(crate) struct Reading<T> {
    began: Usage,
    read: Mutex<Result<Arc<T>>>,
}

/// A reading of anything.
trait Ending: Send + Sync {
    fn began(&self) -> Usage;
    fn end(&self, reason: EngineError);
}

impl<T> Reading<T> {
    /// Returns the reading. Whoever has it holds the view for as long.
    ///
    /// # Errors
    /// [`EngineError::SnapshotTooOld`] once it was ended.
    pub fn get(&self) -> Result<Arc<T>> {
        self.read.lock().clone()
    }
}

impl<T: Send + Sync> Ending for Reading<T> {
    fn began(&self) -> Usage {
        self.began
    }

    fn end(&self, reason: EngineError) {
        let ended = std::mem::replace(&mut *self.read.lock(), Err(reason));
        drop(ended);
    }
}

impl Readings {
    /// None yet, of the index with this name, whose store is the file at `store_path`.
    pub fn none(index: &str, store_path: PathBuf, disk: DiskReserve, held_bytes_min: u64) -> Self {
        Self {
            index: index.to_owned(),
            store_path,
            disk,
            held_bytes_min,
            open: Mutex::default(),
            living_bytes: AtomicI64::new(0),
        }
    }

    /// Begins to read what `open` makes of the current view.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn begin<T: Send + Sync + 'static>(
        &self,
        open: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<Reading<T>>> {
        // First: writes made meanwhile count.
        let began = self.usage();
        let reading: Arc<Reading<T>> = Arc::new(Reading {
            began,
            read: Mutex::new(Ok(Arc::new(open()?))),
        });
        let weak: Weak<Reading<T>> = Arc::downgrade(&reading);
        self.open.lock().push(weak);
        Ok(reading)
    }

    /// Tells whether anything is read page by page.
    pub fn any(&self) -> bool {
        let mut open = self.open.lock();
        open.retain(|reading| reading.strong_count() > 0);
        !open.is_empty()
    }

    /// Notes that a commit made the living documents larger by so many bytes, or smaller.
    pub fn note(&self, grown: i64) {
        self.living_bytes.fetch_add(grown, Ordering::Relaxed);
    }

    /// Ends the readings that hold back too much of the disk.
    pub fn end_those_that_hold_too_much(&self) {
        if !self.any() {
            return;
        }
        let now = self.usage();
        let (spare, least) = (self.disk.spare(), self.held_bytes_min);
        let open: Vec<_> = self.open.lock().iter().filter_map(Weak::upgrade).collect();
        for reading in open {
            let began = reading.began();
            let held = now.held_since(began);
            let most = least.max(began.disk_bytes);
            let most = spare.map_or(most, |spare| most.min(spare / SPARE_ONE_IN));
            if held > most.max(HELD_MIN.min(least)) {
                log::warn!(
                    "index {}: a scan or search was ended that held back {held} bytes of the disk",
                    self.index
                );
                reading.end(EngineError::SnapshotTooOld { held });
            }
        }
    }

    fn usage(&self) -> Usage {
        Usage {
            // Where it cannot be asked nothing is held back, as far as is known.
            disk_bytes: bytes_on_disk(&self.store_path).unwrap_or_default(),
            living_bytes: self.living_bytes.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_without_living_documents_is_held_back() {
        let usage = |disk_bytes, living_bytes| Usage {
            disk_bytes,
            living_bytes,
        };
        let began = usage(1_000, -50);
        assert_eq!(usage(1_000, -50).held_since(began), 0);
        assert_eq!(usage(900, 10_000).held_since(began), 0);
        // Documents came, and nothing else.
        assert_eq!(usage(3_000, 950).held_since(began), 0);
        // Others were replaced by as many bytes.
        assert_eq!(usage(9_000, 950).held_since(began), 6_000);
        // Fewer are living than before.
        assert_eq!(usage(9_000, -5_000).held_since(began), 8_000);
    }
}
