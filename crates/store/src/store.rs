use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::{Database, Durability, ReadableDatabase};

use crate::checksummed_file::{ChecksummedFile, FirstDamage};
use crate::disk::Disk;
use crate::file_header::{self, FORMAT_VERSION, HEADER_LEN};
use crate::page_sums::{PAGE, file_len};
use crate::rows::{self, DEFINITION, DOCUMENTS, IDS, INDEX, STATE, State, TENSORS};
use crate::write_batch::{self, WriteBatch};
use crate::{ReadView, Result, StoreError};

/// One index's file, open for reading and writing. Shared between threads by reference; commits
/// take turns, reads never wait.
pub struct Store {
    database: Database,
    first_damage: FirstDamage,
}

impl Store {
    /// Makes a new file at `path` with the index's `definition` and no documents. The file
    /// appears at `path` whole or not at all.
    ///
    /// `cache_bytes` bounds the pages kept in memory.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there is a file; [`StoreError::Io`].
    pub fn create(path: &Path, definition: &[u8], cache_bytes: usize) -> Result<Store> {
        if path.try_exists().map_err(StoreError::io(path))? {
            return Err(StoreError::Exists(path.to_path_buf()));
        }
        let draft = draft_path(path);
        write_draft(&draft, definition)?;
        std::fs::rename(&draft, path).map_err(StoreError::io(path))?;
        sync_parent(path)?;
        Store::open(path, cache_bytes)
    }

    /// Opens the file at `path`; after a crash, at the last commit that was acknowledged or at
    /// the one being acknowledged, in a time that does not depend on the file's size.
    ///
    /// # Errors
    /// [`StoreError::NewerFormat`], [`StoreError::InUse`] and, when the file's head or length is
    /// wrong, [`StoreError::Damaged`]: nothing was written then. Damage deeper in the file shows
    /// here or at the read that meets it.
    pub fn open(path: &Path, cache_bytes: usize) -> Result<Store> {
        let file = lock(path, OpenOptions::new().read(true).write(true))?;
        check_head(&file)?;
        let store = Store::over(file, cache_bytes)?;
        store.read()?.definition()?;
        Ok(store)
    }

    /// Opens what is on a disk whose head was checked; an empty one becomes a tree without tables.
    pub(crate) fn over(disk: impl Disk, cache_bytes: usize) -> Result<Store> {
        let file = ChecksummedFile::new(disk);
        let first_damage = file.first_damage();
        let opened = catch_unwind(AssertUnwindSafe(|| {
            redb::Builder::new()
                .set_cache_size(cache_bytes)
                .create_with_backend(file)
        }));
        let database = match opened {
            Ok(Ok(database)) => database,
            Ok(Err(error)) => return Err(explain(error.into(), &first_damage)),
            Err(_) => {
                return Err(StoreError::damaged(
                    "tree",
                    "its pages contradict each other",
                ));
            }
        };
        Ok(Store {
            database,
            first_damage,
        })
    }

