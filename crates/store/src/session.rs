//! One opening of a disk by a tree, and how the next opening takes over from it.
//!
//! The tree gives up at the first call that fails: from then on it answers nothing, not even from
//! pages that were read before. So it is never told of a write that failed:
//!
//! - **A session stops writing at its first failed call.** A write, resize or sync that fails and
//!   all later ones change an overlay in memory and succeed; nothing more reaches the disk. The
//!   tree completes its commit there, the store asks [`Session::error`] and reports it, and reads
//!   of the commit before go on.
//! - **A session begins in an overlay as well.** A flag that the tree writes into its header while
//!   it opens reaches the disk with [`Session::release`], once the content was found whole. A file
//!   that cannot be opened is not changed, and a session that is never released is one for reading.
//! - **The disk stays locked** from the first session to the end of the last: sessions share it,
//!   at most one of them writes, and a session that starts to write ends those before it.
//!
//! # After a failed sync
//!
//! After a failed sync, Linux and others keep showing the pages that did not reach the disk and
//! count them as written: no later sync writes them or fails for them, until they are dropped from
//! memory and the old content is back. A commit that refers to such a page would be acknowledged
//! and then lost. This cannot happen here:
//!
//! 1. A commit writes its pages and syncs, then writes the header that refers to them and syncs
//!    (two phases). A session writes nothing after a failure, so **a header that can be read, from
//!    the disk or from memory, refers only to pages of which a sync succeeded**.
//! 2. So the one page in doubt is the header itself: memory may show the new one while the disk
//!    holds the old one. `release` writes the header as it was read, which makes it dirty again,
//!    and succeeds only if the sync after it does. From there on the two agree, before a page that
//!    only the old header refers to is used again.
//! 3. The other pages of the failed commit are free, and a free page is written before it is
//!    referred to. Sums pages are written whole, and of one that did not reach the disk only the
//!    sums of free pages differ (see [`page_sums`](crate::page_sums)).
//!
//! The system need not be asked to drop pages that it could not write (`posix_fadvise`), which it
//! may decline to do; and a new process, which finds the same pages in memory, is as safe.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, MutexGuard, RwLock};
use pelorus_files::sync_parent;

use crate::StoreError;
use crate::checksummed_file::PageDamage;
use crate::disk::Disk;
use crate::file_header::{self, FORMAT_VERSION};
use crate::overlay::Overlay;
use crate::page_sums::{PAGE, data_offset};

/// A locked disk and the sessions on it.
#[derive(Debug)]
pub(crate) struct SharedDisk {
    disk: Box<dyn Disk>,
    /// Those that may still read or write.
    sessions: Mutex<Vec<Weak<Session>>>,
    opening: Mutex<()>,
    /// The path of a file whose name may not survive power loss.
    unsecured_name: Mutex<Option<PathBuf>>,
}

impl SharedDisk {
    /// Takes a disk that is locked.
    pub(crate) fn new(disk: impl Disk) -> Arc<Self> {
        Arc::new(SharedDisk {
            disk: Box::new(disk),
            sessions: Mutex::default(),
            opening: Mutex::default(),
            unsecured_name: Mutex::default(),
        })
    }

    /// Notes that this is the file at `path`, and that after power loss another may be there.
    pub(crate) fn name_may_be_lost(&self, path: &Path) {
        *self.unsecured_name.lock() = Some(path.to_owned());
    }

    /// Makes the name of the file survive power loss, where it may not.
    ///
    /// # Errors
    /// When the system refuses; it is asked again by the next call.
    pub(crate) fn secure_name(&self) -> crate::Result<()> {
        let mut unsecured = self.unsecured_name.lock();
        if let Some(path) = &*unsecured {
            sync_parent(path).map_err(StoreError::io(path))?;
            *unsecured = None;
        }
        Ok(())
    }

    /// Openings of one disk take turns.
    pub(crate) fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.opening.lock()
    }
}

#[derive(Debug)]
enum Access {
    Disk,
    Overlay(Overlay),
    Ended,
}

/// The use of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Writing,
    Reading,
}

/// One opening of a disk.
#[derive(Debug)]
pub(crate) struct Session {
    shared: Arc<SharedDisk>,
    purpose: Purpose,
    access: RwLock<Access>,
    failed_call: OnceLock<FailedCall>,
    damage: OnceLock<PageDamage>,
}

