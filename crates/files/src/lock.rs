use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a file and locks it until it is closed: no other process, and no other opening in this
/// one, gets it meanwhile.
///
/// # Errors
/// [`TryLockError::WouldBlock`] where another holds it, else the error of the system.
pub fn open_locked(path: &Path, options: &OpenOptions) -> Result<File, TryLockError> {
    let file = options.open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

/// Locks a folder itself until what it answers is dropped: unlike a file in it, nobody can take the folder out of the
/// way while its content stays. None where the system has no such locks, and a file must do.
///
/// # Errors
/// [`TryLockError::WouldBlock`] where another holds it, else the error of opening it.
#[cfg(unix)]
pub fn lock_folder(folder: &Path) -> Result<Option<File>, TryLockError> {
    let opened = File::open(folder).map_err(TryLockError::Error)?;
    match opened.try_lock() {
        Ok(()) => Ok(Some(opened)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        // Some file systems, NFS among them, lock only what is open for writing.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// A folder cannot be opened as a file, and a locked file in it cannot be removed.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as elsewhere")]
pub fn lock_folder(_folder: &Path) -> Result<Option<File>, TryLockError> {
    Ok(None)
}

/// A file that is there for being locked, and for nothing else. The system ends the lock with the process that holds it,
/// however that ends and whatever process gets its number.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    path: PathBuf,
}

impl LockFile {
    /// Locks the file at `path`, which is made where there is none; none where another holds it.
    ///
    /// # Errors
    /// The error that the system ran into.
    pub fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = match open_locked(path, &options) {
            Err(TryLockError::WouldBlock) => return Ok(None),
            file => file?,
        };
        // It may have been removed by who held it before, after it was opened here.
        let is_there = is_at(&file, path)?;
        let path = path.to_owned();
        Ok(is_there.then_some(Self { file, path }))
    }

    /// Ends the lock. The file is removed where that is safe.
    pub fn release(self) {
        // While it is locked: whoever opened it meanwhile sees that it is gone once he has it.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        drop(self.file);
    }
}

/// Tells whether a file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let there = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there?,
    };
    let here = file.metadata()?;
    Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
}

/// Nothing is removed here.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as elsewhere")]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_locked_for_as_long_as_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let missing = open_locked(&path, &options).unwrap_err();
        assert!(matches!(missing, TryLockError::Error(_)));
        options.create(true);
        let held = open_locked(&path, &options).unwrap();
        let refused = open_locked(&path, &options).unwrap_err();
        assert!(matches!(refused, TryLockError::WouldBlock));
        drop(held);
        open_locked(&path, &options).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_locked_whatever_becomes_of_the_files_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock_folder(folder.path()).unwrap().unwrap();
        std::fs::write(folder.path().join("lock"), "").unwrap();
        let refused = lock_folder(folder.path()).unwrap_err();
        assert!(matches!(refused, TryLockError::WouldBlock));
        drop(held);
        lock_folder(folder.path()).unwrap().unwrap();
        let missing = lock_folder(&folder.path().join("none")).unwrap_err();
        assert!(matches!(missing, TryLockError::Error(_)));
    }

    #[test]
    fn a_lock_file_has_one_holder_and_what_an_earlier_one_left_in_it_means_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.lock");
        std::fs::write(&path, std::process::id().to_string()).unwrap();
        let held = LockFile::try_acquire(&path).unwrap().unwrap();
        assert!(LockFile::try_acquire(&path).unwrap().is_none());
        held.release();
        let held = LockFile::try_acquire(&path).unwrap().unwrap();
        // As at the end of a process.
        drop(held);
        LockFile::try_acquire(&path).unwrap().unwrap().release();
        assert_eq!(path.exists(), cfg!(not(unix)));
        assert!(LockFile::try_acquire(&folder.path().join("a/b")).is_err());
    }

    #[test]
    fn a_lock_file_has_one_holder_among_threads_that_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.lock");
        let holders = std::sync::atomic::AtomicUsize::new(0);
        let work = || {
            let mut turns = 0;
            while turns < 50 {
                let Some(held) = LockFile::try_acquire(&path).unwrap() else {
                    std::thread::yield_now();
                    continue;
                };
                let before = holders.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                assert_eq!(before, 0);
                std::thread::yield_now();
                holders.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                held.release();
                turns += 1;
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| {
                scope.spawn(work);
            });
        });
    }
}