    /// Makes the tables of an empty tree.
    pub(crate) fn write_first(&self, definition: &[u8]) -> Result<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_quick_repair(true);
        {
            let mut index = transaction.open_table(INDEX)?;
            rows::put(&mut index, "index", DEFINITION, definition)?;
            rows::put(&mut index, "index", STATE, &State::default().encode())?;
            transaction.open_table(IDS)?;
            transaction.open_table(DOCUMENTS)?;
            transaction.open_table(TENSORS)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The bytes given to [`Store::create`].
    pub fn definition(&self) -> Result<Vec<u8>> {
        self.read()?.definition()
    }

    /// Commits a batch and returns, for each change in order, the ordinal of the document version
    /// it replaced or removed. When this returns the batch is on stable storage and every
    /// [`ReadView`] made from now on shows it. A batch that changes nothing costs nothing.
    ///
    /// # Errors
    /// [`StoreError::EmptyId`] and [`StoreError::OrdinalOrder`] before anything is changed. After
    /// [`StoreError::Io`] the batch may have become durable or not, whole in either case, and the
    /// store answers [`StoreError::Closed`] until it is opened again.
    pub fn commit(&self, batch: &WriteBatch) -> Result<Vec<Option<u32>>> {
        self.commit_now(batch)
            .map_err(|error| explain(error, &self.first_damage))
    }

    fn commit_now(&self, batch: &WriteBatch) -> Result<Vec<Option<u32>>> {
        let mut transaction = self.database.begin_write()?;
        transaction
            .set_durability(Durability::Immediate)
            .expect("no savepoint was made in this transaction");
        transaction.set_two_phase_commit(true);
        transaction.set_quick_repair(true);
        let replaced = write_batch::apply(&transaction, batch)?;
        if write_batch::has_effect(batch, &replaced) {
            transaction.commit()?;
        } else {
            transaction.abort().map_err(StoreError::from)?;
        }
        Ok(replaced)
    }

    /// Bytes of pages kept in memory.
    pub fn memory_bytes(&self) -> usize {
        self.database.cache_stats().used_bytes()
    }

    /// A view of the last commit, unmoved by later ones. Pages it shows are not reused while it
    /// lives, so views are for requests and snapshots, not for keeping.
    pub fn read(&self) -> Result<ReadView> {
        let view = self
            .database
            .begin_read()
            .map_err(StoreError::from)
            .and_then(|transaction| {
                ReadView::new(&transaction, FirstDamage::clone(&self.first_damage))
            });
        view.map_err(|error| explain(error, &self.first_damage))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("damage", &self.first_damage.get())
            .finish_non_exhaustive()
    }
}

/// Replaces "closed" by the damage that closed the store.
pub(crate) fn explain(error: StoreError, first_damage: &FirstDamage) -> StoreError {
    match (error, first_damage.get()) {
        (StoreError::Closed, Some(damage)) => StoreError::damaged(damage.place(), damage.reason()),
        (error, _) => error,
    }
}

fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".draft");
    PathBuf::from(name)
}

fn write_draft(draft: &Path, definition: &[u8]) -> Result<()> {
    // A draft left by a crash is nobody's data.
    let file = lock(
        draft,
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
    )?;
    prepare_disk(&file).map_err(StoreError::io(draft))?;
    Store::over(file, 1 << 20)?.write_first(definition)
}

/// Empties a disk and writes its head.
pub(crate) fn prepare_disk(disk: &impl Disk) -> io::Result<()> {
    disk.set_len(0)?;
    disk.set_len(file_len(0))?;
    disk.write_all_at(&file_header::encode(FORMAT_VERSION), 0)
}

fn lock(path: &Path, options: &OpenOptions) -> Result<File> {
    let file = options.open(path).map_err(StoreError::io(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_path_buf())),
        Err(TryLockError::Error(source)) => Err(StoreError::io(path)(source)),
    }
}

/// Refuses what is no store of a format this release reads. Writes nothing.
pub(crate) fn check_head(disk: &impl Disk) -> Result<()> {
    let io = || StoreError::io(Path::new("data file"));
    let len = disk.len().map_err(io())?;
    if len < HEADER_LEN as u64 {
        let reason = format!("{len} bytes are no store");
        return Err(StoreError::damaged("file header", reason));
    }
    let mut head = [0; HEADER_LEN];
    disk.read_exact_at(&mut head, 0).map_err(io())?;
    file_header::check(&head)?;
    if len < file_len(1) || !len.is_multiple_of(PAGE) {
        return Err(StoreError::damaged("file length", format!("{len} bytes")));
    }
    Ok(())
}

/// Makes the file's name durable. Windows has no such call and needs none.
fn sync_parent(path: &Path) -> Result<()> {
    if cfg!(unix) {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        File::open(parent)
            .and_then(|folder| folder.sync_all())
            .map_err(StoreError::io(parent))?;
    }
    Ok(())
}