/// The first call that failed. An [`io::Error`] cannot be copied.
#[derive(Debug, Clone)]
struct FailedCall {
    kind: io::ErrorKind,
    message: String,
}

/// The session is over. Travels as the inner error of an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("the store was closed or opened anew")]
pub(crate) struct Ended;

impl Session {
    /// A session whose changes stay in memory until it is released.
    ///
    /// # Errors
    /// When the disk does not tell its length.
    pub(crate) fn begin(shared: &Arc<SharedDisk>, purpose: Purpose) -> io::Result<Arc<Self>> {
        let session = Arc::new(Session {
            shared: Arc::clone(shared),
            purpose,
            access: RwLock::new(Access::Overlay(Overlay::new(shared.disk.len()?))),
            failed_call: OnceLock::new(),
            damage: OnceLock::new(),
        });
        shared.sessions.lock().push(Arc::downgrade(&session));
        Ok(session)
    }

    pub(crate) fn shared(&self) -> &Arc<SharedDisk> {
        &self.shared
    }

    /// Writes to the disk the head of today's format and the tree's changes while it opened, waits
    /// until it is stable, and lets later changes through. Ends every other session, for this one
    /// may now write where they read.
    ///
    /// # Errors
    /// When the disk refuses, or when more was changed than the header: a crash in between could
    /// leave half of it. The session stays in memory then, and the others go on.
    pub(crate) fn release(&self) -> io::Result<()> {
        let mut access = self.access.write();
        let Access::Overlay(overlay) = &*access else {
            return Err(io::Error::other(Ended));
        };
        let disk = &*self.shared.disk;
        let header = data_offset(0);
        if overlay.changes_more_than(disk, header)? {
            let reason = "opening changed more than the header";
            return Err(io::Error::other(reason));
        }
        // Before anything that an older release would not see.
        disk.write_all_at(&file_header::encode(FORMAT_VERSION), 0)?;
        // Written even where the tree left it alone: it is the page in doubt.
        if header + PAGE <= overlay.len() {
            let mut page = [0; PAGE as usize];
            overlay.read(disk, &mut page, header)?;
            disk.write_all_at(&page, header)?;
        }
        disk.sync()?;
        *access = Access::Disk;
        drop(access);
        self.end_others();
        Ok(())
    }

    fn end_others(&self) {
        let mut others = Vec::new();
        let mut sessions = self.shared.sessions.lock();
        sessions.retain(|session| {
            let is_self = std::ptr::eq(session.as_ptr(), self);
            if !is_self {
                others.extend(session.upgrade());
            }
            is_self
        });
        // One of these may be the last to hold a session, whose end takes the lock.
        drop(sessions);
        for other in others {
            *other.access.write() = Access::Ended;
        }
    }

    /// Keeps all further changes from the disk, for another session is about to write. Waits
    /// for those under way. Reads go on.
    ///
    /// # Errors
    /// When the session has ended, or when the disk does not tell its length.
    pub(crate) fn stop_writing(&self) -> io::Result<()> {
        let _ = self.failed_call.set(FailedCall {
            kind: io::ErrorKind::Other,
            message: Ended.to_string(),
        });
        let mut access = self.access.write();
        match &*access {
            Access::Disk => *access = Access::Overlay(Overlay::new(self.shared.disk.len()?)),
            Access::Overlay(_) => {}
            Access::Ended => return Err(io::Error::other(Ended)),
        }
        Ok(())
    }

    /// Ends the session; all calls fail from here on. The disk is unlocked with the last one.
    pub(crate) fn end(&self) -> io::Result<()> {
        *self.access.write() = Access::Ended;
        let mut sessions = self.shared.sessions.lock();
        let before = sessions.len();
        sessions.retain(|other| !std::ptr::eq(other.as_ptr(), self));
        if sessions.is_empty() && before > 0 {
            return self.shared.disk.unlock();
        }
        Ok(())
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(*self.access.read(), Access::Ended)
    }

