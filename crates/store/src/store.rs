use std::fs::OpenOptions;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use redb::{Database, Durability, ReadTransaction, ReadableDatabase, WriteTransaction};

use crate::checksummed_file::ChecksummedFile;
use crate::pending_commit::PendingCommit;
use crate::rows::{self, DEFINITION, DOCUMENTS, INDEX, REFERENCES, STATE, State, TENSORS};
use crate::session::{Purpose, Session, SharedDisk};
use crate::store_file::{NewFile, check_head, lock, remove_draft};
use crate::write_batch::WriteBatch;
use crate::{ReadView, Result, StoreError};

/// One index's file, open for reading and writing. Shared between threads by reference; commits
/// take turns, reads never wait.
///
/// A store stops at the first operation that the operating system refuses. After a refused write
/// it takes no more writes and its reads go on; after a refused read or damage it answers nothing
/// more. [`reopen`](Store::reopen) makes the store that takes its place.
pub struct Store {
    database: Database,
    session: Arc<Session>,
    cache_bytes: usize,
    /// The commit before the one that is being made, or that failed: it is shown if that fails.
    last_good: Mutex<Option<Arc<ReadTransaction>>>,
    /// Bytes of pages when they were last asked for.
    used_bytes: AtomicUsize,
}

impl Store {
    /// Makes a new file at `path` with the index's `definition` and no documents. The file
    /// appears at `path` whole or not at all, and after an error nothing of it is left.
    ///
    /// `cache_bytes` bounds the pages kept in memory.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there is a file; [`StoreError::InUse`] when it is being made;
    /// [`StoreError::Io`].
    pub fn create(path: &Path, definition: &[u8], cache_bytes: usize) -> Result<Store> {
        let (new_file, file) = NewFile::make(path)?;
        let store = Store::make_on(&SharedDisk::new(file), definition, cache_bytes)?;
        new_file.finish(path)?;
        Ok(store)
    }

    /// Opens the file at `path`; after a crash, at the last commit that was acknowledged or at
    /// the one being acknowledged, in a time that does not depend on the file's size.
    ///
    /// # Errors
    /// [`StoreError::NewerFormat`], [`StoreError::InUse`] and [`StoreError::Damaged`]: not a byte
    /// of the file was changed. [`StoreError::Io`]: committed data are intact. Damage deep in the
    /// file shows at the read that meets it.
    pub fn open(path: &Path, cache_bytes: usize) -> Result<Store> {
        let file = lock(path, OpenOptions::new().read(true).write(true))?;
        let disk = SharedDisk::new(file);
        // A copy may have been given the name by a process that ended right after.
        disk.name_may_be_lost(path);
        let store = Store::open_on(&disk, Purpose::Writing, cache_bytes)?;
        remove_draft(path);
        Ok(store)
    }

