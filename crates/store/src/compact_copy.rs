//! A copy of a store that has no free pages and takes its place.
//!
//! Pages that no commit refers to any more are used again, but the file stays as large as it once was, but for free
//! pages at its very end. The tree can move pages to the front in place; it needs the file for itself as long as
//! that takes, and when it is interrupted the next opening has to read all of it. A copy needs neither: readers and
//! writers go on, and until the copy has the name of the file, in one step, it is nobody's data.

use std::path::Path;

use crate::session::SharedDisk;
use crate::store_file::NewFile;
use crate::{ReadView, Result, Store};

/// A copy of one commit of a store, in a file of its own beside that of the store. Dropped, the file is removed.
#[derive(Debug)]
pub struct CompactCopy {
    file: NewFile,
    store: Store,
    sequence: u64,
}

impl CompactCopy {
    /// Copies what `view` shows of the store whose file is at `path`, and returns when the copy is on stable storage.
    /// None once `go_on` answers false.
    ///
    /// `cache_bytes` bounds the pages kept in memory, as for the store. One copy of a store is made at a time.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while another copy is made; [`StoreError::Io`]; those of reading the view. Nothing is left
    /// of the copy then.
    ///
    /// [`StoreError::InUse`]: crate::StoreError::InUse
    /// [`StoreError::Io`]: crate::StoreError::Io
    pub fn make(
        view: &ReadView,
        path: &Path,
        cache_bytes: usize,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<Self>> {
        let (file, disk) = NewFile::beside(path)?;
        let store = Store::empty_on(&SharedDisk::new(disk), cache_bytes)?;
        let copied = copy(view, &store, go_on);
        // First, for it is the cause of the errors after it.
        store.session().error().map_or(Ok(()), Err)?;
        let is_whole = copied?;
        let sequence = view.sequence()?;
        Ok(is_whole.then_some(Self {
            file,
            store,
            sequence,
        }))
    }

    /// Makes the copy the file at `path`, in place of that of `original`, and gives its store; none where something was
    /// committed since the view that was copied.
    ///
    /// From then on `original` takes no more writes; its views go on until it is dropped. After power loss either file
    /// may be there, until the next commit: they hold the same.
    ///
    /// # Errors
    /// [`StoreError::Io`](crate::StoreError::Io) when the file cannot be replaced, and why the original takes no writes.
    /// It is as it was then.
    pub fn replace(self, original: &Store, path: &Path) -> Result<Option<Store>> {
        // Nobody commits meanwhile.
        let turn = original.begin_write()?;
        original.session().check_writable()?;
        if original.read()?.sequence()? != self.sequence {
            return Ok(None);
        }
        self.file.rename(path)?;
        self.store.session().shared().name_may_be_lost(path);
        // The error would be about the length of a file that nobody can open any more.
        let _ = original.session().stop_writing();
        drop(turn);
        Ok(Some(self.store))
    }
}

/// Commits the content of a view to a store without any tables. False once `go_on` answers so; nothing is committed
/// then.
fn copy(view: &ReadView, store: &Store, go_on: impl Fn() -> bool) -> Result<bool> {
    let transaction = store.begin_write()?;
    let is_whole = view.copy_to(&transaction, go_on)?;
    if is_whole {
        transaction.commit()?;
    }
    Ok(is_whole)
}