    /// # Errors
    /// Why commits cannot succeed.
    pub(crate) fn check_writable(&self) -> crate::Result<()> {
        if self.has_ended() {
            return Err(StoreError::Closed);
        }
        if self.purpose == Purpose::Reading {
            return Err(StoreError::ReadOnly);
        }
        match (self.damage.get(), self.failed_call.get()) {
            (Some(damage), _) => Err(StoreError::damaged(damage.place(), damage.reason())),
            (None, Some(_)) => Err(self.explain(StoreError::Closed)),
            (None, None) => Ok(()),
        }
    }

    /// The error of the first call that failed.
    pub(crate) fn error(&self) -> Option<StoreError> {
        let failed = self.failed_call.get()?;
        Some(StoreError::data_file(io::Error::new(
            failed.kind,
            failed.message.clone(),
        )))
    }

    /// Replaces "closed" by what closed the session.
    pub(crate) fn explain(&self, error: StoreError) -> StoreError {
        if self.has_ended() {
            return error;
        }
        match (error, self.damage.get(), self.failed_call.get()) {
            (StoreError::Closed, Some(damage), _) => {
                StoreError::damaged(damage.place(), damage.reason())
            }
            (StoreError::Closed, None, Some(failed)) => {
                let message = format!("an earlier call failed: {}", failed.message);
                StoreError::data_file(io::Error::new(failed.kind, message))
            }
            (error, _, _) => error,
        }
    }

    /// Notes the first damage met. After a failed write a page may hold its content from before
    /// that write, so apparent damage then is not held against the file.
    pub(crate) fn note_damage(&self, damage: PageDamage) {
        if self.failed_call.get().is_none() {
            let _ = self.damage.set(damage);
        }
    }

    fn note_failed_call(&self, error: &io::Error) {
        let _ = self.failed_call.set(FailedCall {
            kind: error.kind(),
            message: error.to_string(),
        });
    }

    pub(crate) fn damage(&self) -> Option<&PageDamage> {
        self.damage.get()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match &*self.access.read() {
            Access::Overlay(overlay) => overlay.memory_bytes(),
            Access::Disk | Access::Ended => 0,
        }
    }

    /// Gives back the memory of a commit that failed. Nobody may read its pages any more.
    pub(crate) fn forget_changes(&self) {
        if let Access::Overlay(overlay) = &mut *self.access.write() {
            overlay.forget();
        }
    }

    fn change(
        &self,
        on_disk: impl FnOnce(&dyn Disk) -> io::Result<()>,
        in_memory: impl FnOnce(&mut Overlay, &dyn Disk) -> io::Result<()>,
    ) -> io::Result<()> {
        let disk = &*self.shared.disk;
        // Shared while the disk works: a sync takes long, and reads must not wait for it.
        if let Access::Disk = &*self.access.read()
            && self.failed_call.get().is_none()
        {
            match on_disk(disk) {
                Ok(()) => return Ok(()),
                Err(error) => self.note_failed_call(&error),
            }
        }
        let mut access = self.access.write();
        if let Access::Disk = &*access {
            *access = Access::Overlay(Overlay::new(disk.len()?));
        }
        match &mut *access {
            Access::Overlay(overlay) => in_memory(overlay, disk),
            Access::Disk | Access::Ended => Err(io::Error::other(Ended)),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Disk for Session {
    fn len(&self) -> io::Result<u64> {
        match &*self.access.read() {
            Access::Disk => self.shared.disk.len(),
            Access::Overlay(overlay) => Ok(overlay.len()),
            Access::Ended => return Err(io::Error::other(Ended)),
        }
        .inspect_err(|error| self.note_failed_call(error))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(
            |disk| disk.set_len(len),
            |overlay, _| {
                overlay.set_len(len);
                Ok(())
            },
        )
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let disk = &*self.shared.disk;
        match &*self.access.read() {
            Access::Disk => disk.read_exact_at(out, offset),
            Access::Overlay(overlay) => overlay.read(disk, out, offset),
            Access::Ended => return Err(io::Error::other(Ended)),
        }
        .inspect_err(|error| self.note_failed_call(error))
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.change(
            |disk| disk.write_all_at(data, offset),
            |overlay, disk| overlay.write(disk, data, offset),
        )
    }

    fn sync(&self) -> io::Result<()> {
        self.change(|disk| disk.sync(), |_, _| Ok(()))
    }

    fn unlock(&self) -> io::Result<()> {
        self.end()
    }
}
