use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, FileHandle, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

/// Memory-mapped files that are written without waiting for the disk. Files written here can be
/// rebuilt, so a power failure may damage them: checksums tell.
#[derive(Debug, Clone)]
pub(crate) struct UnsyncedDirectory {
    mapped: MmapDirectory,
    root: PathBuf,
    /// Once true, nothing more is written.
    stopped: Arc<AtomicBool>,
}

/// Names of temporary files are unique, as one file may be replaced from several threads at once.
static TEMPORARY_FILES: AtomicU64 = AtomicU64::new(0);

impl UnsyncedDirectory {
    /// `root` must exist.
    pub(crate) fn open(root: &Path) -> tantivy::Result<UnsyncedDirectory> {
        UnsyncedDirectory::open_until(root, Arc::default())
    }

    /// As [`open`](Self::open); every write fails once `stopped` is true.
    pub(crate) fn open_until(
        root: &Path,
        stopped: Arc<AtomicBool>,
    ) -> tantivy::Result<UnsyncedDirectory> {
        Ok(UnsyncedDirectory {
            mapped: MmapDirectory::open(root)?,
            root: root.to_owned(),
            stopped,
        })
    }
}

fn check(stopped: &AtomicBool) -> io::Result<()> {
    match stopped.load(Ordering::Acquire) {
        true => Err(io::Error::other("the index writes no more files")),
        false => Ok(()),
    }
}

impl Directory for UnsyncedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let full_path = self.root.join(path);
        let open = || {
            check(&self.stopped)?;
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(full_path)
        };
        match open() {
            Ok(file) => Ok(BufWriter::new(Box::new(UnsyncedFile {
                file,
                stopped: self.stopped.clone(),
            }))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        check(&self.stopped)?;
        let unique = TEMPORARY_FILES.fetch_add(1, Ordering::Relaxed);
        let temporary = self.root.join(format!("{}.{unique}.tmp", path.display()));
        std::fs::write(&temporary, data)?;
        std::fs::rename(&temporary, self.root.join(path))
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

struct UnsyncedFile {
    file: File,
    stopped: Arc<AtomicBool>,
}

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check(&self.stopped)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.file.flush()
    }
}