    /// Opens the file at `path` without writing to it, at the last commit. Nobody else gets it meanwhile.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_for_reading(path: &Path, cache_bytes: usize) -> Result<Store> {
        let file = lock(path, OpenOptions::new().read(true))?;
        Store::open_on(&SharedDisk::new(file), Purpose::Reading, cache_bytes)
    }

    /// Opens the same file anew after a write or a read that failed, at the last commit that was
    /// acknowledged or at one whose [`PendingCommit::commit`] failed. The file stays locked all
    /// the while.
    ///
    /// From the call on this store takes no writes. Its reads and views go on until the new store
    /// is there; then they answer [`StoreError::Closed`], except from pages kept in memory, and
    /// whatever is still done to this store no longer reaches the file.
    ///
    /// # Errors
    /// As [`Store::open`]. This store is as it was then, and may be asked again.
    /// [`StoreError::Closed`] when another took its place already.
    pub fn reopen(&self) -> Result<Store> {
        self.open_again(Purpose::Writing)
    }

    /// Opens the same file anew without writing to it: for a disk that fails a read and then
    /// refuses writes. Commits on the new store answer [`StoreError::ReadOnly`]; its
    /// [`reopen`](Store::reopen), or this one's, makes a store that takes writes again.
    ///
    /// From the call on this store takes no writes. Its reads and views go on.
    ///
    /// # Errors
    /// As [`Store::reopen`].
    pub fn reopen_for_reading(&self) -> Result<Store> {
        self.open_again(Purpose::Reading)
    }

    fn open_again(&self, purpose: Purpose) -> Result<Store> {
        let disk = self.session.shared();
        let _turn = disk.take_turn();
        self.session.stop_writing().map_err(StoreError::data_file)?;
        Store::open_on(disk, purpose, self.cache_bytes)
    }

    /// Opens the store on a disk.
    pub(crate) fn open_on(
        disk: &Arc<SharedDisk>,
        purpose: Purpose,
        cache_bytes: usize,
    ) -> Result<Store> {
        let session = Session::begin(disk, purpose).map_err(StoreError::data_file)?;
        check_head(&*session)?;
        let store = Store::over(session, cache_bytes)?;
        store.definition()?;
        if purpose == Purpose::Writing {
            store.session.release().map_err(StoreError::data_file)?;
        }
        Ok(store)
    }

    /// Makes a store on a disk that is empty but for its head.
    pub(crate) fn make_on(
        disk: &Arc<SharedDisk>,
        definition: &[u8],
        cache_bytes: usize,
    ) -> Result<Store> {
        let store = Store::empty_on(disk, cache_bytes)?;
        let written = store.write_first(definition);
        store.session.error().map_or(written, Err)?;
        Ok(store)
    }

    /// A store without any tables on a disk that is empty but for its head.
    pub(crate) fn empty_on(disk: &Arc<SharedDisk>, cache_bytes: usize) -> Result<Store> {
        let session = Session::begin(disk, Purpose::Writing).map_err(StoreError::data_file)?;
        session.release().map_err(StoreError::data_file)?;
        Store::over(session, cache_bytes)
    }

    /// Opens the tree on a session's disk; an empty one becomes a tree without tables.
    fn over(session: Arc<Session>, cache_bytes: usize) -> Result<Store> {
        let file = ChecksummedFile::new(Arc::clone(&session));
        let opened = catch_unwind(AssertUnwindSafe(|| {
            redb::Builder::new()
                .set_cache_size(cache_bytes)
                .create_with_backend(file)
        }));
        match opened {
            Ok(Ok(database)) => Ok(Store {
                database,
                session,
                cache_bytes,
                last_good: Mutex::default(),
                used_bytes: AtomicUsize::new(0),
            }),
            Ok(Err(error)) => Err(session.explain(error.into())),
            Err(_) => Err(StoreError::damaged(
                "tree",
                "its pages contradict each other",
            )),
        }
    }

    /// Makes the tables of an empty tree.
    fn write_first(&self, definition: &[u8]) -> Result<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_quick_repair(true);
        {
            let mut index = transaction.open_table(INDEX)?;
            rows::put(&mut index, "index", DEFINITION, definition)?;
            rows::put(&mut index, "index", STATE, &State::default().encode())?;
            transaction.open_table(DOCUMENTS)?;
            transaction.open_table(TENSORS)?;
            transaction.open_table(REFERENCES)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The bytes given to [`Store::create`], or by the last [`WriteOp::Define`](crate::WriteOp::Define).
    pub fn definition(&self) -> Result<Vec<u8>> {
        self.read()?.definition()
    }

    /// Commits a batch. When this returns it is on stable storage and every [`ReadView`] made from now
    /// on shows it. A batch that changes nothing costs nothing.
    ///
    /// # Errors
    /// Those of [`Store::begin`] and [`PendingCommit::commit`].
    pub fn commit(&self, batch: &WriteBatch) -> Result<()> {
        self.begin(batch)?.commit()
    }

    /// Applies a batch without committing it; nobody sees it yet. Waits while another batch is
    /// pending, so a thread has one at a time.
    ///
    /// # Errors
    /// [`StoreError::OrdinalOrder`] before anything is changed. [`StoreError::Io`] when the disk
    /// refuses a write, or refused one before; [`StoreError::ReadOnly`], [`StoreError::Closed`], and
    /// [`StoreError::Damaged`], also where a version that is to be changed is not there. The batch is
    /// not on the disk then and will never be.
    pub fn begin(&self, batch: &WriteBatch) -> Result<PendingCommit<'_>> {
        self.begin_now(batch)
            .map_err(|error| self.session.explain(error))
    }

    fn begin_now(&self, batch: &WriteBatch) -> Result<PendingCommit<'_>> {
        self.session.check_writable()?;
        let transaction = self.begin_write()?;
        // Asked again: the batch this one waited for may have failed.
        self.session.check_writable()?;
        self.session.shared().secure_name()?;
        let last_good = Arc::new(self.database.begin_read()?);
        *self.last_good.lock() = Some(Arc::clone(&last_good));
        let mut pending = PendingCommit::new(self, transaction, last_good);
        pending.apply(batch)?;
        Ok(pending)
    }

    /// A transaction whose commit is on stable storage when it returns. Waits while there is another.
    pub(crate) fn begin_write(&self) -> Result<WriteTransaction> {
        let mut transaction = self.database.begin_write()?;
        transaction
            .set_durability(Durability::Immediate)
            .expect("no savepoint was made in this transaction");
        transaction.set_two_phase_commit(true);
        transaction.set_quick_repair(true);
        Ok(transaction)
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Shows commits from now on, unless another commit is under way.
    pub(crate) fn show_latest(&self, instead_of: &Arc<ReadTransaction>) {
        let mut last_good = self.last_good.lock();
        if last_good
            .as_ref()
            .is_some_and(|kept| Arc::ptr_eq(kept, instead_of))
        {
            *last_good = None;
        }
    }

    /// Tells whether commits can succeed: not after an operation that failed, and not on a store
    /// that was opened for reading or whose place another took.
    pub fn is_writable(&self) -> bool {
        self.session.check_writable().is_ok()
    }

    /// Bytes of pages kept in memory; while a commit is under way, those before it.
    pub fn memory_bytes(&self) -> usize {
        let last_good = self.last_good.lock();
        if last_good.is_none() {
            // The tree's own account subtracts counters that a commit is about to change.
            let used = self.database.cache_stats().used_bytes();
            self.used_bytes.store(used, Ordering::Relaxed);
        }
        drop(last_good);
        self.used_bytes.load(Ordering::Relaxed) + self.session.memory_bytes()
    }

    /// A view of the last commit, unmoved by later ones. Pages it shows are not reused while it
    /// lives, so views are for requests and snapshots, not for keeping.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::Io`], and [`StoreError::Closed`] when another store
    /// took the place of this one.
    pub fn read(&self) -> Result<ReadView> {
        if self.session.has_ended() {
            return Err(StoreError::Closed);
        }
        let view = self
            .database
            .begin_read()
            .map_err(StoreError::from)
            .and_then(|latest| {
                // Asked after: the tree shows a commit that failed, for it was told of no failure.
                let failed = self.session.error().is_some();
                let last_good = self.last_good.lock().clone().filter(|_| failed);
                let transaction = last_good.as_deref().unwrap_or(&latest);
                ReadView::new(transaction, Arc::clone(&self.session))
            });
        view.map_err(|error| self.session.explain(error))
    }
}

impl Drop for Store {
    /// Closing the tree writes; a store that cannot has nothing to close.
    fn drop(&mut self) {
        if !self.is_writable() {
            let _ = self.session.end();
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("is_writable", &self.is_writable())
            .field("damage", &self.session.damage())
            .finish_non_exhaustive()
    }
}
